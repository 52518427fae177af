"""The tools that write entries and read them back: `memory_store`, `memory_state`,
`memory_recall`, `memory_ingest`, `memory_audit`."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from mcp.server.mcpserver.tools import Tool
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from quipu.agents.entries import Entries, Origin, Priority
from quipu.agents.recall import Detail, recall
from quipu.memory import Memory
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.records.entry import Category
from quipu.records.stated import StatedList, StatementInput
from quipu.serve.lookups import audited, kept_entry, recalled
from quipu.serve.mcp.shapes import (
    Audited,
    Ingest,
    IngestContract,
    Recalled,
    StoreResult,
)
from quipu.serve.mcp.tool import Hints, make_tool, mistakes, read_given, schema_of, telling
from quipu.serve.results import shaped
from quipu.write.jobs import STAGES

__all__ = ["remembering_tools"]

_WRITES = Hints(reads=False)

Words = Annotated[list[str] | str, Field(description="A list, or one text with commas between.")]


class GivenItem(BaseModel):
    """One item of `memory_ingest`."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(default="", description="Names it; the same id again replaces the text.")
    kind: str = Field(
        default="text",
        description="message or turn (of a session), goal or task (metadata holds their fields), "
        "or any word.",
    )
    text: str = Field(description="What is to be remembered.")
    metadata: dict[str, Any] = Field(
        default_factory=dict,
        description="Of a turn: role, speaker, time. Of a text: title, time and what else counts.",
    )


class _Misfit(NamedTuple):
    """An item that cannot be read, and why."""

    why: str


def _item_or_why(given: Any, read: ValidatorFunctionWrapHandler) -> GivenItem | _Misfit:
    try:
        return read(given)
    except ValidationError as error:
        return _Misfit(mistakes(error, GivenItem.model_json_schema()))


def remembering_tools(memory: Memory, entries: Entries) -> list[Tool]:
    """The tools over one memory."""
    return [
        _store_tool(entries),
        _state_tool(memory),
        _recall_tool(memory, entries),
        _ingest_tool(memory),
        _audit_tool(memory),
    ]


def _store_tool(entries: Entries) -> Tool:
    def memory_store(
        category: Annotated[Category, Field(description="What kind of thing it is.")],
        content: Annotated[str, Field(description="What to remember, complete in itself.")],
        context: Annotated[str, Field(description="Why it is worth remembering.")] = "",
        priority: Annotated[Priority, Field(description="How much it matters.")] = "medium",
        tags: Words = [],  # noqa: B006  never changed
        related_to: Words = [],  # noqa: B006
        source: Annotated[Origin, Field(description="Where it comes from.")] = "manual",
        expires: Annotated[str, Field(description="An ISO date after which it is void.")] = "",
        observed_at: Annotated[
            str, Field(description="The ISO date on which it was said or held; none for now.")
        ] = "",
    ) -> StoreResult:
        """Remember one thing for good: a preference, instruction, fact, decision or insight.

        Saying it again, in nearly the same words, merges with what is there: the newest wording
        stands, the higher priority and all tags and sources stay.
        """
        done = entries.store(
            content,
            category=category,
            context=context,
            priority=priority,
            tags=_words(tags),
            related_to=_words(related_to),
            source=source,
            expires=expires or None,
            observed_at=observed_at or None,
        )
        return kept_entry(done)

    return make_tool(memory_store, title="Remember", hints=_WRITES)


def _state_tool(memory: Memory) -> Tool:
    def memory_state(
        statements: Annotated[
            list[dict[str, Any]], Field(min_length=1, description="All or none.")
        ],
    ) -> StatedList:
        """State facts: subject, attribute, value, since when. The same key replaces its value.

        Each reply says what was replaced, the subject's other keys and keys near it: use the key
        that is known, or name the fact that yours `replaces`.
        """
        given = read_given(statements, list[StatementInput], "statements")
        return StatedList(stated=tuple(memory.facts.state(given)))

    tool = make_tool(memory_state, title="State facts", hints=_WRITES)
    tool.parameters["properties"]["statements"]["items"] = _plain(schema_of(StatementInput))
    return tool


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of an object without defaults and unions, which cost every client."""
    left_out = {"default", "examples", "anyOf"}
    properties = {
        name: {key: said for key, said in described.items() if key not in left_out}
        for name, described in schema["properties"].items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _recall_tool(memory: Memory, entries: Entries) -> Tool:
    def memory_recall(
        query: Annotated[str, Field(description="What it is about.", max_length=20_000)],
        categories: Annotated[list[Category], Field(description="Only these; none for all.")] = [],  # noqa: B006
        priority_min: Annotated[Priority, Field(description="At least this priority.")] = "low",
        token_budget: Annotated[
            int, Field(ge=1, le=50_000, description="About how many tokens may come back.")
        ] = 3000,
        include_context: Annotated[bool, Field(description="Why each was stored, too.")] = False,
        format: Annotated[  # noqa: A002
            Detail, Field(description="brief cuts each entry to 200 characters.")
        ] = "brief",
        time_window: Annotated[
            str, Field(description="7d, 24h, 2026-01-01..2026-02-01, or 'last week'.")
        ] = "",
    ) -> Recalled:
        """Recall entries that memory_store kept, best first, within a token budget.

        When no entry matches, `fallback` holds what memory_search finds instead.
        """
        found = recall(
            memory,
            entries,
            query,
            categories=categories,
            priority_min=priority_min,
            token_budget=token_budget,
            include_context=include_context,
            detail=format,
            time_window=time_window,
        )
        return recalled(memory, found)

    return make_tool(memory_recall, title="Recall")


def _ingest_tool(memory: Memory) -> Tool:
    def memory_ingest(
        items: Annotated[
            list[Annotated[GivenItem, WrapValidator(_item_or_why)]],
            Field(min_length=1, max_length=10_000, description="What is to be remembered."),
        ],
        source: Annotated[str, Field(description="Where the items come from.")] = "",
        sessionKey: Annotated[str, Field(description="The session of the turns.")] = "",  # noqa: N803
        traceId: Annotated[str, Field(description="Given back as it is.")] = "",  # noqa: N803
    ) -> Ingest:
        """Remember many things at once: the turns of a session, or texts from elsewhere.

        The same items again change nothing. A bad item is a warning; the others are kept.
        """
        began = memory.clock()
        given = [_given(item) for item in items]
        done = ingest_items(
            memory, given, source=source, session_key=sessionKey, progress=telling()
        )
        return shaped(
            Ingest,
            done,
            ok=not done.warnings,
            trace_id=traceId,
            source_refs=done.source_refs[:200],
            warnings=done.warnings[:200],
            contract=IngestContract(
                stages=STAGES,
                stage_results=done.stages,
                started_at=began,
                completed_at=memory.clock(),
            ),
        )

    return make_tool(memory_ingest, title="Ingest items", hints=_WRITES)


def _given(item: GivenItem | _Misfit) -> IngestItem | str:
    if isinstance(item, _Misfit):
        return item.why
    return IngestItem(id=item.id, kind=item.kind, text=item.text, metadata=item.metadata)


def _audit_tool(memory: Memory) -> Tool:
    def memory_audit(
        subject: Annotated[str, Field(description="A name; empty for the whole memory.")] = "",
        as_of: Annotated[
            str, Field(description="What held of the subject on this date; empty for now.")
        ] = "",
        known_at: Annotated[
            str, Field(description="Judged by what was known of the subject then.")
        ] = "",
        scope: Annotated[
            str, Field(description="all, or facts to leave the costs out.", pattern="^(all|facts)$")
        ] = "all",
        recommend: Annotated[bool, Field(description="Say what to do about it.")] = True,
        limit: Annotated[int, Field(ge=1, le=500, description="Entries at most.")] = 50,
    ) -> Audited:
        """Audit what is known: what holds at a time, what took its place, who disagrees.

        With a subject: its state at a point in time, the chain of supersession, both sides of
        each contradiction, and a timeline of who said what when. Without: the whole memory's
        costs, contradictions and expired entries.
        """
        return audited(
            memory,
            subject,
            costs=scope == "all",
            as_of=as_of,
            known_at=known_at,
            recommend=recommend,
            limit=limit,
        )

    return make_tool(memory_audit, title="Audit memory")


def _words(given: Sequence[str] | str) -> list[str]:
    return given.split(",") if isinstance(given, str) else list(given)

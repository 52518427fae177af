"""The tools that take many things at once: `memory_ingest` and `memory_state`."""

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

from quipu.memory import Memory
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.records.stated import StatedList, StatementInput
from quipu.serve.agent_shapes import Ingest, IngestContract
from quipu.serve.mcp.tool import Hints, make_tool, mistakes, read_given, schema_of, telling
from quipu.serve.results import shaped
from quipu.write.jobs import STAGES

__all__ = ["ingest_tool", "state_tool"]

_WRITES = Hints(reads=False)


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


def ingest_tool(memory: Memory) -> Tool:
    """The tool over one memory."""

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


def state_tool(memory: Memory) -> Tool:
    """The tool over one memory."""

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

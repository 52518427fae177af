"""What agents remember for good and recall; lines read as they stand; what was accepted."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from quipu.agents.budget import tokens
from quipu.agents.entries import Entries, Origin, Priority, ReplacedFact
from quipu.agents.recall import Detail, RecalledEntry
from quipu.agents.recall import recall as recall_from
from quipu.memory import Memory
from quipu.memory.excerpts import Lines, read_lines
from quipu.memory.ingestion import Ingest, IngestItem, ingest_items
from quipu.ports import Progress
from quipu.records.refs import Category
from quipu.records.reply import WhyRanked
from quipu.serve.operations import Date, Http, Mark, Tool, operation
from quipu.serve.operations.context import FoundPassage, found_passage, provider_of
from quipu.serve.shapes import shaped

__all__: list[str] = []

Names = Annotated[
    tuple[Annotated[str, Meta(max_length=500)], ...],
    "a list of names",
    Meta(max_length=100),
    Mark.COMMAS,
]
_LONGEST = Meta(max_length=100_000)


class _Camel(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class StoreResult(_Camel, frozen=True, kw_only=True):
    """`memory_store`."""

    id: Annotated[str, "what names the entry"]
    category: Annotated[Category, "its category"]
    stored: Annotated[bool, "it is remembered"]
    deduplicated: Annotated[bool, "it was merged with another"]
    merged_with: Annotated[str | UnsetType, "which one"] = msgspec.field(
        name="mergedWithId", default=UNSET
    )
    token_cost: Annotated[int, "about how many tokens it has"]
    replaces: Annotated[tuple[ReplacedFact, ...], "facts whose place it takes"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class RecallFallback(msgspec.Struct, frozen=True, kw_only=True):
    """Plain passages, given when no entry matches."""

    results: Annotated[tuple[FoundPassage, ...], "the passages, best first"]
    provider: Annotated[str, "where vectors come from"]
    model: Annotated[str | None, "their embedding space"]


class Recalled(_Camel, frozen=True, kw_only=True):
    """`memory_recall`."""

    entries: Annotated[tuple[RecalledEntry, ...], "the entries, best first"]
    token_count: Annotated[int, "about how many tokens came back"]
    budget_remaining: Annotated[int, "tokens left of the budget"]
    matched: Annotated[int, "entries before the cut"] = msgspec.field(name="totalEntriesMatched")
    fallback: Annotated[RecallFallback | None, "passages, when no entry matches"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


@operation(
    "write",
    Http("POST /api/v1/entries", status=201, name="add_entry", body="NewEntry", without="source"),
    Tool("memory_store", "Remember", unlisted="source"),
)
def store(
    memory: Memory,
    category: Annotated[Category, "what kind of thing it is"],
    content: Annotated[str, "what to remember, complete in itself", Meta(min_length=1), _LONGEST],
    context: Annotated[str, "why it is worth remembering", _LONGEST] = "",
    priority: Annotated[Priority, "how much it matters"] = "medium",
    tags: Names = (),
    related_to: Names = (),
    source: Annotated[Origin, "where it comes from"] = "manual",
    expires: Annotated[Date | None, "the date after which it is void"] = None,
    observed_at: Annotated[Date | None, "the date it was said or held; none for now"] = None,
) -> StoreResult:
    """Remember one thing for good: a preference, instruction, fact, decision or insight.

    Nearly the same words again merge with what is there; the newest wording stands.
    """
    done = Entries(memory).store(
        content,
        category=category,
        context=context,
        priority=priority,
        tags=tags,
        related_to=related_to,
        source=source,
        expires=expires,
        observed_at=observed_at,
    )
    return shaped(
        StoreResult,
        done.entry,
        stored=True,
        deduplicated=done.merged_with is not None,
        merged_with=done.merged_with or UNSET,
        token_cost=tokens(done.entry.content + done.entry.context),
        replaces=done.replaces,
        notes=(
            *(f"this replaces: {each.said} ({each.ref})" for each in done.replaces),
            *(f"related_to {ref!r} names nothing that is stored" for ref in done.unknown),
        ),
    )


def _in_short(why: WhyRanked) -> WhyRanked:
    parts = {name: value for name, value in why.parts.items() if value}
    return replace(why, parts=parts, path=(), features={})


def _plainly(found: Recalled) -> Recalled:
    """What was recalled without the way that led to each entry."""
    entries = (replace(each, why_ranked=_in_short(each.why_ranked)) for each in found.entries)
    return replace(found, entries=tuple(entries))


@operation(
    "read",
    Http(
        "POST /api/v1/recall",
        name="recall_entries",
        body="RecallRequest",
        without="include_context format",
        default={"include_context": True, "format": "detailed"},
    ),
    Tool(
        "memory_recall",
        "Recall",
        shown=_plainly,
        page="entries",
        unlisted="include_context format",
    ),
)
def recall(
    memory: Memory,
    query: Annotated[str, "what it is about", Meta(min_length=1, max_length=20_000)],
    categories: Annotated[tuple[Category, ...], "only these; none for all"] = (),
    priority_min: Annotated[Priority, "at least this priority"] = "low",
    token_budget: Annotated[
        int, "about how many tokens may come back", Meta(ge=1, le=50_000)
    ] = 3000,
    include_context: Annotated[bool, "why each was stored, too"] = False,
    format: Annotated[Detail, "brief cuts each entry to 200 characters"] = "brief",  # noqa: A002
    time_window: Annotated[
        str, "7d, 24h, 2026-01-01..2026-02-01, or 'last week'", Meta(max_length=100)
    ] = "",
) -> Recalled:
    """Recall entries that memory_store kept, best first, within a token budget.

    When no entry matches, `fallback` holds what memory_search finds instead.
    """
    found = recall_from(
        memory,
        Entries(memory),
        query,
        categories=categories,
        priority_min=priority_min,
        token_budget=token_budget,
        include_context=include_context,
        detail=format,
        time_window=time_window,
    )
    fallback = None
    if not found.entries:
        provider, model = provider_of(memory)
        passages = tuple(map(found_passage, found.fallback))
        fallback = RecallFallback(results=passages, provider=provider, model=model)
    return shaped(Recalled, found, fallback=fallback)


@operation(
    "read",
    Http("GET /api/v1/lines/{path:path}", name="get_lines"),
    Tool("memory_get", "Read from memory", spelled={"first": "from", "count": "lines"}),
)
def lines(
    memory: Memory,
    path: Annotated[str, "a path, an entry's id or session:<id>[#turn]"],
    first: Annotated[int, "the first line, counted from 1", Meta(ge=1, le=10**9)] = 1,
    count: Annotated[
        Annotated[int, Meta(ge=1, le=5000)] | None, "how many lines; all if left out"
    ] = None,
) -> Lines:
    """Read lines of something that memory_search found, exactly as they are remembered."""
    return read_lines(memory, path, first=first, count=count)


@operation(
    "write",
    Tool(
        "memory_ingest",
        "Ingest items",
        spelled={"session_key": "sessionKey", "trace_id": "traceId"},
        unlisted="trace_id",
    ),
)
def ingest(
    memory: Memory,
    items: Annotated[
        tuple[IngestItem, ...],
        "what is to be remembered",
        Meta(min_length=1, max_length=10_000),
        Mark.EACH,
    ],
    source: Annotated[str, "where the items come from"] = "",
    session_key: Annotated[str, "the session of the turns"] = "",
    trace_id: Annotated[str, "given back as it is"] = "",
    progress: Progress | None = None,
) -> Ingest:
    """Remember many things at once: the turns of a session, or texts.

    The same items again change nothing. A bad item is a warning; the others are kept.
    """
    done = ingest_items(memory, items, source=source, session_key=session_key, progress=progress)
    return replace(done, trace_id=trace_id)

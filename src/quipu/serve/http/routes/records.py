"""Lists of records by id, page by page."""

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta

from quipu.memory import Memory
from quipu.records.ids import Kind
from quipu.records.record import record_id
from quipu.serve.http.shapes import EntityPage, Episodes, RelationPage
from quipu.serve.operations import Http, operation
from quipu.serve.paging import page_of, paged

__all__: list[str] = []

Ref = Annotated[str, "an id, a path, a source or a unique name"]
Cursor = Annotated[str | None, "`next_cursor` of the page before", Meta(max_length=2000)]
HowMany = Annotated[int, "how many at most", Meta(ge=1, le=500)]
OfType = Annotated[str | None, "only those of this type"]


@operation("read", Http("GET /api/v1/episodes"))
def list_episodes(
    memory: Memory, source_type: OfType = None, cursor: Cursor = None, limit: HowMany = 50
) -> Episodes:
    """List observations of sources, by id."""

    def keep(record: Any) -> bool:
        return source_type in (None, record.source_type)

    rows, after = _scanned(memory, "episode", cursor, limit, keep, source_type)
    return Episodes(episodes=rows, next_cursor=after)


@operation("read", Http("GET /api/v1/entities"))
def list_entities(
    memory: Memory,
    type: OfType = None,  # noqa: A002  the record's own word
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> EntityPage:
    """List things, by id."""
    rows, after = _scanned(memory, "entity", cursor, limit, _of_type(type), type)
    return EntityPage(entities=rows, next_cursor=after)


@operation("read", Http("GET /api/v1/relations"))
def list_relations(
    memory: Memory,
    of: Annotated[str | None, "only those at this thing"] = None,
    type: OfType = None,  # noqa: A002  the record's own word
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> RelationPage:
    """List relations, by id: all, or those at a thing."""
    if of is not None:
        at = memory.relations(of, type=type, limit=10_000)
        rows, after = page_of(at, cursor, limit, [of, type])
    else:
        rows, after = _scanned(memory, "relation", cursor, limit, _of_type(type), type)
    return RelationPage(relations=rows, next_cursor=after)


def _of_type(wanted: str | None) -> Callable[[Any], bool]:
    return lambda record: wanted in (None, record.type)


def _scanned(
    memory: Memory,
    kind: Kind,
    cursor: str | None,
    limit: int,
    keep: Callable[[Any], bool],
    wanted: str | None,
) -> Any:
    def fetch(after: str, count: int) -> Any:
        return memory.graph.scan(kind, after=after, limit=count)

    return paged(fetch, record_id, keep, cursor, limit, [kind, wanted])

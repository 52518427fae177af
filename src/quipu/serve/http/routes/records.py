"""Records: looked up, listed, made, changed and removed."""

import logging
import threading
from collections.abc import Callable
from typing import Annotated, Any

from litestar import Response, delete, get, patch, post
from litestar.params import JSONBody, QueryParameter

from quipu.agents.entries import Entries
from quipu.agents.recall import recall
from quipu.errors import QuipuError
from quipu.facts import History
from quipu.handle.dates import first_instant
from quipu.memory import Memory
from quipu.memory.entities import Merged, Unmerged
from quipu.memory.excerpts import read_lines
from quipu.memory.ingestion import settle_text
from quipu.records.ids import Kind
from quipu.records.record import Entity, Episode, Relation, record_id
from quipu.records.stated import StatedList, StatementList
from quipu.serve.cli.shapes import Added, Forgotten, Opened
from quipu.serve.http.given import AskedName, Cursor, HowMany, Ref, TheMemory, page_of, paged
from quipu.serve.http.shapes import (
    EntityPage,
    Episodes,
    FactPage,
    MergeRequest,
    NewEntry,
    NewEpisode,
    NewRelation,
    NewSession,
    RecallRequest,
    RelationChange,
    RelationPage,
    UnmergeRequest,
)
from quipu.serve.lookups import (
    added,
    audited,
    changed_relation,
    kept_entry,
    looked_up,
    recalled,
    relation_of,
)
from quipu.serve.mcp.shapes import Audited, Lines, Recalled, StoreResult
from quipu.serve.results import shaped
from quipu.when.instants import expiry_instant, observed_instant
from quipu.write.jobs import Job
from quipu.write.texts import TextInput

__all__ = ["ROUTES", "audit_of"]

_LOG = logging.getLogger("quipu.serve.http")
_READ, _WRITE, _ADMIN = {"needs": "read"}, {"needs": "write"}, {"needs": "admin"}


@get("/records/{ref:path}", sync_to_thread=True, opt={**_READ, "gives": (Opened,)})
def get_record(memory: TheMemory, ref: Ref) -> Response[Any]:
    """Show what a reference names: an id, a path, `path:12-40`, a source or a unique name."""
    return Response(looked_up(memory, ref.removeprefix("/")))


@get("/lines/{path:path}", sync_to_thread=True, opt=_READ)
def get_lines(
    memory: TheMemory,
    path: Ref,
    first: Annotated[int, QueryParameter(ge=1, le=10**9, description="the first line, from 1")] = 1,
    count: Annotated[
        int | None, QueryParameter(ge=1, le=5000, description="how many lines; none: all")
    ] = None,
) -> Lines:
    """Read lines of a file, an entry or a session, exactly as they are remembered."""
    found = read_lines(memory, path.removeprefix("/"), first=first, count=count)
    return shaped(Lines, found)


@get("/episodes", sync_to_thread=True, opt=_READ)
def list_episodes(
    memory: TheMemory,
    source_type: AskedName = None,
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> Episodes:
    """List observations of sources, by id."""
    rows, after = _scanned(
        memory,
        "episode",
        cursor,
        limit,
        lambda r: source_type in (None, _kind_of(r)),
    )
    return Episodes(episodes=rows, next_cursor=after)


@post("/episodes", sync_to_thread=True, opt={**_WRITE, "told": {"202": Job}})
def add_episode(memory: TheMemory, data: JSONBody[NewEpisode]) -> Response[Added | Job]:
    """Remember a text. With `wait` false it is accepted as a job and written after."""
    if data.wait:
        episode_id = memory.add(
            data.text,
            source_ref=data.source_ref,
            title=data.title,
            group=data.group,
            observed_at=data.observed_at,
            expires=data.expires,
        )
        return Response(added(memory, episode_id), status_code=201)
    return Response(_accept_text(memory, data), status_code=202)


@delete("/episodes/{ref:path}", status_code=200, sync_to_thread=True, opt=_ADMIN)
def forget_episode(memory: TheMemory, ref: Ref) -> Forgotten:
    """Erase a source for good: a path, `manual:…`, a session, an episode's or document's id."""
    named = ref.removeprefix("/")
    return Forgotten(refs=(named,), episodes=memory.forget(named))


@post("/sessions", status_code=201, sync_to_thread=True, opt=_WRITE)
def add_session(memory: TheMemory, data: JSONBody[NewSession]) -> Job:
    """Remember messages; given again with more at the end, only what is new is written."""
    said = [
        {key: value for key, value in _plain(message).items() if value is not None}
        for message in data.messages
    ]
    return memory.add(said, session_id=data.session_id)


@post("/entries", status_code=201, sync_to_thread=True, opt=_WRITE)
def add_entry(memory: TheMemory, data: JSONBody[NewEntry]) -> StoreResult:
    """Remember one thing for good; nearly the same again merges with what is there."""
    done = Entries(memory).store(
        data.content,
        category=data.category,
        context=data.context,
        priority=data.priority,
        tags=data.tags,
        related_to=data.related_to,
        expires=data.expires,
        observed_at=data.observed_at,
    )
    return kept_entry(done)


@post("/recall", status_code=200, sync_to_thread=True, opt=_READ)
def recall_entries(memory: TheMemory, data: JSONBody[RecallRequest]) -> Recalled:
    """Recall entries for a query, best first, within a budget; passages where none matches."""
    found = recall(
        memory,
        Entries(memory),
        data.query,
        categories=data.categories,
        priority_min=data.priority_min,
        token_budget=data.token_budget,
        time_window=data.time_window,
        include_context=True,
        detail="detailed",
    )
    return recalled(memory, found)


@get("/entities", sync_to_thread=True, opt=_READ)
def list_entities(
    memory: TheMemory,
    type: AskedName = None,  # noqa: A002  the record's own word
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> EntityPage:
    """List things, by id."""
    rows, after = _scanned(
        memory, "entity", cursor, limit, lambda r: isinstance(r, Entity) and type in (None, r.type)
    )
    return EntityPage(entities=rows, next_cursor=after)


@post("/entities/merge", status_code=200, sync_to_thread=True, opt=_WRITE)
def merge_entities(memory: TheMemory, data: JSONBody[MergeRequest]) -> Merged:
    """Take two things to be one."""
    return memory.entities.merge(data.merged, data.kept, reason=data.reason)


@post("/entities/unmerge", status_code=200, sync_to_thread=True, opt=_WRITE)
def unmerge_entities(memory: TheMemory, data: JSONBody[UnmergeRequest]) -> Unmerged:
    """Undo a merge, and remember that the two are not one."""
    return memory.entities.unmerge(data.ref, data.other, reason=data.reason)


@get("/relations", sync_to_thread=True, opt=_READ)
def list_relations(
    memory: TheMemory,
    of: AskedName = None,
    type: AskedName = None,  # noqa: A002  the record's own word
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> RelationPage:
    """List relations, by id: all, or those at a thing."""
    if of is not None:
        found, after = page_of(memory.relations(of, type=type, limit=10_000), cursor, limit)
        return RelationPage(relations=found, next_cursor=after)
    rows, after = _scanned(
        memory,
        "relation",
        cursor,
        limit,
        lambda r: isinstance(r, Relation) and type in (None, r.type),
    )
    return RelationPage(relations=rows, next_cursor=after)


@post("/relations", status_code=201, sync_to_thread=True, opt=_WRITE)
def add_relation(memory: TheMemory, data: JSONBody[NewRelation]) -> Relation:
    """Assert a relation, or change the one that stands between these ends."""
    return memory.relate(
        data.source,
        data.type,
        data.target,
        confidence=data.confidence,
        weight=data.weight,
        description=data.description,
    )


@patch("/relations/{rel_id:str}", sync_to_thread=True, opt=_WRITE)
def change_relation(memory: TheMemory, rel_id: Ref, data: JSONBody[RelationChange]) -> Relation:
    """Change what a relation says."""
    return changed_relation(
        memory, rel_id, confidence=data.confidence, weight=data.weight, description=data.description
    )


@delete("/relations/{rel_id:str}", status_code=200, sync_to_thread=True, opt=_WRITE)
def end_relation(memory: TheMemory, rel_id: Ref) -> Relation:
    """End a relation, whoever asserted it; its history stays."""
    return memory.unrelate(relation_of(memory, rel_id).rel_id)


@post("/statements", status_code=201, sync_to_thread=True, opt=_WRITE)
def state_facts(memory: TheMemory, data: JSONBody[StatementList]) -> StatedList:
    """State facts, all or none; see what each replaced, the subject's keys and keys near them."""
    return StatedList(stated=tuple(memory.facts.state(data.statements)))


@get("/facts", sync_to_thread=True, opt=_READ)
def list_facts(
    memory: TheMemory,
    subject: AskedName = None,
    predicate: AskedName = None,
    as_of: AskedName = None,
    known_at: AskedName = None,
    live: Annotated[bool, QueryParameter(description="only what was not replaced")] = False,
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> FactPage:
    """List dated statements: all, of a subject or predicate, as of a date."""
    found = memory.facts(subject, predicate, as_of=as_of, known_at=known_at, live=live)
    rows, after = page_of(found, cursor, limit)
    return FactPage(facts=rows, next_cursor=after)


@get("/history", sync_to_thread=True, opt=_READ)
def get_history(
    memory: TheMemory,
    subject: Annotated[str, QueryParameter(min_length=1, max_length=2000)],
    as_of: AskedName = None,
    known_at: AskedName = None,
) -> History:
    """Show all that was ever said of a subject: who said it, when it held, when it was known."""
    return memory.history(subject, as_of=as_of, known_at=known_at)


def audit_of(
    memory: TheMemory,
    subject: AskedName = None,
    as_of: AskedName = None,
    known_at: AskedName = None,
    limit: HowMany = 50,
) -> Audited:
    """Audit what is known of a subject at a date; without one, the memory as a whole."""
    return audited(memory, subject or "", as_of=as_of or "", known_at=known_at or "", limit=limit)


get_audit = get("/audit", sync_to_thread=True, opt=_READ)(audit_of)


def _accept_text(memory: Memory, given: NewEpisode) -> Job:
    """Accept a text as a job, which is not lost from here on, and write it in the background.
    Raises InvalidInput."""
    now = memory.clock()
    expires = expiry_instant(first_instant(given.expires), now) if given.expires else None
    text = TextInput(
        text=given.text,
        source_ref=given.source_ref or "",
        title=given.title,
        group=given.group,
        observed_at=observed_instant(given.observed_at, now) if given.observed_at else "",
        properties={"expires": expires} if expires else {},
    )
    (job,) = memory.give([settle_text(memory, text)])
    threading.Thread(target=_work, args=(memory, job), name="quipu-job").start()
    return job


def _work(memory: Memory, job: Job) -> None:
    try:
        for _ in memory.work_on([job]):
            pass
    except QuipuError as error:  # it is left to whoever writes next
        _LOG.warning("job %s waits: %s", job.job_id, error)


def _scanned(
    memory: Memory, kind: Kind, cursor: str | None, limit: int, keep: Callable[[Any], bool]
) -> Any:
    def fetch(after: str, count: int) -> Any:
        return memory.graph.scan(kind, after=after, limit=count)

    return paged(fetch, record_id, keep, cursor, limit)


def _kind_of(record: Any) -> str:
    return record.source_type if isinstance(record, Episode) else ""


def _plain(message: Any) -> dict[str, Any]:
    import msgspec

    return msgspec.to_builtins(message)


ROUTES = [
    get_record,
    get_lines,
    list_episodes,
    add_episode,
    forget_episode,
    add_session,
    add_entry,
    recall_entries,
    list_entities,
    merge_entities,
    unmerge_entities,
    list_relations,
    add_relation,
    change_relation,
    end_relation,
    list_facts,
    state_facts,
    get_history,
    get_audit,
]

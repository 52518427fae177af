"""Records: looked up, listed, made, changed and removed."""

import logging
import threading
from collections.abc import Callable
from typing import Any

from litestar import Response, delete, get, post
from litestar.params import JSONBody

from quipu.errors import QuipuError
from quipu.handle.dates import first_instant
from quipu.memory import Memory
from quipu.memory.ingestion import settle_text
from quipu.records.ids import Kind
from quipu.records.record import Entity, Episode, Relation, record_id
from quipu.serve.http.given import AskedName, Cursor, HowMany, Ref, TheMemory, page_of, paged
from quipu.serve.http.shapes import EntityPage, Episodes, NewEpisode, NewSession, RelationPage
from quipu.serve.lookups import added, looked_up
from quipu.serve.shapes import Added, Forgotten, Opened
from quipu.when.instants import expiry_instant, observed_instant
from quipu.write.jobs import Job
from quipu.write.texts import TextInput

__all__ = ["ROUTES"]

_LOG = logging.getLogger("quipu.serve.http")
_READ, _WRITE, _ADMIN = {"needs": "read"}, {"needs": "write"}, {"needs": "admin"}


@get("/records/{ref:path}", sync_to_thread=True, opt={**_READ, "gives": (Opened,)})
def get_record(memory: TheMemory, ref: Ref) -> Response[Any]:
    """Show what a reference names: an id, a path, `path:12-40`, a source or a unique name."""
    return Response(looked_up(memory, ref.removeprefix("/")))


@get("/episodes", sync_to_thread=True, opt=_READ)
def list_episodes(
    memory: TheMemory, source_type: AskedName = None, cursor: Cursor = None, limit: HowMany = 50
) -> Episodes:
    """List observations of sources, by id."""
    rows, after = _scanned(
        memory, "episode", cursor, limit, lambda r: source_type in (None, _kind_of(r))
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
    list_episodes,
    add_episode,
    forget_episode,
    add_session,
    list_entities,
    list_relations,
]

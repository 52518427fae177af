"""The routes of HTTP alone: health and figures, lists of records, long work, the web page.

Each is an operation that may ask for what the server shares, by naming it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from quipu.errors import InvalidInput, QuipuError
from quipu.evaluate import golden
from quipu.handle.home import Home
from quipu.memory import Memory
from quipu.ports import Progress
from quipu.read import redact
from quipu.records.ids import Kind
from quipu.records.record import Entity, Episode, Relation, record_id
from quipu.serve.http.endpoints import json_response
from quipu.serve.http.gate import Caller
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import CONTENT_TYPE, ServerMetrics
from quipu.serve.http.runs import Run, RunKind, Runs
from quipu.serve.operations import Http, operation
from quipu.serve.shapes import page_of, paged
from quipu.store.graphs import graphs
from quipu.version import VERSION

__all__ = ["PAGE", "neo4j_health"]

_Names = Annotated[tuple[Annotated[str, Meta(max_length=500)], ...], Meta(max_length=100)]
_Name = Annotated[str, Meta(max_length=500)]


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health`."""

    status: Annotated[Literal["healthy"], "the process answers"] = "healthy"
    version: Annotated[str, "Quipu's version"]


class ReadyCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that questions need."""

    name: Annotated[Literal["store", "index", "embedder"], "what was looked at"]
    status: Annotated[Literal["ok", "degraded", "failed"], "`degraded` answers, with less"]
    detail: Annotated[str, "what was found, and what to do about it; empty without a key"]


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health/ready`; with status 503 when a check failed."""

    ready: Annotated[bool, "whether questions can be answered"]
    checks: Annotated[tuple[ReadyCheck, ...], "each thing that was looked at"]


class StoreHealth(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health/neo4j`."""

    status: Annotated[Literal["healthy", "unhealthy", "not used"], "how the store is"]
    message: Annotated[str, "what was found; secrets are taken out"]


class Episodes(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/episodes`."""

    episodes: Annotated[tuple[Episode, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class EntityPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/entities`."""

    entities: Annotated[tuple[Entity, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class RelationPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/relations`."""

    relations: Annotated[tuple[Relation, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class RunList(msgspec.Struct, frozen=True, kw_only=True):
    """The long work of a memory."""

    runs: Annotated[tuple[Run, ...], "the latest first"]


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/runs`."""

    kind: Annotated[
        RunKind,
        Meta(
            description="`index` reads files, `commits` the history, `reflect` makes reports, "
            "`reindex` embeds everything again, `golden` asks the questions of a file",
            examples=["index"],
        ),
    ]
    paths: Annotated[
        _Names, Meta(description="of `index`: files and folders below the memory's folder")
    ] = ()
    file: Annotated[_Name, Meta(description="of `golden`: a file below the memory's folder")] = ""


class SetUp(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/setup`."""

    memory: Annotated[bool, "whether there is a memory"]
    folder: Annotated[str, "the folder that is remembered, or will be"]
    namespace: Annotated[str, "the caller's namespace; empty while there is no memory"]
    scope: Annotated[str, "what the caller may do: `read`, `write` or `admin`"]
    keyed: Annotated[bool, "whether keys are asked for"]


@operation(None, Http("GET /health"))
def health() -> Health:
    """Say that the process answers."""
    return Health(version=VERSION)


@operation(None, Http("GET /health/ready", gives=Ready, told={503: Ready}))
def ready(memories: Memories, caller: Caller) -> Response:
    """Say whether questions can be answered: the store, the index, the embedder.

    Where keys are asked for, only a holder of one is told the details, and those of the key's own
    namespace.
    """
    checks = tuple(_checks(memories, caller.namespace))
    if not caller.is_known:
        checks = tuple(msgspec.structs.replace(each, detail="") for each in checks)
    found = Ready(ready=all(each.status != "failed" for each in checks), checks=checks)
    return json_response(found, 200 if found.ready else 503)


@operation(
    "read",
    Http("GET /health/neo4j", gives=StoreHealth, told={404: StoreHealth, 503: StoreHealth}),
)
def neo4j(memory: Memory) -> Response:
    """Say how the Neo4j store is; 404 where the store is another."""
    status, body = neo4j_health(memory)
    return json_response(body, status)


@operation("read", Http("GET /metrics"))
def metrics_text(metrics: ServerMetrics, memories: Memories, caller: Caller) -> Response:
    """Give figures for Prometheus: what the memory of the caller's namespace holds.

    What the server counts (requests, latencies, confidence) is for whoever runs it: for the key it
    was started with, and without keys for everybody.
    """
    memory = memories.of(caller.namespace) if memories.exist else None
    text = metrics.text(memory, whole=caller.is_operator)
    return Response(text, headers={"content-type": CONTENT_TYPE})


def neo4j_health(memory: Memory) -> tuple[int, StoreHealth]:
    """The status and the body of `/health/neo4j`. Where the store is none of Neo4j it is 404."""
    url = memory.home.url
    if (graph := graphs(url)) is None:
        kind = url.partition(":")[0] if "://" in url or url == "memory:" else "sqlite"
        detail = f"the store is {kind}, not Neo4j: /health/ready tells of it"
        return 404, StoreHealth(status="not used", message=detail)
    status, body = graph.health(url)
    said = redact(body["message"])[0]
    return status, StoreHealth(status="healthy" if status == 200 else "unhealthy", message=said)


def _checks(memories: Memories, namespace: str) -> Iterator[ReadyCheck]:
    try:
        memory = memories.of(namespace)
        status = memory.stats()
    except (QuipuError, OSError) as error:
        yield ReadyCheck(name="store", status="failed", detail=redact(str(error))[0])
        return
    yield ReadyCheck(name="store", status="ok", detail=f"generation {status.generation}")
    chunks = status.counts.get("chunk", 0)
    if not chunks:
        detail = "it holds nothing: run `quipu index`, or remember something"
        yield ReadyCheck(name="index", status="degraded", detail=detail)
    elif status.stale:
        detail = f"{chunks} passages, and it is {(status.age_s or 0) / 3600:.0f} hours old"
        yield ReadyCheck(name="index", status="degraded", detail=f"{detail}: run `quipu index`")
    else:
        yield ReadyCheck(name="index", status="ok", detail=f"{chunks} passages")
    yield _embedder(memory, status.unembedded)


def _embedder(memory: Memory, lacking: int) -> ReadyCheck:
    try:
        embedder = memory.embedder
    except (QuipuError, OSError) as error:
        detail = f"words and graph only: {redact(str(error))[0]}"
        return ReadyCheck(name="embedder", status="degraded", detail=detail)
    if embedder is None:
        return ReadyCheck(name="embedder", status="degraded", detail="none: words and graph only")
    if lacking:
        detail = f"{embedder.space}; {lacking} passages lack a vector: run `quipu index`"
        return ReadyCheck(name="embedder", status="degraded", detail=detail)
    return ReadyCheck(name="embedder", status="ok", detail=embedder.space)


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


_LOOK_S = 0.25
RunId = Annotated[str, "the run"]


@operation("read", Http("GET /api/v1/runs", page="runs"))
def list_runs(memory: Memory, runs: Runs) -> RunList:
    """List the long work of this server, the latest first."""
    return RunList(runs=tuple(runs.all(memory)))


@operation("admin", Http("POST /api/v1/runs", status=202, gives=Run))
def start_run(memory: Memory, runs: Runs, data: NewRun) -> Response:
    """Start long work: its id comes back at once, its progress by events."""
    return _begun(runs.start(memory, data.kind, _work(memory, data)))


@operation("read", Http("GET /api/v1/runs/{run_id:str}"))
def show_run(memory: Memory, runs: Runs, run_id: RunId) -> Run:
    """Show how a run stands."""
    return runs.get(memory, run_id)


@operation("read", Http("GET /api/v1/runs/{run_id:str}/events", streams=True))
def follow_run(memory: Memory, runs: Runs, run_id: RunId) -> StreamingResponse:
    """Follow a run until it ends: an event `run` whenever it has moved on."""
    runs.get(memory, run_id)

    async def events() -> AsyncIterator[bytes]:
        before: Run | None = None
        while before is None or not before.ended:
            if (found := runs.get(memory, run_id)) != before:
                before = found
                yield b"event: run\ndata: %b\n\n" % msgspec.json.encode(found)
            else:
                await asyncio.sleep(_LOOK_S)

    return StreamingResponse(events(), media_type="text/event-stream")


@operation("admin", Http("DELETE /api/v1/runs/{run_id:str}"))
def stop_run(memory: Memory, runs: Runs, run_id: RunId) -> Run:
    """Ask a run to end; what it wrote stays, and the next one goes on from there."""
    return runs.stop(memory, run_id)


@operation("read", Http("GET /api/v1/setup"))
def show_setup(memories: Memories, caller: Caller) -> SetUp:
    """Say whether there is a memory, of which folder, and what the caller may do."""
    namespace = caller.namespace
    if memories.exist and not namespace:
        namespace = memories.first.store.namespace
    return SetUp(
        memory=memories.exist,
        folder=str(memories.folder) if caller.may("admin") else "",
        namespace=namespace,
        scope=caller.scope,
        keyed=bool(caller.key_id),
    )


@operation("admin", Http("POST /api/v1/setup", status=202, gives=Run))
def set_up(memories: Memories, runs: Runs) -> Response:
    """Make a memory of the folder, where there is none yet, and index it."""
    memory = memories.make()
    return _begun(runs.start(memory, "index", lambda progress: memory.index(progress=progress)))


def _begun(run: Run) -> Response:
    return json_response(run, 202, location=f"/api/v1/runs/{run.run_id}")


def _work(memory: Memory, asked: NewRun) -> Callable[[Progress], Any]:
    """What a run does. Raises InvalidInput for paths that lead out of the memory's folder."""
    match asked.kind:
        case "index":
            paths = [_inside(memory.home, path) for path in asked.paths]
            return lambda progress: memory.index(paths, progress=progress)
        case "commits":
            return lambda progress: memory.index_git(memory.home.folder, progress=progress)
        case "reflect":
            return lambda progress: memory.reports.reflect(progress=progress)
        case "reindex":
            return lambda progress: memory.reindex(progress=progress)
        case "golden":
            file = _inside(memory.home, asked.file or "goldens.yaml")
            return lambda _progress: golden.run(memory, file)


def _inside(home: Home, path: str) -> Path:
    try:
        found = (home.folder / path).resolve()
        there = found.exists()
    except (OSError, ValueError):  # ValueError: a NUL in the path
        there, found = False, home.folder
    if not there or not found.is_relative_to(home.folder.resolve()):
        raise InvalidInput(f"{path!r} is nothing in the memory's folder: name what lies there")
    return found


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _Files(StaticFiles):
    def file_response(self, *args: Any, **how: Any) -> Response:
        """A file that may run nothing of elsewhere, and is asked for again each time."""
        response = super().file_response(*args, **how)
        response.headers["content-security-policy"] = POLICY
        response.headers["cache-control"] = "no-cache"
        return response


_FILES = _Files(packages=[("quipu.serve.http", "page")])


async def index(request: Request) -> Response:
    """The page itself."""
    return await _FILES.get_response("index.html", request.scope)


PAGE = [Route("/", index), Mount("/page", _FILES)]

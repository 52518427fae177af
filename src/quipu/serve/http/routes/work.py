"""Jobs and runs: what was accepted, what is long; how far they are, as it changes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
from litestar import Response, delete, get, post
from litestar.params import JSONBody
from litestar.response import ServerSentEvent, ServerSentEventMessage

from quipu.errors import InvalidInput
from quipu.handle.home import Home
from quipu.memory import Memory
from quipu.records.progress import Progress
from quipu.serve.http.caller import Caller
from quipu.serve.http.given import (
    Cursor,
    HowMany,
    Ref,
    TheCaller,
    TheMemories,
    TheMemory,
    TheRuns,
    page_of,
)
from quipu.serve.http.memories import Memories
from quipu.serve.http.runs import Run
from quipu.serve.http.shapes import NewRun, RunPage, SetUp
from quipu.serve.lookups import golden_run

__all__ = ["ROUTES"]

_READ, _ADMIN = {"needs": "read"}, {"needs": "admin"}
_LOOK_S = 0.25


@get("/jobs/{job_id:str}/events", sync_to_thread=True, opt=_READ)
def follow_job(memory: TheMemory, job_id: Ref) -> ServerSentEvent:
    """Follow a job until it ends: an event `job` whenever it has moved on."""
    memory.job(job_id)
    ended = ("done", "failed")
    return ServerSentEvent(
        _followed("job", lambda: memory.job(job_id), lambda job: job.status in ended)
    )


@get("/runs", sync_to_thread=True, opt=_READ)
def list_runs(
    memory: TheMemory, runs: TheRuns, cursor: Cursor = None, limit: HowMany = 50
) -> RunPage:
    """List the long work, the latest first, that of earlier processes too."""
    rows, after = page_of(runs.all(memory), cursor, limit)
    return RunPage(runs=rows, next_cursor=after)


@post("/runs", status_code=202, sync_to_thread=True, opt=_ADMIN)
def start_run(memory: TheMemory, runs: TheRuns, data: JSONBody[NewRun]) -> Response[Run]:
    """Start long work: its id comes back at once, its progress by events."""
    run = runs.start(memory, data.kind, _work(memory, data))
    return Response(run, headers={"location": f"/api/v1/runs/{run.run_id}"})


@get("/runs/{run_id:str}", sync_to_thread=True, opt=_READ)
def show_run(memory: TheMemory, runs: TheRuns, run_id: Ref) -> Run:
    """Show how a run stands."""
    return runs.get(memory, run_id)


@get("/runs/{run_id:str}/events", sync_to_thread=True, opt=_READ)
def follow_run(memory: TheMemory, runs: TheRuns, run_id: Ref) -> ServerSentEvent:
    """Follow a run until it ends: an event `run` whenever it has moved on."""
    runs.get(memory, run_id)
    return ServerSentEvent(
        _followed("run", lambda: runs.get(memory, run_id), lambda run: run.ended)
    )


@delete("/runs/{run_id:str}", status_code=200, sync_to_thread=True, opt=_ADMIN)
def stop_run(memory: TheMemory, runs: TheRuns, run_id: Ref) -> Run:
    """Ask a run to end; what it wrote stays, and the next one goes on from there."""
    return runs.stop(memory, run_id)


@get("/setup", sync_to_thread=True, opt=_READ)
def show_setup(memories: TheMemories, caller: TheCaller) -> SetUp:
    """Say whether there is a memory, of which folder, and what the caller may do."""
    return _set_up(memories, caller)


@post("/setup", status_code=202, sync_to_thread=True, opt=_ADMIN)
def set_up(memories: TheMemories, runs: TheRuns) -> Response[Run]:
    """Make a memory of the folder, where there is none yet, and index it."""
    memory = memories.make()
    run = runs.start(memory, "index", lambda progress: memory.index(progress=progress))
    return Response(run, headers={"location": f"/api/v1/runs/{run.run_id}"})


def _set_up(memories: Memories, caller: Caller) -> SetUp:
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


def _work(memory: Memory, asked: NewRun) -> Callable[[Progress], Any]:
    """What a run does. Raises InvalidInput for paths that lead out of the memory's folder."""
    match asked.kind:
        case "index":
            paths = [_inside(memory.home, path) for path in asked.paths]
            return lambda progress: memory.index(paths, progress=progress)
        case "commits":
            return lambda progress: memory.index_git(memory.home.folder, progress=progress)
        case "reflect":
            return lambda progress: memory.reflect(progress=progress)
        case "reindex":
            return lambda progress: memory.reindex(progress=progress)
        case "golden":
            file = _inside(memory.home, asked.file or "goldens.yaml")
            return lambda _progress: golden_run(memory, file)


def _inside(home: Home, path: str) -> Path:
    try:
        found = (home.folder / path).resolve()
        there = found.exists()
    except (OSError, ValueError):  # ValueError: a NUL in the path
        there, found = False, home.folder
    if not there or not found.is_relative_to(home.folder.resolve()):
        raise InvalidInput(f"{path!r} is nothing in the memory's folder: name what lies there")
    return found


async def _followed(
    event: str, look: Callable[[], Any], ended: Callable[[Any], bool]
) -> AsyncIterator[ServerSentEventMessage]:
    """An event whenever what is looked at has changed, the last when it ended."""
    before = b""
    while True:
        found = await asyncio.to_thread(look)
        data = msgspec.json.encode(found, order="deterministic")
        if data != before:
            before = data
            yield ServerSentEventMessage(data=data.decode(), event=event)
        if ended(found):
            return
        await asyncio.sleep(_LOOK_S)


ROUTES = [follow_job, list_runs, start_run, show_run, follow_run, stop_run, show_setup, set_up]

"""Jobs and runs: what was accepted, what is long; how far they are, as it changes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from starlette.responses import Response, StreamingResponse

from quipu.errors import InvalidInput
from quipu.handle.home import Home
from quipu.memory import Memory
from quipu.records.progress import Progress
from quipu.serve.http.caller import Caller
from quipu.serve.http.endpoints import json_response
from quipu.serve.http.memories import Memories
from quipu.serve.http.runs import Run, Runs
from quipu.serve.http.shapes import NewRun, RunList, SetUp
from quipu.serve.lookups import golden_run
from quipu.serve.operations import Http, operation

__all__: list[str] = []

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

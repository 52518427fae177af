"""Long work: started over HTTP, done one after the other in the background, told as it goes on.

A run is worked on and remembered by this process alone: what it wrote stays when it is stopped,
and the next one goes on from there. What is *given* to a memory (texts, transcripts) is a job of
the memory itself, which the next process goes on with.
"""

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from quipu.errors import QuipuError, UnknownRecord
from quipu.memory import Memory
from quipu.ports import Progress
from quipu.read import redact
from quipu.when.instants import Clock, system_clock

__all__ = ["Run", "RunKind", "Runs"]

RunKind: TypeAlias = Literal["index", "commits", "reflect", "reindex", "golden"]
RunStatus: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped"]

_LOG = logging.getLogger("quipu.serve.http")
_KEPT = 200


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of long work, and how far it is."""

    run_id: Annotated[str, "what names it"]
    kind: Annotated[RunKind, "`index`, `commits`, `reflect`, `reindex` or `golden`"]
    status: Annotated[RunStatus, "`waiting`, `running`, `done`, `failed` or `stopped`"]
    started_at: Annotated[str, "when it was asked for"]
    ended_at: Annotated[str | None, "when it ended, or null"] = None
    stage: Annotated[str, "what it does now"] = ""
    done: Annotated[int, "how much of the stage is done"] = 0
    total: Annotated[int, "of how much; 0 while that is not known"] = 0
    error: Annotated[str | None, "why it failed, and what to do about it"] = None
    result: Annotated[Any, "its report, as the command line gives it, or null"] = None

    @property
    def ended(self) -> bool:
        """Whether nothing more becomes of it."""
        return self.status in ("done", "failed", "stopped")


class _Stopped(BaseException):
    """Ends a run from within, past whatever takes errors for bad files."""


class Runs:
    """The runs of one server, each seen by its own namespace alone; the latest 200 are kept."""

    def __init__(self, clock: Clock = system_clock) -> None:
        self._clock = clock
        self._runs: dict[str, tuple[str, Run]] = {}
        self._stopping: set[str] = set()
        self._lock = threading.Lock()
        self._closing = False
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="quipu-run")

    def start(self, memory: Memory, kind: RunKind, do: Callable[[Progress], Any]) -> Run:
        """Have `do` done when those before it are; it is given what tells how far it is."""
        run = Run(
            run_id=f"run_{secrets.token_hex(8)}",
            kind=kind,
            status="waiting",
            started_at=self._clock(),
        )
        with self._lock:
            self._runs[run.run_id] = memory.store.namespace, run
            ended = [key for key, (_, each) in self._runs.items() if each.ended]
            for key in ended[: max(len(self._runs) - _KEPT, 0)]:
                del self._runs[key]
        self._worker.submit(self._work, run.run_id, do)
        return run

    def get(self, memory: Memory, run_id: str) -> Run:
        """How a run stands. Raises UnknownRecord, also for one of another namespace."""
        namespace, run = self._runs.get(run_id, ("", None))
        if run is None or namespace != memory.store.namespace:
            raise UnknownRecord(f"there is no run {run_id!r}: `GET /api/v1/runs` lists those kept")
        return run

    def all(self, memory: Memory) -> list[Run]:
        """The runs of a namespace, the latest first."""
        with self._lock:
            runs = [run for name, run in self._runs.values() if name == memory.store.namespace]
        return runs[::-1]

    def stop(self, memory: Memory, run_id: str) -> Run:
        """Ask a run to end: it does when it next tells how far it is. What it wrote stays."""
        run = self.get(memory, run_id)
        with self._lock:
            self._stopping.add(run_id)
        if run.status == "waiting":
            self._change(run_id, status="stopped", ended_at=self._clock())
        return self.get(memory, run_id)

    def close(self) -> None:
        """End what runs, and do what waits no more."""
        self._closing = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _work(self, run_id: str, do: Callable[[Progress], Any]) -> None:
        def on_progress(stage: str, done: int, total: int) -> None:
            self._go_on(run_id)
            self._change(run_id, stage=stage, done=done, total=total)

        ended: dict[str, Any] = {"status": "failed"}
        try:
            self._go_on(run_id)
            self._change(run_id, status="running")
            result = msgspec.to_builtins(do(on_progress), order="deterministic")
            ended = {"status": "done", "result": result}
        except _Stopped:
            ended = {"status": "stopped"}
        except QuipuError as error:
            ended["error"] = redact(str(error))[0]
        except Exception as error:  # noqa: BLE001  the outermost boundary of this thread
            _LOG.exception("run %s failed", run_id)
            why = f"{type(error).__name__}; this should not happen: the server's log says more"
            ended["error"] = why
        self._change(run_id, ended_at=self._clock(), **ended)

    def _go_on(self, run_id: str) -> None:
        if self._closing or run_id in self._stopping:
            raise _Stopped

    def _change(self, run_id: str, **changed: Any) -> None:
        with self._lock:
            if run_id in self._runs:
                namespace, run = self._runs[run_id]
                self._runs[run_id] = namespace, msgspec.structs.replace(run, **changed)

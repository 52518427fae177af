"""Long work: started over HTTP, done one after the other in the background, told as it goes on.

A run is worked on by this process alone: what it wrote stays when it is stopped, and the next one
goes on from there. What is *given* to a memory (texts, transcripts) is a job of the memory itself,
which the next process goes on with.

That a run was, how it ended and what golden questions came to is kept in the memory's ledger and
outlives the process: what says nothing of the contents. Its report stays with the process, because
what is forgotten later might stand in it.
"""

import logging
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

import msgspec

from quipu.errors import QuipuError, UnknownRecord
from quipu.ledger import LEDGER, Ledger
from quipu.memory import Memory
from quipu.read import redact
from quipu.records.progress import Progress
from quipu.when.instants import Clock, system_clock

__all__ = ["Run", "RunKind", "Runs", "keep", "kept"]

T = TypeVar("T")

_KIND = "run"
_MOST_KEPT = 200
RunKind: TypeAlias = Literal["index", "commits", "reflect", "reindex", "golden"]
RunStatus: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped"]

_CUT_OFF = "the server that worked on it ended before it did: start it again, it goes on from there"
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
    result: Annotated[
        Any, "its report, as the command line gives it, or null; gone with the process"
    ] = None
    passed: Annotated[int | None, "how many golden questions passed, or null"] = None
    questions: Annotated[int | None, "of how many, or null"] = None

    @property
    def ended(self) -> bool:
        """Whether nothing more becomes of it."""
        return self.status in ("done", "failed", "stopped")


class _Stopped(BaseException):
    """Ends a run from within, past whatever takes errors for bad files."""


class Runs:
    """The runs of one server, each seen by its own namespace alone."""

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
        keep(memory, run)
        with self._lock:
            self._runs[run.run_id] = memory.store.namespace, run
            ended = [key for key, (_, each) in self._runs.items() if each.ended]
            for key in ended[: max(len(self._runs) - _KEPT, 0)]:
                del self._runs[key]
        self._worker.submit(self._do, memory, run.run_id, do)
        return run

    def get(self, memory: Memory, run_id: str) -> Run:
        """How a run stands. Raises UnknownRecord, also for one of another namespace."""
        namespace, run = self._runs.get(run_id, ("", None))
        if run is not None and namespace == memory.store.namespace:
            return run
        if (before := _kept_run(memory, run_id)) is None:
            raise UnknownRecord(f"there is no run {run_id!r}: `GET /api/v1/runs` lists those kept")
        return _of_before(before)

    def all(self, memory: Memory) -> list[Run]:
        """The runs of a namespace, the latest first: this process's, then those kept of others."""
        with self._lock:
            runs = [run for name, run in self._runs.values() if name == memory.store.namespace]
        ours = {run.run_id for run in runs}
        return runs[::-1] + [_of_before(run) for run in kept(memory) if run.run_id not in ours]

    def stop(self, memory: Memory, run_id: str) -> Run:
        """Ask a run to end: it does when it next tells how far it is. What it wrote stays."""
        run = self.get(memory, run_id)
        with self._lock:
            self._stopping.add(run_id)
        if run.status == "waiting":
            self._change(run_id, status="stopped", ended_at=self._clock())
            self._keep(memory, run_id)
        return self.get(memory, run_id)

    def close(self) -> None:
        """End what runs, and do what waits no more."""
        self._closing = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _do(self, memory: Memory, run_id: str, do: Callable[[Progress], Any]) -> None:
        try:
            self._work(run_id, do)
        finally:
            self._keep(memory, run_id)

    def _work(self, run_id: str, do: Callable[[Progress], Any]) -> None:
        if self._is_stopped(run_id):
            self._change(run_id, status="stopped", ended_at=self._clock())
            return
        self._change(run_id, status="running")

        def on_progress(stage: str, done: int, total: int) -> None:
            if self._is_stopped(run_id):
                raise _Stopped
            self._change(run_id, stage=stage, done=done, total=total)

        try:
            result = msgspec.to_builtins(do(on_progress), order="deterministic")
            fields = {"result": result, **_golden_figures(result)}
            self._change(run_id, status="done", ended_at=self._clock(), **fields)
        except _Stopped:
            self._change(run_id, status="stopped", ended_at=self._clock())
        except QuipuError as error:
            reason = redact(str(error))[0]
            self._change(run_id, status="failed", error=reason, ended_at=self._clock())
        except Exception as error:  # noqa: BLE001  the outermost boundary of this thread
            _LOG.exception("run %s failed", run_id)
            why = f"{type(error).__name__}; this should not happen: the server's log says more"
            self._change(run_id, status="failed", error=why, ended_at=self._clock())

    def _is_stopped(self, run_id: str) -> bool:
        return self._closing or run_id in self._stopping

    def _change(self, run_id: str, **changed: Any) -> None:
        with self._lock:
            if run_id in self._runs:
                namespace, run = self._runs[run_id]
                self._runs[run_id] = namespace, msgspec.structs.replace(run, **changed)

    def _keep(self, memory: Memory, run_id: str) -> None:
        """Keep how it ended; that it cannot be kept is no failure of the work."""
        _, run = self._runs[run_id]
        try:
            keep(memory, run)
        except QuipuError as error:
            _LOG.warning("run %s is not kept: %s", run_id, redact(str(error))[0])


def _golden_figures(result: Any) -> dict[str, int]:
    """How many golden questions passed and of how many, where the report is one of them."""
    match result:
        case {"passed": bool(), "results": [*results]}:
            each = cast("list[dict[str, Any]]", results)
            return {"passed": sum(bool(r["passed"]) for r in each), "questions": len(each)}
        case _:
            return {}


def _of_before(run: Run) -> Run:
    """A run of another process: one that had not ended is not worked on here."""
    return run if run.ended else msgspec.structs.replace(run, status="stopped", error=_CUT_OFF)


def keep(memory: Memory, run: Run) -> None:
    """Write how a run stands, without its report and its progress; of each kind the latest 200
    stay. Raises StoreUnavailable, CorruptStore."""
    plain = msgspec.structs.replace(run, result=None, stage="", done=0, total=0)
    _with(memory, partial(_put, memory, plain))


def kept(memory: Memory) -> list[Run]:
    """The runs of the memory's namespace, of whichever process, the latest first."""
    found = _with(memory, partial(_list, _prefix(memory))) or []
    runs = [msgspec.json.decode(value, type=Run) for _, value in found]
    return sorted(runs, key=lambda run: (run.started_at, run.run_id), reverse=True)


def _kept_run(memory: Memory, run_id: str) -> Run | None:
    """The one of that id, if there is one in the memory's namespace."""
    return next((run for run in kept(memory) if run.run_id == run_id), None)


def _put(memory: Memory, run: Run, ledger: Ledger) -> None:
    of_kind = f"{_prefix(memory)}{run.kind}\0"
    key = f"{of_kind}{run.started_at}\0{run.run_id}"
    before = [each for each, _ in _list(of_kind, ledger) if each != key]
    gone = [(_KIND, each) for each in before[: max(len(before) + 1 - _MOST_KEPT, 0)]]
    ledger.change(put={(_KIND, key): msgspec.json.encode(run)}, delete=gone)


def _list(prefix: str, ledger: Ledger) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    after = prefix
    while page := ledger.list(_KIND, after=after):
        for entry in page:
            if not entry.key.startswith(prefix):
                return found
            found.append((entry.key, entry.value))
        after = page[-1].key
    return found


def _prefix(memory: Memory) -> str:
    return f"{memory.name}\0"


def _with(memory: Memory, do: Callable[[Ledger], T]) -> T | None:
    """What `do` gives for the memory's ledger; None for a memory that keeps nothing."""
    state = memory.home.state
    if state is None or memory.home.url == "memory:":
        return None
    with Ledger(state / LEDGER) as ledger:
        return do(ledger)

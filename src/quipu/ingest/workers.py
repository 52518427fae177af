"""Worker processes for pure work: `python -m quipu.ingest.workers`, spoken to through pipes.

They are programs of their own, not forks and not `multiprocessing` children: nothing of the
caller's main module is imported again, no lock or thread is inherited, and a file that kills a
worker (a fault in a native parser, memory) costs that file only. They import nothing from the
folder they are started in (`-P`): it may hold a `json.py` that somebody else wrote.
"""

import gc
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Generic, Self, TypeVar

__all__ = ["WorkerDied", "Workers"]

J = TypeVar("J")
R = TypeVar("R")

_AHEAD = 3
"""Jobs in flight for each worker: enough to keep it busy, few enough to bound memory."""


class WorkerDied(Exception):
    """The process that had the job is gone."""


class Workers(Generic[J, R]):
    """Runs `function` (importable by name, picklable in and out) over jobs, in order."""

    def __init__(self, function: Callable[[J], R], count: int) -> None:
        """`count` processes are started when the first job comes; 0 works in this process."""
        self._function = function
        self._count = count
        self._local = threading.local()
        self._open = ExitStack()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(max(count, 1), "quipu-worker")

    def map(self, jobs: Iterable[J]) -> Iterator[tuple[J, R | WorkerDied]]:
        """Each job and its result, in the order of `jobs`, which are drawn as they are needed."""
        if self._count == 0:
            for job in jobs:
                yield job, self._function(job)
            return
        waiting: deque[tuple[J, Future[R | WorkerDied]]] = deque()
        for job in jobs:
            waiting.append((job, self._threads.submit(self._remote, job)))
            if len(waiting) >= self._count * _AHEAD:
                first, future = waiting.popleft()
                yield first, future.result()
        for job, future in waiting:
            yield job, future.result()

    def _remote(self, job: J) -> R | WorkerDied:
        process = self._process()
        try:
            _send(process.stdin, job)
            return _receive(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            process.kill()
            del self._local.process
            return WorkerDied(f"the reading process ended with {process.wait()}: {error}")

    def _process(self) -> "subprocess.Popen[bytes]":
        if not hasattr(self._local, "process"):
            name = f"{self._function.__module__}:{self._function.__qualname__}"
            process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", __name__, name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
            )
            with self._lock:
                self._open.callback(_end, process)
            self._local.process = process
        return self._local.process

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._open.close()


def _environment() -> dict[str, str]:
    """Ours, with the place this package was imported from, however that came about."""
    package = str(Path(__file__).resolve().parents[2])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [package, *filter(os.path.isabs, given)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _end(process: "subprocess.Popen[bytes]") -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
    process.wait()


def _send(stream: IO[bytes] | None, value: object) -> None:
    assert stream is not None
    pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> Any:
    assert stream is not None
    return pickle.load(stream)  # noqa: S301 - our own process at the other end


def _serve(name: str) -> None:
    module, _, function = name.partition(":")
    work: Callable[[Any], Any] = getattr(import_module(module), function)
    gc.freeze()  # what was imported stays; what a job makes is gone with its answer
    gc.set_threshold(20_000, 50, 50)
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break the pipe
    while True:
        try:
            job = _receive(requests)
        except EOFError:
            return
        _send(answers, work(job))


if __name__ == "__main__":
    try:
        _serve(sys.argv[1])
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)

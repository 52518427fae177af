"""Worker processes for pure work (`worker_process.py`), spoken to through pipes.

They are programs of their own, not forks and not `multiprocessing` children: nothing of the
caller's main module is imported again, no lock or thread is inherited, and a source that stalls a
worker, exhausts it or kills it (a fault in a native parser) costs that source only. They import
nothing from the folder they are started in (`-P`): it may hold a `json.py` somebody else wrote.

A worker holds its own memory (`limits.py`); one that takes too long is ended from here.

What is indexed has workers of its own (`prepare.py`); readers of what is read whole first
(transcripts, goals, incidents) are called by a `Guard`.
"""

import math
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, Self, TypeVar

from quipu.errors import InvalidInput
from quipu.write.limits import NO_MEMORY, UNLIMITED, Limits

__all__ = ["Guard", "WorkerDied", "Workers", "receive", "send"]

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 3
"""Jobs in flight for each worker: enough to keep it busy, few enough to bound memory."""
_PROGRAM = "quipu.write.worker_process"
_START_S = 120.0
_LOOK_S = 0.1
"""How often it is looked whether a worker takes too long."""
_CHEAP = 64_000
"""Bytes and characters of a call up to which it is made here."""


class WorkerDied(Exception):
    """The process that had the task is gone, or was not let go on; says why."""


class TookTooLong(WorkerDied):
    """A task that was ended when its time was over: it would be again."""

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Says how long it took."""
        return cls(f"took longer than {seconds:g} s; raise max_seconds, or leave it out")


class Workers(Generic[T, R]):
    """Runs `function` (which pickles, as what it takes and gives does) over tasks, in order."""

    def __init__(
        self,
        function: Callable[[T], R],
        count: int,
        *,
        limits: Limits = UNLIMITED,
        size: Callable[[T], int] = lambda _: 0,
        here: Callable[[T], bool] = lambda _: True,
    ) -> None:
        """`count` processes are started when the first job comes. With 0 a task is worked on in
        this process if it is one for `here`, else in one process, started when it is needed.
        `size` says in bytes what a task is, for `limits`, which hold in processes only."""
        self._function = function
        self._count = count
        self._limits = limits
        self._size = size
        self._here = here
        self._local = threading.local()
        self._open = ExitStack()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(max(count, 1), "quipu-worker")

    def map(self, jobs: Iterable[Sequence[T]]) -> Iterator[tuple[T, R | WorkerDied]]:
        """Each task and its result, in the order of `jobs`, which are drawn as they are needed.

        The tasks of a job go to one process together. One whose process dies is tried once more
        in a new one, so that what others left behind is nobody's end.
        """
        if self._count == 0:
            for job in jobs:
                for task in job:
                    yield task, self.one(task)
            return
        waiting: deque[tuple[Sequence[T], Future[list[R | WorkerDied]]]] = deque()
        for job in jobs:
            waiting.append((job, self._threads.submit(self._remote, job)))
            if len(waiting) >= self._count * _AHEAD:
                first, future = waiting.popleft()
                yield from zip(first, future.result(), strict=True)
        for job, future in waiting:
            yield from zip(job, future.result(), strict=True)

    def one(self, task: T) -> R | WorkerDied:
        """The result of one task, here or in a process."""
        if not self._here(task):
            return self._remote([task])[0]
        try:
            return self._function(task)
        except MemoryError:
            return WorkerDied("needed more memory than there is")

    def _remote(self, job: Sequence[T]) -> list[R | WorkerDied]:
        results: list[R | WorkerDied] = []
        while rest := [(task, self._size(task)) for task in job[len(results) :]]:
            is_fresh = not hasattr(self._local, "process")
            try:
                for result in self._process().results(rest):
                    results.append(result)
                    is_fresh = False
            except WorkerDied as died:
                vars(self._local).pop("process", None)
                if is_fresh or isinstance(died, TookTooLong):
                    results.append(died)
        return results

    def _process(self) -> "_Process":
        if not hasattr(self._local, "process"):
            process = _Process(self._function, self._limits)
            with self._lock:
                self._open.callback(process.close)
            self._local.process = process
        return self._local.process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._open.close()


class _Process:
    """One worker, which is ended when it takes longer over a task than `limits` allow."""

    def __init__(self, function: Callable[..., Any], limits: Limits) -> None:
        self._limits = limits
        self._due = math.inf
        self._is_late = False
        self._over = threading.Event()
        try:
            self._popen = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", _PROGRAM, str(limits.memory_bytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=own_environment(),
            )
        except OSError as error:
            raise WorkerDied(f"no reading process can be started: {error}") from error
        threading.Thread(target=self._watch, name="quipu-watch", daemon=True).start()
        with self._within(_START_S, 0):
            send(self._popen.stdin, function)
            receive(self._popen.stdout)  # it is ready

    def results(self, tasks: "Sequence[tuple[Any, int]]") -> Iterator[Any]:
        """The result of each task, which stands beside its size. Raises WorkerDied."""
        with self._within(self._limits.seconds_for(tasks[0][1]), tasks[0][1]):
            send(self._popen.stdin, tasks)
        for _, size in tasks:
            with self._within(self._limits.seconds_for(size), size):
                result = receive(self._popen.stdout)
            yield result

    @contextmanager
    def _within(self, seconds: float, size: int) -> Generator[None]:
        """Let the block wait so long (0: without end) for work on a source of this size."""
        self._due = time.monotonic() + seconds if seconds else math.inf
        try:
            yield
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self._popen.kill()
            code = self._popen.wait()
            self.close()
            if self._is_late:
                raise TookTooLong.after(seconds) from error
            raise WorkerDied(_ended(code, self._limits.memory_for(size))) from error
        except BaseException:
            self._popen.kill()  # nobody waits for what it does now
            raise
        finally:
            self._due = math.inf

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_S):
            if time.monotonic() > self._due:
                self._is_late = True
                self._popen.kill()

    def close(self) -> None:
        """Let the process end, and wait for that."""
        self._over.set()
        for stream in (self._popen.stdin, self._popen.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self._popen.wait()


def own_environment() -> dict[str, str]:
    """Ours, with the place this package was imported from, however that came about."""
    package = str(Path(__file__).resolve().parents[2])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [package, *filter(os.path.isabs, given)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def send(stream: IO[bytes] | None, value: object) -> None:
    """Give `value` to the other end of a pipe."""
    assert stream is not None
    pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def receive(stream: IO[bytes] | None) -> Any:
    """What the other end of a pipe gives next. Raises EOFError when it is gone."""
    assert stream is not None
    return pickle.load(stream)  # noqa: S301 - our own process at the other end


def _ended(code: int, memory_bytes: int) -> str:
    if code == NO_MEMORY and not memory_bytes:
        return "needed more memory than there is; leave it out"
    if code == NO_MEMORY:
        return (
            f"needed more than {memory_bytes // 1_000_000} MB of memory; raise max_memory_mb, "
            "or leave it out"
        )
    return f"the reading process ended with {code}; leave it out"


class _Call(NamedTuple):
    """A reader by its name, and what it is given."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class Guard(Workers[_Call, Any]):
    """Calls readers (`Calling`): in a process of its own, where what they read is large."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(
            _called, 0, limits=limits, size=_call_size, here=lambda call: _call_size(call) <= _CHEAP
        )

    def __call__(self, reader: Callable[..., R], /, *arguments: object, **options: object) -> R:
        """What `reader` gives. Raises InvalidInput for what it refuses, and when it takes too
        long or too much memory."""
        call = _Call(reader.__module__, reader.__qualname__, arguments, options)
        made = self.one(call)
        if isinstance(made, WorkerDied):
            raise InvalidInput(str(made))
        if isinstance(made, InvalidInput):
            raise made
        return made


def _call_size(call: _Call) -> int:
    return sum(len(each) for each in call.arguments if isinstance(each, bytes | str))


def _called(call: _Call) -> object:
    reader = getattr(import_module(call.module), call.name)
    try:
        return reader(*call.arguments, **call.options)
    except InvalidInput as error:
        return error
    except RecursionError:
        return InvalidInput("is nested too deeply to be read")

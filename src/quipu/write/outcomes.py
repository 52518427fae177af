"""What became of each source in a run's jobs, whatever happened to the process that had it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Protocol, Self

from quipu.extract import BY_RULE, StatementReading
from quipu.records.document import Problem
from quipu.write.limits import Limits
from quipu.write.prepare import Prepared, Task, is_cheap, prepare, ref_of, size_of
from quipu.write.workers import WorkerDied, Workers

__all__ = ["Preparing", "outcome", "outcomes", "preparing"]


class Preparing(Protocol):
    """Makes sources ready to be written: in this process, in others, on other machines."""

    def map(
        self, jobs: Iterable[Sequence[Task]], /
    ) -> Iterator[tuple[Task, Prepared | WorkerDied]]:
        """Each task and its result, in the order of `jobs`, which are drawn as they are needed."""
        ...

    def one(self, task: Task, /) -> Prepared | WorkerDied:
        """The result of one task."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


def preparing(count: int, limits: Limits, reading: StatementReading = BY_RULE) -> "Preparing":
    """`count` processes that make sources ready to be written; with 0 the cheap ones are made
    ready here, and the others in one process. `reading` is what statements are read
    the grammar; processes have none."""
    near = partial(prepare, reading=reading)
    return Workers(prepare, count, limits=limits, size=size_of, here=is_cheap, near=near)


def outcomes(workers: "Preparing", jobs: Iterable[Sequence[Task]]) -> Iterator[Prepared]:
    """Each task's outcome, in order; a source that stalls, exhausts or kills its process is a
    problem."""
    for task, result in workers.map(jobs):
        yield _prepared(task, result)


def outcome(workers: "Preparing", task: Task) -> Prepared:
    """The outcome of one task."""
    return _prepared(task, workers.one(task))


def _prepared(task: Task, result: Prepared | WorkerDied) -> Prepared:
    if isinstance(result, WorkerDied):
        ref = ref_of(task)
        return Prepared(ref, (Problem(ref, str(result)),))
    return result

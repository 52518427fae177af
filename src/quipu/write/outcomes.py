"""What became of each source in a run's jobs, whatever happened to the process that had it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from quipu.ports import ReadLayers
from quipu.records.document import Problem
from quipu.write.limits import Limits
from quipu.write.prepare import Prepared, Task, is_cheap, prepare, ref_of, size_of
from quipu.write.workers import WorkerDied, Workers

__all__ = ["Preparing", "outcome", "outcomes", "preparing"]

Preparing = Workers[Task, Prepared]


def preparing(count: int, limits: Limits, layers: ReadLayers | None = None) -> "Preparing":
    """`count` processes that make sources ready to be written; with 0 the cheap ones are made
    ready here, and the others in one process. `layers` reads a text with the local encoder, for
    the grammar; processes have none."""
    near = partial(prepare, layers=layers)
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

"""What became of each source in a run's jobs, whatever happened to the process that had it."""

from collections.abc import Iterable, Iterator

from quipu.domain.document import Problem
from quipu.ingest.prepare import FileTask, PassageTask, Prepared
from quipu.ingest.workers import WorkerDied, Workers

__all__ = ["Job", "outcomes"]

Job = list[FileTask | PassageTask]


def outcomes(workers: "Workers[Job, list[Prepared]]", jobs: Iterable[Job]) -> Iterator[Prepared]:
    """Each task's outcome, in order; a job whose process died is tried again source by source, so
    that only the source at fault is lost."""
    for job, outcome in workers.map(jobs):
        if not isinstance(outcome, WorkerDied):
            yield from outcome
            continue
        for (task,), single in workers.map([task] for task in job):
            if isinstance(single, WorkerDied):
                ref = task.source.path if isinstance(task, FileTask) else task.passage.source_ref
                yield Prepared(ref, (Problem(ref, str(single)),))
            else:
                yield from single

"""Ready passages: each is its own document and its only chunk; nothing is cut."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from quipu.domain.document import Problem
from quipu.domain.instants import UNKNOWN_TIME, Clock, parse_instant
from quipu.domain.passage import PassageInput
from quipu.domain.progress import Progress
from quipu.errors import InvalidInput
from quipu.ingest.prepare import (
    FileTask,
    PassageTask,
    Prepared,
    episode_id_of,
    passage_hash,
)
from quipu.ingest.workers import WorkerDied, Workers
from quipu.ingest.writing import BatchWriter
from quipu.ports import Store

__all__ = ["PassageInput", "PassageTally", "add_passages"]

_PAGE = 250


@dataclass(slots=True)
class PassageTally:
    """What became of the passages."""

    added: list[str] = field(default_factory=list[str])
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])

    @property
    def documents(self) -> int:
        """How many passages the store now holds of those given."""
        return len(self.added) + self.unchanged


def add_passages(
    passages: Iterable[PassageInput],
    store: Store,
    writer: BatchWriter,
    workers: "Workers[list[FileTask | PassageTask], list[Prepared]]",
    *,
    clock: Clock,
    progress: Progress | None,
) -> PassageTally:
    """Write the passages that are not there yet, a page at a time."""
    tally = PassageTally()
    for job, outcome in workers.map(_pages(passages, store, tally, clock)):
        if isinstance(outcome, WorkerDied):
            refs = [t.passage.source_ref for t in job if isinstance(t, PassageTask)]
            tally.problems += [Problem(ref, str(outcome)) for ref in refs]
            continue
        for prepared in outcome:
            tally.problems += prepared.problems
            if prepared.episode is not None:
                tally.added.append(prepared.ref)
                writer.add(prepared, None)
        if progress:
            progress("read", tally.documents, 0)
    writer.flush()
    return tally


def _pages(
    passages: Iterable[PassageInput], store: Store, tally: PassageTally, clock: Clock
) -> Iterator[list[FileTask | PassageTask]]:
    rest = iter(passages)
    while page := list(islice(rest, _PAGE)):
        namespace = store.namespace
        ids = {
            episode_id_of(namespace, p.source_type, p.source_ref, passage_hash(p)): p for p in page
        }
        live = store.get(list(ids))
        tally.unchanged += len(live)
        now = clock()
        job: list[FileTask | PassageTask] = []
        for episode_id, passage in ids.items():
            if episode_id in live:
                continue
            try:
                seen = parse_instant(passage.observed_at) if passage.observed_at else UNKNOWN_TIME
            except InvalidInput as error:
                tally.problems.append(Problem(passage.source_ref, str(error)))
                continue
            job.append(PassageTask(passage, seen, namespace, now))
        if job:
            yield job

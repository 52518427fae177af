"""Ready passages: each is its own document and its only chunk; nothing is cut."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from quipu.errors import InvalidInput
from quipu.facts.attributes import SHIPPED, Attributes
from quipu.limits import TEXTS_AT_ONCE
from quipu.ports import Progress, Store
from quipu.read import redact
from quipu.records.document import Problem
from quipu.records.ids import episode_id_of
from quipu.records.passage import PassageInput
from quipu.when.instants import UNKNOWN_TIME, Clock, parse_instant
from quipu.write.batches import BatchWriter
from quipu.write.prepare import PassageTask, Prepared, Preparing, outcomes, passage_hash, prepare

__all__ = ["PassageInput", "PassageTally", "add_passages", "prepared_passages"]

_REPEATED = "was given more than once; the last one stands"
G = TypeVar("G")


@dataclass(slots=True)
class PassageTally:
    """What became of the passages; `added` holds each reference once."""

    added: dict[str, None] = field(default_factory=dict[str, None])
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    refused: Counter[str] = field(default_factory=Counter[str])
    _given: set[str] = field(default_factory=set[str])

    @property
    def documents(self) -> int:
        """How many passages the store now holds of those given."""
        return len(self.added) + self.unchanged

    def last_of_each(
        self, page: Sequence[G], ref_of: Callable[[G], str]
    ) -> tuple[dict[str, G], frozenset[str]]:
        """What is given in a page, by reference, and which of it was given before the page.

        Of what is given twice the last stands, and a warning says so.
        """
        chosen: dict[str, G] = {}
        again: set[str] = set()
        for each in page:
            ref = ref_of(each)
            if ref in self._given or ref in chosen:
                self.problems.append(Problem(ref, _REPEATED, "warning"))
            if ref in self._given:
                again.add(ref)
            chosen.pop(ref, None)
            chosen[ref] = each
        self._given.update(chosen)
        return chosen, frozenset(again)


def add_passages(
    passages: Iterable[PassageInput],
    store: Store,
    writer: BatchWriter,
    workers: "Preparing",
    *,
    clock: Clock,
    extract: bool = True,
    progress: Progress | None = None,
) -> PassageTally:
    """Write the passages that are not there yet, a page at a time."""
    tally = PassageTally()
    for prepared in outcomes(workers, _pages(passages, store, tally, clock, extract)):
        tally.problems += prepared.problems
        if prepared.episode is not None:
            tally.added[prepared.ref] = None
            writer.add(prepared)
        if progress and tally.documents % TEXTS_AT_ONCE == 0:
            progress("read", tally.documents, 0)
    writer.flush()
    return tally


def _pages(
    passages: Iterable[PassageInput], store: Store, tally: PassageTally, clock: Clock, extract: bool
) -> Iterator[list[PassageTask]]:
    rest = iter(passages)
    namespace = store.namespace
    while page := list(islice(rest, TEXTS_AT_ONCE)):
        chosen, again = tally.last_of_each(page, lambda p: redact(p.source_ref)[0])
        ids = {
            ref: episode_id_of(namespace, p.source_type, ref, passage_hash(p))
            for ref, p in chosen.items()
        }
        live = store.get([episode_id for ref, episode_id in ids.items() if ref not in again])
        tally.unchanged += len(live)
        now = clock()
        job: list[PassageTask] = []
        for ref, passage in chosen.items():
            if ids[ref] in live:
                continue
            try:
                seen = parse_instant(passage.observed_at) if passage.observed_at else UNKNOWN_TIME
            except InvalidInput as error:
                tally.problems.append(Problem(ref, str(error)))
                continue
            job.append(PassageTask(passage, seen, namespace, now, extract))
        if job:
            yield job


def prepared_passages(
    passages: Sequence[PassageInput],
    *,
    namespace: str,
    now: str,
    extract: bool,
    attributes: Attributes = SHIPPED,
) -> list[Prepared]:
    """A few passages, each with its instant of observation, ready to go into one batch with what
    belongs to them. Raises InvalidInput for one that cannot be remembered."""
    made = [
        prepare(PassageTask(p, p.observed_at or UNKNOWN_TIME, namespace, now, extract), attributes)
        for p in passages
    ]
    for each in made:
        if each.episode is None:
            raise InvalidInput(f"{each.ref!r} cannot be remembered: {each.problems[0].error}")
    return made

"""Passages that the walk reached, held against the time in the question as the seeds were."""

from collections.abc import Collection, Mapping

import numpy as np

from quipu.index.columns import tail, unpack
from quipu.index.times import asked_months, length_share, read_times, time_fit
from quipu.ports import Index
from quipu.retrieve.rank import Candidate

__all__ = ["timed_parts"]


def timed_parts(
    question: str, candidates: Mapping[int, Candidate], reached: Collection[int], index: Index
) -> dict[int, dict[str, float]]:
    """The parts `time`, `document` and `length` of every reached passage; nothing when no seed
    was measured so. A title that no seed has counts as half of the best."""
    seeds = {n: c.parts for n, c in candidates.items() if "time" in c.parts}
    asked = asked_months(question)
    if asked is None or not seeds:
        return {}
    titles: dict[int, float] = {}
    for number, blob in zip(seeds, _columns(index, seeds), strict=True):
        titles.setdefault(read_times(tail(blob)).title, seeds[number]["document"])
    new = sorted(set(reached) - set(seeds))
    found: dict[int, dict[str, float]] = {n: _of(seeds[n]) for n in reached if n in seeds}
    for number, blob in zip(new, _columns(index, new), strict=True):
        times = read_times(tail(blob))
        found[number] = {
            "time": time_fit(asked, times.months),
            "document": titles.get(times.title, 0.5) if times.title else 0.5,
            "length": length_share(len(unpack(blob).positions)),
        }
    return found


def _of(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: parts[name] for name in ("time", "document", "length")}


def _columns(index: Index, numbers: Collection[int]) -> list[bytes]:
    return index.columns(np.array(list(numbers), dtype=np.int64))

"""Passages that the walk reached, held against the time in the question as the seeds were.

Where a document has several passages in the running, the asked time decides between them and
whatever they lead to. Where it has one, the time belongs to that passage, and what a bridge leads
to is free of it: "who produced the song that came out in 1999" is answered by a passage that need
not speak of 1999.
"""

from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from quipu.index.columns import tail, unpack
from quipu.index.times import asked_months, length_share, read_times, time_fit
from quipu.ports import Index
from quipu.question import Question
from quipu.retrieve.rank import Candidate, is_timed
from quipu.retrieve.walk import Reached

__all__ = ["timed_parts"]

_NO_SEED = 0.5


def timed_parts(
    question: Question,
    candidates: Mapping[int, Candidate],
    reached: Mapping[int, Reached],
    index: Index,
) -> dict[int, dict[str, float]]:
    """The parts `time`, `document` and `length` of every passage reached from a title that has
    several seeds; nothing when no seed was measured so. A title without a seed counts as half of
    the best."""
    seeds = {n: c.parts for n, c in candidates.items() if is_timed(c)}
    asked = asked_months(question)
    if asked is None or not seeds:
        return {}
    numbers = sorted({*seeds, *reached, *(way.source for way in reached.values())})
    blobs = dict(zip(numbers, _columns(index, numbers), strict=True))
    read = {number: read_times(tail(blob)) for number, blob in blobs.items()}
    best = {read[number].title: parts["document"] for number, parts in seeds.items()}
    passages = Counter(read[number].title for number in seeds)
    found: dict[int, dict[str, float]] = {}
    for number, way in reached.items():
        times, origin = read[number], read[way.source].title
        if origin and passages[origin] > 1:
            found[number] = {
                "time": time_fit(asked, times.months),
                "document": best.get(times.title, _NO_SEED) if times.title else _NO_SEED,
                "length": length_share(len(unpack(blobs[number]).positions)),
            }
    return found


def _columns(index: Index, numbers: Collection[int]) -> list[bytes]:
    return index.columns(np.array(list(numbers), dtype=np.int64))

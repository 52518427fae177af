"""When a passage speaks of, kept beside its postings, and how well that fits an asked time.

The tail of a prose chunk's packed columns: a hash of its title, then each time it names as its
first and last month, so that a question about a time is ranked without reading text or dates.
"""

import math
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from quipu.question import Question
from quipu.records.weights import PROSE
from quipu.text import fold, lower
from quipu.when import find_spans
from quipu.when.intervals import Interval

__all__ = [
    "Months",
    "Times",
    "Timing",
    "asked_months",
    "length_share",
    "measure_times",
    "misfit",
    "pack_times",
    "read_times",
    "time_fit",
]

N = TypeVar("N", float, NDArray[np.float64])

_OPEN = -(2**31)
_MOST = 200
_MONTHS = np.dtype([("first", "<i4"), ("last", "<i4")])
_SPAN_MONTHS = 36.0
_LONG = 5.0
# overlap, an end in the year asked first, months to the first end, to the last, both years
_OVERLAP, _SAME_YEAR, _NEAR_FIRST, _NEAR_LAST, _SAME_YEARS = 0.19, 0.16, 0.37, 0.12, 0.16


class Months(NamedTuple):
    """An asked time: the numbers of its first and its last month (year · 12 + month - 1)."""

    first: int
    last: int


class Times(NamedTuple):
    """What `pack_times` kept: `title` 0 for none; `months` has a row a time, an end that is open
    being `_OPEN`."""

    title: int
    months: NDArray[np.void]


class Timing(NamedTuple):
    """How candidates stand to an asked time, each float64[n] in [0, 1]: how well a time in them
    fits; the best base score of their title over the best of all; ln(1 + words) / 5, at most 1."""

    time: NDArray[np.float64]
    document: NDArray[np.float64]
    length: NDArray[np.float64]


def measure_times(
    asked: Months, tails: Sequence[bytes], base: NDArray[np.float64], words: NDArray[np.int32]
) -> Timing | None:
    """The timing of candidates with these tails; None when none of them names any time."""
    read = [read_times(tail) for tail in tails]
    if not any(len(times.months) for times in read):
        return None
    best: dict[int, float] = {}
    for times, score in zip(read, base.tolist(), strict=True):
        best[times.title] = max(best.get(times.title, 0.0), score)
    highest = max(1e-9, *best.values())
    own = [
        best[times.title] if times.title else score
        for times, score in zip(read, base.tolist(), strict=True)
    ]
    return Timing(
        time=np.array([time_fit(asked, times.months) for times in read]),
        document=np.clip(np.array(own) / highest, 0.0, 1.0),
        length=np.array([length_share(count) for count in words.tolist()]),
    )


def misfit(time: N, document: N, length: N) -> N:
    """What a passage of prose loses because it does not fit the asked time."""
    return (
        PROSE.time * (1.0 - time)
        + PROSE.document * (1.0 - document)
        + PROSE.length * (1.0 - length)
    )


def length_share(words: int) -> float:
    """ln(1 + words) / 5, at most 1: what a passage of so many words has room to say."""
    return min(math.log1p(words) / _LONG, 1.0)


def pack_times(title: str, text: str) -> bytes:
    """The tail for a passage: 4 bytes and 8 a time, of which at most 200 are kept."""
    found: list[int] = []
    for span in find_spans(text)[:_MOST]:
        first, last = span.interval.first, span.interval.last
        if first is not None or last is not None:
            found += [_OPEN if first is None else first, _OPEN if last is None else last]
    named = zlib.crc32(lower(fold(title)).encode("utf-8", "surrogatepass")) if title else 0
    return struct.pack(f"<I{len(found)}i", named, *found)


def read_times(tail: bytes) -> Times:
    """What `pack_times` packed; nothing of a tail that is too short."""
    if len(tail) < 4:
        return Times(0, np.empty(0, dtype=_MONTHS))
    (title,) = struct.unpack_from("<I", tail)
    whole = (len(tail) - 4) // _MONTHS.itemsize
    return Times(title, np.frombuffer(tail, dtype=_MONTHS, count=whole, offset=4))


def asked_months(question: Question) -> Months | None:
    """The stretch of time that an answer to `question` must hold in; None when it names none."""
    asked = question.time()
    return _months(asked.interval) if asked.kind == "at" else None


def _months(interval: Interval | None) -> Months | None:
    if interval is None:
        return None
    first, last = interval.first, interval.last
    if first is None:
        return None if last is None else Months(last, last)
    return Months(first, first if last is None else last)


def time_fit(asked: Months, months: NDArray[np.void]) -> float:
    """How well the best of a passage's times fits, in [0, 1]; 0 without any.

    A sum of: it overlaps the asked time; one of its ends lies in the year that time begins in;
    e^(-months/36) between its nearer end and either end asked; it begins and ends in the years
    asked.
    """
    if not len(months):
        return 0.0
    first, last = months["first"].astype(np.int64), months["last"].astype(np.int64)
    begins = np.where(first == _OPEN, last, first)
    ends = np.where(last == _OPEN, first, last)
    begun = (first == _OPEN) | (first <= asked.last)
    overlaps = begun & ((last == _OPEN) | (last >= asked.first))
    year, until = asked.first // 12, asked.last // 12
    in_year = (begins // 12 == year) | (ends // 12 == year)
    both = (begins // 12 == year) & (ends // 12 == until)
    fit = (
        _OVERLAP * overlaps
        + _SAME_YEAR * in_year
        + _NEAR_FIRST * _nearness(begins, ends, asked.first)
        + _NEAR_LAST * _nearness(begins, ends, asked.last)
        + _SAME_YEARS * both
    )
    return float(fit.max())


def _nearness(
    begins: NDArray[np.int64], ends: NDArray[np.int64], month: int
) -> NDArray[np.float64]:
    apart = np.minimum(np.abs(begins - month), np.abs(ends - month))
    return np.asarray(np.exp(-apart / _SPAN_MONTHS), dtype=np.float64)

"""Whether the question's words stand near a name: read from packed columns, never from text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.domain.question import Question
from quipu.index import bm25
from quipu.index.columns import Columns, prefix_hash
from quipu.ports import Frequencies

__all__ = ["Words", "name_nearness", "nearest", "question_words", "stem_idf"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Words:
    """The question's content words: `hashes` of their first letters, `idf` of their stems, and
    `log_count`, ln(1 + N)."""

    hashes: NDArray[np.uint32]
    idf: Floats
    log_count: float


def stem_idf(statistics: Frequencies) -> Floats:
    """The idf of each of the terms that were asked for."""
    return np.array(
        [bm25.idf(df, statistics.count) for df in statistics.df.tolist()], dtype=np.float64
    )


def question_words(question: Question, statistics: Frequencies) -> Words:
    """The words to look for; `statistics` are those of the question's stems."""
    return Words(
        hashes=np.array([prefix_hash(word) for word in question.content], dtype=np.uint32),
        idf=stem_idf(statistics)[list(question.content_stems)],
        log_count=float(np.log(1 + max(statistics.count, 1))),
    )


def name_nearness(
    column: Columns, keys: Collection[str], words: Words, *, before: int, after: int
) -> Mapping[str, float]:
    """For each key that stands in the passage, the idf share (in [0, 1]) of the question's words
    near one of its mentions: the best mention counts."""
    wanted = set(keys)
    rows = [i for i, key in enumerate(column.keys) if key in wanted]
    near = _near(column, rows, words.hashes, before, after)
    shares = np.minimum(1.0, near @ words.idf / words.log_count).tolist()
    found: dict[str, float] = {}
    for row, share in zip(rows, shares, strict=True):
        key = column.keys[row]
        found[key] = max(share, found.get(key, 0.0))
    return found


def nearest(
    column: Columns, keys: Collection[str], words: Words, among: Flags, *, around: int
) -> float:
    """The best of `name_nearness` over `keys`, for the words flagged in `among` only."""
    rows = [i for i, key in enumerate(column.keys) if key in keys]
    if not rows or not among.any():
        return 0.0
    near = _near(column, rows, words.hashes[among], around, around)
    return min(1.0, float((near @ words.idf[among]).max()) / words.log_count)


def _near(
    column: Columns, rows: Sequence[int], hashes: NDArray[np.uint32], before: int, after: int
) -> Flags:
    """bool[mentions, words]: which hashes stand within the characters around each mention."""
    equal = column.hashes[:, None] == hashes[None, :]
    standing = np.flatnonzero(equal.any(axis=1))
    if not len(standing) or not rows:
        return np.zeros((len(rows), len(hashes)), dtype=np.bool_)
    at = column.positions[standing].astype(np.int64)[None, :]
    start = column.starts[list(rows)].astype(np.int64)[:, None]
    end = column.ends[list(rows)].astype(np.int64)[:, None]
    around = ((at >= start - before) & (at < start)) | ((at >= end) & (at < end + after))
    return (around.astype(np.float32) @ equal[standing].astype(np.float32)) > 0

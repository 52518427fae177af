"""Whether the question's words stand near a name: read from packed columns, never from text."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.index.columns import Columns, prefix_hash
from quipu.ports import Frequencies
from quipu.question import Question
from quipu.records.mentions import names_within

__all__ = [
    "Words",
    "name_nearness",
    "nearest",
    "question_words",
    "stem_idf",
    "with_names_within",
]

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


def with_names_within(columns: Columns, keys: Collection[str]) -> Columns:
    """`columns` with a row more for each of `keys` that stands in the passage only within a longer
    name: it stands where that name does."""
    inner = set(keys).difference(columns.keys)
    if not inner:
        return columns
    rows = [
        (row, key)
        for row, name in enumerate(columns.keys)
        for key in names_within(name)
        if key in inner
    ]
    places = [row for row, _ in rows]
    return replace(
        columns,
        starts=np.append(columns.starts, columns.starts[places]),
        ends=np.append(columns.ends, columns.ends[places]),
        keys=(*columns.keys, *(key for _, key in rows)),
    )


def name_nearness(
    columns: Sequence[Columns],
    keys: Sequence[Collection[str]],
    words: Words,
    *,
    before: int,
    after: int,
) -> list[dict[str, float]]:
    """For each passage and each of its `keys` that stands in it, the idf share (in [0, 1]) of the
    question's words near one of its mentions: the best mention counts."""
    mentions = _mentions(columns, keys)
    near = _near(columns, mentions, words.hashes, before, after)
    shares = np.minimum(1.0, near @ words.idf / words.log_count).tolist()
    found: list[dict[str, float]] = [{} for _ in columns]
    for place, row, share in zip(mentions.places, mentions.rows, shares, strict=True):
        key = columns[place].keys[row]
        found[place][key] = max(share, found[place].get(key, 0.0))
    return found


def nearest(
    columns: Sequence[Columns],
    keys: Sequence[Collection[str]],
    words: Words,
    among: Flags,
    *,
    around: int,
) -> Floats:
    """For each passage the best of `name_nearness` over its keys, of the words flagged in its row
    of `among` only."""
    mentions = _mentions(columns, keys)
    near = _near(columns, mentions, words.hashes, around, around)
    best = np.zeros(len(columns))
    owner = np.array(mentions.places, dtype=np.intp)
    np.maximum.at(best, owner, (near & among[owner]) @ words.idf)
    return np.minimum(1.0, best / words.log_count)


class _Mentions(NamedTuple):
    """Mentions in several passages: the passage's place and the mention's row in its columns."""

    places: list[int]
    rows: list[int]


def _mentions(columns: Sequence[Columns], keys: Sequence[Collection[str]]) -> _Mentions:
    found = _Mentions([], [])
    for place, (column, allowed) in enumerate(zip(columns, keys, strict=True)):
        rows = [row for row, key in enumerate(column.keys) if key in allowed]
        found.places.extend([place] * len(rows))
        found.rows.extend(rows)
    return found


def _near(
    columns: Sequence[Columns],
    mentions: _Mentions,
    hashes: NDArray[np.uint32],
    before: int,
    after: int,
) -> Flags:
    """bool[mentions, hashes]: which hashes stand within the characters around each mention.

    Each mention meets every place of its passage where one of the hashes stands, and no other.
    """
    different, place_of = np.unique(hashes, return_inverse=True)
    near = np.zeros((len(mentions.rows), len(different)), dtype=np.bool_)
    if not near.size:
        return near[:, place_of]
    standing = _standing(columns, different)
    own = np.array(mentions.places, dtype=np.intp)
    counts = (standing.starts[1:] - standing.starts[:-1])[own]
    mention = np.repeat(np.arange(len(own)), counts)
    first = standing.starts[own] - (np.cumsum(counts) - counts)
    hit = np.arange(len(mention)) + np.repeat(first, counts)
    edges = [
        (columns[place].starts[row], columns[place].ends[row])
        for place, row in zip(mentions.places, mentions.rows, strict=True)
    ]
    start, end = np.array(edges, dtype=np.int64)[mention].T
    at = standing.positions[hit]
    inside = ((at >= start - before) & (at < start)) | ((at >= end) & (at < end + after))
    near[mention[inside], standing.hashes[hit[inside]]] = True
    return near[:, place_of]


class _HashPositions(NamedTuple):
    """Where asked hashes stand: positions and places among the asked ones, passage by passage;
    those of passage i from `starts[i]` to `starts[i + 1]`."""

    positions: NDArray[np.int64]
    hashes: NDArray[np.intp]
    starts: NDArray[np.intp]


def _standing(columns: Sequence[Columns], asked: NDArray[np.uint32]) -> _HashPositions:
    every = np.concatenate([column.hashes for column in columns])
    at = np.searchsorted(asked, every)
    at[at == len(asked)] = 0
    hits = np.flatnonzero(asked[at] == every)
    ends = np.cumsum([0, *(len(column.hashes) for column in columns)])
    positions = np.concatenate([column.positions for column in columns])[hits].astype(np.int64)
    return _HashPositions(positions, at[hits], np.searchsorted(hits, ends))

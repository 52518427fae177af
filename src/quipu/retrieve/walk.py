"""The walk: from the best passages, over a name they share, to the passages that answer.

A value is given to every (passage, neighbour) pair: what the first is worth, how telling the
shared name is, whether the question's words stand near it on either side, and what the neighbour
adds to the passage (vectors, words, windows of the question). Names read by rule carry here what
LLM-built graphs carry elsewhere; docs/reference/scores.md has the formula.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.domain.mentions import key_words
from quipu.domain.question import Question
from quipu.domain.scope import Scope
from quipu.domain.weights import BOUNDS, PROSE
from quipu.index import bm25
from quipu.index.columns import Columns, prefix_hash, unpack
from quipu.ports import Embedded, Frequencies, Index, Numbers, Occurrence

__all__ = ["Reached", "Source", "walk"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Source(NamedTuple):
    """A passage the walk starts from: its number, its base score and the keys it may leave by."""

    number: int
    score: float
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """The best way to a passage: its value, from which passage, over which name."""

    value: float
    source: int
    key: str
    features: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Words:
    """The question's content words: prefix hashes, idf of their stems, and ln(1 + N)."""

    hashes: NDArray[np.uint32]
    idf: Floats
    log_count: float


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A row a (source, neighbour) pair; `best_key` is the name that ties them best."""

    source: NDArray[np.int64]
    neighbour: NDArray[np.int64]
    share: Floats
    rarity: Floats
    near_source: Floats
    keys: list[tuple[int, ...]]


def walk(
    question: Question,
    vectors: Embedded | None,
    index: Index,
    sources: Sequence[Source],
    *,
    space: str | None,
    scope: Scope,
) -> dict[int, Reached]:
    """The best value of every prose passage that shares one of the sources' names, by number."""
    if not sources:
        return {}
    numbers = np.array([source.number for source in sources], dtype=np.int64)
    keys = list(dict.fromkeys(key for source in sources for key in source.keys))
    sharing = index.occurrences("name", keys, scope=scope, limit=BOUNDS.bridge_reach)
    runs = [" ".join(key_words(key)) for key in keys]
    titled = index.occurrences(
        "title", list(dict.fromkeys(runs)), scope=scope, limit=BOUNDS.title_reach
    )
    statistics = index.frequencies("prose", question.stems, numbers)
    words = _words(question, statistics)
    columns = [unpack(blob) for blob in index.columns(numbers)]
    pairs = _pairs(
        sources,
        columns,
        words,
        keys,
        sharing,
        {k: titled[r] for k, r in zip(keys, runs, strict=True)},
    )
    if not len(pairs.source):
        return {}
    return _best(
        question,
        vectors,
        index,
        numbers,
        np.array([s.score for s in sources]),
        statistics,
        words,
        pairs,
        keys,
        space,
    )


def _words(question: Question, statistics: Frequencies) -> _Words:
    stem_idf = _stem_idf(statistics)
    return _Words(
        hashes=np.array([prefix_hash(word) for word in question.content], dtype=np.uint32),
        idf=stem_idf[list(question.content_stems)] if question.content else np.zeros(0),
        log_count=float(np.log(1 + max(statistics.count, 1))),
    )


def _stem_idf(statistics: Frequencies) -> Floats:
    return np.array([bm25.idf(df, statistics.count) for df in statistics.df.tolist()])


def _pairs(
    sources: Sequence[Source],
    columns: Sequence[Columns],
    words: _Words,
    keys: Sequence[str],
    sharing: dict[str, Occurrence],
    titled: dict[str, Occurrence],
) -> _Pairs:
    """Every (source, neighbour) pair with its best share, rarity and nearness over its names."""
    place = {key: i for i, key in enumerate(keys)}
    rows: list[tuple[int, int, Numbers, Floats, float, float]] = []
    for i, (source, column) in enumerate(zip(sources, columns, strict=True)):
        nearness = _nearness(column, source.keys, words)
        for key in source.keys:
            shared, title = sharing[key], titled[key]
            rarity = 1 / np.log(2 + shared.df)
            near = nearness.get(key, 0.0)
            if 2 <= shared.df <= BOUNDS.bridge_reach:
                none = np.zeros(len(shared.numbers))
                rows.append((i, place[key], shared.numbers, none, rarity, near))
            if 0 < title.df <= BOUNDS.title_reach:
                rows.append((i, place[key], title.numbers, title.tf / 100, rarity, near))
    return _grouped(rows, np.array([source.number for source in sources]))


def _grouped(
    rows: list[tuple[int, int, Numbers, Floats, float, float]], own: NDArray[np.int64]
) -> _Pairs:
    if not rows:
        none = np.zeros(0)
        return _Pairs(own[:0], own[:0], none, none, none, [])
    sizes = [len(row[2]) for row in rows]
    source = np.repeat([row[0] for row in rows], sizes)
    key = np.repeat([row[1] for row in rows], sizes)
    neighbour = np.concatenate([row[2] for row in rows])
    share = np.concatenate([row[3] for row in rows])
    rarity = np.repeat([row[4] for row in rows], sizes)
    strength = np.where(share > 0, share, rarity)
    near = np.repeat([row[5] for row in rows], sizes) * strength
    other = neighbour != own[source]
    source, key, neighbour, share, rarity, near = (
        each[other] for each in (source, key, neighbour, share, rarity, near)
    )
    tie = PROSE.share * share + PROSE.rarity * rarity + PROSE.near_source * near
    order = np.lexsort((key, -tie, neighbour, source))
    source, key, neighbour, share, rarity, near = (
        each[order] for each in (source, key, neighbour, share, rarity, near)
    )
    fresh = np.ones(len(source), dtype=bool)
    fresh[1:] = (source[1:] != source[:-1]) | (neighbour[1:] != neighbour[:-1])
    starts = np.flatnonzero(fresh)
    if not len(starts):
        return _Pairs(source, neighbour, share, rarity, near, [])
    ends = np.append(starts[1:], len(source))
    return _Pairs(
        source=source[starts],
        neighbour=neighbour[starts],
        share=np.maximum.reduceat(share, starts),
        rarity=np.maximum.reduceat(rarity, starts),
        near_source=np.maximum.reduceat(near, starts),
        keys=[tuple(key[a:b].tolist()) for a, b in zip(starts, ends, strict=True)],
    )


def _nearness(column: Columns, keys: Sequence[str], words: _Words) -> dict[str, float]:
    """For each key, the idf share of the question's words that stand near one of its mentions."""
    wanted = set(keys)
    rows = [i for i, key in enumerate(column.keys) if key in wanted]
    near = _near(column, rows, words.hashes, BOUNDS.context_before, BOUNDS.context_after)
    values = np.minimum(1.0, near @ words.idf / words.log_count).tolist()
    found: dict[str, float] = {}
    for row, value in zip(rows, values, strict=True):
        key = column.keys[row]
        found[key] = max(value, found.get(key, 0.0))
    return found


def _near(
    column: Columns, rows: list[int], hashes: NDArray[np.uint32], before: int, after: int
) -> Flags:
    """bool[mentions, words]: which hashes stand within the characters around each mention."""
    equal = column.hashes[:, None] == hashes[None, :]
    standing = np.flatnonzero(equal.any(axis=1))
    if not len(standing) or not rows:
        return np.zeros((len(rows), len(hashes)), dtype=bool)
    at = column.positions[standing].astype(np.int64)[None, :]
    start = column.starts[rows].astype(np.int64)[:, None]
    end = column.ends[rows].astype(np.int64)[:, None]
    around = ((at >= start - before) & (at < start)) | ((at >= end) & (at < end + after))
    return (around.astype(np.float32) @ equal[standing].astype(np.float32)) > 0


def _best(
    question: Question,
    vectors: Embedded | None,
    index: Index,
    numbers: Numbers,
    scores: Floats,
    statistics: Frequencies,
    words: _Words,
    pairs: _Pairs,
    keys: Sequence[str],
    space: str | None,
) -> dict[int, Reached]:
    """Value every pair and keep the best pair of each neighbour."""
    unique, row = np.unique(pairs.neighbour, return_inverse=True)
    found = index.frequencies("prose", question.stems, unique)
    idf = _stem_idf(statistics)
    gained = (found.tf > 0)[row] & ~(statistics.tf > 0)[pairs.source]
    features = {
        "carried": scores[pairs.source],
        "share": pairs.share,
        "rarity": pairs.rarity,
        "near_source": pairs.near_source,
        "covered": gained @ idf / max(float(idf.sum()), 1e-9),
        "closer": np.zeros(len(row)),
        "window_gain": np.zeros(len(row)),
        "near_target": np.zeros(len(row)),
    }
    if vectors is not None and space is not None:
        features["closer"], features["window_gain"] = _vector_gains(
            vectors, index.vectors(numbers, space), index.vectors(unique, space), pairs.source, row
        )
    value = sum(getattr(PROSE, name) * feature for name, feature in features.items())
    value = np.where(found.lengths[row] > 0, value, -np.inf)  # prose only
    top = np.lexsort((pairs.source, pairs.neighbour, -value))[: BOUNDS.target_contexts]
    missing = ~(_word_flags(index, numbers, words))
    features["near_target"][top] = _near_targets(index, pairs, top, words, missing, keys)
    value = value + PROSE.near_target * features["near_target"]
    best: dict[int, Reached] = {}
    for i in np.lexsort((pairs.source, -value)).tolist():
        number = int(pairs.neighbour[i])
        if number in best or value[i] == -np.inf:
            continue
        best[number] = Reached(
            value=float(value[i]),
            source=int(numbers[pairs.source[i]]),
            key=keys[pairs.keys[i][0]],
            features={name: float(feature[i]) for name, feature in features.items()},
        )
    return best


def _vector_gains(
    vectors: Embedded,
    source_rows: NDArray[np.float32],
    rows: NDArray[np.float32],
    source: NDArray[np.int64],
    row: NDArray[np.int64],
) -> tuple[Floats, Floats]:
    """How much nearer the sum of both passages is to the question than the first alone, and the
    best gain over the question's windows."""
    if rows.shape[1] == 0:
        none = np.zeros(len(row))
        return none, none
    query = vectors.vector
    to_source = source_rows @ query
    lengths = np.maximum((source_rows * source_rows).sum(axis=1), 1e-9)
    together = (source_rows @ rows.T)[source, row]
    squares = lengths[source] + 2 * together + (rows * rows).sum(axis=1)[row]
    joined = (to_source[source] + (rows @ query)[row]) / np.sqrt(np.maximum(squares, 1e-9))
    closer = joined - (to_source / np.sqrt(lengths))[source]
    windows = rows @ vectors.parts.T
    gain = np.maximum(windows[row] - (source_rows @ vectors.parts.T)[source], 0).max(axis=1)
    return closer.astype(np.float64), gain.astype(np.float64)


def _word_flags(index: Index, numbers: Numbers, words: _Words) -> Flags:
    """bool[sources, words]: which of the question's words stand in each source."""
    return np.array(
        [np.isin(words.hashes, unpack(blob).hashes) for blob in index.columns(numbers)]
    ).reshape(len(numbers), len(words.hashes))


def _near_targets(
    index: Index,
    pairs: _Pairs,
    top: NDArray[np.int64],
    words: _Words,
    missing: Flags,
    keys: Sequence[str],
) -> Floats:
    """Nearness of the words the source lacks to the shared names in the neighbour."""
    targets = np.unique(pairs.neighbour[top])
    columns = dict(zip(targets.tolist(), map(unpack, index.columns(targets)), strict=True))
    values = np.zeros(len(top))
    for i, pair in enumerate(top.tolist()):
        free = missing[pairs.source[pair]]
        if not free.any():
            continue
        column = columns[int(pairs.neighbour[pair])]
        wanted = {keys[k] for k in pairs.keys[pair]}
        rows = [j for j, key in enumerate(column.keys) if key in wanted]
        around = BOUNDS.context_target
        near = _near(column, rows, words.hashes[free], around, around)
        if rows:
            nearest = float((near @ words.idf[free]).max())
            values[i] = min(1.0, nearest / words.log_count)
    return values

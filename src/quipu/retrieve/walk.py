"""The walk: from the best passages, over a name they share, to the passages that answer.

A value is given to every (passage, neighbour) pair: what the first is worth, how telling the
shared name is, whether the question's words stand near it in the first, and what the neighbour
adds to the passage (vectors, words, windows of the question). Names read by rule carry here what
LLM-built graphs carry elsewhere; docs/reference/scores.md has the formula. It is left out when the
question names nothing.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.index.columns import Columns, prefix_hash, unpack
from quipu.ports import Embedded, Index, Numbers, Vectors
from quipu.question import Question
from quipu.records.mentions import key_words, names_within
from quipu.records.scope import Scope
from quipu.records.weights import BOUNDS, PROSE

__all__ = ["Reached", "WalkSource", "walk"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
_MOST_REACHED = 100


class WalkSource(NamedTuple):
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
class _Pairs:
    """A row a pair: `source` is the source's place, `neighbour` a chunk number, `key` the place of
    the name that ties them most; the best `share`, `rarity` and nearness over all their names."""

    source: Places
    neighbour: Numbers
    key: Places
    share: Floats
    rarity: Floats
    near: Floats


def walk(
    question: Question,
    vectors: Embedded | None,
    index: Index,
    sources: Sequence[WalkSource],
    reach: Mapping[str, int],
    *,
    space: str | None,
    scope: Scope,
) -> dict[int, Reached]:
    """The best ways to prose passages that share one of the sources' names, by number: the
    hundred of the highest value. `reach` says how many passages mention each name."""
    keys = list(dict.fromkeys(key for source in sources for key in source.keys))
    numbers = np.array([source.number for source in sources], dtype=np.int64)
    known = index.frequencies("prose", question.stems, numbers)
    idf = np.array([bm25.idf(df, known.count) for df in known.df.tolist()], dtype=np.float64)
    hashes = np.array([prefix_hash(word) for word in question.content], dtype=np.uint32)
    weights = idf[list(question.content_stems)] / math.log(1 + max(known.count, 1))
    near = [
        _near_words(unpack(blob), source.keys, hashes, weights)
        for source, blob in zip(sources, index.columns(numbers), strict=True)
    ]
    pairs = _find_pairs(sources, keys, near, reach, index, scope)
    if pairs is None:
        return {}
    unique, row = np.unique(pairs.neighbour, return_inverse=True)
    found = index.frequencies("prose", question.stems, unique)
    features = {
        "carried": np.array([source.score for source in sources])[pairs.source],
        "share": pairs.share,
        "rarity": pairs.rarity,
        "near_source": pairs.near,
        "covered": _covered(known.tf[pairs.source], found.tf[row], idf),
    }
    if vectors is not None and space is not None:
        features["closer"], features["window_gain"] = _vector_gains(
            vectors, index.vectors(numbers, space), index.vectors(unique, space), pairs, row
        )
    value = np.zeros(len(row))
    for name, feature in features.items():
        value += float(getattr(PROSE, name)) * feature
    value[found.lengths[row] == 0] = -np.inf  # code does not join the walk
    return _best(pairs, keys, sources, value, features)


def _near_words(
    columns: Columns, keys: Collection[str], hashes: NDArray[np.uint32], weights: Floats
) -> dict[str, float]:
    """For each of `keys` the share, in [0, 1], of the question's words that stand near it, where
    most do; a name inside a longer one stands where that does."""
    found: dict[str, float] = {}
    at, before, after = columns.positions, BOUNDS.context_before, BOUNDS.context_after
    starts, ends = columns.starts.tolist(), columns.ends.tolist()
    for name, start, end in zip(columns.keys, starts, ends, strict=True):
        if named := [key for key in (name, *names_within(name)) if key in keys]:
            left = (at >= max(start - before, 0)) & (at < start)
            held = np.isin(hashes, columns.hashes[left | ((at >= end) & (at < end + after))])
            share = min(1.0, float(held @ weights))
            found |= {key: max(share, found.get(key, 0.0)) for key in named}
    return found


def _find_pairs(
    sources: Sequence[WalkSource],
    keys: Sequence[str],
    near: Sequence[Mapping[str, float]],
    reach: Mapping[str, int],
    index: Index,
    scope: Scope,
) -> _Pairs | None:
    """Every (source, neighbour) pair, None without any: the neighbour mentions a name of the
    source, or its title contains it; names that too many passages share lead nowhere."""
    runs = [" ".join(key_words(key)) for key in keys]
    sharing = index.occurrences("name", keys, scope=scope, limit=BOUNDS.bridge_reach)
    titled = index.occurrences(
        "title", list(dict.fromkeys(runs)), scope=scope, limit=BOUNDS.title_reach
    )
    place = {key: i for i, key in enumerate(keys)}
    edges: list[tuple[int, int, Numbers, NDArray[np.int32], float, float]] = []
    for i, source in enumerate(sources):
        for key in source.keys:
            rarity, told = 1 / math.log(2 + reach[key]), near[i].get(key, 0.0)
            shared, title = sharing[key], titled[runs[place[key]]]
            if BOUNDS.shared(reach[key]):
                none = np.zeros_like(shared.tf)
                edges.append((i, place[key], shared.numbers, none, rarity, told * rarity))
            if BOUNDS.titled(title.df):
                edges.append((i, place[key], title.numbers, title.tf, rarity, told))
    own = np.array([source.number for source in sources], dtype=np.int64)
    return _grouped(edges, own) if edges else None


def _grouped(
    edges: Sequence[tuple[int, int, Numbers, NDArray[np.int32], float, float]], own: Numbers
) -> _Pairs | None:
    """The edges by pair, None where all lead back to where they come from."""
    origins, keys, neighbours, percents, rarities, nears = zip(*edges, strict=True)
    sizes = list(map(len, neighbours))
    source, key = (np.repeat(np.array(each, dtype=np.int64), sizes) for each in (origins, keys))
    rarity, near = (np.repeat(np.array(each), sizes) for each in (rarities, nears))
    neighbour, share = np.concatenate(neighbours), np.concatenate(percents) / 100
    near = np.where(share > 0, near * share, near)
    strength = PROSE.share * share + PROSE.rarity * rarity + PROSE.near_source * near
    order = np.lexsort((key, -strength, neighbour, source))
    order = order[neighbour[order] != own[source[order]]]
    if not len(order):
        return None
    source, key, neighbour = source[order], key[order], neighbour[order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (source[1:] != source[:-1]) | (neighbour[1:] != neighbour[:-1])
    starts = np.flatnonzero(fresh)
    return _Pairs(
        source=source[starts],
        neighbour=neighbour[starts],
        key=key[starts],
        share=np.maximum.reduceat(share[order], starts),
        rarity=np.maximum.reduceat(rarity[order], starts),
        near=np.maximum.reduceat(near[order], starts),
    )


def _covered(source_tf: NDArray[np.int32], tf: NDArray[np.int32], idf: Floats) -> Floats:
    """The idf share of the question's stems that a neighbour adds to its source."""
    return ((tf > 0) & (source_tf == 0)) @ idf / max(float(idf.sum()), 1e-9)


def _vector_gains(
    vectors: Embedded, source_rows: Vectors, rows: Vectors, pairs: _Pairs, row: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """How much nearer the sum of both passages is to the question than the first alone, and the
    best gain over the question's windows."""
    if rows.shape[1] == 0:
        return np.zeros(len(row)), np.zeros(len(row))
    source, asked = pairs.source, np.concatenate((vectors.vector[None], vectors.parts))
    # One product over the neighbours, of which there are thousands: to read them takes longest.
    to_source = source_rows @ asked.T
    products = rows @ np.concatenate((source_rows, asked)).T
    between, to_target = products[row, source], products[row, len(source_rows) :]
    lengths = np.maximum(np.einsum("ij,ij->i", source_rows, source_rows), 1e-9)
    squares = lengths[source] + 2 * between + np.einsum("ij,ij->i", rows, rows)[row]
    joined = to_source[source, 0] + to_target[:, 0]
    closer = joined / np.sqrt(np.maximum(squares, 1e-9))
    closer -= (to_source[:, 0] / np.sqrt(lengths))[source]
    gain = to_target[:, 1:] - to_source[source, 1:]
    return closer.astype(np.float64), np.maximum(gain, 0).max(axis=1).astype(np.float64)


def _best(
    pairs: _Pairs,
    keys: Sequence[str],
    sources: Sequence[WalkSource],
    value: Floats,
    features: dict[str, Floats],
) -> dict[int, Reached]:
    """The best pair of each neighbour, for the neighbours of the highest value."""
    order = np.lexsort((pairs.source, pairs.neighbour, -value))
    _, first = np.unique(pairs.neighbour[order], return_index=True)
    best = order[np.sort(first)][:_MOST_REACHED]
    best = best[value[best] > -np.inf]
    return {
        int(pairs.neighbour[at]): Reached(
            value=float(value[at]),
            source=sources[int(pairs.source[at])].number,
            key=keys[int(pairs.key[at])],
            features={name: float(feature[at]) for name, feature in features.items()},
        )
        for at in best.tolist()
    }

"""The walk: from the best passages, over a name they share, to the passages that answer.

A value is given to every (passage, neighbour) pair: what the first is worth, how telling the
shared name is, whether the question's words stand near it on either side, and what the neighbour
adds to the passage (vectors, words, windows of the question). Names read by rule carry here what
LLM-built graphs carry elsewhere; docs/reference/scores.md has the formula. It is left out when the
question names nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.index.columns import Columns, unpack
from quipu.index.sets import distinct, is_among
from quipu.ports import Embedded, Index, Occurrence, Vectors
from quipu.question import Question
from quipu.records.mentions import key_words
from quipu.records.scope import Scope
from quipu.records.weights import BOUNDS, PROSE
from quipu.retrieve.nearness import (
    Words,
    name_nearness,
    nearest,
    question_words,
    stem_idf,
    with_names_within,
)
from quipu.retrieve.pairs import Pairs, WalkSource, find_pairs

__all__ = ["Reached", "WalkSource", "walk"]

Floats = NDArray[np.float64]
_MOST_REACHED = 100
_FEATURES = (
    "carried",
    "share",
    "rarity",
    "near_source",
    "closer",
    "covered",
    "near_target",
    "window_gain",
)


@dataclass(frozen=True, slots=True)
class Reached:
    """The best way to a passage: its value, from which passage, over which name."""

    value: float
    source: int
    key: str
    features: dict[str, float]


def walk(
    question: Question,
    vectors: Embedded | None,
    index: Index,
    sources: Sequence[WalkSource],
    *,
    space: str | None,
    scope: Scope,
) -> dict[int, Reached]:
    """The best ways to prose passages that share one of the sources' names, by number: the
    hundred of the highest value."""
    if not sources:
        return {}
    keys = list(dict.fromkeys(key for source in sources for key in source.keys))
    runs = [" ".join(key_words(key)) for key in keys]
    sharing = index.occurrences("name", keys, scope=scope, limit=BOUNDS.bridge_reach)
    titled = index.occurrences(
        "title", list(dict.fromkeys(runs)), scope=scope, limit=BOUNDS.title_reach
    )
    numbers = np.array([source.number for source in sources], dtype=np.int64)
    known = index.frequencies("prose", question.stems, numbers)
    words = question_words(question, known)
    own = [unpack(blob) for blob in index.columns(numbers)]
    sharing = _with_holders(sharing, sources, own)
    columns = [with_names_within(c, s.keys) for c, s in zip(own, sources, strict=True)]
    nearness = name_nearness(
        columns,
        [frozenset(source.keys) for source in sources],
        words,
        before=BOUNDS.context_before,
        after=BOUNDS.context_after,
    )
    by_key = {key: titled[run] for key, run in zip(keys, runs, strict=True)}
    pairs = find_pairs(sources, keys, nearness, sharing, by_key)
    if not len(pairs.source):
        return {}
    unique, row = np.unique(pairs.neighbour, return_inverse=True)
    found = index.frequencies("prose", question.stems, unique)
    features = {
        "carried": np.array([source.score for source in sources])[pairs.source],
        "share": pairs.share,
        "rarity": pairs.rarity,
        "near_source": pairs.near_source,
        "covered": _covered(known.tf[pairs.source], found.tf[row], stem_idf(known)),
    }
    if vectors is not None and space is not None:
        features["closer"], features["window_gain"] = _vector_gains(
            vectors, index.vectors(numbers, space), index.vectors(unique, space), pairs, row
        )
    value = _value(features, len(row))
    value[found.lengths[row] == 0] = -np.inf  # code does not join the walk
    near_target = _near_targets(index, pairs, keys, words, columns, value)
    value += PROSE.near_target * near_target
    return _best(pairs, keys, sources, value, features | {"near_target": near_target})


def _with_holders(
    sharing: Mapping[str, Occurrence], sources: Sequence[WalkSource], columns: Sequence[Columns]
) -> dict[str, Occurrence]:
    """`sharing` with one passage more for names that a source holds within longer ones only."""
    within: set[str] = set()
    for source, column in zip(sources, columns, strict=True):
        within.update(set(source.keys).difference(column.keys))
    return {
        key: found._replace(df=found.df + 1) if key in within else found
        for key, found in sharing.items()
    }


def _near_targets(
    index: Index,
    pairs: Pairs,
    keys: Sequence[str],
    words: Words,
    columns: Sequence[Columns],
    value: Floats,
) -> Floats:
    """Nearness, to the shared names in the neighbour, of the words that the source lacks; for
    the pairs of the highest value so far."""
    top = np.lexsort((pairs.source, pairs.neighbour, -value))[: BOUNDS.target_contexts]
    missing = np.array([~is_among(words.hashes, column.hashes) for column in columns])
    targets = distinct(pairs.neighbour[top])
    there = dict(zip(targets.tolist(), map(unpack, index.columns(targets)), strict=True))
    near = np.zeros(len(value))
    near[top] = nearest(
        [there[number] for number in pairs.neighbour[top].tolist()],
        [{keys[key] for key in pairs.shared(pair)} for pair in top.tolist()],
        words,
        missing[pairs.source[top]],
        around=BOUNDS.context_target,
    )
    return near


def _covered(source_tf: NDArray[np.int32], tf: NDArray[np.int32], idf: Floats) -> Floats:
    """The idf share of the question's stems that a neighbour adds to its source."""
    return ((tf > 0) & (source_tf == 0)) @ idf / max(float(idf.sum()), 1e-9)


def _value(features: dict[str, Floats], count: int) -> Floats:
    weights = {name: float(getattr(PROSE, name)) for name in _FEATURES}
    value = np.zeros(count)
    for name, feature in features.items():
        value += weights[name] * feature
    return value


def _vector_gains(
    vectors: Embedded, source_rows: Vectors, rows: Vectors, pairs: Pairs, row: NDArray[np.intp]
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
    pairs: Pairs,
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
    numbers: list[int] = pairs.neighbour[best].tolist()
    worth: list[float] = value[best].tolist()
    origins: list[int] = pairs.source[best].tolist()
    shared: list[int] = pairs.keys[pairs.starts[best]].tolist()
    rows: list[list[float]] = np.array([feature[best] for feature in features.values()]).T.tolist()
    return {
        number: Reached(
            value=worth[i],
            source=sources[origins[i]].number,
            key=keys[shared[i]],
            features=dict(zip(features, rows[i], strict=True)),
        )
        for i, number in enumerate(numbers)
    }

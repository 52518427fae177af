"""The best chunks for weighted terms: BM25 over posting lists, exact, without scoring everything.

Terms are taken by the most they can add, so the rare ones come first. Once the terms still to
come cannot lift a chunk that has none of the earlier ones into the first `limit`, only chunks
found so far are followed (MaxScore: Turtle and Flood, "Query evaluation: strategies and
optimizations", 1995). What is left at the end is scored again term by term in their sorted
order, so the numbers are the ones of `bm25.py` to the last bit.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.index.postings import Mask, Often, PostingList, Postings, Rows, Statistics
from quipu.ports import Ranking

_SLACK = 1e-9  # sums in another order differ by less, relatively
_LONG = 6000  # postings below which a list is cheaper added than thought about


@dataclass(frozen=True, slots=True)
class _Term:
    """A term's postings; `most` is no less than what it adds to any row."""

    found: PostingList
    weight: float
    most: float
    norms: NDArray[np.float64]
    curve: tuple[float, float]

    def adds(self) -> NDArray[np.float64]:
        """What it adds to each of its rows."""
        gain = self.found.gains.get(self.curve)
        if gain is None:
            gain = self._gain(self.found.tf, self.norms[self.found.rows])
            self.found.gains = {self.curve: gain}
        return self.weight * gain

    def adds_to(self, rows: Rows) -> NDArray[np.float64]:
        """What it adds to each of `rows`; 0 where it does not stand."""
        at, found = self.found.find(rows)
        gain = self._gain(self.found.tf[at], self.norms[rows])
        return np.where(found, self.weight * gain, 0.0)

    def _gain(self, tf: Often, norms: NDArray[np.float64]) -> NDArray[np.float64]:
        return bm25.contribution(tf.astype(np.float64), norms, 1.0, self.curve[0])


def best(
    postings: Postings,
    field: str,
    terms: Mapping[str, float],
    *,
    mask: Mask | None,
    limit: int,
    k1: float,
    b: float,
) -> Ranking:
    """The first `limit` chunks of rows that `mask` admits (None: all)."""
    usable = bm25.usable(terms)
    statistics = postings.statistics(field)
    lists = postings.lists(field, [term for term, _ in usable])
    scored = [
        _term(each, weight, statistics, k1, b)
        for (_, weight), each in zip(usable, lists, strict=True)
        if len(each.rows)
    ]
    if limit <= 0 or not scored:
        return empty()
    rows = _candidates(scored, len(postings.numbers), mask, limit)
    return ranked(postings, rows, _exact(scored, rows), limit)


def _term(found: PostingList, weight: float, statistics: Statistics, k1: float, b: float) -> _Term:
    weight *= bm25.idf(len(found.rows), statistics.count)
    shortest = bm25.norm(float(statistics.shortest), statistics.average, k1, b)
    most = weight * bm25.contribution(float(found.tf.max()), shortest, 1.0, k1)
    return _Term(found, weight, most, statistics.norms(k1, b), (k1, b))


def _candidates(terms: list[_Term], size: int, mask: Mask | None, limit: int) -> Rows:
    """Rows among which the first `limit` certainly are."""
    ordered = sorted(terms, key=lambda t: (-t.most, len(t.found.rows)))
    rest = np.cumsum([t.most for t in reversed(ordered)])[::-1].tolist()
    scores = np.zeros(size, dtype=np.float64)
    seen = np.zeros(size, dtype=np.bool_)
    for done, term in enumerate(ordered):
        if len(term.found.rows) > _LONG and rest[0] - rest[done] > rest[done]:
            touched = np.flatnonzero(seen if mask is None else seen & mask)
            values = scores[touched]
            bar = _bar(values, limit) * (1 - _SLACK)
            if bar > rest[done]:
                return _followed(ordered[done:], rest[done:], touched, values, bar, limit)
        rows = term.found.rows.astype(np.intp)
        scores[rows] += term.adds()
        seen[rows] = True
    touched = np.flatnonzero(seen if mask is None else seen & mask)
    return _leading(touched, scores[touched], limit)


def _followed(
    terms: list[_Term],
    rest: list[float],
    rows: Rows,
    values: NDArray[np.float64],
    bar: float,
    limit: int,
) -> Rows:
    """The candidates when only `rows` can be among the first: each term on them alone.

    `bar` is below the `limit`-th best value and stays so, for values only grow.
    """
    for term, left in zip(terms, rest, strict=True):
        able = values + left >= bar
        rows, values = rows[able], values[able]
        values = values + term.adds_to(rows)
        if len(rows) > 8 * limit:
            bar = max(bar, _bar(values, limit) * (1 - _SLACK))
    return _leading(rows, values, limit)


def _leading(rows: Rows, values: NDArray[np.float64], limit: int) -> Rows:
    return rows[values >= _bar(values, limit) * (1 - _SLACK)]


def _bar(values: NDArray[np.float64], limit: int) -> float:
    """The `limit`-th best value; 0 when there are not so many."""
    if len(values) < limit:
        return 0.0
    at = len(values) - limit
    return float(np.partition(values, at)[at])


def _exact(terms: list[_Term], rows: Rows) -> NDArray[np.float64]:
    scores = np.zeros(len(rows), dtype=np.float64)
    for term in terms:
        scores += term.adds_to(rows)
    return scores


def empty() -> Ranking:
    """Nothing."""
    return Ranking(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64))


def ranked(postings: Postings, rows: Rows, scores: NDArray[np.float64], limit: int) -> Ranking:
    """`rows` by score, then by the chunk id's order key."""
    numbers = postings.numbers[rows]
    order = np.lexsort((numbers, postings.order_keys[rows], -scores))[:limit]
    return Ranking(numbers[order], scores[order])

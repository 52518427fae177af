"""The figures retrieval is judged by: pure functions of rankings and grades.

A ranking is ids, best first; a repeated id counts where it stands first. Grades map ids to
relevance; a grade above 0 is gold. Every rate is in [0, 1].
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

__all__ = [
    "all_gold_at",
    "auroc",
    "mean",
    "ndcg_at",
    "percentile",
    "percentiles",
    "rates",
    "recall_at",
    "reciprocal_rank_at",
]


def recall_at(ranking: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """The share of the gold among the first `k`; 0 when there is no gold."""
    gold = _gold(grades)
    return len(gold & set(_first(ranking, k))) / len(gold) if gold else 0.0


def all_gold_at(ranking: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """1 when all the gold is among the first `k`, else 0 (also when there is no gold)."""
    gold = _gold(grades)
    return float(bool(gold) and gold <= set(_first(ranking, k)))


def ndcg_at(ranking: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain with linear gain, as trec_eval and BEIR count it.

    DCG = Σ grade / log2(1 + rank), divided by that of the ideal ranking of everything graded.
    """
    gains = [max(grades.get(each, 0.0), 0.0) for each in _first(ranking, k)]
    ideal = sorted((g for g in grades.values() if g > 0), reverse=True)[:k]
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def reciprocal_rank_at(ranking: Sequence[str], grades: Mapping[str, float], k: int) -> float:
    """1 / the rank of the first gold among the first `k`, else 0."""
    gold = _gold(grades)
    ranks = (rank for rank, each in enumerate(_first(ranking, k), 1) if each in gold)
    return 1 / next(ranks, math.inf)


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The chance that a positive scores above a negative, ties counting half.

    The rank formula of Mann and Whitney (1947). 0.5 when either side is empty.
    """
    if not positives or not negatives:
        return 0.5
    ordered = np.sort(np.asarray(negatives, dtype=np.float64))
    values = np.asarray(positives, dtype=np.float64)
    below = np.searchsorted(ordered, values, side="left")
    upto = np.searchsorted(ordered, values, side="right")
    return float((below + upto).sum() / 2 / (len(values) * len(ordered)))


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean; 0 of nothing."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which `percent` of `values` lie, interpolated linearly; 0 of nothing."""
    return float(np.percentile(np.asarray(values), percent)) if values else 0.0


class Ranked(Protocol):
    """A question's gold and what came back, best first."""

    @property
    def gold(self) -> Mapping[str, float]: ...

    @property
    def ranking(self) -> Sequence[str]: ...


class Rates(NamedTuple):
    """Means over questions, by cutoff."""

    recall: dict[str, float]
    all_gold: dict[str, float]
    ndcg: dict[str, float]
    mrr: dict[str, float]


def rates(asked: Sequence[Ranked], cutoffs: Sequence[int], depth: int) -> Rates:
    """Recall and all-gold at each of `cutoffs`, nDCG and MRR at `depth`."""
    return Rates(
        recall={str(k): mean(recall_at(q.ranking, q.gold, k) for q in asked) for k in cutoffs},
        all_gold={str(k): mean(all_gold_at(q.ranking, q.gold, k) for q in asked) for k in cutoffs},
        ndcg={str(depth): mean(ndcg_at(q.ranking, q.gold, depth) for q in asked)},
        mrr={str(depth): mean(reciprocal_rank_at(q.ranking, q.gold, depth) for q in asked)},
    )


def percentiles(latencies_ms: Sequence[float]) -> dict[str, float]:
    """The latencies in milliseconds below which 50, 95 and 99 % lie: `p50`, `p95`, `p99`."""
    return {f"p{p}": round(percentile(latencies_ms, p), 3) for p in (50, 95, 99)}


def _gold(grades: Mapping[str, float]) -> set[str]:
    return {each for each, grade in grades.items() if grade > 0}


def _first(ranking: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(ranking))[:k]


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

"""The figures retrieval is judged by: pure functions of rankings and grades.

A ranking is ids, best first; a repeated id counts where it stands first. Grades map ids to
relevance; a grade above 0 is gold. Every rate is in [0, 1].
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

__all__ = [
    "all_gold_at",
    "auroc",
    "mean",
    "ndcg_at",
    "percentiles",
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


def percentiles(latencies_ms: Sequence[float]) -> dict[str, float]:
    """The latencies in milliseconds below which 50, 95 and 99 % lie: `p50`, `p95`, `p99`."""
    if not latencies_ms:
        return {"p50": 0.0, "p95": 0.0, "p99": 0.0}
    return {f"p{p}": round(float(np.percentile(latencies_ms, p)), 3) for p in (50, 95, 99)}


def _gold(grades: Mapping[str, float]) -> set[str]:
    return {each for each, grade in grades.items() if grade > 0}


def _first(ranking: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(ranking))[:k]


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

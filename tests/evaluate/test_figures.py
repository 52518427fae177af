"""The figures: by hand, and against slow definitions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.evaluate.figures import (
    all_gold_at,
    auroc,
    mean,
    ndcg_at,
    recall_at,
    reciprocal_rank_at,
)

SCORES = st.lists(st.floats(-10, 10, allow_nan=False), max_size=12)


@pytest.mark.parametrize(
    ("ranking", "grades", "k", "recall", "all_gold", "reciprocal"),
    [
        ("abc", {"a": 1}, 1, 1.0, 1.0, 1.0),
        ("abc", {"b": 1, "x": 1}, 2, 0.5, 0.0, 0.5),
        ("abc", {"b": 1, "c": 2}, 3, 1.0, 1.0, 0.5),
        ("abc", {"c": 1}, 2, 0.0, 0.0, 0.0),
        ("abc", {"a": 0}, 3, 0.0, 0.0, 0.0),
        ("", {"a": 1}, 3, 0.0, 0.0, 0.0),
        ("aab", {"b": 1}, 2, 1.0, 1.0, 0.5),
    ],
)
def test_rates_by_hand(
    ranking: str,
    grades: dict[str, float],
    k: int,
    recall: float,
    all_gold: float,
    reciprocal: float,
) -> None:
    assert recall_at(list(ranking), grades, k) == recall
    assert all_gold_at(list(ranking), grades, k) == all_gold
    assert reciprocal_rank_at(list(ranking), grades, k) == reciprocal


def test_ndcg_by_hand() -> None:
    """Grades 3, 2, 3, 0, 1, 2 in this order, two more graded 3 and 2 not found."""
    grades = dict(zip("abcdef", (3, 2, 3, 0, 1, 2), strict=True)) | {"g": 3, "h": 2}
    dcg = 3 + 2 / math.log2(3) + 3 / 2 + 0 + 1 / math.log2(6) + 2 / math.log2(7)
    ideal = 3 + 3 / math.log2(3) + 3 / 2 + 2 / math.log2(5) + 2 / math.log2(6) + 2 / math.log2(7)
    assert ndcg_at(list("abcdef"), grades, 6) == pytest.approx(dcg / ideal)
    assert ndcg_at(list("abcdef"), grades, 6) == pytest.approx(6.861 / 8.740, abs=1e-4)


@given(SCORES, SCORES)
def test_auroc_is_the_share_of_pairs(positives: list[float], negatives: list[float]) -> None:
    pairs = [(p > n) + (p == n) / 2 for p in positives for n in negatives]
    assert auroc(positives, negatives) == pytest.approx(mean(pairs) if pairs else 0.5)

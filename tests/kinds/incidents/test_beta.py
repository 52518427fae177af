"""The Beta distribution against values that can be worked out otherwise."""

import math

import pytest

from quipu.kinds.incidents.beta import Beta, better


def test_knowing_nothing_every_rate_is_as_likely() -> None:
    assert Beta(1, 1).interval() == pytest.approx((0.05, 0.95), abs=1e-5)


def test_whole_shapes_agree_with_the_closed_form() -> None:
    # P(X > Y) for X ~ Beta(a, b), Y ~ Beta(c, d), whole a: Evan Miller's sum
    def log_beta(a: float, b: float) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    a, b, c, d = 8, 4, 5, 6
    exact = sum(
        math.exp(log_beta(c + i, d + b) - math.log(b + i) - log_beta(1 + i, b) - log_beta(c, d))
        for i in range(a)
    )
    assert better(Beta(a, b), Beta(c, d)) == pytest.approx(exact, abs=1e-4)

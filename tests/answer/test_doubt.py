"""What is said beside an answer that is not sure."""

import pytest

from quipu.answer.limitations import below


@pytest.mark.parametrize(
    ("value", "bound", "said"),
    [
        (0.05, 0.12, ("5%", "12%")),
        (0.118, 0.12, ("11.8%", "12.0%")),
        (0.69996, 0.7, ("70.00%", "70.00%")),
        (0.6994, 0.7, ("69.9%", "70.0%")),
    ],
)
def test_what_is_below_reads_as_below(value: float, bound: float, said: tuple[str, str]) -> None:
    assert below(value, bound) == said

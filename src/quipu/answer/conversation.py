"""How sure an answer from a conversation is: a formula of its own.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

What counts there is whether it was said at all, and, where the question names one speaker, whose
statement it is (`retrieve/attribution.py`). `bench/fit_conversation.py` fits the weights.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["INTERCEPT", "TABLE", "TurnTerm", "is_from_a_conversation", "log_odds", "value_of"]


class TurnTerm(NamedTuple):
    """An input, its weight, what stands in when it is unknown, what it is, and what to say when it
    speaks against the answer."""

    name: str
    weight: float
    neutral: float
    meaning: str
    weakness: str


INTERCEPT = -6.0
TABLE = (
    TurnTerm(
        "misattributed", 12.0, 0.0, "how much less the turns about the speaker say",
        "others say more of it than the one who is asked about",
    ),
    TurnTerm("attributed", 8.5, 0.0, "how much more the turns about the speaker say", ""),
    TurnTerm(
        "said", 3.6, 0.4, "how much the best turn says, of those about the one speaker named",
        "the turns say little of what is asked",
    ),
    TurnTerm(
        "cos1", 6.7, 0.4, "best cosine between the question and a turn",
        "no turn is near the question in meaning",
    ),
    TurnTerm(
        "miss", -0.2, 0.4, "largest idf of a question word not in the first five turns",
        "a rare word of the question stands in none of the turns",
    ),
    TurnTerm(
        "unknown_names", -1.5, 0.0, "share of the question's names that are not known at all",
        "the question names something that is not known here",
    ),
    TurnTerm("stated", 2.0, 0.0, "share of the question that facts explain, where they answer", ""),
)  # fmt: skip


def is_from_a_conversation(inputs: Mapping[str, float | None]) -> bool:
    """Whether the best that the search found is a turn."""
    return inputs.get("said") is not None


def log_odds(inputs: Mapping[str, float | None]) -> float:
    """The sum of the formula."""
    total = INTERCEPT
    for term in TABLE:
        given = inputs.get(term.name)
        total += term.weight * (term.neutral if given is None else given)
    return total


def value_of(inputs: Mapping[str, float | None]) -> float:
    """The formula, in [0, 1]."""
    return round(1 / (1 + math.exp(-log_odds(inputs))), 4)

"""How sure an answer about one speaker of a conversation is: a formula of its own.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

What counts there is whose statement it is (`retrieve/attribution.py`), not how words match. The
weights were fitted on LoCoMo, each half of its conversations checked on the other.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["INTERCEPT", "TABLE", "is_about_one_speaker", "value_of"]


class SpeakerTerm(NamedTuple):
    """An input, its weight, what stands in when it is unknown, what it is, and what to say when it
    speaks against the answer."""

    name: str
    weight: float
    neutral: float
    meaning: str
    weakness: str


INTERCEPT = -0.2
TABLE = (
    SpeakerTerm(
        "misattributed", 22.4, 0.0, "how much less the turns about the speaker say",
        "others say more of it than the one who is asked about",
    ),
    SpeakerTerm("attributed", 5.3, 0.0, "how much more the turns about the speaker say", ""),
    SpeakerTerm(
        "cos1", 2.9, 0.5, "best cosine between the question and a turn",
        "no turn is near the question in meaning",
    ),
    SpeakerTerm(
        "miss", -1.5, 0.4, "largest idf of a question word not in the first five turns",
        "a rare word of the question stands in none of the turns",
    ),
)  # fmt: skip


def is_about_one_speaker(inputs: Mapping[str, float | None]) -> bool:
    """Whether the search found a conversation, and its question names exactly one speaker."""
    return inputs.get("misattributed") is not None


def value_of(inputs: Mapping[str, float | None]) -> float:
    """The formula, in [0, 1]."""
    total = INTERCEPT
    for term in TABLE:
        given = inputs.get(term.name)
        total += term.weight * (term.neutral if given is None else given)
    return round(1 / (1 + math.exp(-total)), 4)

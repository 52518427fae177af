"""How sure an answer from a conversation is: a formula of its own.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

What counts there is whether it was said at all, and, where the question names one speaker, whose
statement it is (`attribution.py`). `bench/fit_conversation.py` fits the weights.
"""

from collections.abc import Mapping

from quipu.answer.formula import ConfidenceFormula, Term
from quipu.answer.kinds import Answers

__all__ = ["ANSWERS", "FORMULA", "INTERCEPT", "TABLE"]

INTERCEPT = -6.0
TABLE = (
    Term(
        "misattributed", 12.0, 0.0, "how much less the turns about the speaker say",
        "others say more of it than the one who is asked about",
    ),
    Term("attributed", 8.5, 0.0, "how much more the turns about the speaker say", ""),
    Term(
        "said", 3.6, 0.4, "how much the best turn says, of those about the one speaker named",
        "the turns say little of what is asked",
    ),
    Term(
        "cos1", 6.7, 0.4, "best cosine between the question and a turn",
        "no turn is near the question in meaning",
    ),
    Term(
        "miss", -0.2, 0.4, "largest idf of a question word not in the first five turns",
        "a rare word of the question stands in none of the turns",
    ),
    Term(
        "unknown_names", -1.5, 0.0, "share of the question's names that are not known at all",
        "the question names something that is not known here",
    ),
    Term(
        "overtaken", -4.0, 0.0, "1 where a later turn says as much of it, and something else",
        "something was said of it later that was not read",
    ),
    Term("stated", 2.0, 0.0, "share of the question that facts explain, where they answer", ""),
)  # fmt: skip


def is_from_a_conversation(inputs: Mapping[str, float | None]) -> bool:
    """Whether the best that the search found is a turn."""
    return inputs.get("said") is not None


FORMULA = ConfidenceFormula(INTERCEPT, TABLE, is_from_a_conversation)


class TurnAnswers(Answers):
    """How sure an answer is that rests on turns."""

    signals = ("said", "attributed", "misattributed")
    formula = FORMULA


ANSWERS = TurnAnswers()

"""How sure an answer is where the question names a time: the general formula and the time.

    value = 1 / (1 + e^-(intercept + general · log-odds of the general value + Σ weight · input))

A question about another year of the same thing uses the same words and finds the same passages, so
there the words tell little: what tells is whether a passage speaks of that time, and whether the
answer holds the question's words. The form was fitted on TimeQA. Where a dated fact or a relation
answers, its own validity was compared, and the general formula stands alone.
"""

from collections.abc import Mapping

from quipu.answer.formula import Term, log_odds, logistic

__all__ = ["GENERAL", "INTERCEPT", "TABLE", "asks_for_a_time", "value_of", "weaknesses"]

INTERCEPT = -3.4
GENERAL = 0.05
_LOW = 0.5
TABLE = (
    Term(
        "tfit", 4.0, 0.0,
        "how well the best time in the first five passages fits the asked one",
        "no passage speaks of the time that is asked about",
    ),
    Term(
        "coverage", 1.5, 0.0,
        "share of its content words in the answer and the titles of its evidence",
        "the answer and its sources hold few words of the question",
    ),
    Term(
        "miss", -0.7, 0.0,
        "largest idf of its words found in none of the first five, ÷ ln(1 + N)",
        "a rare word of the question stands in none of the passages",
    ),
    Term(
        "unknown_names", -3.0, 0.0,
        "share of its names that neither the graph nor the passages know",
        "a name in the question is known neither to the graph nor to the passages",
    ),
)  # fmt: skip


def asks_for_a_time(inputs: Mapping[str, float | None]) -> bool:
    """Whether passages were ranked by an asked time and no fact or relation answers."""
    return inputs.get("tfit") is not None and not inputs.get("stated")


def value_of(general: float, inputs: Mapping[str, float | None]) -> float:
    """The formula, in [0, 1]; `general` is the log-odds of the general value."""
    return logistic(log_odds(INTERCEPT + GENERAL * general, TABLE, inputs))


def weaknesses(inputs: Mapping[str, float | None]) -> list[str]:
    """What speaks against the answer, the heaviest first."""
    low = [(t.weight * (_LOW - (inputs.get(t.name) or 0.0)), t.name, t.weakness) for t in TABLE]
    return [said for loss, _, said in sorted(low, reverse=True) if loss > 0]

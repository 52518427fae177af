"""How sure an answer is where the question names a time: the general formula and the time.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

A question about another year of the same thing uses the same words and finds the same passages, so
there the words tell little: what tells is whether a passage speaks of that time, and whether the
answer holds the question's words. The form was fitted on TimeQA. Where a dated fact or a relation
answers, its own validity was compared, and the general formula stands alone. Where files and
documents are quoted it is no surer than what is quoted.
"""

from quipu.answer import quoting
from quipu.answer.formula import ConfidenceFormula, Inputs, Term

__all__ = ["FORMULA", "asks_for_a_time"]


def asks_for_a_time(inputs: Inputs) -> bool:
    """Whether passages were ranked by an asked time and no fact or relation answers."""
    return inputs.get("tfit") is not None and not inputs.get("stated")


FORMULA = ConfidenceFormula(
    intercept=-3.4,
    table=(
        Term("general", 0.05, 0.0, "log-odds of the general value", ""),
        Term(
            "tfit",
            4.0,
            0.5,
            "how well the best time in the first five passages fits the asked one",
            "no passage speaks of the time that is asked about",
        ),
        Term(
            "coverage",
            1.5,
            0.5,
            "share of its content words in the answer and the titles of its evidence",
            "the answer and its sources hold few words of the question",
        ),
        Term(
            "miss",
            -0.7,
            0.5,
            "largest idf of its words found in none of the first five, ÷ ln(1 + N)",
            "a rare word of the question stands in none of the passages",
        ),
        Term(
            "unknown_names",
            -3.0,
            0.0,
            "share of its names that neither the graph nor the passages know",
            "a name in the question is known neither to the graph nor to the passages",
        ),
    ),
    holds=asks_for_a_time,
    bounds=(quoting.FORMULA, *quoting.PLAIN.bounds),
)

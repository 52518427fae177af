"""How sure an answer is that is quoted from files and documents.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

Whether a passage is about the question says little of whether the lines that are quoted of it
answer: what tells is by how much they were worth choosing (`choose`). Fitted to whether the answer
was right on questions about repositories and on questions about articles, half of which nothing
answers (`bench/fit_quoting.py`).
"""

from quipu.answer.formula import Formula, Inputs, Term

__all__ = ["FORMULA"]


def _is_quoted(inputs: Inputs) -> bool:
    """Whether sentences or windows were chosen with their vectors."""
    return inputs.get("worth") is not None and inputs.get("similarity") is not None


FORMULA = Formula(
    intercept=-6.2,
    table=(
        Term(
            "worth", 2.1, 1.5,
            "what the best quoted sentence or window was chosen by",
            "the quoted lines fit the question only in part",
        ),
        Term(
            "similarity", 2.7, 0.3,
            "best cosine between the question and what the answer quotes",
            "no quoted sentence is near the question in meaning",
        ),
        Term(
            "mslow", 0.7, 0.3,
            "mean MaxSim of the question's two weakest content words in the first five passages",
            "part of the question is not reflected in the passages",
        ),
        Term(
            "miss", -0.6, 0.5,
            "largest idf of a question word found in none of the first five, ÷ ln(1 + N)",
            "a rare word of the question stands in none of the passages",
        ),
        Term(
            "lacking", -0.5, 0.0,
            "1 where a kind of thing is asked for (a class, a number …) and none named",
            "the answer names nothing of the kind that is asked for",
        ),
        Term(
            "unknown_names", -4.0, 0.0,
            "share of the question's names that neither the graph nor any passage found knows",
            "the question names something that is not known here",
        ),
        Term(
            "unexplained", -9.0, 0.0,
            "share of the question that the relation or fact which answers leaves unexplained",
            "the graph states only a part of what is asked",
        ),
    ),
    holds=_is_quoted,
)  # fmt: skip

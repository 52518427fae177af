"""How sure an answer is that is quoted from files and documents.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

Whether a passage is about the question says little of whether the lines that are quoted of it
answer: what tells is how far the words of the question are met in them, by how much they were worth
choosing (`choose`), and whether they name what is asked about, deny it or count otherwise
(`agreement`). Fitted to whether the answer was right on questions about repositories and on
questions about articles, many of which nothing answers (`bench/fit_quoting.py`).
"""

from quipu.answer.formula import ConfidenceFormula, Inputs, Term

__all__ = ["FORMULA"]


def _is_quoted(inputs: Inputs) -> bool:
    """Whether sentences or windows were chosen with their vectors."""
    return inputs.get("worth") is not None and inputs.get("similarity") is not None


FORMULA = ConfidenceFormula(
    intercept=-3.3,
    table=(
        Term(
            "met",
            2.45,
            0.5,
            "mean over the question's content words of their best cosine with a quoted word",
            "some words of the question are met by nothing that is quoted",
        ),
        Term(
            "worth",
            0.4,
            2.5,
            "what the best quoted sentence or window was chosen by",
            "the quoted lines fit the question only in part",
        ),
        Term(
            "score1",
            1.25,
            -0.35,
            "log-odds of the best passage's score, ÷ ln 499, in [-1, 1]",
            "the best passage scores low",
        ),
        Term(
            "named",
            1.15,
            0.0,
            "1 where all that the question names is quoted, some of it names of code",
            "",
        ),
        Term(
            "unnamed",
            -0.5,
            0.0,
            "share of what the question names that is not quoted",
            "the quoted lines do not name what is asked about",
        ),
        Term(
            "absent",
            -2.0,
            0.0,
            "share of what the question names that stands in no passage that is cited",
            "no passage that is cited speaks of all that is named",
        ),
        Term(
            "denied",
            -0.35,
            0.0,
            "1 where only one of question and quoted prose denies something",
            "only one of the question and the quoted lines denies something",
        ),
        Term(
            "opposed",
            -1.5,
            0.0,
            "1 where the quoted lines say the opposite with the same words (removed, added)",
            "the quoted lines say the opposite of what is asked",
        ),
        Term(
            "uncounted",
            -0.5,
            0.0,
            "1 where a number of the question is not quoted",
            "a number of the question does not stand in the quoted lines",
        ),
        Term(
            "lacking",
            -1.0,
            0.0,
            "1 where a kind of thing is asked for (a class, a number …) and none named",
            "the answer names nothing of the kind that is asked for",
        ),
        Term(
            "unknown_names",
            -1.5,
            0.0,
            "share of the question's names that neither the graph nor any passage found knows",
            "the question names something that is not known here",
        ),
    ),
    holds=_is_quoted,
)

"""How sure an answer is that is quoted from files and documents.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

Whether a passage is about the question says little of whether the lines that are quoted of it
answer: what tells is how far the words of the question are met in them, and how much more they are
worth (`worth`) than those of any other passage. Prose is near in words to much that it does not
answer: where neither it nor the question shows code, a formula of its own counts.

Fitted to whether the answer was right on questions about repositories and on questions about
articles, many of which nothing answers (`bench/teach/confidence.py`). The first intercept is set so
that nine in ten of all sure answers are right, and `score1` there has the weight that three of four
repositories give it.
"""

from quipu.answer.formula import ConfidenceFormula, Inputs, Term

__all__ = ["BY_HAND", "FORMULA", "PLAIN"]


def _is_quoted(inputs: Inputs) -> bool:
    """Whether sentences or blocks were chosen with their vectors."""
    return inputs.get("worth") is not None and inputs.get("similarity") is not None


def _is_plain(inputs: Inputs) -> bool:
    """Whether what is quoted is prose, and neither it nor the question shows code."""
    return _is_quoted(inputs) and bool(inputs.get("plain"))


def _met(weight: float) -> Term:
    return Term(
        "met",
        weight,
        0.5,
        "mean over the question's content words of their best cosine with a quoted word",
        "some words of the question are met by nothing that is quoted",
    )


def _margin(weight: float) -> Term:
    return Term(
        "margin",
        weight,
        0.2,
        "how much more the best quoted lines are worth than those of any other passage, at most 1",
        "the lines of another passage fit nearly as well",
    )


def _score1(weight: float) -> Term:
    return Term(
        "score1",
        weight,
        -0.35,
        "log-odds of the best passage's score, ÷ ln 499, in [-1, 1]",
        "the best passage scores low",
    )


def _lacking(weight: float) -> Term:
    return Term(
        "lacking",
        weight,
        0.0,
        "1 where a kind of thing is asked for (a class, a number …) and none named",
        "the answer names nothing of the kind that is asked for",
    )


BY_HAND = (
    Term(
        "absent",
        -2.0,
        0.0,
        "share of what the question names that stands in no passage that is cited",
        "no passage that is cited speaks of all that is named",
    ),
    Term(
        "unknown_names",
        -1.5,
        0.0,
        "share of the question's names that neither the graph nor any passage found knows",
        "the question names something that is not known here",
    ),
)
"""What is rare where it is fitted, and never helps."""

FORMULA = ConfidenceFormula(
    intercept=-2.55,
    table=(
        _met(3.6),
        _margin(1.7),
        _score1(1.9),
        _lacking(-0.8),
        *BY_HAND,
    ),
    holds=_is_quoted,
)

PLAIN = ConfidenceFormula(
    intercept=-3.4,
    table=(_met(3.5), _margin(0.3), _score1(2.0), _lacking(-1.3), *BY_HAND),
    holds=_is_plain,
    bounds=(ConfidenceFormula(intercept=0.8, table=(), holds=_is_plain),),
)
"""Never sure: where half of the questions have no answer, 20 of 34 answers above 0.7 were right."""

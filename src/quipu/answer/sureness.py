"""How sure an answer from reports is: a formula of its own.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

No labelled set asks about everything, so the weights are set by hand: a question about all of
the memory is answered by what it holds; one about a subject only where reports speak of it.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from quipu.domain.reply import Confidence

__all__ = ["INTERCEPT", "TABLE", "ReportTerm", "behind", "sureness", "weaknesses_of"]


class ReportTerm(NamedTuple):
    """An input, its weight, what stands in when it is unknown, what it is, and what to say when it
    speaks against the answer."""

    name: str
    weight: float
    neutral: float
    meaning: str
    weakness: str


INTERCEPT = -3.6
TABLE = (
    ReportTerm(
        "report1", 4.0, 0.0, "the best report's score; 1 for a question about everything",
        "no report is near the question",
    ),
    ReportTerm(
        "subject", 2.6, 1.0, "share of the words that the question is about in what is cited",
        "the cited lines do not hold all that the question is about",
    ),
    ReportTerm(
        "unknown_names", -3.0, 0.0, "share of the question's names that nothing found knows",
        "the question names something that is not known here",
    ),
    ReportTerm(
        "behind", -1.0, 0.0, "ln(1 + n) / ln(1,001), at most 1; n changes since the reports",
        "much has changed since the reports were written",
    ),
)  # fmt: skip


def sureness(inputs: Mapping[str, float | None], *, answered: bool) -> Confidence:
    """The confidence from the named inputs, in [0, 1]; 0 where there is no answer."""
    rounded = {
        term.name: None if (given := inputs.get(term.name)) is None else round(given, 6)
        for term in TABLE
    }
    total = INTERCEPT
    for term in TABLE:
        given = rounded[term.name]
        total += term.weight * (term.neutral if given is None else given)
    value = round(1 / (1 + math.exp(-total)), 4) if answered else 0.0
    return Confidence(value=value, inputs=rounded)


def weaknesses_of(inputs: Mapping[str, float | None], *, most: int = 2) -> list[str]:
    """What speaks most against the answer, the heaviest first, in words."""
    losses: list[tuple[float, str, str]] = []
    for term in TABLE:
        given = inputs.get(term.name)
        best = 1.0 if term.weight > 0 else 0.0
        if given is not None:
            losses.append((term.weight * (given - best), term.name, term.weakness))
    return [said for loss, _, said in sorted(losses) if loss < -0.5][:most]


def behind(changes: int) -> float:
    """How far reports are behind, in [0, 1]."""
    return min(math.log1p(changes) / math.log(1001), 1.0)

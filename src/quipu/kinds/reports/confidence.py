"""How sure an answer from reports is: a formula of its own.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

No labelled set asks about everything, so the weights are set by hand: a question about all of
the memory is answered by what it holds; one about a subject only where reports speak of it.
"""

import math
from collections.abc import Mapping

from quipu.answer.formula import Term, log_odds, logistic
from quipu.records.reply import Confidence

__all__ = ["INTERCEPT", "TABLE", "behind", "sureness", "weaknesses_of"]

INTERCEPT = -3.6
TABLE = (
    Term(
        "report1", 4.0, 0.0, "the best report's score; 1 for a question about everything",
        "no report is near the question",
    ),
    Term(
        "subject", 2.6, 1.0, "share of the words that the question is about in what is cited",
        "the cited lines do not hold all that the question is about",
    ),
    Term(
        "unknown_names", -3.0, 0.0, "share of the question's names that nothing found knows",
        "the question names something that is not known here",
    ),
    Term(
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
    value = logistic(log_odds(INTERCEPT, TABLE, rounded)) if answered else 0.0
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

"""`docs/reference/confidence.md`, made from the formulas themselves.

`python -m tools.confidence_reference > docs/reference/confidence.md` brings it up to date.
"""

import click

from quipu.answer.confidence import FLOOR, GENERAL, PROSE, QUOTED
from quipu.answer.contract import ASSERT_ABOVE
from quipu.answer.formula import ConfidenceFormula
from quipu.kinds.conversations.answer import ANSWERING
from quipu.kinds.reports.answer import FORMULA as REPORTS

__all__ = ["reference"]

_HEAD = f"""\
# Confidence

Made from the formulas by `python -m tools.confidence_reference`; a test compares.

`quipu ask` says how sure it is: `confidence.value` in [0, 1], and every input under
`confidence.inputs`. An input that is not known is `null` and counts as its neutral value, which is
what a poor answer typically has.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

| below | what happens | setting |
|---|---|---|
| {FLOOR:g} | `unknown`, with empty evidence | `answer.floor` |
| {ASSERT_ABOVE:g} | given; `limitations` says what speaks against it | `answer.assert_above` |

Of the answers at {ASSERT_ABOVE:g} and more about nine in ten are right
([figures](../explanation/measurements.md#how-sure-an-answer-is)). Abstaining sees well that a
subject is not there, and badly that the subject is there but the detail is not: read the citations.
An answer that does not bear what the question names (an id, a version, a number), that tells no
number to "how many" or no time to "when was", or whose question is in another language than English
(`foreign`: no weight was fitted on those), counts at most 0.65.
Which formula holds depends on what is quoted. `python -m bench.teach.confidence` fits weights
to answers that were right or wrong, each within the sign that makes sense; they are set by hand
where no set says anything. Behind the name of an input stand its weight and its neutral value.
"""

_PARTS: tuple[tuple[str, str, ConfidenceFormula], ...] = (
    ("In general", "The four inputs that are always named come first.", GENERAL),
    (
        "Where lines of files and documents are quoted",
        "Sentences or blocks of lines were chosen with their vectors.",
        QUOTED,
    ),
    (
        "Where prose alone is quoted",
        "Nothing shows code. Never above 0.69: prose is near to much that it does not answer.",
        PROSE,
    ),
    (
        "In conversations",
        "The local encoder tells which turn answers. Without it turns are quoted as files are.",
        ANSWERING,
    ),
    ("Of reports", "In the mode `global`.", REPORTS),
)

_END = """
## The match of a citation

`[1] src/db/client.py:45-52 (95% match)` is about one passage: 0.6 score + 0.3 similarity (the part
of the score) + 0.05 freshness + 0.05 citation count, divided by the weights of the parts that are
known. Where a relation of the graph led to the passage without ranking it, the score counts 1.
"""


def reference() -> str:
    """Return the whole page."""
    told: set[tuple[str, str]] = set()
    return _HEAD + "".join(_part(*each, told) for each in _PARTS) + _END


def _part(title: str, holds: str, formula: ConfidenceFormula, told: set[tuple[str, str]]) -> str:
    """Return the rows of a formula; a meaning that was given before is not given again."""
    rows: list[str] = []
    for term in formula.table:
        known = (term.name, term.meaning) in told
        told.add((term.name, term.meaning))
        meaning = "" if known else f": {term.meaning}"
        rows.append(f"- `{term.name}` {term.weight:g}, {term.neutral:g}{meaning}\n")
    return f"\n## {title}\n\n{holds} Intercept {formula.intercept:g}.\n\n{''.join(rows)}"


if __name__ == "__main__":
    click.echo(reference(), nl=False)

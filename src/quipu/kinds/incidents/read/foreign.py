"""What the readers of other systems' incidents share: whose it is, and how grave."""

from collections.abc import Iterable

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import Severity, severity_of
from quipu.read.fields import Fields, slug
from quipu.records.record import Properties

__all__ = ["component_of", "grade"]


def component_of(
    fields: Fields, names: Iterable[str], *, what: str = "field"
) -> tuple[str, Properties]:
    """The first of `names` that gives a component, and the word as written where it differs.

    Other systems name services freely: `Payment Service` becomes `payment-service`.
    """
    tried = tuple(names)
    for name in tried:
        written = fields.text(name)
        if component := slug(written):
            kept: Properties = {"component_as_written": written} if written != component else {}
            return component, kept
    raise InvalidInput(f"no {what} names a component: one of {', '.join(tried)} is needed")


def grade(problems: list[str], *words: str) -> tuple[Severity | None, str]:
    """The severity of the first word that is there, and that word where it says more."""
    for word in words:
        if not word:
            continue
        try:
            severity = severity_of(word)
        except InvalidInput as error:
            problems.append(str(error))
            continue
        kept = word != str(severity) or severity == Severity.INFO  # somebody called it INFO
        return severity, word if kept else ""
    return None, ""

"""What each reader hands over, while the document is being put together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from quipu.records.document import (
    DatedFact,
    Family,
    Link,
    Observation,
    OwnerRule,
    Section,
    Span,
    StatedRelation,
    Thing,
    Use,
)
from quipu.records.record import Properties, Value

__all__ = ["Calling", "Reading", "here"]


R = TypeVar("R")


class Calling(Protocol):
    """Gives what a reader makes of its arguments. The reader is importable by its name, and what
    it takes and gives can be pickled."""

    def __call__(self, reader: Callable[..., R], /, *arguments: object, **options: object) -> R:
        """Raises InvalidInput for what the reader refuses, and what it cannot be let finish."""
        ...


def here(reader: Callable[..., R], /, *arguments: object, **options: object) -> R:
    """Calls the reader in this process, whatever it takes."""
    return reader(*arguments, **options)


@dataclass(slots=True)
class Reading:
    """One file's text and what its reader found. `type` is "" where the path decides.

    `headings` are (line, level, text), `warnings` (message, line); `redactions` counts the secrets
    that the reader itself took out of the text it made.
    """

    text: str
    title: str = ""
    type: str = ""
    family: Family = "prose"
    properties: Properties = field(default_factory=dict[str, Value])
    sections: list[Section] = field(default_factory=list[Section])
    spans: list[Span] = field(default_factory=list[Span])
    links: list[Link] = field(default_factory=list[Link])
    uses: list[Use] = field(default_factory=list[Use])
    things: list[Thing] = field(default_factory=list[Thing])
    relations: list[StatedRelation] = field(default_factory=list[StatedRelation])
    owner_rules: list[OwnerRule] = field(default_factory=list[OwnerRule])
    headings: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    observations: list[Observation] = field(default_factory=list[Observation])
    facts: list[DatedFact] = field(default_factory=list[DatedFact])
    warnings: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    redactions: dict[str, int] = field(default_factory=dict[str, int])

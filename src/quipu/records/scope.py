"""A `Scope` says which chunks a search may see; the backend evaluates it."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec

from quipu.errors import InvalidInput
from quipu.when.instants import parse_instant

Filter: TypeAlias = Literal["source_types", "document_types", "statuses", "domains"]
"""The sets of a scope whose values are words that sources use, and can be misspelled."""


class Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every set that is not empty must contain the chunk's value; times bound `observed_at`.

    `before` excludes its instant, `after` includes it. `chunk_ids` and `document_ids` each name
    what may be seen at all. Raises InvalidInput for times that end before they begin.
    """

    groups: Annotated[frozenset[str], "only these conversations or repositories"] = frozenset()
    source_types: Annotated[frozenset[str], "only these kinds of source"] = frozenset()
    document_types: Annotated[frozenset[str], "only documents of these types"] = frozenset()
    statuses: Annotated[frozenset[str], "only documents of these statuses"] = frozenset()
    domains: Annotated[frozenset[str], "only documents of these domains"] = frozenset()
    profiles: Annotated[frozenset[str], "only passages of these ranking profiles"] = frozenset()
    document_ids: Annotated[frozenset[str], "only these documents"] = frozenset()
    chunk_ids: Annotated[frozenset[str], "only these chunks"] = frozenset()
    before: Annotated[str | None, "only what was observed before this instant, or null"] = None
    after: Annotated[str | None, "only what was observed at this instant or later, or null"] = None

    def __post_init__(self) -> None:
        if self.before and self.after and self.before < self.after:
            raise InvalidInput(
                f"what is after {self.after!r} and before {self.before!r} ends before it begins: "
                "swap the two"
            )


EVERYTHING = Scope()


def read_scope(
    *, before: str | None = None, after: str | None = None, **named: Sequence[str]
) -> Scope:
    """The `Scope` of words and dates as people write them; a blank date bounds nothing. Raises
    InvalidInput for a text that is no date."""
    return Scope(
        before=parse_instant(before) if before else None,
        after=parse_instant(after) if after else None,
        **{name: frozenset(values) for name, values in named.items()},
    )

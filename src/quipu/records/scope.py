"""A `Scope` says which chunks a search may see; the backend evaluates it."""

from typing import Literal, TypeAlias

import msgspec

from quipu.errors import InvalidInput

Filter: TypeAlias = Literal["source_types", "document_types", "statuses", "domains"]
"""The sets of a scope whose values are words that sources use, and can be misspelled."""


class Scope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every set that is not empty must contain the chunk's value; times bound `observed_at`.

    `before` excludes its instant, `after` includes it. `chunk_ids` and `document_ids` each name
    what may be seen at all. Raises InvalidInput for times that end before they begin.
    """

    groups: frozenset[str] = frozenset()
    source_types: frozenset[str] = frozenset()
    document_types: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()
    document_ids: frozenset[str] = frozenset()
    chunk_ids: frozenset[str] = frozenset()
    before: str | None = None
    after: str | None = None

    def __post_init__(self) -> None:
        if self.before and self.after and self.before < self.after:
            raise InvalidInput(
                f"what is after {self.after!r} and before {self.before!r} ends before it begins: "
                "swap the two"
            )


EVERYTHING = Scope()

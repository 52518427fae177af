"""The one place where it is applied who may assert what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from quipu.errors import InvalidConfig
from quipu.records.authority import (
    GOVERNED,
    MAY_ASSERT,
    ROLES,
    VENDORED,
    WITHHELD,
    Role,
    by_role,
    governed,
    role_of,
)
from quipu.records.batch import Claim
from quipu.records.record import Asserted, Entity, Episode, Fact, Relation

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["Authority", "authorised"]

_STATED = ("as_written", "pattern")


@dataclass(frozen=True, slots=True)
class Authority:
    """Which files came from elsewhere, and what each role may assert."""

    vendored: tuple[str, ...] = VENDORED
    may_assert: Mapping[Role, frozenset[str]] = field(default_factory=lambda: dict(MAY_ASSERT))

    @property
    def mark(self) -> str:
        """Stands for the rules where they are not the usual ones; else ""."""
        rules = [f"{role}={','.join(sorted(types))}" for role, types in self.may_assert.items()]
        if (self.vendored, dict(self.may_assert)) == (VENDORED, MAY_ASSERT):
            return ""
        return "; ".join((*sorted(rules), *self.vendored))

    @classmethod
    def of(cls, vendored: tuple[str, ...], changed: Mapping[str, str]) -> "Authority":
        """With `changed` by role: relation types apart by spaces. Raises InvalidConfig for a role
        or a type there is not."""
        table: dict[Role, frozenset[str]] = dict(MAY_ASSERT)
        known = {str(each) for each in GOVERNED}
        for written, types in changed.items():
            role: Role | None = next((each for each in ROLES if each == written), None)
            relation_types = frozenset(types.upper().split())
            if role is None:
                raise InvalidConfig(
                    f"sources.may_assert: there is no role {written!r}; known are "
                    f"{', '.join(ROLES)}"
                )
            if unknown := sorted(relation_types - known):
                raise InvalidConfig(
                    f"sources.may_assert: {unknown[0]!r} of {written!r} needs no role; those that "
                    f"do are {', '.join(sorted(known))}"
                )
            table[role] = relation_types
        return cls(vendored, table)


def authorised(
    claims: Sequence[Claim], episode: Episode, authority: Authority, *, document_type: str = ""
) -> list[Claim]:
    """The claims that `episode` may make, each that governs with the role it is made in; what it
    may not assert is left out. `document_type` is that of its document, which else is looked for
    among the claims."""
    document_type = document_type or _document_type(claims, episode.document_id)
    vendored = _is_vendored(episode.source_ref, authority.vendored)
    source = role_of(episode.source_type, document_type, vendored=vendored, stated=False)
    withheld = sorted(GOVERNED - authority.may_assert[source])
    kept: list[Claim] = []
    for claim in claims:
        type_ = governed(claim.record)
        if type_ is None:
            kept.append(_marked(claim, episode, withheld) if withheld else claim)
            continue
        stated = isinstance(claim.record, Relation) and any(
            key in claim.record.properties for key in _STATED
        )
        role = role_of(episode.source_type, document_type, vendored=vendored, stated=stated)
        if type_ in authority.may_assert[role]:
            kept.append(Claim(_by(claim.record, role), claim.episode_id, claim.chunk_ids))
    return kept


def _by(record: Asserted, role: Role) -> Asserted:
    match record:
        case Relation():
            return msgspec.structs.replace(record, properties=by_role(record.properties, role))
        case Fact():
            return msgspec.structs.replace(record, provenance=by_role(record.provenance, role))
        case _:
            return record


def _marked(claim: Claim, episode: Episode, withheld: Sequence[str]) -> Claim:
    """The claim of the source's own document, with what the source may not assert."""
    record = claim.record
    if not isinstance(record, Entity) or record.entity_id != episode.document_id:
        return claim
    properties = {**record.properties, WITHHELD: [str(each) for each in withheld]}
    marked = msgspec.structs.replace(record, properties=dict(sorted(properties.items())))
    return Claim(marked, claim.episode_id, claim.chunk_ids)


def _document_type(claims: Iterable[Claim], document_id: str | None) -> str:
    for claim in claims:
        if isinstance(claim.record, Entity) and claim.record.entity_id == document_id:
            return str(claim.record.properties.get("type") or "")
    return ""


@lru_cache(maxsize=16)
def _spec(patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # dear to import, and no search asks for it

    return GitIgnoreSpec.from_lines(patterns)


@lru_cache(maxsize=16)
def _of_folders(patterns: tuple[str, ...]) -> bool:
    return all(pattern.endswith("/") for pattern in patterns)


def _is_vendored(path: str, patterns: tuple[str, ...]) -> bool:
    if "/" not in path and _of_folders(patterns):  # most references that are no path of a file
        return False
    return _spec(patterns).match_file(path)

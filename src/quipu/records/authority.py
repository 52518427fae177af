"""Who may assert what: the roles a source can have, and the relations that each may assert.

Anybody can write "owned by Mallory" into a file. What governs (who owns a thing, which policy
holds, what decided it, what takes the place of what) is therefore asserted by roles: of two
sources that disagree the higher role counts, and some roles assert nothing of the kind.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from quipu.records.record import Asserted, Fact, Properties, Relation
from quipu.records.schema import RelationType

__all__ = [
    "CONVERSATIONS",
    "GOVERNED",
    "MAY_ASSERT",
    "ROLES",
    "VENDORED",
    "WITHHELD",
    "Role",
    "by_role",
    "governed",
    "rank",
    "role_of",
]

Role: TypeAlias = Literal[
    "web", "vendored", "conversation", "prose", "curated", "manifest", "ownership", "person"
]
ROLES: tuple[Role, ...] = get_args(Role)
"""Every role, the one with the least authority first: a fetched page, a file from elsewhere, what
was said, running text, front matter, a manifest or pipeline, CODEOWNERS, a relation by hand."""

GOVERNED = frozenset(each for each in RelationType if each.row.governed)
"""The relations that a role is needed for; all others anybody may assert."""

_ALL = frozenset(str(each) for each in GOVERNED)
MAY_ASSERT: Mapping[Role, frozenset[str]] = {
    role: frozenset() if role in ("web", "vendored") else _ALL for role in ROLES
}
"""What each role may assert of what governs, unless `[sources] may_assert` says otherwise."""

VENDORED = (
    "vendor/",
    "vendored/",
    "third_party/",
    "third-party/",
    "thirdparty/",
    "node_modules/",
    "external/",
    "fixtures/",
    "testdata/",
    "test-data/",
)
"""Patterns, as in .gitignore, of files that came from elsewhere."""

_PREDICATES: Mapping[str, RelationType] = {
    predicate: each
    for each in RelationType
    if each.row.governed
    for predicate in each.row.predicates
}
"""Predicates of facts that say what such a relation says."""

WITHHELD = "may_not_assert"
"""Under which property a document keeps the relations that its source may not assert."""

_PREFIX = "asserted_by:"

_MANIFESTS = frozenset({"manifest", "compose", "workflow", "catalog", "deployment"})
CONVERSATIONS = frozenset({"session", "manual_ingest", "memory_file", "tool", "knowledge_graph"})
"""The types of sources in which somebody said or gave something."""


def role_of(source_type: str, document_type: str, *, vendored: bool, stated: bool) -> Role:
    """The role in which a source asserts something; `stated` says that it stands in front matter
    or in a rule, not in running text."""
    if source_type == "crawl":
        return "web"
    if vendored:
        return "vendored"
    if source_type in CONVERSATIONS:
        return "conversation"
    if document_type == "ownership":
        return "ownership"
    if document_type in _MANIFESTS:
        return "manifest"
    return "curated" if stated else "prose"


def governed(record: Asserted) -> str | None:
    """The relation type that a record asserts and that a role is needed for, if it does."""
    match record:
        case Relation():
            return record.type if record.type in GOVERNED else None
        case Fact():
            predicate = record.predicate.replace("_", " ").removeprefix("not ").casefold()
            return _PREDICATES.get(predicate)
        case _:
            return None


def by_role(properties: Properties, role: Role) -> Properties:
    """`properties` (of a fact: its provenance) with the role of what asserts it. Every role has a
    key of its own, so that united properties keep them all."""
    return {**properties, f"{_PREFIX}{role}": True}


def rank(properties: Properties) -> int:
    """The authority of the highest role that asserts a record, as a number; what keeps no role
    counts as running text."""
    ranks = [ROLES.index(role) for role in ROLES if properties.get(f"{_PREFIX}{role}")]
    return max(ranks, default=ROLES.index("prose"))

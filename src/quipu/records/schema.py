"""The closed sets: entity types, relation types, what each record must carry, and what a relation
may tie.

A relation type that is not known here is stored all the same; `validate` counts it as a warning.
"""

import re
from enum import StrEnum
from typing import Literal, NamedTuple

from quipu.errors import InvalidInput
from quipu.text import fold


class EntityType(StrEnum):
    """What a thing is. `NAME` entities live as mention postings, not as rows."""

    DOCUMENT = "Document"
    SYMBOL = "Symbol"
    URL = "URL"
    TOOL = "Tool"
    SERVICE = "Service"
    APPLICATION = "Application"
    INFRA = "Infra"
    REGISTRY = "Registry"
    WORKFLOW = "Workflow"
    OWNER = "Owner"
    POLICY = "Policy"
    ADR = "ADR"
    PACKAGE = "Package"
    NAME = "Name"
    PERSON = "person"
    ORG = "org"
    REPO = "repo"
    CONCEPT = "concept"
    LOCATION = "location"
    EVENT = "event"
    FILE = "file"
    GOAL = "goal"
    TASK = "task"
    CUSTOM = "custom"
    INCIDENT = "Incident"
    OUTCOME = "Outcome"
    HEALING_ACTION = "HealingAction"
    ACTION_POLICY = "ActionPolicy"
    VALUE_TAG = "ValueTag"
    VALUE_RUNS = "ValueRuns"
    VALUE_LEDGER = "ValueLedger"


class RelationType(StrEnum):
    """How two things are tied, source to target."""

    DEFINED_IN = "DEFINED_IN"
    REFERS_TO = "REFERS_TO"
    LINKS_TO = "LINKS_TO"
    IMPORTS = "IMPORTS"
    DEPENDS_ON = "DEPENDS_ON"
    OWNED_BY = "OWNED_BY"
    GOVERNED_BY = "GOVERNED_BY"
    DECIDED_BY = "DECIDED_BY"
    SUPERSEDES = "SUPERSEDES"
    RELATES_TO = "RELATES_TO"
    MENTIONS = "MENTIONS"
    DESCRIBES = "DESCRIBES"
    SAME_AS = "SAME_AS"
    EXPLAINS = "EXPLAINS"
    IMPLEMENTS = "IMPLEMENTS"
    DECISION_FOR = "DECISION_FOR"
    EXAMPLE_OF = "EXAMPLE_OF"
    REFERENCES = "REFERENCES"
    DERIVED_FROM = "DERIVED_FROM"
    USES = "USES"
    AUTHORED_BY = "AUTHORED_BY"
    DISCUSSED_IN = "DISCUSSED_IN"
    BLOCKS = "BLOCKS"
    HAS_TASK = "HAS_TASK"
    HAS_SUBTASK = "HAS_SUBTASK"
    RELATED_TO = "RELATED_TO"
    PART_OF = "PART_OF"
    SCHEDULED_FOR = "SCHEDULED_FOR"
    MODIFIES = "MODIFIES"
    FIXES = "FIXES"
    REVERTS = "REVERTS"
    FOLLOWS_UP = "FOLLOWS_UP"
    AFFECTS = "AFFECTS"
    SIMILAR_TO = "SIMILAR_TO"
    CAUSED_BY = "CAUSED_BY"
    ESCALATED_FROM = "ESCALATED_FROM"
    RESOLVED_BY = "RESOLVED_BY"


REQUIRED_ENTITY_FIELDS = ("entity_id", "type", "name", "updated_at", "source_sha")
REQUIRED_RELATION_FIELDS = (
    "rel_id",
    "source_entity_id",
    "target_entity_id",
    "type",
    "updated_at",
    "source_sha",
)

REQUIRED_NODE_TYPES = (
    EntityType.APPLICATION, EntityType.SERVICE, EntityType.OWNER, EntityType.POLICY,
    EntityType.ADR, EntityType.INFRA, EntityType.REGISTRY, EntityType.WORKFLOW,
    EntityType.DOCUMENT,
)  # fmt: skip
"""The types that a graph of a platform has at least one of: `validate --strict` asks for them."""


class Ends(NamedTuple):
    """What a relation may come from and go to; an empty set stands for every type."""

    sources: frozenset[EntityType]
    targets: frozenset[EntityType]


def _ends(sources: set[EntityType], targets: set[EntityType]) -> Ends:
    return Ends(frozenset(sources), frozenset(targets))


_ANY: set[EntityType] = set()
_WHO = {EntityType.OWNER, EntityType.PERSON, EntityType.ORG}
_INCIDENT = {EntityType.INCIDENT}

ALLOWED_ENDS: dict[RelationType, Ends] = {
    RelationType.OWNED_BY: _ends(_ANY, _WHO),
    RelationType.AUTHORED_BY: _ends(_ANY, _WHO),
    RelationType.DEFINED_IN: _ends(_ANY, {EntityType.DOCUMENT}),
    RelationType.GOVERNED_BY: _ends(_ANY, {EntityType.POLICY, EntityType.DOCUMENT}),
    RelationType.DECIDED_BY: _ends(_ANY, {EntityType.ADR, EntityType.DOCUMENT, *_WHO}),
    RelationType.IMPORTS: _ends(
        {EntityType.DOCUMENT, EntityType.SYMBOL},
        {EntityType.DOCUMENT, EntityType.SYMBOL, EntityType.PACKAGE},
    ),
    RelationType.HAS_TASK: _ends({EntityType.GOAL}, {EntityType.TASK}),
    RelationType.HAS_SUBTASK: _ends({EntityType.TASK}, {EntityType.TASK}),
    RelationType.SIMILAR_TO: _ends(_INCIDENT, _INCIDENT),
    RelationType.ESCALATED_FROM: _ends(_INCIDENT, _INCIDENT),
}
"""What relations of a known type tie; a type that is not here ties anything. A thing of type
`custom`, which somebody described in words of their own, may stand at every end."""


def wrong_end(type: str, source: str, target: str) -> Literal["source", "target"] | None:  # noqa: A002
    """Which end of a relation of this type cannot be a thing of that type; None where both can."""
    ends = ALLOWED_ENDS.get(RelationType(type)) if type in _RELATION_TYPES else None
    if ends is None:
        return None
    if ends.sources and source not in ends.sources | {EntityType.CUSTOM}:
        return "source"
    if ends.targets and target not in ends.targets | {EntityType.CUSTOM}:
        return "target"
    return None


_RELATION_TYPES = frozenset(str(each) for each in RelationType)
_TYPE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_RUN = re.compile(r"[^A-Za-z0-9]+")


def relation_type(written: str) -> str:
    """`written` as a relation type: `[A-Z][A-Z0-9_]{0,63}`; InvalidInput when nothing is left."""
    normal = _RUN.sub("_", fold(written)).strip("_").upper()[:64]
    if not _TYPE.fullmatch(normal):
        raise InvalidInput(
            f"{written!r} is not a relation type: begin with a letter and use letters, digits "
            "and underscores, for example DEPENDS_ON"
        )
    return normal

"""The closed sets: entity types, relation types and what each record must carry.

A relation type that is not known here is stored all the same; `validate` counts it as a warning.
"""

import re
from enum import StrEnum

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

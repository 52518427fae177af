"""The closed sets: entity types, relation types with all that is known of each, and what each
record must carry.

A relation type that is not known here is stored all the same; `validate` counts it as a warning.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import msgspec

from quipu.errors import InvalidInput
from quipu.tables import read_table
from quipu.text import fold


class EntityType(StrEnum):
    """What a thing is. `NAME` entities live as mention postings, not as rows."""

    DOCUMENT = "Document"
    SYMBOL = "Symbol"
    URL = "URL"
    ENVIRONMENT_VARIABLE = "EnvironmentVariable"
    SETTING = "Setting"
    OPTION = "Option"
    TOOL = "Tool"
    SERVICE = "Service"
    APPLICATION = "Application"
    INFRA = "Infra"
    REGISTRY = "Registry"
    API = "API"
    ENDPOINT = "Endpoint"
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


@dataclass(frozen=True, slots=True)
class RelationRow:
    """What the stages know of a relation type, as `relations.toml` says it; the defaults are of a
    type that is not known.

    sources, targets   what it may come from and go to; empty stands for every type, and a thing
                       of type `custom`, which somebody described in words of their own, fits all
    verb               what stands between source and target in an answer; made from the type's
                       name where empty (DEPENDS_ON: depends on, OWNED_BY: is owned by)
    between_symbols    the verb between two symbols, where it says more
    words              words of a question that asks for it, beyond those of its name
    also               further words of such a question, which planning takes for no sign of it
    outward, inward    expressions that a question for its targets, or for its sources, fits; where
                       both do, `outward` is meant. Without either, all words of its name ask
    keys               keys of front matter that state it
    target, creates    what such a key names, and whether that is made where it is not there yet
    of_page            only a page has it, not the thing that the page is
    inverse            a name under which it is written from its target to its source
    governed           a role is needed to assert it (`records/authority.py`)
    predicates         predicates of facts that say the same, where it is `governed`
    single             a source has one target: where sources differ, they disagree
    cites              a document at the source cites the one at the target
    reason             it may lead from a page to the decision that gives the reason
    weight             how strongly it ties two things into one community; 0 not at all
    """

    sources: frozenset[EntityType] = frozenset()
    targets: frozenset[EntityType] = frozenset()
    verb: str = ""
    between_symbols: str = ""
    words: str = ""
    also: str = ""
    outward: str = ""
    inward: str = ""
    keys: tuple[str, ...] = ()
    target: EntityType | None = None
    creates: bool = False
    of_page: bool = False
    inverse: str = ""
    governed: bool = False
    predicates: tuple[str, ...] = ()
    single: bool = False
    cites: bool = False
    reason: bool = False
    weight: float = 4.0


_UNKNOWN = RelationRow()


class RelationType(StrEnum):
    """How two things are tied, source to target."""

    DEFINED_IN = "DEFINED_IN"
    REFERS_TO = "REFERS_TO"
    LINKS_TO = "LINKS_TO"
    IMPORTS = "IMPORTS"
    EXTENDS = "EXTENDS"
    RAISES = "RAISES"
    OVERRIDES = "OVERRIDES"
    READS_SETTING = "READS_SETTING"
    TAKES_OPTION = "TAKES_OPTION"
    DEPENDS_ON = "DEPENDS_ON"
    OWNED_BY = "OWNED_BY"
    PROVIDES = "PROVIDES"
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

    @property
    def row(self) -> RelationRow:
        """What the stages know of it."""
        return _ROWS.get(self, _UNKNOWN)


def _read_rows() -> dict[str, RelationRow]:
    rows: dict[str, RelationRow] = {}
    for name, table in read_table("quipu.records", "relations.toml").items():
        asked = {key: "|".join(table[key]) for key in ("outward", "inward") if key in table}
        rows[RelationType(name)] = msgspec.convert({**table, **asked}, RelationRow)
    return rows


_ROWS: dict[str, RelationRow] = _read_rows()
"""What is known of each relation type; one that is not there has the defaults."""
_BY_INVERSE = {row.inverse: str(each) for each, row in _ROWS.items() if row.inverse}


def row_of(type: str) -> RelationRow:  # noqa: A002 - the record's own word
    """What is known of a relation type; the defaults of one that is not known."""
    return _ROWS.get(type, _UNKNOWN)


def directed(type: str, source: str, target: str) -> tuple[str, str, str]:  # noqa: A002
    """(type, source, target) as a relation is kept, where it may be written the other way round."""
    known = _BY_INVERSE.get(type)
    return (known, target, source) if known else (type, source, target)


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
    EntityType.APPLICATION,
    EntityType.SERVICE,
    EntityType.OWNER,
    EntityType.POLICY,
    EntityType.ADR,
    EntityType.INFRA,
    EntityType.REGISTRY,
    EntityType.WORKFLOW,
    EntityType.DOCUMENT,
)
"""The types that a graph of a platform has at least one of: `validate --strict` asks for them."""


def wrong_end(type: str, source: str, target: str) -> Literal["source", "target"] | None:  # noqa: A002
    """Which end of a relation of this type cannot be a thing of that type; None where both can."""
    row = row_of(type)
    if row.sources and source not in row.sources and source != EntityType.CUSTOM:
        return "source"
    if row.targets and target not in row.targets and target != EntityType.CUSTOM:
        return "target"
    return None


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

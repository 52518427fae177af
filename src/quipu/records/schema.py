"""The closed sets: entity types, relation types with all that is known of each, and what each
record must carry.

A relation type that is not known here is stored all the same; `validate` counts it as a warning.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from quipu.errors import InvalidInput
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
    """What the stages know of a relation type; the defaults are of a type that is not known.

    sources, targets   what it may come from and go to; empty stands for every type, and a thing
                       of type `custom`, which somebody described in words of their own, fits all
    verb               what stands between source and target in an answer; made from the type's
                       name where empty (DEPENDS_ON: depends on, OWNED_BY: is owned by)
    between_symbols    the verb between two symbols, where it says more
    words              words of a question that asks for it, beyond those of its name
    also               further words of such a question, which planning takes for no sign of it
    outward, inward    patterns of a question that asks for its targets, for its sources; where
                       both fit, `outward` is meant. Without either, all words of its name ask
    keys               keys of front matter that state it
    target, creates    what such a key names, and whether that is made where it is not there yet
    of_page            only a page has it, not the thing that the page is
    inverse            a name under which it is written from its target to its source
    governed           a role is needed to assert it (`records/authority.py`)
    predicates         predicates of facts that say the same
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
_WHO = frozenset({EntityType.OWNER, EntityType.PERSON, EntityType.ORG})
_DOCUMENT, _GOAL, _TASK, _INCIDENT = (
    frozenset({each})
    for each in (EntityType.DOCUMENT, EntityType.GOAL, EntityType.TASK, EntityType.INCIDENT)
)
_CODE = _DOCUMENT | {EntityType.SYMBOL}


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


_ROWS: dict[str, RelationRow] = {
    RelationType.DEFINED_IN: RelationRow(
        targets=_DOCUMENT,
        words="defined definition define declared implemented",
        also="declare implement locate live find contain hold",
        outward=r"\bwhere\b.*\b(?:defined|declared|implemented|located|live|find)\b"
        r"|\bdefinition of\b"
        r"|\b(?:which|what) (?:source )?(?:file|module|document|path|script)s?\b.*"
        r"\b(?:defines?|declares?|contains?|implements?|holds?)\b|\bwhere (?:is|are)\b"
        r"|\bin (?:which|what) (?:file|module)\b|\bwhat file\b|\bwhich file\b",
        inward=r"\b(?:is|are) defined in\b|\bdo(?:es)? .+ define\b",
        single=True,
    ),
    RelationType.REFERS_TO: RelationRow(
        between_symbols="calls",
        words="calls call called uses use used refers caller callers",
        also="user refer reference invoke mention",
        outward=r"\bdo(?:es)? .+ (?:call|use|refer to|invoke|mention)\b"
        r"|\b(?:called|used) by\b.*\?",
        inward=r"\b(?:calls?|uses?|refers? to|references?|invokes?|mentions?|callers? of)\b"
        r"|\busers? of\b|\bused\b|\bcalled\b",
        cites=True,
        reason=True,
        weight=1.0,
    ),
    RelationType.LINKS_TO: RelationRow(
        words="links link linked",
        outward=r"\bdo(?:es)? .+ link to\b|\blinks (?:from|of)\b",
        inward=r"\blinks? to\b",
        cites=True,
        reason=True,
    ),
    RelationType.IMPORTS: RelationRow(
        sources=_CODE,
        targets=_CODE | {EntityType.PACKAGE},
        words="import imports imported",
        outward=r"\bdo(?:es)? .+ import\b|\bimports of\b|\bimported by\b",
        inward=r"\bimports?\b|\bimported\b",
        cites=True,
        weight=3.0,
    ),
    RelationType.EXTENDS: RelationRow(
        sources=frozenset({EntityType.SYMBOL}),
        targets=frozenset({EntityType.SYMBOL}),
        words="extends extend inherits inherit inherited subclass subclasses superclass derives",
        also="class classes base bases derived implement implements interface child children",
        outward=r"\bdo(?:es)? .+ (?:extend|inherit|derive|subclass)\b"
        r"|\b(?:base|super|parent)[ -]?(?:class(?:es)?|types?) of\b"
        r"|\bis .+ (?:derived from|a subclass of)\W*$",
        inward=r"\b(?:extends?|inherits? from|inherit|derives? from|subclass(?:es)?"
        r"|implements?|implementations of)\b",
        weight=3.0,
    ),
    RelationType.RAISES: RelationRow(
        sources=_CODE,
        targets=frozenset({EntityType.SYMBOL}),
        words="raises raise raised throws throw thrown",
        also="exception exceptions error errors",
        outward=r"\bdo(?:es)? .+ (?:raise|throw)\b|\b(?:raised|thrown) (?:by|in)\b"
        r"|\bcan .+ (?:raise|throw)\b",
        inward=r"\b(?:raises?|throws?|raised|thrown)\b",
        weight=1.0,
    ),
    RelationType.OVERRIDES: RelationRow(
        sources=frozenset({EntityType.SYMBOL}),
        targets=frozenset({EntityType.SYMBOL}),
        words="overrides override overridden overriding",
        also="method methods class classes subclass subclasses redefine",
        outward=r"\bdo(?:es)? .+ override\b",
        inward=r"\b(?:overrides?|overridden)\b",
    ),
    RelationType.READS_SETTING: RelationRow(
        sources=_CODE,
        targets=frozenset({EntityType.SETTING, EntityType.ENVIRONMENT_VARIABLE}),
        verb="reads",
        words="reads read setting environment variable",
        also="where used use uses looked consulted config configuration option evaluated",
        outward=r"\b(?:environment variables?|env vars?|settings) do(?:es)? .+ (?:read|use)\b",
        inward=r"\b(?:reads?|used|looked up|consulted|evaluated)\b",
    ),
    RelationType.TAKES_OPTION: RelationRow(
        sources=_CODE,
        targets=frozenset({EntityType.OPTION}),
        verb="takes the option",
        words="option options flag flags switch argument",
        also="command line take takes accept have declared defined",
        outward=r"\b(?:options|flags|switches)\b",
        inward=r"\b(?:which|what) (?:command|function|file|module)s?\b.*\b(?:takes?|accepts?|has)\b"
        r"|\bwhere is\b.*\b(?:declared|defined)\b",
    ),
    RelationType.DEPENDS_ON: RelationRow(
        words="depends depend dependency dependencies needs requires breaks",
        also="rely need require break affect go goes down",
        outward=r"\bdo(?:es)? .+ (?:depend|rely) (?:up)?on\b|\bdependenc(?:y|ies) of\b"
        r"|\bdependencies (?:does|do|are|has|have)\b|\bdo(?:es)? .+ (?:need|require)\b",
        inward=r"\b(?:depends?|rel(?:y|ies)|dependents?) (?:up)?o[nf]\b"
        r"|\b(?:needs?|requires?)\b|\bwhat (?:breaks|is affected)\b",
        cites=True,
    ),
    RelationType.PROVIDES: RelationRow(
        words="provides provide offers offer exposes expose",
        also="api apis interface",
        outward=r"\bdo(?:es)? .+ (?:provide|offer|expose)\b",
        inward=r"\b(?:provides?|offers?|exposes?|provided|offered|exposed)\b",
    ),
    RelationType.OWNED_BY: RelationRow(
        targets=_WHO,
        words="own owner owns team responsible maintainer maintains",
        also="maintain look person group people",
        outward=r"\bwho\b.*\b(?:owns?|maintains?|is responsible|looks after)\b|\bowners? of\b"
        r"|\bwho(?:se| is the owner)\b|\b(?:which|what) (?:team|person|group|people)\b.*"
        r"\b(?:owns?|maintains?|responsible)\b|\bowned by (?:who|which|what)|\bmaintainers? of\b",
        inward=r"\bdo(?:es)? .+ own\b|\bowned by\b|\bmaintained by\b",
        keys=("owner", "owners", "owned_by", "team", "maintainer", "maintainers", "maintained_by"),
        target=EntityType.OWNER,
        creates=True,
        governed=True,
        predicates=(
            "owned by",
            "is owned by",
            "owns",
            "owner",
            "maintained by",
            "is maintained by",
            "maintains",
            "maintainer",
            "manages",
            "is managed by",
        ),
        single=True,
        weight=2.0,
    ),
    RelationType.GOVERNED_BY: RelationRow(
        targets=_DOCUMENT | {EntityType.POLICY},
        words="governed govern policy policies",
        also="rule",
        outward=r"\bgovern(?:s|ed|ing)\b|\b(?:which|what) (?:policy|policies|rules?)\b"
        r"|\bpolic(?:y|ies) (?:for|of|on)\b",
        inward=r"\bdo(?:es)? .+ govern\b|\bgoverned by\b",
        keys=("policy", "policies", "governed_by"),
        target=EntityType.POLICY,
        creates=True,
        governed=True,
        predicates=("governed by", "is governed by", "governs"),
    ),
    RelationType.DECIDED_BY: RelationRow(
        targets=_DOCUMENT | _WHO | {EntityType.ADR},
        verb="was decided by",
        words="decided decision adr decide",
        also="record choose chose",
        outward=r"\bdecided\b|\b(?:which|what) (?:adr|decision|decision record)\b|\bwho chose\b"
        r"|\bdecision (?:for|behind|about|on)\b",
        inward=r"\bdo(?:es)? .+ decide\b|\bdid .+ decide\b|\bdecided by\b",
        keys=("decided_by",),
        target=EntityType.ADR,
        governed=True,
        predicates=("decided by", "is decided by", "was decided by"),
        reason=True,
    ),
    RelationType.SUPERSEDES: RelationRow(
        words="supersedes superseded replaced replaces replace",
        outward=r"\b(?:does|did) .+ (?:supersede|replace)\b",
        inward=r"\bsuperseded?\b|\bsupersedes\b|\breplace[sd]?\b",
        inverse="SUPERSEDED_BY",
        governed=True,
        predicates=("supersedes", "is superseded by", "replaces", "is replaced by"),
    ),
    RelationType.RELATES_TO: RelationRow(
        words="relate relation",
        outward=r"\brelate[sd]? to\b|\brelated\b",
        inward=r"\brelate[sd]? to\b",
        keys=("related",),
        cites=True,
    ),
    RelationType.MENTIONS: RelationRow(weight=0.0),
    RelationType.DESCRIBES: RelationRow(
        words="describe describes",
        also="document documentation read",
        outward=r"\bdo(?:es)? .+ (?:describe|document)\b",
        inward=r"\bdescribes?\b|\bdescribed\b|\bdocumented\b"
        r"|\bdocument(?:s|ation)?\b|\bread about\b",
        keys=("service", "services"),
        target=EntityType.SERVICE,
        creates=True,
        of_page=True,
        cites=True,
    ),
    RelationType.SAME_AS: RelationRow(
        verb="is the same as", words="alias aliases same", weight=20.0
    ),
    RelationType.EXPLAINS: RelationRow(cites=True),
    RelationType.IMPLEMENTS: RelationRow(words="implements implemented implementation", cites=True),
    RelationType.DECISION_FOR: RelationRow(verb="is a decision for"),
    RelationType.EXAMPLE_OF: RelationRow(verb="is an example of"),
    RelationType.REFERENCES: RelationRow(cites=True),
    RelationType.DERIVED_FROM: RelationRow(cites=True),
    RelationType.AUTHORED_BY: RelationRow(
        targets=_WHO,
        words="author authored wrote written",
        outward=r"\bwho\b.*\b(?:wrote|writes|written|authored)\b|\bauthors?\b",
        inward=r"\b(?:did|does|has|have) .+ (?:write|written|author|authored)\b",
        keys=("author", "authors"),
        target=EntityType.PERSON,
        creates=True,
        of_page=True,
        weight=0.0,
    ),
    RelationType.BLOCKS: RelationRow(
        words="blocks blocked blocking",
        also="blocker hold wait way anything something",
        outward=r"\b(?:is|are|do|does|did|has|have) .+ (?:block|blocking|hold(?:ing)? up)\b"
        r"|\bblocked by (?!anything|something)(?=\S)",
        inward=r"\bblock(?:s|ed|ing|ers?)?\b|\bhold(?:s|ing)? up\b|\bin the way of\b"
        r"|\bwait(?:s|ing) for\b",
    ),
    RelationType.HAS_TASK: RelationRow(
        sources=_GOAL,
        targets=_TASK,
        also="goal belong part",
        outward=r"\btasks\b",
        inward=r"\b(?:which|what) goals?\b|\bgoals? (?:of|for|behind)\b"
        r"|\b(?:part of|belongs?) (?:to )?(?:which|what)\b|\bwhat is .+ part of\b",
    ),
    RelationType.HAS_SUBTASK: RelationRow(
        sources=_TASK,
        targets=_TASK,
        also="task parent belong part",
        outward=r"\bsub-?tasks\b|\btasks\b",
        inward=r"\bparent\b|\b(?:sub-?task|part) of (?:which|what)\b"
        r"|\b(?:which|what) task\b.*\bpart of\b|\bwhat is .+ part of\b",
    ),
    RelationType.PART_OF: RelationRow(verb="is part of", words="part contains belongs"),
    RelationType.MODIFIES: RelationRow(weight=0.0),
    RelationType.SIMILAR_TO: RelationRow(sources=_INCIDENT, targets=_INCIDENT),
    RelationType.ESCALATED_FROM: RelationRow(sources=_INCIDENT, targets=_INCIDENT),
    RelationType.CAUSED_BY: RelationRow(
        verb="was caused by",
        words="caused cause causes",
        also="root reason trigger lead",
        outward=r"\b(?:what|which|who)\b(?!.*\bby\b).*\b(?:caused?|causes|triggered|led to)\b"
        r"|\b(?:root )?causes? (?:of|for|behind)\b|\bwhy did\b.*\b(?:fail|break|go down)\b",
        inward=r"\bcaused by\b|\btriggered by\b|\bdid .+ (?:cause|trigger)\b",
    ),
    RelationType.RESOLVED_BY: RelationRow(
        verb="was resolved by",
        words="resolved resolve fixed fix solved cured",
        also="solve cure mitigate help work",
        outward=r"\b(?:what|which|how|who)\b.*\b(?:fix(?:ed|es)?|resolved?|solved?|cured?"
        r"|mitigated?|helped|worked)\b",
    ),
}
"""What is known of each relation type; one that is not here has the defaults."""
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

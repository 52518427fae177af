"""How relations are asked for and said: one table, and a rule for types that are not in it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from quipu.records.record import Entity
from quipu.records.schema import EntityType, RelationType
from quipu.text import fold, name_key, split_identifier, stems

__all__ = [
    "LISTED",
    "WORDINGS",
    "Wording",
    "asks_for",
    "explained",
    "is_understood",
    "is_written",
    "listed",
    "meant",
    "shown",
    "subject_of",
    "verb",
]

LISTED = 8


class Wording(NamedTuple):
    """A relation type in words. `outward` asks for its targets, `inward` for its sources; where
    both patterns match a question, `outward` is meant."""

    one: str
    many: str
    outward: re.Pattern[str] | None
    inward: re.Pattern[str] | None


def _wording(one: str, many: str, outward: str, inward: str) -> Wording:
    flags = re.IGNORECASE | re.DOTALL
    return Wording(
        one,
        many,
        re.compile(outward, flags) if outward else None,
        re.compile(inward, flags) if inward else None,
    )


WORDINGS: dict[str, Wording] = {
    RelationType.OWNED_BY: _wording(
        "is owned by",
        "are owned by",
        r"\bwho\b.*\b(?:owns?|maintains?|is responsible|looks after)\b|\bowners? of\b"
        r"|\bwho(?:se| is the owner)\b|\b(?:which|what) (?:team|person|group|people)\b.*"
        r"\b(?:owns?|maintains?|responsible)\b|\bowned by (?:who|which|what)|\bmaintainers? of\b",
        r"\bdo(?:es)? .+ own\b|\bowned by\b|\bmaintained by\b",
    ),
    RelationType.DEPENDS_ON: _wording(
        "depends on",
        "depend on",
        r"\bdo(?:es)? .+ (?:depend|rely) (?:up)?on\b|\bdependenc(?:y|ies) of\b"
        r"|\bdependencies (?:does|do|are|has|have)\b|\bdo(?:es)? .+ (?:need|require)\b",
        r"\b(?:depends?|rel(?:y|ies)|dependents?) (?:up)?o[nf]\b|\b(?:needs?|requires?)\b",
    ),
    RelationType.IMPORTS: _wording(
        "imports",
        "import",
        r"\bdo(?:es)? .+ import\b|\bimports of\b|\bimported by\b",
        r"\bimports?\b|\bimported\b",
    ),
    RelationType.DEFINED_IN: _wording(
        "is defined in",
        "are defined in",
        r"\bwhere\b.*\b(?:defined|declared|implemented|located|live|find)\b|\bdefinition of\b"
        r"|\b(?:which|what) (?:source )?(?:file|module|document|path|script)s?\b.*"
        r"\b(?:defines?|declares?|contains?|implements?|holds?)\b|\bwhere (?:is|are)\b"
        r"|\bin (?:which|what) (?:file|module)\b|\bwhat file\b|\bwhich file\b",
        r"\b(?:is|are) defined in\b|\bdo(?:es)? .+ define\b",
    ),
    RelationType.REFERS_TO: _wording(
        "refers to",
        "refer to",
        r"\bdo(?:es)? .+ (?:call|use|refer to|invoke|mention)\b|\b(?:called|used) by\b.*\?",
        r"\b(?:calls?|uses?|refers? to|references?|invokes?|mentions?|callers? of|users? of)\b"
        r"|\bused\b|\bcalled\b",
    ),
    RelationType.DECIDED_BY: _wording(
        "was decided by",
        "were decided by",
        r"\bdecided\b|\b(?:which|what) (?:adr|decision|decision record)\b|\bwho chose\b"
        r"|\bdecision (?:for|behind|about|on)\b",
        r"\bdo(?:es)? .+ decide\b|\bdid .+ decide\b|\bdecided by\b",
    ),
    RelationType.GOVERNED_BY: _wording(
        "is governed by",
        "are governed by",
        r"\bgovern(?:s|ed|ing)\b|\b(?:which|what) (?:policy|policies|rules?)\b"
        r"|\bpolic(?:y|ies) (?:for|of|on)\b",
        r"\bdo(?:es)? .+ govern\b|\bgoverned by\b",
    ),
    RelationType.SUPERSEDES: _wording(
        "supersedes",
        "supersede",
        r"\b(?:does|did) .+ (?:supersede|replace)\b",
        r"\bsuperseded?\b|\bsupersedes\b|\breplace[sd]?\b",
    ),
    RelationType.LINKS_TO: _wording(
        "links to", "link to", r"\bdo(?:es)? .+ link to\b|\blinks (?:from|of)\b", r"\blinks? to\b"
    ),
    RelationType.DESCRIBES: _wording(
        "describes",
        "describe",
        r"\bdo(?:es)? .+ (?:describe|document)\b",
        r"\bdescribes?\b|\bdescribed\b|\bdocumented\b|\bdocument(?:s|ation)?\b|\bread about\b",
    ),
    RelationType.BLOCKS: _wording(
        "blocks",
        "block",
        r"\b(?:is|are|do|does|did|has|have) .+ (?:block|blocking|hold(?:ing)? up)\b"
        r"|\bblocked by (?!anything|something)(?=\S)",
        r"\bblock(?:s|ed|ing|ers?)?\b|\bhold(?:s|ing)? up\b|\bin the way of\b"
        r"|\bwait(?:s|ing) for\b",
    ),
    RelationType.HAS_TASK: _wording(
        "has task",
        "have task",
        r"\btasks\b",
        r"\b(?:which|what) goals?\b|\bgoals? (?:of|for|behind)\b"
        r"|\b(?:part of|belongs?) (?:to )?(?:which|what)\b|\bwhat is .+ part of\b",
    ),
    RelationType.HAS_SUBTASK: _wording(
        "has subtask",
        "have subtask",
        r"\bsub-?tasks\b|\btasks\b",
        r"\bparent\b|\b(?:sub-?task|part) of (?:which|what)\b|\b(?:which|what) task\b.*\bpart of\b"
        r"|\bwhat is .+ part of\b",
    ),
    RelationType.RELATES_TO: _wording(
        "relates to", "relate to", r"\brelate[sd]? to\b|\brelated\b", r"\brelate[sd]? to\b"
    ),
}

_SPECIAL = {
    RelationType.PART_OF: "is part of",
    RelationType.EXAMPLE_OF: "is an example of",
    RelationType.DECISION_FOR: "is a decision for",
    RelationType.SAME_AS: "is the same as",
}


# Words that only say what is asked, or what kind of thing a name is; they name nothing.
_ASKING = frozenset(
    stems(
        "owns owner maintain maintainer responsible team person group people look depend "
        "dependency dependencies rely need require import imported define definition declare "
        "implement locate live find file module document documentation path script source code "
        "contain call caller use user refer reference invoke mention decide decision adr choose "
        "chose govern policy policies rule supersede replace link describe relate relation "
        "service package function class method symbol tool library project application app "
        "component list name tell show give know exactly currently thing repository repo many "
        "part"
    )
)


# What each type is asked with, beyond the words that say it; and what asks for a definition.
_RELATION_WORDS: dict[str, str] = {
    RelationType.OWNED_BY: (
        "owns owner maintain maintainer responsible look team person group people"
    ),
    RelationType.DEPENDS_ON: "depend dependency dependencies rely need require",
    RelationType.IMPORTS: "import imported",
    RelationType.DEFINED_IN: "define definition declare implement locate live find contain hold",
    RelationType.REFERS_TO: "call caller use user refer reference invoke mention",
    RelationType.DECIDED_BY: "decide decision adr record choose chose",
    RelationType.GOVERNED_BY: "govern policy policies rule",
    RelationType.SUPERSEDES: "supersede replace",
    RelationType.DESCRIBES: "describe document documentation read",
    RelationType.BLOCKS: "block blocked blocking blocker hold wait way anything something",
    RelationType.HAS_TASK: "have has task goal belong part",
    RelationType.HAS_SUBTASK: "have has task subtask parent belong part",
    EntityType.SYMBOL: (
        "do mean hold return compute represent work happen give contain raise define"
    ),
}
_KINDS = frozenset(
    stems(
        "service package function class method symbol tool library project application app "
        "component file module document path script folder source code name list tell show know "
        "exactly currently thing repository repo part many"
    )
)


def explained(question: str, said: str, kind: str) -> float:
    """The share of the content words of `question` that a statement of `kind` explains: words
    that it says, that ask for such a statement, or that only say what kind of thing is meant."""
    asked = set(stems(question))
    words = _RELATION_WORDS.get(kind) or kind.replace("_", " ").lower()
    known = set(stems(f"{words} {said} {' '.join(split_identifier(said))}")) | _KINDS
    return 1 - len(asked - known) / len(asked) if asked else 0.0


def subject_of(question: str) -> tuple[str, ...]:
    """The stems of `question` that say what it is about: not those that only ask."""
    return tuple(stem for stem in dict.fromkeys(stems(question)) if stem not in _ASKING)


def is_understood(question: str, name: str) -> bool:
    """Whether `question` is about little else than `name` and a relation of it.

    A name that is an ordinary word must account for all of it, a telling one for half.
    """
    left = set(stems(question)) - set(stems(name)) - set(stems(" ".join(split_identifier(name))))
    unsaid = left - _ASKING
    ordinary = name.isalpha() and name.islower()
    return not unsaid if ordinary else len(unsaid) <= len(set(stems(question))) / 2


def is_written(question: str, name: str, *, exact: bool) -> bool:
    """Whether `name` stands in `question` as a whole: not inside a longer name or path. With
    `exact`, a name with capitals (a symbol's) must stand there with them."""
    if not exact or name.casefold() == name:
        question, name = question.casefold(), name.casefold()
    found = re.search(rf"(?<![\w./-]){re.escape(fold(name))}(?![\w/-]|\.\w)", fold(question))
    return found is not None


def meant(question: str, named: Sequence[Entity]) -> list[Entity]:
    """Of what bears the names in `question`, what is meant: the spelling decides where one fits
    to the letter, then the kind ("the class Memory"), and tests come last."""
    lowered = question.casefold()

    def distance(entity: Entity) -> tuple[bool, bool, bool]:
        path, kind = entity.properties.get("path"), entity.properties.get("kind")
        own = [name for name in (entity.name, *entity.aliases) if name]
        letter = any(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", question) for n in own)
        asked = [k for k in ("class", "function", "method") if re.search(rf"\b{k}\b", lowered)]
        of_kind = not asked or entity.type != EntityType.SYMBOL or kind in asked
        in_tests = isinstance(path, str) and path.startswith("test") and "test" not in lowered
        return not letter, not of_kind, in_tests

    best: dict[str, tuple[bool, bool, bool]] = {}
    for entity in named:
        key = name_key(entity.name)
        best[key] = min(best.get(key, (True, True, True)), distance(entity))
    return [e for e in named if distance(e) == best[name_key(e.name)]]


def verb(type: str, count: int) -> str:  # noqa: A002 - the record's own word
    """What is said between the sources (`count` of them) and the targets of a relation."""
    if type in WORDINGS:
        return WORDINGS[type].one if count == 1 else WORDINGS[type].many
    special = {str(kind): said for kind, said in _SPECIAL.items()}.get(type)
    words = type.lower().split("_")
    said = special or " ".join(words)
    if not special and len(words) > 1 and words[0].endswith("ed"):
        said = f"is {said}"
    if count == 1:
        return said
    if said.startswith("is "):
        return f"are {said[3:]}"
    first, _, rest = said.partition(" ")
    return f"{first.removesuffix('s')} {rest}".strip()


def asks_for(question: str, type: str) -> tuple[bool, bool]:  # noqa: A002
    """Whether `question` asks for (targets, sources) of the relations of `type`.

    A type outside the table is asked for, both ways, when the question has all its words.
    """
    known = WORDINGS.get(type)
    if known is None:
        words = set(stems(type.replace("_", " ").lower()))
        asked = bool(words) and words <= set(stems(question))
        return asked, asked
    outward = known.outward is not None and known.outward.search(question) is not None
    inward = known.inward is not None and known.inward.search(question) is not None
    return outward, inward and not outward


def shown(entity: Entity | None, fallback: str) -> str:
    """How a person reads the name of `entity`: code in backticks, documents by their path."""
    if entity is None:
        return f"`{fallback}`"
    name = entity.name
    if entity.type == EntityType.DOCUMENT:
        path = entity.properties.get("file_path")
        name = path if isinstance(path, str) and path else name
    if entity.type in (EntityType.GOAL, EntityType.TASK):
        title = entity.properties.get("title")
        said = f" ({title})".replace("`", "'") if isinstance(title, str) and title else ""
        return f"`{name.replace('`', chr(39))}`{said}"
    if name.startswith("@") or (entity.type == EntityType.OWNER and "`" not in name):
        return name
    return f"`{name.replace('`', chr(39))}`"


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`; beyond eight the rest is counted."""
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])} and {len(names) - LISTED} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"

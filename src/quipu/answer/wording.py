"""How relations are asked for and said, from the rows of their types (`records/schema.py`)."""

import re
from collections.abc import Sequence
from functools import cache

from quipu.answer.quote import code_span
from quipu.records.record import Entity
from quipu.records.schema import EntityType, RelationType, row_of
from quipu.text import fold, name_key, stems, stems_in_parts

__all__ = [
    "LISTED",
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


# What a name may be, and words that only ask: they name nothing.
_KIND_WORDS = (
    "service package function class method symbol tool library project application app "
    "component file module document path script folder source code name list tell show know "
    "exactly currently thing repository repo part many"
)
_KINDS = frozenset(stems(_KIND_WORDS))
# Words that ask for relations or say what a thing is, and may as well be what is asked about.
_TELLING = (
    "alias aliases anything author authored belongs blocked blocker folder goal hold parent read "
    "record same something subtask task wait way written wrote"
)
_ASKING = frozenset(
    stems(" ".join(("give", _KIND_WORDS, *(f"{r.row.words} {r.row.also}" for r in RelationType))))
) - frozenset(stems(_TELLING))
# What asks for the definition of a symbol.
_OF_SYMBOLS = "do mean hold return compute represent work happen give contain raise define"
# A clause beside what is asked: "what does it return when nothing overrides it?".
_SUBORDINATE = re.compile(
    r"^(\W*(?:which|what|who|where|how)\b.+?),? (?:when|if|unless|while|because)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_MANY = {"is": "are", "was": "were", "has": "have"}


def explained(question: str, said: str, kind: str) -> float:
    """The share of the content words of `question` that a statement of `kind` explains: words
    that it says, that ask for such a statement, or that only say what kind of thing is meant."""
    asked = set(stems(question))
    row = row_of(kind)
    words = _OF_SYMBOLS if kind == EntityType.SYMBOL else f"{_name(kind)} {row.words} {row.also}"
    known = set(stems(words)) | set(stems_in_parts(said)) | _KINDS
    return 1 - len(asked - known) / len(asked) if asked else 0.0


def subject_of(question: str) -> tuple[str, ...]:
    """The stems of `question` that say what it is about: not those that only ask."""
    return tuple(stem for stem in dict.fromkeys(stems(question)) if stem not in _ASKING)


def is_understood(question: str, name: str) -> bool:
    """Whether `question` is about little else than `name` and a relation of it.

    A name that is an ordinary word must account for all of it, a telling one for half.
    """
    left = set(stems(question)) - set(stems_in_parts(name))
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


def verb(type: str, count: int, *, symbols: bool = False) -> str:  # noqa: A002
    """What is said between the sources (`count` of them) and the targets of a relation, which may
    all be `symbols`."""
    row = row_of(type)
    said = (symbols and row.between_symbols) or row.verb or _name(type)
    first, _, rest = said.partition(" ")
    if said == _name(type) and rest and first.endswith("ed"):
        first, rest = "is", said
    if count != 1:
        first = _MANY.get(first, first.removesuffix("s"))
    return f"{first} {rest}".strip()


def _name(type: str) -> str:  # noqa: A002
    return type.replace("_", " ").lower()


def asks_for(question: str, type: str) -> tuple[bool, bool]:  # noqa: A002
    """Whether `question` asks for (targets, sources) of the relations of `type`.

    A type without patterns is asked for, both ways, when the question has all its words.
    """
    row = row_of(type)
    if not (row.outward or row.inward):
        words = set(stems(_name(type)))
        asked = bool(words) and words <= set(stems(question))
        return asked, asked
    question = " ".join(_of_records(row.words).sub(" ", question).split())
    question = _SUBORDINATE.sub(r"\1", question)
    outward = _fits(row.outward, question) or _is_asked_last(row.words).match(question) is not None
    return outward, not outward and _fits(row.inward, question)


@cache
def _is_asked_last(words: str) -> re.Pattern[str]:
    """What asks for what comes after the verb: "Till extends which class?"."""
    verbs = "|".join(re.escape(word) for word in words.split()) or "(?!)"
    return re.compile(
        rf"(?!\W*(?:which|what|who|where|when|why|how)\b).+\b(?:{verbs})\s+(?:\w+\s+)?(?:which|what)\b",
        re.IGNORECASE | re.DOTALL,
    )


@cache
def _of_records(words: str) -> re.Pattern[str]:
    """What somebody may do themselves, which asks for no relation between records: "what should
    I use", "the function to call", ", use what?"."""
    verbs = "|".join(re.escape(word) for word in words.split()) or "(?!)"
    return re.compile(
        rf"\b(?:I|you|(?:should|can|could|must|may|might|shall) we)\s+(?:\w+\s+)??(?:{verbs})\b"
        rf"|\bto\s+(?:{verbs})\b|(?:^|[,;:.])\s*(?:{verbs})\s+(?:what|which)\b",
        re.IGNORECASE,
    )


def _fits(pattern: str, question: str) -> bool:
    return bool(pattern) and _compiled(pattern).search(question) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def shown(entity: Entity | None, fallback: str) -> str:
    """How a person reads the name of `entity`: code in backticks, documents by their path."""
    if entity is None:
        return code_span(fallback)
    name = entity.name
    if entity.type == EntityType.DOCUMENT:
        path = entity.properties.get("file_path")
        name = path if isinstance(path, str) and path else name
    if entity.type in (EntityType.GOAL, EntityType.TASK):
        title = entity.properties.get("title")
        said = f" ({title})" if isinstance(title, str) and title else ""
        return f"{code_span(name)}{said}"
    if name.startswith("@") or (entity.type == EntityType.OWNER and "`" not in name):
        return name
    return code_span(name)


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`; beyond eight the rest is counted."""
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])} and {len(names) - LISTED} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"

"""How relations are asked for and said, from the rows of their types (`records/schema.py`)."""

import re
from collections.abc import Sequence

from quipu.answer.quote import code_span
from quipu.question import Question
from quipu.question.asked_for import ASKING, KIND_STEMS
from quipu.records.record import Entity
from quipu.records.schema import EntityType, row_of
from quipu.text import fold, name_key, stems, stems_in_parts

__all__ = [
    "LISTED",
    "explained",
    "is_understood",
    "is_written",
    "listed",
    "meant",
    "shown",
    "verb",
]

LISTED = 8


# What asks for the definition of a symbol.
_OF_SYMBOLS = "do mean hold return compute represent work happen give contain raise define"
_MANY = {"is": "are", "was": "were", "has": "have"}


def explained(question: Question, said: str, kind: str) -> float:
    """The share of the content words of `question` that a statement of `kind` explains: words
    that it says, that ask for such a statement, or that only say what kind of thing is meant."""
    asked, row = question.stem_set, row_of(kind)
    words = _OF_SYMBOLS if kind == EntityType.SYMBOL else f"{_name(kind)} {row.words} {row.also}"
    known = {*stems(words), *stems_in_parts(said), *KIND_STEMS}
    return 1 - len(asked - known) / len(asked) if asked else 0.0


def is_understood(question: Question, name: str) -> bool:
    """Whether `question` is about little else than `name` and a relation of it.

    A name that is an ordinary word must account for all of it, a telling one for half.
    """
    unsaid = question.stem_set - set(stems_in_parts(name)) - ASKING
    ordinary = name.isalpha() and name.islower()
    return not unsaid if ordinary else len(unsaid) <= len(question.stems) / 2


def is_written(question: Question, name: str, *, exact: bool) -> bool:
    """Whether `name` stands in `question` as a whole: not inside a longer name or path. With
    `exact`, a name with capitals (a symbol's) must stand there with them."""
    text = question.text
    if not exact or name.casefold() == name:
        text, name = text.casefold(), name.casefold()
    found = re.search(rf"(?<![\w./-]){re.escape(fold(name))}(?![\w/-]|\.\w)", fold(text))
    return found is not None


def meant(question: Question, named: Sequence[Entity]) -> list[Entity]:
    """Of what bears the names in `question`, what is meant: the spelling decides where one fits
    to the letter, then the kind ("the class Memory"), and tests come last."""
    asked = question.words & {"class", "function", "method"}
    of_tests = "test" in question.text.casefold()

    def distance(entity: Entity) -> tuple[bool, bool, bool]:
        path, kind = entity.properties.get("path"), entity.properties.get("kind")
        own = [name for name in (entity.name, *entity.aliases) if name]
        letter = any(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", question.text) for n in own)
        of_kind = not asked or entity.type != EntityType.SYMBOL or kind in asked
        in_tests = isinstance(path, str) and path.startswith("test") and not of_tests
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


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """`a`, `a and b`, `a, b and c`; beyond `most` the rest is counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)

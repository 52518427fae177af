"""What a question asks for: a time, a reason, a relation, yes or no, the past."""

import re
from functools import cache
from typing import Any, Literal, TypeAlias, cast

from quipu.patterns import late
from quipu.records.schema import RelationType, row_of
from quipu.tables import read_table
from quipu.text import stems

__all__ = [
    "ASKING",
    "CODE_NOISE",
    "KIND_STEMS",
    "AnswerType",
    "Needed",
    "answer_type_of",
    "asks_for",
    "needed_in_answer",
    "says",
]

AnswerType: TypeAlias = Literal["time", "reason", "thing", "any"]
Needed: TypeAlias = Literal["number", "moment"]

_TABLE: dict[str, dict[str, Any]] = read_table("quipu.question", "asked_for.toml")


def _patterns(table: str) -> dict[str, re.Pattern[str]]:
    """The rows of a table, each as one expression."""
    rows = _TABLE[table].items()
    return {name: late("|".join(row), re.IGNORECASE | re.DOTALL) for name, row in rows}


_TYPES = cast("dict[AnswerType, re.Pattern[str]]", _patterns("type"))
_SAYS = _patterns("says")
KIND_STEMS = frozenset(stems(_TABLE["words"]["kinds"]))
_RELATIONS = " ".join(f"{each.row.words} {each.row.also}" for each in RelationType)
ASKING = frozenset(stems(f"give {_TABLE['words']['kinds']} {_RELATIONS}")) - frozenset(
    stems(_TABLE["words"]["telling"])
)
CODE_NOISE = frozenset(_TABLE["words"]["code"].split())
"""What every question about code says and no code answers by."""
# A clause beside what is asked: "what does it return when nothing overrides it?".
_SUBORDINATE = re.compile(
    r"^(\W*(?:which|what|who|where|how)\b.+?),? (?:when|if|unless|while|because)\b.*$",
    re.IGNORECASE | re.DOTALL,
)


def answer_type_of(text: str) -> AnswerType:
    """Return the type of answer that `text` wants."""
    found: AnswerType | None = next((t for t, asks in _TYPES.items() if asks.search(text)), None)
    return found or "any"


def needed_in_answer(text: str) -> Needed | None:
    """Return what stands in every answer to `text`: a number to how many there are, a moment to
    when something was; None where no such thing must."""
    kinds: tuple[Needed, ...] = ("number", "moment")
    return next((kind for kind in kinds if _SAYS[kind].search(text)), None)


def says(kind: str, question: str) -> bool:
    """Whether a question is of a kind that the table `says` has words for."""
    return _SAYS[kind].search(question) is not None


def asks_for(question: str, type: str) -> tuple[bool, bool]:  # noqa: A002
    """Whether `question` asks for (targets, sources) of the relations of `type`.

    A type without patterns is asked for, both ways, when the question has all its words.
    """
    row = row_of(type)
    if not (row.outward or row.inward):
        words = set(stems(type.replace("_", " ")))
        asked = bool(words) and words <= set(stems(question))
        return asked, asked
    question = " ".join(_own_doing(row.words).sub(" ", question).split())
    question = _SUBORDINATE.sub(r"\1", question)
    outward = _fits(row.outward, question)
    return outward, not outward and _fits(row.inward, question)


@cache
def _own_doing(words: str) -> re.Pattern[str]:
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

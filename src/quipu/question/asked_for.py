"""What a question asks for: a type of answer, a kind of thing, a relation, yes or no, the past."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, TypeAlias

from quipu.records.schema import RelationType, row_of
from quipu.text import stems

__all__ = [
    "ASKING",
    "KIND_STEMS",
    "AnswerType",
    "Kind",
    "answer_type_of",
    "asks_for",
    "asks_of_past",
    "asks_yes_or_no",
    "kind_of",
    "subject_of",
    "takes_yes_or_no",
]

AnswerType: TypeAlias = Literal["number", "time", "place", "reason", "definition", "any"]
Kind: TypeAlias = Literal[
    "class",
    "function",
    "version",
    "default",
    "number",
    "person",
    "date",
    "condition",
    "money",
    "variable",
]

# "when" asks before a verb or at the end; elsewhere it only tells a circumstance.
_ASKED_BY = (
    r"\bwhen(?:'s|’s| (?:is|are|was|were|do|does|did|will|would|should|can|could|must|may|has|have"
    r"|had|to))\b|\bwhen\W*$"
)
_ANSWERS: dict[AnswerType, str] = {
    "number": r"\bhow much\b",
    "time": rf"{_ASKED_BY}|\bsince when\b|\b(?:what|which) (?:year|date|day|month|time)\b",
    "place": r"^\W*where\b",
    "reason": r"\bwhy\b|\bwhat (?:is the )?reason\b|^\W*reason\b|\b(?:reason|cause)\W*$"
    r"|\bwhat causes\b",
    "definition": r"\bwhat (?:is|are|was|were)\b|\bdefine\b|\bmeaning of\b"
    r"|\bwhat (?:does|do)\b(?!.*\b(?:on|from|to|by|with|for|in)\W*$)",
}
_ANSWER_TYPES: list[tuple[AnswerType, re.Pattern[str]]] = [
    (answer_type, re.compile(pattern, re.IGNORECASE)) for answer_type, pattern in _ANSWERS.items()
]
_PAST = re.compile(
    r"(?<!-)\b(?:originally|initially|at first|before|previous(?:ly)?|used to|earlier|ago|did|was|"
    r"were|had|old|formerly|since|until|history|changed?|first|back then|last)\b(?!-)"
    r"|\b(?:19|20)\d\d\b"
)

_VERB = r"(?:do|does|did|is|are|was|were|has|have|had|can|could|must|may|should|will|would)\b"
_WHICH = rf"\b(?:which|what) (?:(?!{_VERB})\w+ ){{0,2}}?"
_QUESTIONS: dict[Kind, str] = {
    "variable": rf"{_WHICH}environment variables?\b",
    "money": r"\b(?:price|salary|fee|revenue) (?:of|for|per)\b"
    r"|\bhow much (?:does|do|is|are) .+ cost\b|\bcosts? of\b",
    "default": r"\b(?:is|are) the default\b|\bdefault(?: \w+)? (?:of|for|is|does)\b"
    r"|^\W*default (?!(?:to|when|if|in|as)\b)\w+|\bdefaults? to\b"
    r"|\bwhat (?:\w+ )?defaults?\b|\bby default\b",
    "version": rf"{_WHICH}(?:version|release)s?\b|\bversion of\b",
    "class": rf"{_WHICH}(?:class(?:es)?|exceptions?|errors?|structs?|interfaces?|types?)\b",
    "function": rf"{_WHICH}(?:functions?|methods?|decorators?|procedures?)\b",
    "number": r"\bhow (?:many|old|long|large|big|fast|far|often|high)\b|\b(?:which|what) "
    r"(?:\w+ ){0,2}?(?:number|size|percentage|port|limit|timeout|maximum|minimum|interval"
    r"|(?:exit|status|error|return) code|half-life)\b"
    r"|\bis the (?:\w+ )?(?:number|size|percentage|port|limit|timeout"
    r"|maximum|minimum|interval|half-life)\b",
    "person": r"\bwho(?:m|se)?\b",
    "date": r"\bwhen (?:was|were|did|had)\b|\b(?:which|what) (?:year|date|day|month)\b",
    "condition": r"\bwhen (?:is|are|does|do|should|will|can|must)\b",
}
_KINDS_ASKED: list[tuple[Kind, re.Pattern[str]]] = [
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _QUESTIONS.items()
]
_BEGINS_AT_ANY_TIME = re.compile(
    r"\W*(?:(?:and|but|so|then|well|hey|ok)\b\W*)*(?:do|does|did|is|are|am|was|were|has|have|had|will"
    r"|would|can|could|should|shall|may|might|must)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b(?! not\b)", re.IGNORECASE)
"""Asks which of two."""
_INDIRECT = re.compile(r"\byou (?:tell|show|remind|know|remember|recall|say)\b", re.IGNORECASE)
"""Asks for what somebody is to tell: "can you tell me where …"."""
_BEGINS_NOW = re.compile(r"\W*(?:does|do|is|are|am|has|have)\b", re.IGNORECASE)
# What a name may be, and words that only ask: they name nothing.
_KIND_WORDS = (
    "service package function class method symbol tool library project application app "
    "component file module document path script folder source code name list tell show know "
    "exactly currently thing repository repo part many"
)
KIND_STEMS = frozenset(stems(_KIND_WORDS))
# Words that ask for relations or say what a thing is, and may as well be what is asked about.
_TELLING = (
    "alias aliases anything author authored belongs blocked blocker folder goal hold parent read "
    "record same something subtask task wait way written wrote"
)
ASKING = frozenset(
    stems(" ".join(("give", _KIND_WORDS, *(f"{r.row.words} {r.row.also}" for r in RelationType))))
) - frozenset(stems(_TELLING))
# A clause beside what is asked: "what does it return when nothing overrides it?".
_SUBORDINATE = re.compile(
    r"^(\W*(?:which|what|who|where|how)\b.+?),? (?:when|if|unless|while|because)\b.*$",
    re.IGNORECASE | re.DOTALL,
)


def answer_type_of(text: str) -> AnswerType:
    """Return the type of answer that `text` wants."""
    for answer_type, pattern in _ANSWER_TYPES:
        if pattern.search(text):
            return answer_type
    return "any"


def kind_of(question: str) -> Kind | None:
    """The kind of thing that `question` asks for; None where no text shows it."""
    return next((kind for kind, pattern in _KINDS_ASKED if pattern.search(question)), None)


def takes_yes_or_no(question: str) -> bool:
    """Whether a question is answered by yes or no, whatever time it asks about."""
    begins = _BEGINS_AT_ANY_TIME.match(question) is not None
    return begins and not _OR.search(question) and not _INDIRECT.search(question)


def asks_yes_or_no(question: str) -> bool:
    """Whether a question about the present is answered by yes or no."""
    return _BEGINS_NOW.match(question) is not None


def asks_of_past(question: str) -> bool:
    """Whether a question may be about what was, so that what holds no more answers it as well."""
    return _PAST.search(question.lower()) is not None


def subject_of(stems: Sequence[str]) -> tuple[str, ...]:
    """Return the stems of a question that say what it is about: not those that only ask."""
    return tuple(stem for stem in stems if stem not in ASKING)


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

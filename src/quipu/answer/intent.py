"""What a question asks: its content words, the kind of answer it wants, the names in it."""

import re
from typing import Literal, NamedTuple, TypeAlias

from quipu.answer.answer_type import Kind, kind_asked
from quipu.answer.wording import subject_of
from quipu.question import read_question
from quipu.records.mentions import names_in
from quipu.text import STOP_WORDS, fold, looks_like_identifier, stems, tokens

__all__ = ["AnswerType", "Asked", "asks_of_past", "understand", "wants"]

AnswerType: TypeAlias = Literal[
    "person", "place", "time", "number", "path", "definition", "reason", "manner", "any"
]

# "when" asks before a verb or at the end; elsewhere it only tells a circumstance.
_ASKED_BY = (
    r"\b{0}(?:'s|’s| (?:is|are|was|were|do|does|did|will|would|should|can|could|must|may|has|have"
    r"|had|to))\b|\b{0}\W*$"
)
_KINDS: dict[AnswerType, str] = {
    "path": r"\b(?:which|what) (?:(?!of\b)\w+ ){0,2}?(?:file|module|path|folder|document|script)\b"
    r"|\blocation(?: of\b|\W*$)|\bwhere "
    r"(?:is|are)\b.*\b(?:defined|declared|implemented|configured|set|documented)\b",
    "number": r"\bhow (?:many|much|long|large|big|old|often|far|fast)\b|\bwhat "
    r"(?:number|size|percentage|version|port|limit|timeout)\b",
    "time": rf"{_ASKED_BY.format('when')}|\bsince when\b"
    r"|\b(?:what|which) (?:year|date|day|month|time)\b",
    "place": rf"^\W*where\b|{_ASKED_BY.format('where')}"
    r"|\b(?:what|which) (?:city|country|place|state|town|region)\b",
    "person": r"\bwho(?:m|se)?\b|\b(?:which|what) (?:person|team|author)\b",
    "reason": r"\bwhy\b|\bwhat (?:is the )?reason\b|^\W*reason\b|\b(?:reason|cause)\W*$"
    r"|\bwhat causes\b",
    "manner": r"\bhow (?:do|does|can|to|is|are|should)\b|\bhow\W*$",
    "definition": r"\bwhat (?:is|are|was|were)\b|\bdefine\b|\bmeaning of\b"
    r"|\bwhat (?:does|do)\b(?!.*\b(?:on|from|to|by|with|for|in)\W*$)",
}
_PATTERNS: list[tuple[AnswerType, re.Pattern[str]]] = [
    (answer_type, re.compile(pattern, re.IGNORECASE)) for answer_type, pattern in _KINDS.items()
]
_HINTS: dict[AnswerType, re.Pattern[str]] = {
    "person": re.compile(r"\b[A-Z][\w'’-]+ (?:[A-Z][\w.'’-]* ?){1,3}|@[\w/-]+"),
    "place": re.compile(r"\b(?:in|at|to|from|near|of) [A-Z]\w+|\b[\w-]+/[\w./-]+"),
    "time": re.compile(
        r"\b1\d{3}\b|\b20\d{2}\b|\b(?:January|February|March|April|May|June|July|August|September"
        r"|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b"
    ),
    "number": re.compile(r"\b\d[\d.,]*\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b"),
    "path": re.compile(r"[\w.-]+/[\w./-]+|\b\w+\.(?:py|md|toml|ya?ml|json|js|ts|go|rs|java|sql)\b"),
    "definition": re.compile(r"\b(?:is|are|was|were|means|refers to) (?:an?|the|one)\b"),
    "reason": re.compile(
        r"\b(?:because|since|so that|in order to|due to|therefore|why|never|otherwise|avoids?"
        r"|avoided|prevents?|lest|too (?:slow|large|many|much|often)|the reason)\b|, so\b",
        re.IGNORECASE,
    ),
    "manner": re.compile(r"`|\b(?:by|using|with|run|call|use|set)\b", re.IGNORECASE),
}
# What stands between two marks of one kind; a mark inside a word is an apostrophe.
_QUOTED = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|`([^`\n]{2,200})`|«([^»\n]{2,200})»"
    r"|(?<!\w)'([^'\n]{2,200})'(?!\w)|‘([^’\n]{2,200})’(?!\w)"
)
_LONGEST_NAME = 4
_WORDLIKE = re.compile(r"@?[\w$][\w$./:@-]*(?:\(\))?")
_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]*(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z0-9][\w'’-]*)*")


_DETERMINERS = frozenset(
    "a an the my our your his her its their this these those all every each any some no one "
    "two three several many multiple another more".split()
)
_ASKING = frozenset(
    "compare define describe enumerate explain find give list name show summarize tell".split()
)
_CHANGED = re.compile(
    r"\w+ (?:(?!(?:of|for|is|are|was|were|do|does|did|that|which|when|what|who|how|why)\b)"
    r"[^\s?]+ )+?"
    r"(?:to|from|into|onto|instead of|without|automatically)\b[^?]*$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?<!-)\b(?:originally|initially|at first|before|previous(?:ly)?|used to|earlier|ago|did|was|"
    r"were|had|old|formerly|since|until|history|changed?|first|back then|last)\b(?!-)"
    r"|\b(?:19|20)\d\d\b"
)


class Asked(NamedTuple):
    """A question as the writer sees it; `names` are written as in the question, `subject` holds
    the stems that say what it is about; `kind` is the kind of thing a text must name to answer,
    where there is one; `versions` are as in `quipu.question.Question`."""

    text: str
    stems: tuple[str, ...]
    answer_type: AnswerType
    names: tuple[str, ...]
    subject: tuple[str, ...] = ()
    kind: Kind | None = None
    versions: tuple[str, ...] = ()


def understand(question: str) -> Asked:
    """What `question` asks; only its first 2,000 characters are looked at."""
    text = question[:2000]
    found, kind = tuple(dict.fromkeys(stems(text))), kind_asked(text)
    read = read_question(text)
    return Asked(
        text=text,
        stems=found,
        answer_type=_answer_type(text),
        names=_names(text),
        subject=subject_of(text),
        kind=kind,
        versions=read.versions,
    )


def asks_of_past(question: str) -> bool:
    """Whether a question may be about what was, so that what holds no more answers it as well."""
    return _PAST.search(question.lower()) is not None


def wants(answer_type: AnswerType, text: str) -> bool:
    """Whether `text` holds the kind of thing that is wanted."""
    hint = _HINTS.get(answer_type)
    return hint is not None and hint.search(text) is not None


def _answer_type(text: str) -> AnswerType:
    for answer_type, pattern in _PATTERNS:
        if pattern.search(text):
            return answer_type
    return "manner" if _is_command(text) or _is_change(text) else "any"


def _is_command(text: str) -> bool:
    """Whether `text` bids something be done ("hide the banner"): only a verb stands at the
    beginning before an article or the like."""
    words = text.split(maxsplit=2)
    return (
        len(words) == 3
        and words[0].isalpha()
        and words[0].lower() not in STOP_WORDS | _ASKING
        and words[1].lower() in _DETERMINERS
    )


def _is_change(text: str) -> bool:
    """Whether `text` bids something be changed ("turn A into B", "remove A from B"): it begins with
    no form of a verb but the bare one, and what it is brought to comes before any "of"."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return (
        first.isalpha()
        and first.lower() not in STOP_WORDS | _ASKING
        and not first.lower().endswith(("ing", "ed", "s"))
        and _CHANGED.match(text) is not None
    )


def _quoted(text: str) -> list[str]:
    return [match[match.lastindex or 0].strip() for match in _QUOTED.finditer(text)]


def _without_messages(match: re.Match[str]) -> str:
    """What is quoted, where it may be a name; blank where it is a message of several words."""
    said = match[match.lastindex or 0]
    return match.group() if len(said.split()) <= _LONGEST_NAME else " "


def _names(text: str) -> tuple[str, ...]:
    found = [said for said in _quoted(text) if len(said.split()) <= _LONGEST_NAME]
    text = _QUOTED.sub(_without_messages, text)
    for match in _WORDLIKE.finditer(text):
        word = match.group().rstrip(".:-/")
        if looks_like_identifier(word) or "/" in word or word.startswith("@"):
            found.append(word)
    found += names_in(text)
    for match in _CAPITALISED.finditer(text):
        name = match.group()
        words = [t.word for t in tokens(name)]
        at_start = not text[: match.start()].strip()
        if at_start and (words[0] in STOP_WORDS or len(words) == 1):
            name = name.partition(" ")[2]
        if any(t.word not in STOP_WORDS for t in tokens(name)):
            found.append(name)
    kept = [
        n for n in dict.fromkeys(found) if not any(n != o and fold(n) in fold(o) for o in found)
    ]
    return tuple(kept)

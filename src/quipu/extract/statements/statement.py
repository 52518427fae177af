"""A statement read by rule: who or what, how, what; when; and the characters it was read from."""

import re
from typing import NamedTuple

import msgspec

from quipu.tables import read_table
from quipu.text import STOP_WORDS, fold, lower, name_key, tokens

__all__ = [
    "CHANGE",
    "CONFIDENCE",
    "RULE",
    "WORDS",
    "Statement",
    "clean",
    "is_name",
    "may_be_place",
    "singular",
]

RULE, CHANGE = "grammar", "change"
"""The rules of what grammar reads: a state, and one that took another's place."""
CONFIDENCE = 0.85
"""How sure it is."""

_LONGEST_SUBJECT = 12
_LONGEST_OBJECT = 24
_ACTING = re.compile(r"(?:ed|ing)$")
_LEADING = re.compile(
    r"^(?:(?:and|but|so|also|then|now|however|currently|today|the|a|an|our|my)\s+)+",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"\b[A-Z](?:\.[A-Z])+$")
_EDGE = " \t\r\n,;:.!?\"'“”‘’()[]*_`-–—>#|"

_LONGEST_PLACE = 4


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file, which says what each key means."""

    pronouns: frozenset[str]
    links: frozenset[str]
    no_places: frozenset[str]
    pointing: frozenset[str]
    be: frozenset[str]
    helping: frozenset[str]
    stopping: frozenset[str]
    starting: frozenset[str]
    moving: frozenset[str]
    setting: frozenset[str]
    needs_a_name: frozenset[str]
    roles: frozenset[str]
    attributes: dict[str, str]
    lemmas: dict[str, str]


def _loaded() -> _Words:
    read = read_table("quipu.extract.statements", "english.toml").items()
    return msgspec.convert({k: v.split() if isinstance(v, str) else v for k, v in read}, _Words)


WORDS = _loaded()


class Statement(NamedTuple):
    """`start` and `end` count characters of the text it was read from. `rule` names what read it.
    Only `valid_to` means that it ended then. `confidence` in [0, 1] is the rule's own. `single`
    tells that the wording leaves room for one value only. With `noun` the predicate is one
    ("budget"), else a verb ("lives in"). `since` tells that it has been so from `valid_from` to
    when it is said; `purpose` for what it is used.
    """

    subject: str
    predicate: str
    object: str
    valid_from: str | None
    valid_to: str | None
    start: int
    end: int
    rule: str
    confidence: float
    single: bool = False
    noun: bool = False
    since: bool = False
    purpose: str = ""


def clean(phrase: str) -> str:
    """A phrase without the marks and small words around it, on one line."""
    flat = " ".join(phrase.split()).strip(_EDGE)
    return _restored(phrase, flat)


def _restored(phrase: str, flat: str) -> str:
    """Keep the dot of an abbreviation and a closing bracket that was opened inside."""
    if flat.count("(") > flat.count(")") and ")" in phrase:
        flat += ")"
    if _INITIALS.search(flat):
        flat += "."
    return flat


def singular(phrase: str) -> str:
    """A subject as it is known: without "the", "our" or "now" before it."""
    return clean(_LEADING.sub("", clean(phrase)))


def is_name(phrase: str, *, longest: int = _LONGEST_SUBJECT) -> bool:
    """Whether a phrase can be what a statement is about: a name in capitals, or up to four plain
    words that are no clause; never a pronoun."""
    words = [token.word for token in tokens(phrase)]
    if not words or len(words) > longest or words[0] in WORDS.pronouns:
        return False
    if name_key(phrase).isdigit() or any(mark in phrase for mark in ";?\n"):
        return False
    if "," in phrase and not _titled(phrase):
        return False
    written = [word.strip(_EDGE) for word in phrase.split()]
    if all(not w or not w[0].islower() or w in WORDS.links or not w.isalpha() for w in written):
        return written[0].lower() not in STOP_WORDS or len(written) > 1
    plain = len(words) <= 4 and not any(word in STOP_WORDS for word in words)
    # "billing service": an activity may lead a name of two or three words, as nothing else may.
    led = 1 if len(words) <= 3 and words[0].endswith("ing") else 0
    return plain and not any(_ACTING.search(word) for word in words[led:-1])


def is_object(phrase: str) -> bool:
    """Whether a phrase can be what is said: not blank, not a question, not a paragraph."""
    count = len(tokens(phrase))
    return 0 < count <= _LONGEST_OBJECT and not phrase.rstrip().endswith("?")


def _titled(phrase: str) -> bool:
    """Commas belong to a name when what follows each of them has a capital or is a number."""
    parts = [part.strip() for part in phrase.split(",")]
    return (
        "?" not in phrase
        and ";" not in phrase
        and all(part and (part[0].isupper() or part[0].isdigit()) for part in parts)
    )


def lowered(text: str) -> str:
    """Folded and lower-cased, the same length."""
    return lower(fold(text))


def may_be_place(name: str) -> bool:
    """Whether `name` is written as a place is: each word with one capital, at its beginning
    ("New York"), and none of it known for something else."""
    words = name.replace("-", " ").split()
    return (
        0 < len(words) <= _LONGEST_PLACE
        and all(word.isalpha() and word[0].isupper() and word[1:].islower() for word in words)
        and not any(word.lower() in WORDS.no_places for word in words)
    )

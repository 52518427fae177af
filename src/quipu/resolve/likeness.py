"""Whether two names may be written for one thing: what in the letters says so.

Names whose brackets differ ("Mercury (planet)", "Mercury (element)"), that are the same name, or
that hold different numbers are never alike: those are homonyms and series.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from quipu.records.mentions import key_words
from quipu.text import fold, name_key, split_identifier, stem_words

__all__ = ["Likeness", "ReadName", "all_initials", "homonyms", "likeness", "read_name"]

_BRACKET = re.compile(r"\s*[(\[]([^)\]]*)[)\]]\s*$")
_NUMBER = re.compile(r"\d+")
_ROMAN = frozenset("i ii iii iv v vi vii viii ix x".split())
_SMALL = frozenset("a an and at de for in la of on the to und y".split())
_TYPO = 0.86
_LEAST_TYPO = 5
_LONGEST_INITIALS = 8
_BEGINNINGS = frozenset((1, *range(3, 40)))


class Likeness(NamedTuple):
    """Why two names may be one, and whether that is enough without what they mean: the same
    letters are, a name that is a part of the other is not."""

    reason: str
    enough: bool = False


class ReadName(NamedTuple):
    """A name without its bracket: its words (of identifiers, the parts), their letters and
    numbers, and the stems of those that tell."""

    bracket: str
    words: tuple[str, ...]
    letters: str
    numbers: tuple[str, ...]
    stems: frozenset[str]


def homonyms(one: str, other: str) -> bool:
    """Whether two names are one name for two things: the same, or told apart by a bracket."""
    first, second = read_name(one), read_name(other)
    return name_key(one) == name_key(other) or (
        first.bracket != second.bracket and first.letters == second.letters
    )


def likeness(one: str, other: str) -> Likeness | None:
    """What the letters of two names say for their being one thing; None where nothing does."""
    first, second = sorted((read_name(one), read_name(other)))
    if homonyms(one, other) or first.bracket != second.bracket:
        return None
    if not first.words or not second.words or first.numbers != second.numbers:
        return None
    return next((Likeness(*found) for found in _reasons(first, second)), None)


def _reasons(one: ReadName, other: ReadName) -> Iterator[tuple[str, bool]]:
    if one.letters == other.letters:
        yield "the same letters", True
    if one.stems and one.stems == other.stems:
        yield "the same words in other forms or another order", False
    if _initials(one, other) or _initials(other, one):
        yield "the initials of the other", False
    if _shortened(one.words, other.words):
        yield "words shortened", False
    if one.stems and other.stems and (one.stems < other.stems or other.stems < one.stems):
        yield "all the words of one", False
    if _typo(one, other):
        yield "nearly the same letters", False


@lru_cache(maxsize=65536)
def read_name(name: str) -> ReadName:
    """A name as it is compared."""
    match = _BRACKET.search(name)
    bracket = " ".join(key_words(match[1])) if match else ""
    bare = name[: match.start()] if match else name
    words = tuple(w for part in fold(bare).split() for w in _parts(part))
    return ReadName(
        bracket=bracket,
        words=words,
        letters="".join(words),
        numbers=tuple(n for word in words for n in _numbers(word)),
        stems=frozenset(stem_words([w for w in words if w not in _SMALL])),
    )


def _parts(written: str) -> list[str]:
    """The words of a piece between spaces: "PaymentService" and "payment-service" are two."""
    plain = key_words(written)
    if len(plain) == 1 and not written.isupper():
        return [part.lower() for part in split_identifier(written)] or list(plain)
    return list(plain)


def _numbers(word: str) -> list[str]:
    return [word] if word in _ROMAN else _NUMBER.findall(word)


def all_initials(words: Sequence[str]) -> frozenset[str]:
    """What a name of several words may be called by their first letters, small words counted or
    not."""
    telling = [word for word in words if word not in _SMALL]
    if len(telling) < 2:
        return frozenset()
    return frozenset("".join(word[0] for word in each) for each in (words, telling))


def _initials(short: ReadName, long: ReadName) -> bool:
    return (
        len(short.words) == 1
        and 2 < len(short.letters) <= _LONGEST_INITIALS
        and short.letters in all_initials(long.words)
    )


def _shortened(one: Sequence[str], other: Sequence[str]) -> bool:
    """Word for word the same, an initial, or three letters or more that the other begins with:
    "A. Lovelace" and "Ada Lovelace", "Acme Corp" and "Acme Corporation"."""
    if len(one) < 2 or len(one) != len(other):
        return False
    return all(
        a == b or (min(len(a), len(b)) in _BEGINNINGS and (a.startswith(b) or b.startswith(a)))
        for a, b in zip(one, other, strict=True)
    )


def _typo(one: ReadName, other: ReadName) -> bool:
    if min(len(one.letters), len(other.letters)) < _LEAST_TYPO:
        return False
    compared = SequenceMatcher(None, one.letters, other.letters, autojunk=False)
    return (
        compared.real_quick_ratio() >= _TYPO
        and compared.quick_ratio() >= _TYPO
        and compared.ratio() >= _TYPO
    )

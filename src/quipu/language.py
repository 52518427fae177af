"""The language that a text is in, told by its script, its letters and its function words.

`languages.toml` holds what is known of each. A text is in English by default; one in ASCII letters
alone is in another language only where that has two more of its distinct words than English has.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from quipu.patterns import late
from quipu.tables import read_table

__all__ = ["Language", "language_of", "month_names"]

_TELLING = 1_500
"""Characters at the beginning of a text by which its language is told."""
_MORE_THAN_ENGLISH = 2
_ENGLISH = late(r"\b(?:the|and|are|with|from|this|that)\b")
_LETTERS = late(r"[^\W\d_]+")
_FOREIGN = late(r"[^\x00-\x7f\W\d_]|[¿¡]")
_BEYOND_LATIN = late(r"[^\x00-\u036f\u1e00-\u1eff\W\d_]")


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language; `code` is that of ISO 639-1."""

    code: str
    words: frozenset[str]
    letters: frozenset[str]
    script: str = ""
    months: str = ""
    stemmer: str = ""
    prefix: int = 0
    accents: bool = False
    capital_nouns: bool = False
    unspaced: bool = False

    def without_function_words(self, text: str) -> str:
        """`text` with spaces for those of its function words that no space divides from others."""
        pattern = _function_words(self)
        return pattern.sub(lambda found: " " * len(found[0]), text) if self.unspaced else text


class _Known(NamedTuple):
    all: tuple[Language, ...]
    by_word: dict[str, tuple[Language, ...]]
    by_letter: dict[str, tuple[Language, ...]]


@cache
def _known() -> _Known:
    tables = read_table("quipu", "languages.toml")
    found: list[Language] = []
    by_word: dict[str, tuple[Language, ...]] = {}
    by_letter: dict[str, tuple[Language, ...]] = {}
    for code, table in tables.items():
        words, letters = frozenset(table.pop("words").split()), frozenset(table.pop("letters", ""))
        language = Language(code, words, letters, **table)
        found.append(language)
        if not language.script:
            by_word |= {word: (*by_word.get(word, ()), language) for word in words}
            by_letter |= {letter: (*by_letter.get(letter, ()), language) for letter in letters}
    return _Known(tuple(found), by_word, by_letter)


@cache
def month_names() -> dict[str, int]:
    """The names of months in other languages than English, each with its number."""
    return {
        name: number
        for language in _known().all
        for number, name in enumerate(language.months.split(), 1)
    }


@cache
def _function_words(language: Language) -> re.Pattern[str]:
    longest_first = sorted(language.words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, longest_first)))


@lru_cache(maxsize=1024)
def language_of(text: str) -> Language | None:
    """The language of `text`; None for English, and where nothing tells which it is."""
    text = text[:_TELLING]
    if text.isascii() and _ENGLISH.search(text):
        return None
    text = unicodedata.normalize("NFC", text).lower()
    foreign = _FOREIGN.findall(text)
    if not foreign:
        return _by_words(text, least=_MORE_THAN_ENGLISH)
    letters = sum(map(len, _LETTERS.findall(text)))
    beyond = _BEYOND_LATIN.findall(text)
    if 2 * len(beyond) > len(foreign):
        return _by_script(beyond) if 3 * len(beyond) > letters else None
    return _by_words(text, least=1)


def _by_script(characters: list[str]) -> Language | None:
    """Kana or Hangul tells more than the Han characters beside them."""
    for language in _known().all:
        if language.script:
            first, last = language.script
            count = sum(first <= character <= last for character in characters)
            if 5 * count >= len(characters):
                return language
    return None


def _by_words(text: str, *, least: int) -> Language | None:
    """The language that has most of the words, `least` or more above what English has of them."""
    known = _known()
    scores: dict[str, int] = {}
    words = _LETTERS.findall(text)
    for word in words if least == 1 else {word for word in words if len(word) > 1}:
        telling = {*known.by_word.get(word, ())}
        for letter in set(word) if not word.isascii() else ():
            telling.update(known.by_letter.get(letter, ()))
        for language in telling:
            scores[language.code] = scores.get(language.code, 0) + 1
    for mark in "¿¡":
        if mark in text:
            scores["es"] = scores.get("es", 0) + 1
    best = max(scores.values(), default=0)
    if best - scores.get("en", 0) < least:
        return None
    return next(language for language in known.all if scores.get(language.code, 0) == best)

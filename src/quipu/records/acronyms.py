"""Where text says what an acronym stands for: "Payment Service Team (PST)", "PST (Payment Service
Team)".

The method of Schwartz and Hearst (2003) made strict: every letter is the first of a word, and
only small connecting words may be passed over.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.records.mentions import key_words
from quipu.text import STOP_WORDS, Token, fold, tokens

__all__ = ["find_definitions", "without_acronym"]

_SHORT = r"[A-Z][A-Za-z&.\-]{1,9}"
_BEHIND = re.compile(rf"\(\s*({_SHORT})\s*\)")
_BEFORE = re.compile(rf"\b({_SHORT})\s+\(\s*([A-Z][^()\n]{{4,80}}?)\s*\)")
_STOPS = re.compile(r"[.;:!?()\[\]{}|\n](?=\s|$)|[()\[\]{}|\n]")
_SMALL = frozenset("a an and at by de del der des du for in la le of on the to von".split())
_PLAIN = STOP_WORDS | frozenset("co dr jr mr mrs ms mt no sr st vol vs".split())
_REACH = 120  # characters before a bracket in which the long name stands
_FEWEST_CAPITALS = 2
_FEWEST_LETTERS = 3  # of two letters there are too many meanings


class AcronymDefinition(NamedTuple):
    """A long name and its acronym as written, and where the definition begins."""

    long: str
    short: str
    start: int


def find_definitions(text: str) -> list[AcronymDefinition]:
    """Every definition in `text`, in order; the same pair once."""
    if "(" not in text:
        return []
    folded = fold(text)
    found: dict[tuple[str, str], AcronymDefinition] = {}
    for definition in sorted(_definitions(folded), key=lambda d: d.start):
        key = " ".join(key_words(definition.long)), _letters(definition.short)
        found.setdefault(key, definition)
    return list(found.values())


def without_acronym(name: str) -> str:
    """A name that is all of a definition ("Payment Service Team (PST)") as its long name; any
    other as it is."""
    if not name.endswith(")"):
        return name
    found = find_definitions(name)
    whole = len(found) == 1 and name == f"{found[0].long} ({found[0].short})"
    return found[0].long if whole else name


def _definitions(text: str) -> Iterator[AcronymDefinition]:
    for match in _BEHIND.finditer(text):
        short = match[1]
        if not _is_acronym(short):
            continue
        start = max(0, match.start() - _REACH)
        stops = [stop.end() for stop in _STOPS.finditer(text, start, match.start())]
        begin = stops[-1] if stops else start
        words = [word for word in tokens(text[begin : match.start()]) if word.word]
        first = _first_word(words, _letters(short))
        if first is not None:
            at = begin + words[first].start
            yield from _named(text, at, begin + words[-1].end, short)
    for match in _BEFORE.finditer(text):
        words = [word for word in tokens(match[2]) if word.word]
        if _is_acronym(match[1]) and _first_word(words, _letters(match[1])) == 0:
            yield from _named(text, match.start(2), match.end(2), match[1], match.start())


def _named(
    text: str, start: int, end: int, short: str, at: int | None = None
) -> Iterator[AcronymDefinition]:
    """The definition, if the long name is written as names are."""
    if text[start].isupper():
        yield AcronymDefinition(text[start:end], short, start if at is None else at)


def _is_acronym(short: str) -> bool:
    letters = [character for character in short if character.isalpha()]
    return (
        len(letters) >= _FEWEST_LETTERS
        and sum(letter.isupper() for letter in letters) >= _FEWEST_CAPITALS
        and short.lower().strip(".") not in _PLAIN  # a word with the same letters is not told apart
    )


def _letters(short: str) -> str:
    return "".join(character for character in short.lower() if character.isalpha())


def _first_word(words: Sequence[Token], letters: str) -> int | None:
    """Where the words begin whose first letters, up to the last word, are `letters`: two words or
    more, small ones counted or not, so that "Department of Defense" is DoD and DD."""
    if not words or words[-1].word[0] != letters[-1:]:
        return None
    tried = [(len(words) - 2, len(letters) - 2)]
    seen: set[tuple[int, int]] = set()  # many ways lead to one place, and all go on alike
    while tried:
        at, place = tried.pop()
        if (at, place) in seen:
            continue
        seen.add((at, place))
        if place < 0:
            return at + 1 if at + 2 < len(words) else None
        if at < 0:
            continue
        word = words[at].word
        if word in _SMALL:
            tried.append((at - 1, place))
        if word[0] == letters[place]:
            tried.append((at - 1, place - 1))
    return None

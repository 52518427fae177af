"""What a pattern cannot fit without, read off the pattern itself: sets of texts, one of each
standing in everything that it fits. To look for them is many times quicker than to try the pattern.

This is the filter of RE2's `FilteredRE2`, for the part of the syntax in which rules are written.
Most sentences of most pages state nothing: a gate sees that of a whole text at once.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple, TypeAlias

from quipu.extract.statements.statement import lowered
from quipu.records.fact_rules import FactRule
from quipu.text import lower
from quipu.when.relative import SIGNS

__all__ = ["CueGate", "cues_of", "may_fit"]

Cues: TypeAlias = tuple[tuple[str, ...], ...]

DIGIT = "\0"
"""Stands among cues for any digit."""

_DIGIT = re.compile(r"\d")
_ESCAPE = re.compile(r"\\.")
_MOST = 16
_NOTHING = frozenset({""})
_ASSERTIONS = ("?=", "?!", "?<=", "?<!")


_Sets: TypeAlias = tuple[frozenset[str], ...]

_ANY_DIGIT = re.compile(r"\d")


class _PatternPiece(NamedTuple):
    """`texts` are all that a piece of a pattern fits, None where they are too many; then `cues`."""

    texts: frozenset[str] | None
    cues: _Sets = ()

    def needs(self) -> _Sets:
        if self.texts is None:
            return self.cues
        return () if "" in self.texts else (self.texts,)


@cache
def cues_of(pattern: str) -> Cues:
    """The cues of a pattern, the longest first; () where it has none, so that it is always tried.

    ValueError for syntax that rules do not use, and for capitals: they are searched for in lower
    case and would never be found.
    """
    reader = _PatternReader(pattern)
    piece = reader.alternatives()
    if reader.at < len(pattern):
        raise ValueError(f"{pattern!r} has a bracket too many at {reader.at}")
    found = {tuple(sorted(_shortest(each))) for each in piece.needs() if _length(each)}
    return tuple(sorted(found, key=lambda cues: (-_length(cues), cues)))


def may_fit(cues: Cues, low: str) -> bool:
    """Whether a pattern of these cues may fit the lower-cased text."""
    for each in cues:
        for cue in each:
            if cue in low:
                break
        else:
            if DIGIT not in each or not _DIGIT.search(low):
                return False
    return True


def _shortest(texts: frozenset[str]) -> Iterable[str]:
    """Without those that hold another: where they stand, it does."""
    return (t for t in texts if not any(o in t for o in texts if o != t))


def _length(texts: Iterable[str]) -> int:
    """The length of the shortest, as far as it tells anything."""
    return min(len(text.strip(" ")) for text in texts)


class _PatternReader:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def alternatives(self) -> _PatternPiece:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        texts = [each.texts for each in branches if each.texts is not None]
        if len(texts) == len(branches) and sum(map(len, texts)) <= _MOST:
            return _PatternPiece(frozenset[str]().union(*texts))
        needs = [each.needs() for each in branches]
        if not all(needs):
            return _PatternPiece(None)
        if common := set(needs[0]).intersection(*needs):
            return _PatternPiece(None, tuple(common))
        best = (max(each, key=lambda cue: (_length(cue), sorted(cue))) for each in needs)
        return _PatternPiece(None, (frozenset[str]().union(*best),))

    def _sequence(self) -> _PatternPiece:
        """One after another: what stands side by side is one text."""
        run, cues, whole = _NOTHING, list[frozenset[str]](), True
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            piece = self._repeated()
            if piece.texts is not None and len(run) * len(piece.texts) <= _MOST:
                run = frozenset(one + other for one in run for other in piece.texts)
                continue
            whole = False
            cues += _PatternPiece(run).needs()
            run = piece.texts or _NOTHING
            cues += piece.cues
        if whole:
            return _PatternPiece(run)
        return _PatternPiece(None, (*cues, *_PatternPiece(run).needs()))

    def _repeated(self) -> _PatternPiece:
        piece = self._one()
        least = most = 1
        if self._take("?"):
            least = 0
        elif self._take("*"):
            least, most = 0, 2
        elif self._take("+"):
            most = 2
        elif self._take("{"):
            end = self.pattern.index("}", self.at)
            low, comma, _ = self.pattern[self.at : end].partition(",")
            least, most, self.at = int(low or 0), 2 if comma else int(low), end + 1
        else:
            return piece
        _ = self._take("?") or self._take("+")
        if least and most > 1:
            return _PatternPiece(None, piece.needs())
        if most > 1 or piece.texts is None:
            return piece if least else _PatternPiece(None)
        return piece if least else _PatternPiece(piece.texts | _NOTHING)

    def _one(self) -> _PatternPiece:
        character = self.pattern[self.at]
        self.at += 1
        match character:
            case "(":
                return self._group()
            case "[":
                return self._class()
            case "\\":
                return self._escaped()
            case "^" | "$":
                return _PatternPiece(_NOTHING)
            case ".":
                return _PatternPiece(None)
            case _:
                return self._text(character)

    def _text(self, text: str) -> _PatternPiece:
        if lower(text) != text:
            raise ValueError(f"{self.pattern!r} has capitals; text is searched in lower case")
        return _PatternPiece(frozenset({text}))

    def _group(self) -> _PatternPiece:
        assertion = next((a for a in _ASSERTIONS if self._take(a)), None)
        if assertion is None and self._take("?"):
            if self._take("P<"):
                self.at = self.pattern.index(">", self.at) + 1
            elif not self._take(":"):
                raise ValueError(f"{self.pattern!r}: rules have no such group at {self.at}")
        piece = self.alternatives()
        if not self._take(")"):
            raise ValueError(f"{self.pattern!r} has an open bracket")
        return _PatternPiece(_NOTHING) if assertion else piece

    def _class(self) -> _PatternPiece:
        """A class of a few characters that are named one by one; any other fits too much."""
        first = self.at
        self.at += 1 + (self.pattern[first] == "^")
        while self.pattern[self.at] != "]":
            self.at += 2 if self.pattern[self.at] == "\\" else 1
        named = self.pattern[first : self.at]
        self.at += 1
        self._text(_ESCAPE.sub("", named))
        if named[0] == "^" or set(named) & set("\\-"):
            return _PatternPiece(None)
        return _PatternPiece(frozenset(named))

    def _escaped(self) -> _PatternPiece:
        character = self.pattern[self.at]
        self.at += 1
        if character in "bBAZ":
            return _PatternPiece(_NOTHING)
        if character == "d":
            return _PatternPiece(None, (frozenset({DIGIT}),))
        if character.isalnum():
            if character not in "wWsSD":
                raise ValueError(f"{self.pattern!r}: rules have no \\{character}")
            return _PatternPiece(None)
        return self._text(character)

    def _take(self, text: str) -> bool:
        taken = self.pattern.startswith(text, self.at)
        self.at += len(text) if taken else 0
        return taken


class CueGate:
    """Asked of stretches of one text; what it turns away, no rule reads."""

    def __init__(
        self,
        text: str,
        *,
        keyed: bool,
        personal: bool,
        relative: bool,
        rules: Iterable[FactRule],
    ) -> None:
        """`keyed`: lines `Owner: X` count; `personal`: what people say of themselves does;
        `relative`: so do times that are told from the present."""
        self._low = low = lowered(text)
        signs = ("century", *((":",) if keyed else ()), *(SIGNS if relative else ()))
        self._signs = [sign for sign in signs if sign in low]
        patterns = tuple(rule.pattern for rule in rules if personal or rule.of_pages)
        present = (_standing_in(cues, low) for cues in _without_digits(patterns))
        self._cues = [here for here in present if here is not None]

    def __call__(self, start: int, end: int) -> bool:
        """Whether a statement may stand in these characters."""
        low = self._low
        for sign in self._signs:
            if low.find(sign, start, end) >= 0:
                return True
        if _ANY_DIGIT.search(low, start, end):
            return True
        for cues in self._cues:
            for each in cues:
                for cue in each:
                    if low.find(cue, start, end) >= 0:
                        break
                else:
                    break
            else:
                return True
        return False


@cache
def _without_digits(patterns: tuple[str, ...]) -> tuple[Cues, ...]:
    """The cues of rules, but of those that need a digit, which counts for itself."""
    found = dict.fromkeys(cues_of(pattern) for pattern in patterns)
    return tuple(cues for cues in found if not any(DIGIT in each for each in cues))


def _standing_in(cues: Cues, low: str) -> list[list[str]] | None:
    """The cues that stand anywhere in the text; None where one of a set must and does not."""
    found: list[list[str]] = []
    for each in cues:
        here = [cue for cue in each if cue in low]
        if not here:
            return None
        found.append(here)
    return found

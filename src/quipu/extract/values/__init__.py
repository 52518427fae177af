"""What a turn states, found by a head on the encoder's layers: which of its words are a value,
whose it is, and whether it takes the place of another.

    turn → its words and those said before → values → owners

Grammar says how far a phrase goes and what is said of it; what is worth keeping, and of whom, is
learnt from conversations in which people marked it (`bench/fit_values.py`).
"""

import io
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from quipu.extract.grammar import ReadSentence
from quipu.extract.values.head import (
    GROUP,
    NAMELESS,
    SPEAKER,
    SPOKEN_TO,
    Floats,
    Read,
    ValueHead,
)
from quipu.extract.values.inputs import VECTOR, Inputs, TurnWords, inputs_of
from quipu.heads import weights

__all__ = [
    "GROUP",
    "SPEAKER",
    "SPOKEN_TO",
    "StatedValue",
    "TurnWords",
    "ValueReading",
    "Word",
    "words_of",
]

VALUES_SHA256 = "1d41440f8ea0f9c84f21a59b04d3ad5104dd270b8c8533d99e1710f091d2ccae"
_FILE = "values.npz"
_LEAST = 0.3
"""How sure a word must be a part of a value."""


class Word(NamedTuple):
    """A word said now (`back` 0) or so many turns before, by its place in a sentence."""

    back: int
    sentence: int
    at: int


class StatedValue(NamedTuple):
    """Words `first` to `last` of a sentence, which are a value: how sure, in [0, 1]; whose, one of
    `SPEAKER`, `SPOKEN_TO`, `GROUP` or the word that names the owner, and how sure."""

    sentence: int
    first: int
    last: int
    sure: float
    owner: int | Word
    owner_sure: float


class ValueReading:
    """What the head makes of a turn, seen with those `before`, the latest first."""

    def __init__(self, turn: TurnWords, before: Sequence[TurnWords]) -> None:
        self.turn, self.before = turn, before
        self._head = _head()
        self._given = [inputs_of(turn, before, stretch) for stretch in turn.chunks()]
        self._read = [self._head.read(given) for given in self._given]
        self._offsets = turn.offsets()

    def values(self) -> list[StatedValue]:
        """The values that the turn states, in their order."""
        found: list[StatedValue] = []
        for given, read in zip(self._given, self._read, strict=True):
            for first, last in _spans(read.parts, self._offsets, given.start):
                sentence, word = self.turn.word(given.start + first)
                owner, sure = self._owner(sentence, word, word + last - first)
                stated = float(read.parts[first : last + 1, 1:].sum(1).mean())
                found.append(StatedValue(sentence, word, word + last - first, stated, owner, sure))
        return found

    def sure(self, sentence: int, words: Sequence[int]) -> float:
        """How sure it is, in [0, 1], that one of the words at least is part of a value."""
        found = [self._seen(sentence, at) for at in words]
        return max((float(read.parts[own, 1:].sum()) for _, read, own in found), default=0.0)

    def anew(self, sentence: int, first: int, last: int) -> float:
        """How sure it is, in [0, 1], that the value takes the place of another."""
        given, read, own = self._seen(sentence, first)
        start = given.first + own
        return self._head.anew(read.hidden, start, start + last - first)

    def sketch(self, sentence: int, first: int, last: int) -> Floats:
        """What the value is a value of: a vector of length 1."""
        given, read, own = self._seen(sentence, first)
        start = given.first + own
        return self._head.sketch(read.hidden, start, start + last - first)

    def _owner(self, sentence: int, first: int, last: int) -> tuple[int | Word, float]:
        """Whose the value of words `first` to `last` most surely is, and how sure that is."""
        given, read, own = self._seen(sentence, first)
        start = given.first + own
        shares = self._head.owners(given, read.hidden, start, start + last - first)
        at = int(shares.argmax())
        return (at if at < NAMELESS else self._word(given, at - NAMELESS)), float(shares[at])

    def _seen(self, sentence: int, at: int) -> tuple[Inputs, Read, int]:
        """What was seen with a word, and its place among the own words there."""
        flat = self._offsets[sentence] + at
        for given, read in zip(self._given, self._read, strict=True):
            if flat < given.start + len(read.parts):
                return given, read, flat - given.start
        raise IndexError(flat)

    def _word(self, given: Inputs, at: int) -> Word:
        """The word at a place among all that was seen."""
        back, flat = given.place(at)
        return Word(back, *given.turns[back].word(flat))


def _spans(parts: Floats, offsets: Sequence[int], start: int) -> Iterator[tuple[int, int]]:
    """First and last word of each value, of the words of `parts`; none goes over a sentence."""
    stated = parts[:, 1] + parts[:, 2] > _LEAST
    begins = parts[:, 1] >= parts[:, 2]
    edges = {offset - start for offset in offsets}
    at = 0
    while at < len(parts):
        if not stated[at]:
            at += 1
            continue
        end = at + 1
        while end < len(parts) and stated[end] and not begins[end] and end not in edges:
            end += 1
        yield at, end - 1
        at = end


def words_of(
    sentences: Sequence[ReadSentence], speaker: str, *, machine: bool = False
) -> TurnWords:
    """The words of a turn that was read."""
    read = [each for each in sentences if len(each.vectors)]
    vectors = np.concatenate([each.vectors for each in read]) if read else np.zeros((0, VECTOR))
    return TurnWords(
        tuple(each.whole for each in read), vectors.astype(np.float32), speaker, machine
    )


@cache
def _head() -> ValueHead:
    return ValueHead.load(io.BytesIO(weights("quipu.extract.values", _FILE, VALUES_SHA256)))

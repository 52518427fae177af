"""What the head that finds values is given of a turn: of each word, with those said before it, its
vector, its form and place in the parse, and who says it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.extract.grammar import Sentence
from quipu.extract.grammar.head import LABELS, SHAPES, TAGS, word_shapes

__all__ = ["BEFORE", "FEATURES", "STEPS", "VECTOR", "WORDS", "Inputs", "TurnWords", "inputs_of"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

VECTOR = 1536
"""Numbers of a word's vector."""
BEFORE, WORDS = 64, 112
"""How many words said before a turn, and how many of it, are seen at once."""
_TURNS_BACK = 4
_FARTHEST = 3
_SPEECH = _FARTHEST + 1 + 3
FEATURES = SHAPES + len(TAGS) + len(LABELS) + _SPEECH
_NEAR, _REACH = 6, 5
_BELOW, _ABOVE, _FAR_ABOVE = _NEAR + 2, _NEAR + 3, _NEAR + 4
_TAG_AT = {tag: SHAPES + at for at, tag in enumerate(TAGS)}
_LABEL_AT = {label: SHAPES + len(TAGS) + at for at, label in enumerate(LABELS)}
_MOST_SENTENCES = 1 << 20
STEPS = _FAR_ABOVE + 1
"""How many ways there are for one word to stand to another in the parse."""


@dataclass(eq=False, slots=True)
class TurnWords:
    """The words of a turn: its sentences, in order, with the vectors of all their words
    (float32[n, 1536]); who says them, and whether that is a machine."""

    sentences: tuple[Sentence, ...]
    vectors: Floats
    speaker: str
    machine: bool
    columns: "_Columns" = field(init=False)
    embedded: Floats | None = None
    """What a head makes of the vectors alone, kept for the turns behind this one."""

    def __post_init__(self) -> None:
        self.columns = _Columns.of(self.sentences)

    def offsets(self) -> list[int]:
        """Of each sentence, how many words stand before it."""
        return _offsets(self.sentences)

    def word(self, flat: int) -> tuple[int, int]:
        """(sentence, word of it) of a word of the turn."""
        at = int(self.columns.sentence[flat])
        return at, flat - self.offsets()[at]

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Stretches of at most `WORDS` words, cut between sentences where that is possible."""
        start = end = 0
        for sentence in self.sentences:
            if end + len(sentence.tokens) - start > WORDS and end > start:
                yield start, end
                start = end
            end += len(sentence.tokens)
            while end - start > WORDS:
                yield start, start + WORDS
                start += WORDS
        if end > start:
            yield start, end


class Stretch(NamedTuple):
    """Words `start` to `end` of the turn `back` turns before (0: of the turn itself)."""

    back: int
    start: int
    end: int


class Inputs(NamedTuple):
    """Words side by side, those said before first, as the `stretches` of turns that they are:
    `features` float32[t, FEATURES], `heads` int64[t] (-1: none here) and `sentences` int64[t], a
    number for each. The turn's own words begin at `first`, its word `start`."""

    turns: tuple[TurnWords, ...]
    stretches: tuple[Stretch, ...]
    features: Floats
    heads: Ints
    sentences: Ints
    first: int
    start: int

    def place(self, at: int) -> tuple[int, int]:
        """(how many turns back, which word of that turn) of one of the words."""
        for back, start, end in self.stretches:
            if at < end - start:
                return back, start + at
            at -= end - start
        raise IndexError(at)

    def gathered(self, of: Callable[[TurnWords], Floats]) -> Floats:
        """What is known of the words of each turn, for all these words."""
        return np.concatenate([of(self.turns[b])[s:e] for b, s, e in self.stretches])

    def steps(self, word: int) -> Ints:
        """int64[t] in [0, STEPS): how each word stands to one in the parse: 0 of another sentence,
        then by the steps over the lowest word that both hang on; hanging on it, or what it hangs
        on, apart."""
        found = np.zeros(len(self.heads), np.int64)
        own = _above(self.heads, word)
        for at in np.flatnonzero(self.sentences == self.sentences[word]):
            found[at] = _step(own, _above(self.heads, int(at)), int(at))
        return found


def inputs_of(
    turn: TurnWords, before: Sequence[TurnWords], stretch: tuple[int, int] | None = None
) -> Inputs:
    """The words of a turn (of a stretch of it), behind the last `BEFORE` of those before it.

    `before` are the turns before, the latest first.
    """
    start, end = stretch or (0, min(len(turn.vectors), WORDS))
    turns = (turn, *before[:_TURNS_BACK])
    stretches = [Stretch(0, max(0, start - BEFORE), start), Stretch(0, start, end)]
    missing = BEFORE - (start - stretches[0].start)
    for back, each in enumerate(turns[1:], 1):
        count = len(each.vectors)
        stretches.insert(0, Stretch(back, max(0, count - missing), count))
        missing -= count - stretches[0].start
    own = len(stretches) - 1
    features, heads, sentences, at = list[Floats](), list[Ints](), list[Ints](), 0
    for place, (back, first, last) in enumerate(stretches):
        each, columns = turns[back], turns[back].columns
        speech = np.zeros((last - first, _SPEECH), np.float32)
        distance = back if place == own or back else 1  # what the turn said itself, long before
        speech[:, min(distance, _FARTHEST)] = 1
        speech[:, _FARTHEST + 1] = each.machine
        speech[:, _FARTHEST + 2] = columns.asked[first:last]
        speech[:, _FARTHEST + 3] = each.speaker == turn.speaker
        features.append(np.concatenate([columns.features[first:last], speech], axis=1))
        low = stretches[place - 1].start if place == own else first
        hung = columns.heads[first:last]
        near = at - (first - low) if place == own else at
        heads.append(np.where((hung >= low) & (hung < last), hung - low + near, -1))
        sentences.append(columns.sentence[first:last] + _MOST_SENTENCES * back)
        at += last - first
    return Inputs(
        turns,
        tuple(stretches),
        np.concatenate(features),
        np.concatenate(heads),
        np.concatenate(sentences),
        at - (end - start),
        start,
    )


class _Columns(NamedTuple):
    """Of each word of a turn: its form and parse, its head (-1: none), its sentence, and whether
    that asks."""

    features: Floats
    heads: Ints
    sentence: Ints
    asked: NDArray[np.bool_]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> "_Columns":
        count = sum(len(each.tokens) for each in sentences)
        features = np.zeros((count, FEATURES - _SPEECH), np.float32)
        heads, sentence, asked = list[int](), list[int](), list[bool]()
        for place, (offset, each) in enumerate(zip(_offsets(sentences), sentences, strict=True)):
            end = offset + len(each.tokens)
            features[offset:end, :SHAPES] = word_shapes([token.form for token in each.tokens])
            asks = each.tokens[-1].form.startswith("?")
            for at, token in enumerate(each.tokens, offset):
                features[at, _TAG_AT[token.tag]] = 1
                features[at, _LABEL_AT[token.label]] = 1
                heads.append(offset + token.head if token.head >= 0 else -1)
            sentence += [place] * len(each.tokens)
            asked += [asks] * len(each.tokens)
        return cls(
            features, np.array(heads, np.int64), np.array(sentence, np.int64), np.array(asked, bool)
        )


def _offsets(sentences: Sequence[Sentence]) -> list[int]:
    return [0, *accumulate(len(each.tokens) for each in sentences)][:-1]


def _above(heads: Ints, at: int) -> dict[int, int]:
    """A word and what it hangs on, each with the steps to it."""
    found: dict[int, int] = {}
    while at >= 0 and len(found) <= _REACH:
        found[at] = len(found)
        at = int(heads[at])
    return found


def _step(one: dict[int, int], other: dict[int, int], word: int) -> int:
    """From the word of `one` to `word`, whose words above are `other`."""
    own = next(iter(one))
    if own != word and own in other:
        return _BELOW
    if own != word and word in one:
        return _ABOVE if one[word] == 1 else _FAR_ABOVE
    both = [one[at] + other[at] for at in one if at in other]
    return 1 + min(*both, _NEAR, _NEAR) if both else 1 + _NEAR

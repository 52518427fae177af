"""What the head that finds the turn that answers is given: a question's words and, of each turn
that may answer, its words behind the last ones of the turn before, with what is known of when and
by whom it was said.

A short form is a word of its own ("don't" is "do" and "n't"), and so is a mark; each word knows its
characters in the text, and its vector is made of the layers of the encoder.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.conversations.exchanges import asks, is_short
from quipu.ports import Layers, ReadLayers
from quipu.text import stems
from quipu.when import find_spans

__all__ = [
    "ASKED",
    "BEFORE",
    "FEATURES",
    "OWN",
    "SAID",
    "SHAPES",
    "TURNS",
    "AskedWords",
    "Inputs",
    "Said",
    "SentenceWords",
    "Words",
    "asked_until",
    "encode",
    "inputs_of",
    "is_said_after",
    "read_words",
    "word_shapes",
    "word_vectors",
]

Floats = NDArray[np.float32]

SHAPES = 6
_WORD = re.compile(
    r"""
      ['’](?:s|m|re|ve|ll|d)\b
    | n['’]t\b
    | \w+?(?=n['’]t\b)
    | \w+(?:[-_./&+@:]\w+)*
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
ASKED, TURNS = 24, 16
"""How many words of a question are read, and how many turns for it."""
BEFORE, OWN = 14, 50
"""How many of the last words of the turn before, and how many of a turn's own."""
_SPEECH = 3
FEATURES = SHAPES + _SPEECH
SAID = 15
"""How many numbers tell of a turn as a whole."""
_VECTOR, _UNIT = 1536, 384
_HALF_YEAR, _YEAR, _FARTHEST = 180, 365, 2.0
_FIRST_PERSON = frozenset("i me my mine myself we us our ours".split())
_USER = "user"


def is_said_after(text: str, before: str) -> bool:
    """Whether a turn is to be read with the one before it: it is short, or a question is asked
    there."""
    return is_short(text) or asks(before)


class SentenceWords(NamedTuple):
    """The words of a sentence as they are written, their vectors, float32[n, 1536], and the
    sentence as it stands in its text."""

    forms: tuple[str, ...]
    vectors: Floats
    text: str = ""


class Words(NamedTuple):
    """The words of a text as they are written, their vectors, float32[n, 1536], its sentences and
    at which of the words they begin; who says them, and whether that is a machine."""

    forms: tuple[str, ...]
    vectors: Floats
    sentences: tuple[str, ...]
    starts: tuple[int, ...]
    speaker: str
    machine: bool

    @classmethod
    def of(cls, sentences: Sequence[SentenceWords], speaker: str, *, machine: bool) -> "Words":
        """Those of all sentences."""
        counts = [len(each.forms) for each in sentences]
        vectors = [np.zeros((0, _VECTOR), np.float32), *(each.vectors for each in sentences)]
        return cls(
            tuple(form for each in sentences for form in each.forms),
            np.concatenate(vectors).astype(np.float32),
            tuple(each.text for each in sentences),
            tuple(accumulate(counts, initial=0))[:-1] or (0,),
            speaker,
            machine,
        )


def asked_until(question: str) -> str:
    """The last day that a question names (ISO 8601, the 31st for a whole month); "" for none."""
    until = ""
    for span in find_spans(question):
        last = span.interval.end or span.interval.start
        if span.dated and last is not None:
            until = f"{last.year:04}-{last.month or 12:02}-{last.day or 31:02}"
    return until


class AskedWords(NamedTuple):
    """A question's words; the day until which it asks (0: it names none)."""

    words: Words
    text: str
    until: int

    @classmethod
    def of(cls, words: Words, text: str) -> "AskedWords":
        """With the day that the text names."""
        until = 0
        if day := asked_until(text):
            year, month, last = map(int, day.split("-"))
            until = date(year, month, min(last, 28)).toordinal()
        return cls(words, text, until)


class Said(NamedTuple):
    """A turn that may answer, with the one before it in its session where it is read with that:
    when it was said (ISO 8601; empty: unknown) and its place there, how its search scored it, in
    [0, 1]."""

    words: Words
    before: Words | None
    text: str
    when: str
    place: int
    score: float


class Inputs(NamedTuple):
    """`asked` float32[m, 1536] and `asked_features` float32[m, f] of the question's words; of each
    turn a row of `BEFORE` + `OWN` words: `words` float32[c, t, 1536], `features` float32[c, t, f],
    `read` bool[c, t], which of them are words, `near` float32[c, t, m], their cosines with the
    question's, and `said` float32[c, SAID]; and the `first` of its own words that is read."""

    asked: Floats
    asked_features: Floats
    words: Floats
    features: Floats
    read: NDArray[np.bool_]
    near: Floats
    said: Floats
    first: tuple[int, ...]


def inputs_of(question: AskedWords, turns: Sequence[Said]) -> Inputs:
    """Of the turns in the order in which they were found."""
    asked = question.words.vectors[:ASKED]
    unit = _units(asked)
    rows = [_row(turn, unit) for turn in turns]
    words = np.stack([row[0] for row in rows])
    return Inputs(
        asked,
        _with_speech(question.words, slice(0, ASKED), (0, 0, 1)),
        words,
        np.stack([row[1] for row in rows]),
        np.stack([row[2] for row in rows]),
        np.where(np.stack([row[2] for row in rows])[..., None], _units(words) @ unit.T, 0),
        _all_said(question, turns),
        tuple(row[3] for row in rows),
    )


def _row(turn: Said, unit: Floats) -> tuple[Floats, Floats, NDArray[np.bool_], int]:
    """Vectors, features and which are read, of one turn, and its first word."""
    size = BEFORE + OWN
    first = _start(turn.words, unit)
    own = slice(first, min(first + OWN, len(turn.words.vectors)))
    parts = [(turn.words, own, BEFORE, (0.0, float(turn.words.machine), 0.0))]
    if turn.before is not None and len(turn.before.vectors):
        count = len(turn.before.vectors)
        last = slice(max(0, count - BEFORE), count)
        speech = (1.0, float(turn.before.machine), 0.0)
        parts.append((turn.before, last, BEFORE - (last.stop - last.start), speech))
    vectors = np.zeros((size, _VECTOR), np.float32)
    features = np.zeros((size, FEATURES), np.float32)
    read = np.zeros(size, bool)
    for words, place, at, speech in parts:
        end = at + place.stop - place.start
        vectors[at:end] = words.vectors[place]
        features[at:end] = _with_speech(words, place, speech)
        read[at:end] = True
    return vectors, features, read, first


def _with_speech(words: Words, place: slice, speech: tuple[float, float, float]) -> Floats:
    """The shapes of some words; whether they stand in the turn before, are a machine's, are the
    question's."""
    shapes = np.array(word_shapes(words.forms[place]), np.float32).reshape(-1, SHAPES)
    return np.concatenate([shapes, np.tile(np.array(speech, np.float32), (len(shapes), 1))], axis=1)


def _start(turn: Words, unit: Floats) -> int:
    """The first word that is read of a turn: of a long one, that of the sentence behind which most
    of the question is met."""
    if len(turn.vectors) <= OWN:
        return 0
    near = _units(turn.vectors) @ unit.T
    met = [float(near[at : at + OWN].max(axis=0).sum()) for at in turn.starts]
    return turn.starts[int(np.argmax(met))]


def _units(vectors: Floats) -> Floats:
    """The last layer's vectors, of length 1."""
    last = vectors[..., -_UNIT:]
    return last / np.maximum(np.linalg.norm(last, axis=-1, keepdims=True), 1e-6)


def _all_said(question: AskedWords, turns: Sequence[Said]) -> Floats:
    spoken = {form.lower() for form in question.words.forms}
    sought = frozenset(stems(question.text))
    own = bool(spoken & _FIRST_PERSON)
    days = [_day(turn.when) for turn in turns]
    order = [(turn.when, turn.place) for turn in turns]
    until = question.until
    found = np.zeros((len(turns), SAID), np.float32)
    for at, (turn, day) in enumerate(zip(turns, days, strict=True)):
        speaker = turn.words.speaker.lower()
        newer = sum(other > order[at] for other in order)
        found[at] = (
            turn.score,
            at / TURNS,
            newer / len(turns),
            turn.words.machine,
            own and speaker == _USER,
            speaker in spoken,
            until > 0,
            0 < day <= until,
            min(abs(day - until) / _HALF_YEAR, _FARTHEST) if until and day else 0,
            min((max(days) - day) / _YEAR, _FARTHEST) if day else 0,
            min(len(turn.words.vectors) / OWN, _FARTHEST),
            turn.text.rstrip().endswith("?"),
            len(sought & frozenset(stems(turn.text))) / max(len(sought), 1),
            newer == 0,
            own,
        )
    return found


def _day(when: str) -> int:
    try:
        return date.fromisoformat(when[:10]).toordinal()
    except ValueError:
        return 0


def read_words(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]]
) -> list[SentenceWords]:
    """Return the words of the sentences of `text` that stand at `spans`, with their vectors.

    `read` gives the encoder's layers of a text. A sentence beyond its limit is left out.
    """
    return [
        SentenceWords(
            tuple(text[a:b] for a, b in words),
            word_vectors(layers, words),
            text[words[0][0] : words[-1][1]],
        )
        for words, layers in encode(text, read, spans)
    ]


def encode(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]]
) -> Iterator[tuple[list[tuple[int, int]], Layers]]:
    """Yield of each sentence that the encoder reads the places of its words in `text`, and what
    the layers say of the whole text."""
    if not spans:
        return
    layers = read(text)
    reach = int(layers.ends[-1]) if len(layers.ends) else 0
    for start, end in spans:
        words = [match.span() for match in _WORD.finditer(text, start, end)]
        if words and words[-1][0] < reach:
            yield words, layers


def word_vectors(layers: Layers, spans: Sequence[tuple[int, int]]) -> Floats:
    """float32[n, d]: of each word, the mean of its first and its last word piece; zero where the
    encoder read none of it."""
    given = np.array(spans, np.int64).reshape(-1, 2)
    found = np.zeros((len(given), layers.vectors.shape[1]), np.float32)
    first = np.searchsorted(layers.ends, given[:, 0], side="right")
    last = np.searchsorted(layers.starts, given[:, 1], side="left") - 1
    read = first <= last
    found[read] = (layers.vectors[first[read]] + layers.vectors[last[read]]) / 2
    return found


def word_shapes(words: Sequence[str]) -> Floats:
    """float32[n, 6], what the encoder, which reads lower case, does not see of each word: whether
    it begins with a capital, has only capitals, has one inside, has a digit, is all marks, and
    whether it is the first."""
    rows = [
        (
            word[:1].isupper(),
            len(word) > 1 and word.isupper(),
            any(c.isupper() for c in word[1:]) and not word.isupper(),
            any(c.isdigit() for c in word),
            not any(c.isalnum() for c in word),
            at == 0,
        )
        for at, word in enumerate(words)
    ]
    return np.array(rows, np.float32).reshape(-1, SHAPES)

"""The words of a text with their vectors, from the layers of the encoder.

Words are cut as treebanks do ("don't" is "do" and "n't"); each knows its characters in the text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.ports import Layers, ReadLayers
from quipu.text import sentences

__all__ = ["SHAPES", "SentenceWords", "encode", "read_words", "word_shapes", "word_vectors"]

Floats = NDArray[np.float32]

SHAPES = 6
_WINDOW = 700
"""The most characters of sentences that are read at once."""
_WORD = re.compile(
    r"""
      https?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.-]+       # addresses
    | (?:[A-Za-z]\.){2,}                                    # U.S.
    | [A-Z]\.(?=\s[A-Z])
    | (?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|Inc|Ltd|Co|Corp|No)\.
    | \d+(?:\.\d+)?[eE][+-]?\d+\b                          # 2e-10
    | \d+(?:[.,:/-]\d+)*(?:[a-zA-Z]+(?![\w-]))?             # 1,000.50 10:30 2027-05-04 5k 4th
    | [^\W\d_]+(?:-[^\W\d_]+)*n['’]t\b
    | [A-Za-z_]\w*=\d[\w.]*                                  # max_connections=300
    | [\w@#]+(?:[-_./&+][\w]+)*[+#]*
    | -{1,2}>|[→⇒]|\.{2,}|…|-{2,}|={2,}|[!?]{2,}|:-?[)(]
    | ['’](?:s|m|re|ve|ll|d)\b
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NEGATED = re.compile(r"(?i)^(.+?)(n['’]t)$")
_JOINED = re.compile(r"(?i)^(can)(not)$|^(gon|wan|got)(na|ta)$")
_HYPHEN = re.compile(r"(?:[^\W\d_]{3,}|\d+)(?:-[^\W\d_]{2,})+")
_PREFIXES = ("non-", "pre-", "mid-", "post-", "anti-", "semi-", "pro-", "re-", "co-", "ex-", "e-")


def split_words(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The spans of the words and marks of `text[start:end]`, in order."""
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        found.extend(_cut(match.group(), match.start()))
    return found


def _cut(word: str, at: int) -> Iterator[tuple[int, int]]:
    if negated := _NEGATED.match(word):
        yield at, at + negated.end(1)
        yield at + negated.start(2), at + len(word)
    elif joined := _JOINED.match(word):
        first = joined.end(1) if joined[1] else joined.end(3)
        yield at, at + first
        yield at + first, at + len(word)
    elif _HYPHEN.fullmatch(word) and not word.lower().startswith(_PREFIXES):
        for part in re.finditer(r"-|[^-]+", word):
            yield at + part.start(), at + part.end()
    else:
        yield at, at + len(word)


class SentenceWords(NamedTuple):
    """The words of a sentence as they are written, their vectors, float32[n, 1536], and the
    sentence as it stands in its text."""

    forms: tuple[str, ...]
    vectors: Floats
    text: str = ""


def read_words(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None = None
) -> list[SentenceWords]:
    """Return the words of each sentence of `text` (or of those at `spans`, in order) with their
    vectors.

    `read` gives the encoder's layers of a text; it is called once for as many sentences as it
    reads whole. A sentence with words beyond the encoder's limit is left out.
    """
    found: list[SentenceWords] = []
    for piece, words, layers in encode(text, read, spans):
        forms = tuple(piece[a:b] for a, b in words)
        sentence = piece[words[0][0] : words[-1][1]]
        found.append(SentenceWords(forms, word_vectors(layers, words), sentence))
    return found


def encode(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None
) -> Iterator[tuple[str, list[tuple[int, int]], Layers]]:
    """Yield of each sentence that the encoder reads the text it stands in, its words there, and
    what the layers say."""
    for window in _windows(sentences(text) if spans is None else spans):
        offset = window[0][0]
        piece = text[offset : window[-1][1]]
        layers = read(piece)
        reach = int(layers.ends[-1]) if len(layers.ends) else 0
        for start, end in window:
            words = split_words(piece, start - offset, end - offset)
            if words and words[-1][0] < reach:
                yield piece, words, layers


def _windows(spans: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Sentences that are encoded together: near each other, and no more than fit."""
    window: list[tuple[int, int]] = []
    for span in spans:
        if window and span[1] - window[0][0] > _WINDOW:
            yield window
            window = []
        window.append(span)
    if window:
        yield window


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

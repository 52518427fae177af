"""The words of a text with their vectors, from the layers of the encoder.

A short form is a word of its own ("don't" is "do" and "n't"), and so is a mark; each word knows its
characters in the text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.ports import Layers, ReadLayers

__all__ = ["SHAPES", "SentenceWords", "encode", "read_words", "word_shapes", "word_vectors"]

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


class SentenceWords(NamedTuple):
    """The words of a sentence as they are written, their vectors, float32[n, 1536], and the
    sentence as it stands in its text."""

    forms: tuple[str, ...]
    vectors: Floats
    text: str = ""


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

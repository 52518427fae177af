"""From token vectors to text vectors: plain means, each scaled to length 1.

Mean pooling as in Sentence-BERT (Reimers & Gurevych 2019); the means of spans of one pass are
late chunking (Günther et al. 2024). Everything here is pure, and works on one text at a time, so
a vector cannot depend on its neighbours in a batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tokens", "pool_spans", "pool_text", "pool_windows", "scale"]

Float = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tokens:
    """One tokenized text: ids with the two special tokens, and where each *word* token stands.

    `ids` int64[t]; `starts` and `ends` int64[t - 2], character offsets of the tokens between the
    special ones, ascending.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def scale(rows: Float) -> Float:
    """`rows` float32[..., d], each scaled to length 1; a zero row stays zero."""
    lengths = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def pool_text(vectors: Float) -> Float:
    """The mean of all token vectors float32[t, d], special tokens included, as the model was
    trained."""
    return scale(vectors.mean(axis=0))


def pool_spans(
    vectors: Float, starts: NDArray[np.int64], spans: Sequence[tuple[int, int]]
) -> Float:
    """float32[len(spans), d]: the mean of the tokens that start inside each half-open span.

    A zero row where none does: an empty span, white space, or text beyond the token limit.
    """
    rows = np.zeros((len(spans), vectors.shape[1]), dtype=np.float32)
    words = vectors[1:-1]
    for row, (start, end) in enumerate(spans):
        first, last = np.searchsorted(starts, [start, end])
        if first < last:
            rows[row] = words[first:last].mean(axis=0)
    return scale(rows)


def pool_windows(vectors: Float, *, size: int, stride: int) -> Float:
    """float32[m, d]: means of `size` consecutive word tokens, one every `stride` tokens.

    The last window ends at the last token, so every token lies in one; a text of fewer than
    `size` tokens is one window.
    """
    words = vectors[1:-1]
    final = max(len(words) - size, 0)
    firsts = [*range(0, final, stride), final]
    return scale(np.stack([words[first : first + size].mean(axis=0) for first in firsts]))

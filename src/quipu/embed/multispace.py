"""Several models as one embedder: a vector of the multispace holds a block a model.

It embeds questions. Passages are embedded by the one model that their content type has.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from quipu.index.asked import known_vectors
from quipu.ports import Embedded, Embedder, Vectors
from quipu.records.spaces import multispace_name

__all__ = ["MultispaceEmbedder"]


class MultispaceEmbedder:
    """Embedders of different spaces, each for its content types."""

    def __init__(self, parts: Iterable[tuple[Embedder, frozenset[str]]]) -> None:
        ordered = sorted(parts, key=lambda part: multispace_name([(part[0].space, part[1])]))
        self._embedders = [embedder for embedder, _ in ordered]
        self._space = multispace_name((embedder.space, of) for embedder, of in ordered)

    @property
    def space(self) -> str:
        """The name of the spaces."""
        return self._space

    @property
    def dimension(self) -> int:
        """Of all blocks together."""
        return sum(each.dimension for each in self._embedders)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d]; each block of length 1."""
        return np.concatenate([each.embed(texts) for each in self._embedders], axis=1)

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and one for each span."""
        return self._joined(lambda each: each.embed_parts(text, spans))

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector and its windows. Models cut differently: the windows of the one that
        cuts finest lead, beside each stands another's window of about the same place."""

        def made(each: Embedder) -> Embedded:
            known = known_vectors(each, text) if (size, stride) == (6, 3) else None
            return known or each.embed_windows(text, size=size, stride=stride)

        return self._joined(made)

    def _joined(self, make: Callable[[Embedder], Embedded]) -> Embedded:
        made = [make(each) for each in self._embedders]
        count = max(len(each.parts) for each in made)
        return Embedded(
            np.concatenate([each.vector for each in made]),
            np.concatenate([_stretched(each.parts, count) for each in made], axis=1),
        )


def _stretched(rows: Vectors, count: int) -> Vectors:
    """`count` rows in the same order; zeros where there are none."""
    if not len(rows):
        return np.zeros((count, rows.shape[1]), dtype=np.float32)
    return rows[np.arange(count) * len(rows) // max(count, 1)]

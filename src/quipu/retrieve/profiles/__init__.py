"""Ranking profiles: what a kind of chunk brings to the index, and with which weights it ranks.

A new kind of content is a new module with the two functions of `Profile`, a line in `_PROFILES`
and a table of weights in `domain/weights.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quipu.domain.batch import IndexedChunk
from quipu.domain.records import Chunk
from quipu.errors import InvalidInput
from quipu.retrieve.profiles import code, commits, conversation, prose

__all__ = ["PROFILES", "Profile", "Spans", "profile"]

Spans = list[tuple[int, int]]
Among = Callable[[Chunk, Sequence[Chunk], Sequence[Chunk]], tuple[str, Spans]]


@dataclass(frozen=True, slots=True)
class Profile:
    """`index_chunk` computes fields and columns at write time; `embedding_text` gives the text
    to embed and the character spans whose part vectors are kept.

    With `embedding_text_among`, a passage is read among those before and after it in its
    document (nearest first), and its vector is that of the first span.
    """

    name: str
    index_chunk: Callable[[Chunk], IndexedChunk]
    embedding_text: Callable[[Chunk], tuple[str, Spans]]
    embedding_text_among: Among | None = None


_PROFILES = {
    "prose": Profile("prose", prose.index_chunk, prose.embedding_text),
    "code": Profile("code", code.index_chunk, code.embedding_text),
    "conversation": Profile(
        "conversation",
        conversation.index_chunk,
        conversation.embedding_text,
        conversation.embedding_text_among,
    ),
    "commit": Profile("commit", commits.index_chunk, commits.embedding_text),
}

PROFILES = frozenset(_PROFILES)
"""The names of all profiles."""


def profile(name: str) -> Profile:
    """The profile called `name`; InvalidInput when there is none."""
    try:
        return _PROFILES[name]
    except KeyError:
        raise InvalidInput(
            f"there is no ranking profile {name!r}: use one of {', '.join(_PROFILES)}"
        ) from None

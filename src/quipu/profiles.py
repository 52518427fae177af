"""Ranking profiles: what a kind of passage brings to the index, and how it is scored.

A kind of source names its profiles (`kind.py`); what stands there is a `Profile`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from quipu.errors import InvalidInput
from quipu.kind import loaded, profile_parts
from quipu.records.batch import IndexedChunk
from quipu.records.record import Chunk
from quipu.records.weights import Calibration

__all__ = ["Profile", "Spans", "profile", "profiles"]

Spans: TypeAlias = list[tuple[int, int]]
Among: TypeAlias = Callable[[Chunk, Sequence[Chunk], Sequence[Chunk]], tuple[str, Spans]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """`index_chunk` computes fields and columns at write time; `embedding_text` gives the text
    to embed and the character spans whose part vectors are kept.

    With `embedding_text_among`, a passage is read among those before and after it in its
    document (nearest first), and its vector is that of the first span.

    `score` makes one raw score of the named parts, and `calibration` makes that comparable with
    other profiles' by the best cosine, which a plan's scale holds as `cosine`; `words_alone` does
    where no vectors were searched.
    """

    name: str
    index_chunk: Callable[[Chunk], IndexedChunk]
    embedding_text: Callable[[Chunk], tuple[str, Spans]]
    score: Callable[[Mapping[str, float]], float]
    calibration: Calibration
    cosine: str
    words_alone: Calibration | None = None
    embedding_text_among: Among | None = None

    def curve(self, scale: Mapping[str, float]) -> tuple[float, float]:
        """The slope and offset that turn a raw score into a logit, for one question."""
        cosine = scale.get(self.cosine, 0.0)
        curve = self.calibration if cosine else self.words_alone or self.calibration
        return curve.slope, curve.cosine * cosine + curve.offset


@cache
def profile(name: str) -> Profile:
    """The profile called `name`; InvalidInput when there is none, BrokenKind when it is of another
    package and cannot be used."""
    places = profile_parts()
    if name not in places:
        raise InvalidInput(
            f"there is no ranking profile {name!r}: use one of {', '.join(sorted(places))}"
        )
    return loaded(places[name], Profile)


def profiles() -> frozenset[str]:
    """The names of all profiles."""
    return frozenset(profile_parts())

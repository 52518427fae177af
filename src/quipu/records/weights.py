"""The numbers that rank: one table a profile, rounded by hand, the same for every corpus.

What each weight multiplies is told in docs/reference/scores.md. They were measured on
multi-hop question sets (MuSiQue, HotpotQA, 2WikiMultihopQA), NFCorpus and CoSQA.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from quipu.records.role import Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BOUNDS",
    "CODE",
    "FILES",
    "PROSE",
    "Bounds",
    "Calibration",
    "CodeWeights",
    "FileWeights",
    "ProseWeights",
    "base",
]


@dataclass(frozen=True, slots=True)
class Calibration:
    """p = 1 / (1 + exp(-(slope · score + cosine · best cosine + offset))). Where no vectors were
    searched a raw score lacks its greatest part: `words_alone` is the curve there."""

    slope: float
    cosine: float
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseWeights:
    """base = similarity + lexical + name, each part times its weight; `similarity` itself is
    the weighted mean of passage, sentence and window cosines. Where the question names a time,
    base - time · (1 - fit) - document · (1 - best of its title) - length · (1 - length)."""

    passage: float = 0.25
    sentence: float = 0.25
    window: float = 0.1
    lexical: float = 0.5
    name: float = 0.3
    k1: float = 1.2
    b: float = 0.75
    # The walk over shared names.
    carried: float = 0.5
    share: float = 0.15
    rarity: float = 0.35
    near_source: float = 0.15
    closer: float = 0.8
    covered: float = 0.2
    window_gain: float = 0.5
    # A question that names a time: what each part takes off where it is not 1.
    time: float = 0.7
    document: float = 0.8
    length: float = 0.45
    # Choosing the first ten.
    coverage: float = 0.3
    graph_proximity: float = 1.0
    recency: float = 0.0
    salience: float = 0.0
    calibration: Calibration = Calibration(slope=7.5, cosine=1.0, offset=-9.5)
    words_alone: Calibration = Calibration(slope=8.0, cosine=0.0, offset=-7.0)

    @property
    def similarity(self) -> float:
        """The weight of the whole part."""
        return self.passage + self.sentence + self.window


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeWeights:
    """base = similarity + lexical + name, each part times its weight; `hub` is how much of a
    function's nearness to the other candidates is taken off its cosine."""

    similarity: float = 1.0
    hub: float = 0.3
    lexical: float = 0.2
    name: float = 0.3
    k1: float = 2.0
    b: float = 0.6
    graph_proximity: float = 1.0
    recency: float = 0.0
    salience: float = 0.0
    calibration: Calibration = Calibration(slope=9.0, cosine=2.5, offset=-12.7)
    words_alone: Calibration = Calibration(slope=16.0, cosine=0.0, offset=-5.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWeights:
    """What the fit of a file's passage adds to its log-odds: `words` and `title` times the shares
    of the question's words that stand in it and in its title, and `roles` by the file's role;
    `showing` more for what shows how something is done, where that is asked."""

    words: float = 12.0
    title: float = 16.0
    released: float = 0.0
    version: float = 8.0
    showing: float = 8.0
    roles: Mapping[Role, float] = field(
        default_factory=lambda: {
            "source": 0.0,
            "manifest": 0.0,
            "licence": 0.0,
            "documentation": -5.0,
            "changelog": -5.0,
            "test": -5.0,
            "example": -5.0,
            "other": -5.0,
            "fixture": -6.0,
            "generated": -7.0,
            "vendored": -7.0,
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far planning and ranking may go. None of them is a setting."""

    seeds_per_index: int = 100
    bridge_seeds: int = 10
    bridge_reach: int = 60
    title_reach: int = 300
    fewest_stems: int = 4
    context_before: int = 60
    context_after: int = 25
    choose_from: int = 40
    chosen: int = 10
    fitted: int = 50
    linked_chunks: int = 1000
    chunks_per_document: int = 5
    chunks: int = 50

    def shared(self, df: int) -> bool:
        """Whether a name that `df` passages mention leads from one to the others."""
        return 2 <= df <= self.bridge_reach

    def titled(self, df: int) -> bool:
        """Whether a name that stands in the titles of `df` passages leads to them."""
        return 0 < df <= self.title_reach


Number = TypeVar("Number", float, "NDArray[np.float64]")

PROSE = ProseWeights()
CODE = CodeWeights()
FILES = FileWeights()
BOUNDS = Bounds()


def base(
    weights: ProseWeights | CodeWeights, similarity: Number, lexical: Number, name: Number
) -> Number:
    """The weighted sum of the three parts that every passage has, of one or of many."""
    return weights.similarity * similarity + weights.lexical * lexical + weights.name * name

"""Pairs of passages that share a name, with what the name itself is worth."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.ports import Numbers, Occurrence
from quipu.records.weights import BOUNDS, PROSE

__all__ = ["Pairs", "WalkSource", "find_pairs"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class WalkSource(NamedTuple):
    """A passage the walk starts from: its number, its base score and the keys it may leave by."""

    number: int
    score: float
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """A row a pair: `source` is the source's place, `neighbour` a chunk number. The places of
    its shared names, the one that ties most first, are `keys[starts[row] : starts[row + 1]]`."""

    source: Places
    neighbour: Numbers
    share: Floats
    rarity: Floats
    near_source: Floats
    keys: Places
    starts: Places

    def shared(self, row: int) -> list[int]:
        """The places of the names that tie a pair, the best first."""
        keys: list[int] = self.keys[self.starts[row] : self.starts[row + 1]].tolist()
        return keys


class _Edges(NamedTuple):
    """Passages that one name of one source leads to; `percent` of their titles it covers, if it
    leads by title."""

    source: int
    key: int
    neighbours: Numbers
    percent: NDArray[np.int32] | None
    rarity: float
    near: float


def find_pairs(
    sources: Sequence[WalkSource],
    keys: Sequence[str],
    nearness: Sequence[Mapping[str, float]],
    sharing: Mapping[str, Occurrence],
    titled: Mapping[str, Occurrence],
) -> Pairs:
    """Every (source, neighbour) pair with its best share, rarity and nearness over its names.

    `sharing` says who mentions a key, `titled` whose title contains it (percent as frequency);
    names that too many passages share lead nowhere.
    """
    place = {key: i for i, key in enumerate(keys)}
    edges: list[_Edges] = []
    for i, source in enumerate(sources):
        for key in source.keys:
            shared, title = sharing[key], titled[key]
            rarity = 1 / math.log(2 + shared.df)
            near = nearness[i].get(key, 0.0)
            if BOUNDS.shared(shared.df):
                edges.append(_Edges(i, place[key], shared.numbers, None, rarity, near * rarity))
            if BOUNDS.titled(title.df):
                edges.append(_Edges(i, place[key], title.numbers, title.tf, rarity, near))
    return _grouped(edges, np.array([source.number for source in sources], dtype=np.int64))


def _grouped(edges: Sequence[_Edges], own: Numbers) -> Pairs:
    if not edges:
        none = np.zeros(0)
        return Pairs(own[:0], own[:0], none, none, none, own[:0], own[:0])
    sizes = [len(edge.neighbours) for edge in edges]
    source = np.repeat(np.array([edge.source for edge in edges], dtype=np.int64), sizes)
    key = np.repeat(np.array([edge.key for edge in edges], dtype=np.int64), sizes)
    neighbour = np.concatenate([edge.neighbours for edge in edges])
    none = np.zeros(max(sizes), dtype=np.int32)
    percents = [
        none[:size] if e.percent is None else e.percent
        for e, size in zip(edges, sizes, strict=True)
    ]
    share = np.concatenate(percents) / 100
    rarity = np.repeat(np.array([edge.rarity for edge in edges]), sizes)
    near = np.repeat(np.array([edge.near for edge in edges]), sizes)
    near = np.where(share > 0, near * share, near)
    strength = PROSE.share * share + PROSE.rarity * rarity + PROSE.near_source * near
    order = np.lexsort((key, -strength, neighbour, source))
    order = order[neighbour[order] != own[source[order]]]
    source, key, neighbour = source[order], key[order], neighbour[order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (source[1:] != source[:-1]) | (neighbour[1:] != neighbour[:-1])
    starts = np.flatnonzero(fresh)
    if not len(starts):
        none = np.zeros(0)
        return Pairs(own[:0], own[:0], none, none, none, own[:0], own[:0])
    return Pairs(
        source=source[starts],
        neighbour=neighbour[starts],
        share=np.maximum.reduceat(share[order], starts),
        rarity=np.maximum.reduceat(rarity[order], starts),
        near_source=np.maximum.reduceat(near[order], starts),
        keys=key,
        starts=np.append(starts, len(key)).astype(np.int64),
    )

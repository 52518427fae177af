"""The network that is divided into communities: documents, names and other things, and how
strongly they are tied.

* A document is tied to the names that it mentions and few others do: (1 + ln n) · ln(N / df).
* Relations tie their ends, weighted by their type; a symbol counts as the document that defines it.
* A dated fact ties the name it is about to the name it gives.

What nearly everything is tied to divides nothing: such names and things are left out, and an end
with many relations has less of each.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.reports.reflect.mentioned import Mentioned, is_name
from quipu.ports import Graph
from quipu.records.ids import name_id, name_key
from quipu.records.record import Fact, Record, Relation, record_id
from quipu.records.schema import RelationType, row_of
from quipu.text import name_key as folded

__all__ = ["EntityNetwork", "WeightedEdge", "build_network"]

_Weights: TypeAlias = dict[tuple[str, str], float]

_NAMES_A_DOCUMENT = 12
_COMMON_SHARE = 0.25
_COMMON_LEAST = 8
_COMMON_MOST = 2000
_HUB = 500
_PAGE = 1000
_OF_FACT = 3.0
_RELATION_WEIGHT = 4.0


class WeightedEdge(NamedTuple):
    """Two nodes, the lesser id first, and how strongly they are tied."""

    one: str
    other: str
    weight: float


class EntityNetwork(NamedTuple):
    """`edges` by (one, other); `mentioned_in` counts the units that mention each name that is a
    node; `symbols` are those that other documents refer to: their document, and how many do."""

    edges: list[WeightedEdge]
    mentioned_in: dict[str, int]
    symbols: dict[str, tuple[str, int]]


def build_network(graph: Graph, mentioned: Mentioned, facts: Iterable[Fact]) -> EntityNetwork:
    """The network of everything in `mentioned`, relations and facts included."""
    weights: _Weights = defaultdict(float)
    mentioned_in = _link_names(mentioned, weights)
    documents = set(mentioned.units)
    relations = [r for r in _relations(graph) if row_of(r.type).weight]
    home = {
        r.source_entity_id: r.target_entity_id
        for r in relations
        if r.type == RelationType.DEFINED_IN and r.target_entity_id in documents
    }
    referring: dict[str, set[str]] = {}
    strengths: _Weights = defaultdict(float)
    for relation in relations:
        one, other = relation.source_entity_id, relation.target_entity_id
        here, there = home.get(one, one), home.get(other, other)
        if here == there:
            continue
        if other in home:
            referring.setdefault(other, set()).add(here)
        if _is_node(here, documents, mentioned_in) and _is_node(there, documents, mentioned_in):
            strength = row_of(relation.type).weight * relation.confidence
            strengths[min(here, there), max(here, there)] += strength
    _add(weights, strengths)
    for fact in facts:
        one, other = name_id(folded(fact.subject)), name_id(folded(fact.object))
        if one != other and one in mentioned_in and other in mentioned_in:
            weights[min(one, other), max(one, other)] += _OF_FACT * fact.confidence
    return EntityNetwork(
        [WeightedEdge(one, other, round(w, 6)) for (one, other), w in sorted(weights.items())],
        mentioned_in,
        {symbol: (home[symbol], len(found)) for symbol, found in sorted(referring.items())},
    )


def _link_names(mentioned: Mentioned, weights: _Weights) -> dict[str, int]:
    """Add the ties of documents to names; in how many documents each tied name stands."""
    total = len(mentioned.units)
    if not len(mentioned.at_key):
        return {}
    owner = mentioned.chunk_unit[mentioned.at_chunk].astype(np.int64)
    width = len(mentioned.keys)
    pairs, counts = np.unique(owner * width + mentioned.at_key, return_counts=True)
    document, key = pairs // width, pairs % width
    df = np.bincount(key, minlength=width)
    common = min(max(_COMMON_SHARE * total, _COMMON_LEAST), _COMMON_MOST)
    kept = (df[key] >= 2) & (df[key] <= common)
    document, key, counts = document[kept], key[kept], counts[kept]
    strength = (1 + np.log(counts)) * np.log((total + 1) / df[key])
    for place in _strongest(document, key, strength, mentioned.keys):
        ends = mentioned.units[int(document[place])], mentioned.keys[int(key[place])]
        weights[min(ends), max(ends)] += float(strength[place])
    counted = dict(zip(mentioned.keys, df.tolist(), strict=True))
    used = {each for pair in weights for each in pair if each in counted}
    return {each: counted[each] for each in sorted(used)}


def _strongest(
    document: NDArray[np.int64],
    key: NDArray[np.int64],
    strength: NDArray[np.float64],
    keys: list[str],
) -> Iterator[int]:
    """The places of each document's strongest names, ties by the name itself."""
    by_name = np.empty(len(keys), dtype=np.int64)
    by_name[np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)] = np.arange(
        len(keys)
    )
    order = np.lexsort((by_name[key], -strength.round(6), document))
    taken = 0
    last = -1
    for place in order.tolist():
        taken = taken + 1 if document[place] == last else 1
        last = int(document[place])
        if taken <= _NAMES_A_DOCUMENT:
            yield place


def _relations(graph: Graph) -> Iterator[Relation]:
    after = ""
    while page := graph.scan("relation", after=after, limit=_PAGE):
        after = _last(page)
        yield from (r for r in page if isinstance(r, Relation))


def _last(page: list[Record]) -> str:
    return record_id(page[-1])


def _is_node(record: str, documents: set[str], names: Mapping[str, int]) -> bool:
    """Whether an end of a relation can be in a community: a document that is reported on, a name
    that is not too common, or any other thing."""
    key = name_key(record)
    if key is not None:
        return record in names and is_name(key)
    return record in documents or not record.startswith("ep_")


def _add(weights: _Weights, strengths: Mapping[tuple[str, str], float]) -> None:
    """Add the ties of relations: ln(1 + strength), divided by √(1 + ln degree) of both ends."""
    degree = Counter(end for pair in strengths for end in pair)
    for (one, other), strength in strengths.items():
        if max(degree[one], degree[other]) > _HUB:
            continue
        shared = math.sqrt((1 + math.log(degree[one])) * (1 + math.log(degree[other])))
        weights[one, other] += _RELATION_WEIGHT * math.log1p(strength) / shared

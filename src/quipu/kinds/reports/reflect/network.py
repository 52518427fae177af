"""The network that is divided into communities: documents, and the names that they mention.

A document is tied to the names that few others mention, by (1 + ln n) · ln(N / df). A relation ties
the documents of its ends by its type's weight, divided by √(degree · degree): an end with many
relations has less of each. Turns name little, so in a session words count as names.
"""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from quipu.index.columns import unpack
from quipu.kinds.reports.model import REPORT
from quipu.ports import Graph, Numbers, Planner, Source
from quipu.records.ids import name_id, name_key
from quipu.records.record import Relation, record_id
from quipu.records.schema import RelationType, row_of
from quipu.text import STOP_WORDS, stems

__all__ = [
    "WORD",
    "Mentions",
    "Network",
    "WeightedEdge",
    "build_network",
    "documents_of",
    "names_in",
    "read_mentions",
]

WORD = "word:"
"""How the node of a plain word begins; its stem follows."""

_LEFT_OUT = frozenset({REPORT, "commit"})
_NAMES_A_DOCUMENT = 12
_COMMON_SHARE, _COMMON_LEAST = 0.25, 8
"""A name that more documents than this mention divides nothing."""
_SHORTEST_WORD = 4
_PAGE = 1000
_NO_NAME = re.compile(r"[/\\<>=(){}\[\]]|^--|\.[a-z]{1,4}$")
_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_].*[^\W\d_]")


class WeightedEdge(NamedTuple):
    """Two nodes, the lesser id first, and how strongly they are tied."""

    one: str
    other: str
    weight: float


class Mentions(NamedTuple):
    """By document id: the numbers of its passages, and how many of them mention each name."""

    passages: dict[str, Numbers]
    names: dict[str, Counter[str]]


class Network(NamedTuple):
    """`edges` by (one, other); `frequencies` counts the documents that mention each tied name."""

    edges: list[WeightedEdge]
    frequencies: dict[str, int]


def documents_of(sources: Iterable[Source]) -> dict[str, Source]:
    """The source of each document that can be reported on, by document id: commits are told as
    changes, and reports are not reported on."""
    found: dict[str, Source] = {}
    for source in sources:
        if source.document_id and source.source_type not in _LEFT_OUT:
            known = found.get(source.document_id)
            if known is None or (source.source_type != "links" and known.source_type == "links"):
                found[source.document_id] = source
    return dict(sorted(found.items()))


def read_mentions(planner: Planner, documents: Iterable[str], sessions: frozenset[str]) -> Mentions:
    """What every document mentions. Only of `sessions` text is read."""
    inside = planner.numbers_in(list(documents))
    passages = {document: numbers for document, numbers in inside.items() if len(numbers)}
    names: dict[str, Counter[str]] = {}
    for document, numbers in passages.items():
        counted = names[document] = Counter[str]()
        for found in names_in(planner, numbers, spoken=document in sessions):
            counted.update(found)
    return Mentions(passages, names)


def names_in(planner: Planner, numbers: Numbers, *, spoken: bool) -> list[frozenset[str]]:
    """The nodes that each passage mentions: names, and of turns the stems of words."""
    if spoken:
        return [
            frozenset(WORD + s for s in stems(chunk.text) if len(s) >= _SHORTEST_WORD)
            for chunk in planner.chunks(numbers)
        ]
    return [
        frozenset(name_id(key) for key in unpack(blob).keys if _is_name(key))
        for blob in planner.columns(numbers)
    ]


def _is_name(key: str) -> bool:
    return key not in STOP_WORDS and bool(_LETTERS.search(key)) and not _NO_NAME.search(key)


def build_network(graph: Graph, mentions: Mentions) -> Network:
    """The network of all documents in `mentions`, relations included."""
    weights: dict[tuple[str, str], float] = defaultdict(float)
    total = len(mentions.names)
    frequencies = Counter(name for names in mentions.names.values() for name in names)
    common = max(_COMMON_SHARE * total, _COMMON_LEAST)
    for document, names in mentions.names.items():
        ties = (
            (round((1 + math.log(n)) * math.log((total + 1) / frequencies[name]), 6), name)
            for name, n in names.items()
            if 2 <= frequencies[name] <= common
        )
        for strength, name in heapq.nlargest(_NAMES_A_DOCUMENT, ties):
            weights[min(document, name), max(document, name)] += strength
    used = {node for pair in weights for node in pair} - mentions.names.keys()
    strengths = _tied_by_relations(graph, mentions.names)
    degree = Counter(end for pair in strengths for end in pair)
    for (one, other), strength in strengths.items():
        weights[one, other] += strength / math.sqrt(degree[one] * degree[other])
    return Network(
        [WeightedEdge(one, other, round(w, 6)) for (one, other), w in sorted(weights.items())],
        {name: frequencies[name] for name in sorted(used)},
    )


def _tied_by_relations(
    graph: Graph, documents: Mapping[str, object]
) -> dict[tuple[str, str], float]:
    """How strongly relations tie two nodes; a symbol counts as the document that defines it."""
    relations = [r for r in _relations(graph) if row_of(r.type).weight]
    home = {
        r.source_entity_id: r.target_entity_id
        for r in relations
        if r.type == RelationType.DEFINED_IN and r.target_entity_id in documents
    }
    strengths: dict[tuple[str, str], float] = defaultdict(float)
    for relation in relations:
        ends = (relation.source_entity_id, relation.target_entity_id)
        here, there = (home.get(end, end) for end in ends)
        tied = here != there and all(name_key(end) is None for end in (here, there))
        if tied and not any(end.startswith("ep_") for end in (here, there)):
            weight = row_of(relation.type).weight * relation.confidence
            strengths[min(here, there), max(here, there)] += weight
    return strengths


def _relations(graph: Graph) -> Iterator[Relation]:
    after = ""
    while page := graph.scan("relation", after=after, limit=_PAGE):
        after = record_id(page[-1])
        yield from (r for r in page if isinstance(r, Relation))

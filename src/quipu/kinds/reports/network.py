"""The graph in communities: documents, and the names that they mention.

A document is tied to the names that few others mention, by (1 + ln n) · ln(N / df). A relation ties
the documents of its ends by its type's weight, divided by √(degree · degree): an end with many
relations has less of each. Turns name little, so in a session words count as names.

Communities are found by the Leiden algorithm (Traag, Waltman, van Eck 2019) with a fixed seed; its
result depends on the order of edges, so they come sorted, and each connected component is divided
by itself: what is not tied to a change cannot move because of it.
"""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.index.columns import unpack
from quipu.kinds.reports.model import REPORT
from quipu.ports import Graph, Numbers, Planner, Source, every
from quipu.records.ids import name_id, name_key
from quipu.records.record import Chunk, Relation
from quipu.records.schema import RelationType, row_of
from quipu.text import STOP_WORDS, stem, tokens

__all__ = [
    "Community",
    "Mentions",
    "build_network",
    "documents_of",
    "find_communities",
    "read_mentions",
    "written_names",
]

_LEFT_OUT = frozenset({REPORT, "commit"})
_NAMES_A_DOCUMENT = 12
_COMMON_SHARE, _COMMON_LEAST = 0.25, 8
"""A name that more documents than this mention divides nothing."""
_SHORTEST_WORD = 4
_NO_NAME = re.compile(r"[/\\<>=(){}\[\]]|^--|\.[a-z]{1,4}$")
_LETTERS = re.compile(r"[^\W\d_].*[^\W\d_].*[^\W\d_]")
_WORD = "word:"
"""How the node of a plain word begins; its stem follows."""
_SEED, _TRIALS, _ITERATIONS, _RANDOMNESS, _RESOLUTION = 1, 1, 3, 0.001, 1.0
_SMALLEST = 12  # so few nodes are about one thing, whatever modularity says
_Edge = tuple[str, str, float]
"""Two nodes, the lesser id first, and how strongly they are tied."""


class Mentions(NamedTuple):
    """By document id: the numbers of its passages, and how many of them mention each name; and how
    many documents mention each."""

    passages: dict[str, Numbers]
    names: dict[str, Counter[str]]
    frequencies: Counter[str]


class Community(NamedTuple):
    """`members` are node ids with the strength of their ties inside, the most central first."""

    members: tuple[tuple[str, float], ...]

    @property
    def hub(self) -> str:
        """The most central member."""
        return self.members[0][0]


def documents_of(sources: Iterable[Source]) -> dict[str, Source]:
    """Return the source of each document that can be reported on, by document id: commits are told
    as changes, and reports are not reported on."""
    found: dict[str, Source] = {}
    for source in sources:
        if source.document_id and source.source_type not in _LEFT_OUT:
            known = found.get(source.document_id)
            if known is None or (source.source_type != "links" and known.source_type == "links"):
                found[source.document_id] = source
    return dict(sorted(found.items()))


def read_mentions(planner: Planner, documents: Iterable[str], sessions: frozenset[str]) -> Mentions:
    """Return what every document mentions. Only of `sessions` text is read."""
    inside = planner.numbers_in(list(documents))
    passages = {document: numbers for document, numbers in inside.items() if len(numbers)}
    names: dict[str, Counter[str]] = {}
    for document, numbers in passages.items():
        counted = names[document] = Counter[str]()
        if document in sessions:
            for chunk in planner.chunks(numbers):
                counted.update(_words(chunk.text).keys())
        else:
            for blob in planner.columns(numbers):
                counted.update({name_id(key) for key in unpack(blob).keys if _is_name(key)})
    frequencies = Counter(name for counted in names.values() for name in counted)
    return Mentions(passages, names, frequencies)


def written_names(chunk: Chunk, blob: bytes, *, spoken: bool) -> dict[str, str]:
    """Return the nodes that a passage mentions, each as it is written there."""
    if spoken:
        return _words(chunk.text)
    found: dict[str, str] = {}
    columns = unpack(blob)
    for key, start, end in zip(columns.keys, columns.starts, columns.ends, strict=True):
        written = " ".join(chunk.text[start:end].split())
        if written and _is_name(key):
            found.setdefault(name_id(key), written)
    return found


def _words(text: str) -> dict[str, str]:
    words = (token.word for token in tokens(text) if token.word not in STOP_WORDS)
    stems = ((stem(word), word) for word in words)
    return {_WORD + root: word for root, word in stems if len(root) >= _SHORTEST_WORD}


def _is_name(key: str) -> bool:
    return key not in STOP_WORDS and bool(_LETTERS.search(key)) and not _NO_NAME.search(key)


def build_network(graph: Graph, mentions: Mentions) -> list[_Edge]:
    """Return the ties of all documents in `mentions`, relations included, in order."""
    weights: dict[tuple[str, str], float] = defaultdict(float)
    total, frequencies = len(mentions.names), mentions.frequencies
    common = max(_COMMON_SHARE * total, _COMMON_LEAST)
    for document, names in mentions.names.items():
        ties = (
            (round((1 + math.log(n)) * math.log((total + 1) / frequencies[name]), 6), name)
            for name, n in names.items()
            if 2 <= frequencies[name] <= common
        )
        for strength, name in heapq.nlargest(_NAMES_A_DOCUMENT, ties):
            weights[min(document, name), max(document, name)] += strength
    strengths = _tied_by_relations(graph, mentions.names)
    degree = Counter(end for pair in strengths for end in pair)
    for (one, other), strength in strengths.items():
        weights[one, other] += strength / math.sqrt(degree[one] * degree[other])
    return [(one, other, round(weight, 6)) for (one, other), weight in sorted(weights.items())]


def _tied_by_relations(
    graph: Graph, documents: Mapping[str, object]
) -> dict[tuple[str, str], float]:
    """How strongly relations tie two nodes; a symbol counts as the document that defines it."""
    relations = [r for r in every(graph, Relation) if row_of(r.type).weight]
    home = {
        r.source_entity_id: r.target_entity_id
        for r in relations
        if r.type == RelationType.DEFINED_IN and r.target_entity_id in documents
    }
    strengths: dict[tuple[str, str], float] = defaultdict(float)
    for relation in relations:
        ends = (relation.source_entity_id, relation.target_entity_id)
        here, there = (home.get(end, end) for end in ends)
        known = all(name_key(end) is None and not end.startswith("ep_") for end in (here, there))
        if here != there and known:
            weight = row_of(relation.type).weight * relation.confidence
            strengths[min(here, there), max(here, there)] += weight
    return strengths


def find_communities(edges: Sequence[_Edge]) -> list[Community]:
    """Return every community of two nodes or more, by the id of its hub."""
    found: list[Community] = []
    for component in _components(edges):
        nodes = {node for one, other, _ in component for node in (one, other)}
        community = _leiden(component) if len(nodes) > _SMALLEST else dict.fromkeys(nodes, 0)
        inside: dict[str, float] = defaultdict(float)
        for one, other, weight in component:
            if community[one] == community[other]:
                inside[one] += weight
                inside[other] += weight
        members: dict[int, list[tuple[str, float]]] = {}
        for node in sorted(community, key=lambda node: (-round(inside[node], 6), node)):
            members.setdefault(community[node], []).append((node, round(inside[node], 6)))
        found += [Community(tuple(each)) for each in members.values() if len(each) > 1]
    return sorted(found, key=lambda c: c.hub)


def _components(edges: Sequence[_Edge]) -> list[list[_Edge]]:
    """The edges by connected component, each in the given order."""
    beside: dict[str, list[str]] = defaultdict(list)
    for one, other, _ in edges:
        beside[one].append(other)
        beside[other].append(one)
    root: dict[str, str] = {}
    for start in sorted(beside):
        waiting = [start] if start not in root else []
        while waiting:
            node = waiting.pop()
            if root.setdefault(node, start) == start:
                waiting += [other for other in beside[node] if other not in root]
    parts: dict[str, list[_Edge]] = {}
    for edge in edges:
        parts.setdefault(root[edge[0]], []).append(edge)
    return [parts[each] for each in sorted(parts)]


def _leiden(edges: list[_Edge]) -> dict[str, int]:
    """The community of each node."""
    import graspologic_native

    modularity = True  # not the constant Potts model
    _, found = graspologic_native.leiden(
        edges, None, _RESOLUTION, _RANDOMNESS, _ITERATIONS, modularity, _SEED, _TRIALS
    )
    return found

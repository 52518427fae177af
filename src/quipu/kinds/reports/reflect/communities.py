"""Communities by the Leiden algorithm (Traag, Waltman, van Eck 2019), with a fixed seed.

The result depends on the order of edges, so they come sorted, and each connected component is
divided by itself: what is not tied to a change cannot move because of it.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from quipu.kinds.reports.reflect.network import WeightedEdge

__all__ = ["Community", "find_communities"]

_SEED = 1
_TRIALS = 1
_ITERATIONS = 3
_RANDOMNESS = 0.001
_SMALLEST = 12  # so few nodes are about one thing, whatever modularity says


class Community(NamedTuple):
    """`members` are node ids with the strength of their ties inside, the most central first."""

    members: tuple[tuple[str, float], ...]

    @property
    def hub(self) -> str:
        """The most central member."""
        return self.members[0][0]


def find_communities(edges: Sequence[WeightedEdge], *, resolution: float = 1.0) -> list[Community]:
    """Every community of two nodes or more, by the id of its hub."""
    found: list[Community] = []
    for component in _components(edges):
        found += _divided(component, resolution)
    return sorted(found, key=lambda c: c.hub)


def _components(edges: Sequence[WeightedEdge]) -> list[list[WeightedEdge]]:
    """The edges by connected component, each in the given order."""
    above: dict[str, str] = {}

    def root(node: str) -> str:
        top = node
        while (up := above.setdefault(top, top)) != top:
            top = up
        while above[node] != top:
            above[node], node = top, above[node]
        return top

    for edge in edges:
        one, other = root(edge.one), root(edge.other)
        if one != other:
            above[max(one, other)] = min(one, other)
    parts: dict[str, list[WeightedEdge]] = {}
    for edge in edges:
        parts.setdefault(root(edge.one), []).append(edge)
    return [parts[each] for each in sorted(parts)]


def _divided(edges: list[WeightedEdge], resolution: float) -> list[Community]:
    nodes = {node for edge in edges for node in (edge.one, edge.other)}
    community = _leiden(edges, resolution) if len(nodes) > _SMALLEST else dict.fromkeys(nodes, 0)
    inside: dict[str, float] = defaultdict(float)
    for one, other, weight in edges:
        if community[one] == community[other]:
            inside[one] += weight
            inside[other] += weight
    members: dict[int, list[tuple[str, float]]] = {}
    for node in sorted(community):
        members.setdefault(community[node], []).append((node, round(inside[node], 6)))
    return [
        Community(tuple(sorted(each, key=lambda m: (-m[1], m[0]))))
        for each in members.values()
        if len(each) > 1
    ]


def _leiden(edges: Sequence[WeightedEdge], resolution: float) -> dict[str, int]:
    """The community of each node."""
    import graspologic_native

    _, found = graspologic_native.leiden(
        [(edge.one, edge.other, edge.weight) for edge in edges],
        None,
        resolution,
        _RANDOMNESS,
        _ITERATIONS,
        True,  # modularity, not the constant Potts model
        _SEED,
        _TRIALS,
    )
    return found

"""Graphs that other programs read where a store keeps its own, beside the ports.

A package whose stores lie in such a graph has, beside the opener that its entry point of the group
`quipu.stores` leads to, the same name for all: `GRAPH`, a `Graphs`. It is found by the address, as
the store is; who asks names no backend.
"""

from importlib import import_module
from typing import NamedTuple, Protocol

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.store import brought
from quipu.store.addresses import shown

__all__ = [
    "GraphQuery",
    "GraphitiEdge",
    "GraphitiEpisode",
    "GraphitiGraph",
    "GraphitiNode",
    "Graphs",
    "graphs",
    "graphs_of",
]

_NAME = "GRAPH"
"""What a package calls it."""


class GraphQuery(NamedTuple):
    """A query; `about` names the parameter that is what is asked, as in `example`."""

    name: str
    title: str
    about: str
    example: str
    cypher: str


class GraphitiNode(NamedTuple):
    """A thing; `labels` without `Entity`, `created_at` an ISO instant or ""."""

    uuid: str
    group_id: str
    name: str
    summary: str
    labels: tuple[str, ...]
    created_at: str


class GraphitiEpisode(NamedTuple):
    """An observation; `mentions` are uuids of things."""

    uuid: str
    group_id: str
    name: str
    content: str
    source: str
    source_description: str
    created_at: str
    valid_at: str
    mentions: tuple[str, ...]


class GraphitiEdge(NamedTuple):
    """A dated fact between two things; `episodes` are the uuids of those that said it."""

    uuid: str
    group_id: str
    source: str
    target: str
    name: str
    fact: str
    episodes: tuple[str, ...]
    created_at: str
    valid_at: str
    invalid_at: str
    expired_at: str


class GraphitiGraph(NamedTuple):
    """All of it, each by uuid; what Quipu itself keeps there is left out."""

    nodes: list[GraphitiNode]
    episodes: list[GraphitiEpisode]
    edges: list[GraphitiEdge]


class Graphs(Protocol):
    """What a graph database offers besides keeping a store."""

    @property
    def queries(self) -> tuple[GraphQuery, ...]:
        """Queries that may be put to it by hand."""
        ...

    def group_of(self, namespace: str) -> str:
        """What the namespace is called in it."""
        ...

    def health(self, url: str) -> tuple[int, dict[str, str]]:
        """The HTTP status (200 or 503), and `status` and `message`, of the server at `url`."""
        ...

    def read_graphiti(self, url: str) -> GraphitiGraph:
        """What `graphiti-core` keeps at `url`. Raises StoreUnavailable, MissingExtra, and
        InvalidInput when nothing of Graphiti's is there."""
        ...


def graphs(url: str) -> Graphs | None:
    """What lies in the graph at `url`; None where a store there lies in none, as in a file.

    Raises StoreUnavailable when the package that brings it does not load.
    """
    scheme, found, _ = url.partition("://")
    point = brought().get(scheme.lower()) if found else None
    if point is None:
        return None
    try:
        return getattr(import_module(point.module), _NAME, None)
    except ImportError as error:
        raise StoreUnavailable(
            f"the stores of {scheme}:// cannot be used: {point.value!r} does not load ({error}); "
            "update or uninstall its package"
        ) from error


def graphs_of(url: str) -> Graphs:
    """As `graphs`; InvalidInput where there is none."""
    if (found := graphs(url)) is None:
        raise InvalidInput(
            f"{shown(url)!r} is the address of no graph database: give one like neo4j://HOST"
        )
    return found

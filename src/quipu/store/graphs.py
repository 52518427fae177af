"""Graphs that other programs read where a store keeps its own, beside the ports.

A package whose stores lie in such a graph has, beside the opener that its entry point of the group
`quipu.stores` leads to, the same name for all: `GRAPH`, a `Graphs`. It is found by the address, as
the store is; who asks names no backend.
"""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.store import brought
from quipu.store.addresses import shown

__all__ = ["GraphQuery", "Graphs", "graphs", "graphs_of"]


class GraphQuery(NamedTuple):
    """A query; `about` names the parameter that is what is asked, as in `example`."""

    name: str
    title: str
    about: str
    example: str
    cypher: str


class Graphs(NamedTuple):
    """What a graph database offers besides keeping a store: queries that may be put to it by hand,
    what a namespace is called in it, and whether the server at an address answers (the HTTP status,
    200 or 503, with `status` and `message`)."""

    queries: tuple[GraphQuery, ...]
    group_of: Callable[[str], str]
    health: Callable[[str], tuple[int, dict[str, str]]]


def graphs(url: str) -> Graphs | None:
    """What lies in the graph at `url`; None where a store there lies in none, as in a file.

    Raises StoreUnavailable when the package that brings it does not load.
    """
    scheme, found, _ = url.partition("://")
    point = brought().get(scheme.lower()) if found else None
    if point is None:
        return None
    try:
        return getattr(import_module(point.module), "GRAPH", None)
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

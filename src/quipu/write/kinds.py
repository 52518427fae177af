"""What writing asks of the kinds of source: what they do when other sources come and go."""

from collections.abc import Set as AbstractSet

from quipu.kind import parts
from quipu.ports import Graph, Store
from quipu.when.instants import Clock

__all__ = ["Upkeep", "resting_on", "upkeep_of_kinds"]


class Upkeep:
    """A kind overrides what concerns it; the rest does nothing."""

    def after_index(self, store: Store, source_types: AbstractSet[str], *, clock: Clock) -> None:
        """Files have changed in a store that holds sources of these types."""

    def resting_on(self, graph: Graph, source_refs: AbstractSet[str]) -> list[str]:
        """The sources of this kind that rest on one of these, and go where it is forgotten."""
        return []


def upkeep_of_kinds() -> tuple[Upkeep, ...]:
    """What the kinds bring to writing."""
    return parts("write", Upkeep)


def resting_on(graph: Graph, source_refs: AbstractSet[str]) -> list[str]:
    """The sources of any kind that rest on one of these."""
    return [ref for each in upkeep_of_kinds() for ref in each.resting_on(graph, source_refs)]

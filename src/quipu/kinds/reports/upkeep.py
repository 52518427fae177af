"""What reports do when other sources go: they go with what they quote."""

from collections.abc import Set as AbstractSet

from quipu.ports import Graph
from quipu.write.kinds import Upkeep

__all__ = ["UPKEEP"]


class _Quoting(Upkeep):
    def resting_on(self, graph: Graph, source_refs: AbstractSet[str]) -> list[str]:
        """The reports a line of which rests on one of the sources."""
        from quipu.kinds.reports.reflect import quoting  # no index need wait for it

        return quoting(graph, source_refs)


UPKEEP = _Quoting()

"""What incidents do when other sources come: what a service needs may have changed."""

from collections.abc import Set as AbstractSet

from quipu.kinds.incidents.records import INCIDENT
from quipu.ports import Store
from quipu.when.instants import Clock
from quipu.write.kinds import Upkeep

__all__ = ["UPKEEP"]


class _Causes(Upkeep):
    def after_index(self, store: Store, source_types: AbstractSet[str], *, clock: Clock) -> None:
        """Draw the causes of incidents again, where there are any."""
        if INCIDENT in source_types:
            from quipu.kinds.incidents.links import draw_all_causes  # most indexes need it not

            draw_all_causes(store, clock=clock)


UPKEEP = _Causes()

"""Derived numbers: what `Memory.values` offers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.handle.handle import Handle
from quipu.write.report import ProblemRow

if TYPE_CHECKING:
    from quipu.kinds.values.derive import Explanation

__all__ = ["Valued", "Values"]


class Valued(msgspec.Struct, frozen=True, kw_only=True):
    """The total of a ledger, the fact that holds it, and what does not add up."""

    fact_id: Annotated[str, "the fact that holds the total; `quipu explain` shows its working"]
    ledger: Annotated[str, "the ledger's path"]
    total: Annotated[float, "Σ runs × hours, in hours"]
    stated_total: Annotated[float | None, "the total that the ledger states itself, or null"]
    history_total: Annotated[float, "the sum of its history"]
    difference: Annotated[float | None, "the stated total less that sum, or null"]
    adds_up: Annotated[bool, "whether everything agrees"]
    notes: Annotated[tuple[str, ...], "what does not agree"]
    errors: Annotated[tuple[ProblemRow, ...], "rows and fields that were left out"]
    warnings: Annotated[tuple[ProblemRow, ...], "what went in with a doubt"]


class Values:
    """Values derived in one store."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def derive(self, folder: str | Path | None = None) -> Valued:
        """Read tags, heartbeats and the ledger under `folder` (default: the home folder), and
        derive the hours saved. The same files again change nothing.

        Raises InvalidInput when there is no ledger that can be read. Written at once.
        """
        from quipu.kinds.values.derive import reconcile, write_values
        from quipu.kinds.values.read import read_values
        from quipu.write.report import rows

        root = self._handle.home.folder if folder is None else Path(folder)
        values = read_values(root, home=self._handle.home.folder)
        with self._handle.writing:
            fact = write_values(self._handle.store, values, clock=self._handle.clock)
        total, difference, notes = reconcile(values)
        return Valued(
            fact_id=fact.fact_id,
            ledger=values.ledger,
            total=float(fact.object),
            stated_total=values.total,
            history_total=total,
            difference=difference,
            adds_up=not notes,
            notes=notes,
            errors=rows(values.problems, "error"),
            warnings=rows(values.problems, "warning"),
        )

    def explain(self, fact_id: str) -> "Explanation":
        """How a derived fact came about: inputs → formula → output, recomputed now.

        Raises UnknownRecord, InvalidInput for a fact that was stated.
        """
        from quipu.kinds.values.derive import explain

        return explain(self._handle.store, fact_id)

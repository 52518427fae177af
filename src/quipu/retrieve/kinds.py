"""What retrieval asks of the kinds of source."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from quipu.kind import parts
from quipu.ports import Embedder, Planner
from quipu.question import Question
from quipu.retrieve.rank import Candidate

__all__ = ["Signals", "signals_of_kinds"]


class Signals(ABC):
    """What a kind of source says of a whole list of hits: inputs of an answer's confidence."""

    @abstractmethod
    def read(
        self,
        question: Question,
        ranked: Sequence[Candidate],
        planner: Planner,
        embedder: Embedder | None,
        space: str | None,
    ) -> dict[str, float]:
        """Named numbers; none where the list is not this kind's."""


def signals_of_kinds(
    question: Question,
    ranked: Sequence[Candidate],
    planner: Planner,
    embedder: Embedder | None,
    space: str | None,
) -> dict[str, float]:
    """What all kinds say of `ranked`, the best first."""
    found: dict[str, float] = {}
    for each in parts("retrieve", Signals):
        found |= each.read(question, ranked, planner, embedder, space)
    return found

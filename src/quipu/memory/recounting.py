"""Dated facts: what `Memory` offers for questions of time."""

from typing import TYPE_CHECKING

from quipu.domain.scope import EVERYTHING, Scope
from quipu.errors import InvalidInput
from quipu.memory.sessions import Conversations

if TYPE_CHECKING:
    from quipu.facts import FactsFound

__all__ = ["Recounting"]


class Recounting(Conversations):
    """A memory's dated statements, asked in words."""

    def find_facts(
        self, question: str, *, scope: Scope = EVERYTHING, limit: int = 10, now: str | None = None
    ) -> "FactsFound":
        """The facts that answer `question`, best first; its date is read from its text.

        "last spring" is seen from `now`, by default the clock. `known` tells whether the first
        one answers at all. Raises InvalidInput for an empty question or a limit below 1.
        """
        from quipu.facts import find_facts

        if not question.strip():
            raise InvalidInput("the question is empty: ask, for example, 'who led X in 2003?'")
        if limit < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        return find_facts(
            question,
            self.store,
            self._model.get(),
            now=now or self._clock(),
            scope=scope,
            functional=frozenset(self.config.facts.functional),
            limit=limit,
        )

"""What reads: the store with merged things seen as one, and `Memory.entities`."""

from functools import cached_property
from typing import TYPE_CHECKING

from quipu.memory.sessions import Conversations
from quipu.ports import Planner
from quipu.text import name_key

if TYPE_CHECKING:
    from quipu.memory.merging import Entities
    from quipu.resolve import Resolver

__all__ = ["Resolving"]


class Resolving(Conversations):
    """A memory that knows which of its things are one."""

    @property
    def graph(self) -> Planner:
        """The store as it reads when what was merged is one thing; itself where nothing was."""
        return self._resolver.read()

    def graph_for(self, question: str) -> Planner:
        """As `graph`, with the acronyms in `question` (or of what it names) that texts define."""
        from quipu.domain.question import read_question

        asked = read_question(question)
        return self._resolver.read_for(dict.fromkeys((*asked.names, *asked.surfaces)), question)

    def asked_of(self, question: str) -> tuple[Planner, str]:
        """`graph_for` the question, and the question as facts there call what it names."""
        from quipu.resolve import Resolved

        graph = self.graph_for(question)
        return graph, graph.told(question) if isinstance(graph, Resolved) else question

    def graph_of(self, name: str, known_at: str | None = None) -> tuple[Planner, str]:
        """As `graph_for` one name, or `graph` as it was known at an instant; and what facts there
        call the thing."""
        from quipu.domain.mentions import key_words
        from quipu.resolve import Resolved

        keys = {key for key in (name_key(name), " ".join(key_words(name))) if key}
        graph = self._resolver.read_at(known_at, sorted(keys))
        return graph, graph.name_of(name) if isinstance(graph, Resolved) else name

    @cached_property
    def entities(self) -> "Entities":
        """Things: which of them are one, which might be, and what was decided about them."""
        from quipu.memory.merging import Entities

        return Entities(
            self.store, embedder=self._models.get, clock=self._clock, writing=self._writing
        )

    @cached_property
    def _resolver(self) -> "Resolver":
        from quipu.resolve import Resolver

        return Resolver(self.store)

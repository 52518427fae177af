"""What was recalled, as `memory_recall` shows it; passages where no entry matches."""

from quipu.agents.recall import Recall
from quipu.memory import Memory
from quipu.serve.mcp.searching import found_passage, provider_of
from quipu.serve.mcp.shapes import Recalled, RecallFallback
from quipu.serve.results import shaped

__all__ = ["recalled"]


def recalled(memory: Memory, found: Recall) -> Recalled:
    """The entries; what was found instead, when there are none."""
    fallback = None
    if not found.entries:
        provider, model = provider_of(memory)
        fallback = RecallFallback(
            results=tuple(map(found_passage, found.fallback)), provider=provider, model=model
        )
    return shaped(Recalled, found, fallback=fallback)

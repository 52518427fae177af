"""Facts read by a language model, when it is asked to: passage by passage, each written at once."""

from typing import TYPE_CHECKING

import msgspec

from quipu.domain.batch import Batch
from quipu.domain.progress import Progress
from quipu.domain.records import Chunk, Episode
from quipu.errors import InvalidInput

if TYPE_CHECKING:
    from quipu.memory.handle import Memory

__all__ = ["Extracted", "extract_facts"]

_PROFILES = frozenset({"prose", "conversation"})


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """`passages` were read and `facts` written; `skipped` says what was not, and why."""

    model: str
    passages: int
    facts: int
    skipped: tuple[str, ...] = ()


def extract_facts(memory: "Memory", ref: str, *, progress: Progress | None = None) -> Extracted:
    """Let the configured model read the facts of one source's passages; again changes nothing
    that it reads again. A run that ends half-way keeps what it wrote.

    Raises InvalidInput without a model, UnknownRecord for an unknown source, ModelUnavailable
    and OverBudget when the model stops.
    """
    from quipu.extract.by_model import facts_by_model

    chat = memory.chat
    if chat is None:
        raise InvalidInput("no language model is configured: set chat.model in quipu.toml")
    chunks = [c for c in _passages(memory, ref) if c.profile in _PROFILES]
    store, facts = memory.store, 0
    skipped: list[str] = []
    for done, chunk in enumerate(chunks, 1):
        episode = store.get([chunk.episode_id]).get(chunk.episode_id)
        if not isinstance(episode, Episode):
            continue
        found = facts_by_model(chat, chunk, episode, namespace=store.namespace)
        skipped += [f"{episode.source_ref}:{chunk.start_line}: {why}" for why in found.skipped]
        if found.claims:
            store.write(Batch(recorded_at=memory.clock(), claims=found.claims))
            facts += len(found.claims)
        if progress:
            progress("extract", done, len(chunks))
    return Extracted(model=chat.name, passages=len(chunks), facts=facts, skipped=tuple(skipped))


def _passages(memory: "Memory", ref: str) -> list[Chunk]:
    found = memory.get(ref)
    if isinstance(found, Chunk):
        return [found]
    document_id = getattr(found, "document_id", None) or getattr(found, "entity_id", "")
    return memory.store.chunks(memory.store.numbers_in([document_id])[document_id])

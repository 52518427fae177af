"""What more than one door asks of a memory, given the shape in which they show it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from quipu.agents.budget import cut
from quipu.errors import InvalidInput
from quipu.handle.lookup import Passage
from quipu.memory import Memory
from quipu.records.record import Chunk, Entity, Fact, Relation, record_id
from quipu.records.reply import Hit
from quipu.resolve.merges import may_be_merged
from quipu.serve.agent_shapes import FoundPassage, IndexStatus
from quipu.serve.results import shaped
from quipu.serve.shapes import Added, Opened, opened

if TYPE_CHECKING:
    from quipu.evaluate.golden import GoldenReport

__all__ = [
    "added",
    "found_passage",
    "golden_run",
    "index_status",
    "looked_up",
    "provider_of",
    "relation_of",
]

_RELATIONS = 200
_FACTS = 200
_SNIPPET = 700
_FEW_IDS = 5


def looked_up(memory: Memory, ref: str) -> Opened:
    """What `ref` names, with the chunks, relations, facts and support around it."""
    found = memory.get(ref)
    if isinstance(found, Passage):
        return opened(found)
    key = record_id(found)
    support = memory.graph.support([key]).get(key, [])
    if not isinstance(found, Entity):
        return opened(found, support=support)
    relations = memory.relations(key, limit=_RELATIONS)
    numbers = memory.store.numbers_in([key])[key]
    chunks: list[Chunk] = memory.store.chunks(numbers)
    facts = _facts_of(memory, found)
    return opened(found, support=support, relations=relations, chunks=chunks, facts=facts)


def _facts_of(memory: Memory, thing: Entity) -> list[Fact]:
    """What holds of a thing: facts call it by its id or, where its name says what it is, by
    that."""
    names = [thing.entity_id, *([thing.name] if may_be_merged(thing.type) else [])]
    found = {f.fact_id: f for name in names for f in memory.facts(name, live=True)}
    return list(found.values())[:_FACTS]


def added(memory: Memory, episode_id: str) -> Added:
    """What became of the text that was just added: its last job says whether it was known."""
    job = next(each for each in memory.jobs() if each.result == episode_id)
    read = memory.facts.stated_by(episode_id)
    return Added(
        episode_id=episode_id,
        unchanged=bool(job.unchanged),
        facts=read.stated,
        replaces=read.replaced,
    )


def index_status(memory: Memory, note: str = "") -> IndexStatus:
    """How the memory is, its sources by kind, and `note`."""
    kinds = Counter(source.source_type for source in memory.store.sources())
    return shaped(IndexStatus, memory.stats(), source_types=dict(sorted(kinds.items())), note=note)


def relation_of(memory: Memory, rel_id: str) -> Relation:
    """The relation of an id. Raises UnknownRecord, InvalidInput for an id of something else."""
    found = memory.get(rel_id)
    if not isinstance(found, Relation):
        raise InvalidInput(f"{rel_id!r} is no relation: `quipu relation list` shows their ids")
    return found


def golden_run(memory: Memory, file: Path) -> "GoldenReport":
    """Ask the questions of a file and check the answers, the contract too. Raises InvalidInput."""
    from quipu.answer.examine import violations
    from quipu.evaluate.golden import run

    least = memory.config.answer.assert_above
    return run(
        memory, file, check=lambda reply: violations(reply, memory.store, assert_above=least)
    )


def found_passage(hit: Hit) -> FoundPassage:
    """A hit as `memory_search` shows it."""
    end = f"-L{hit.end_line}" if hit.end_line != hit.start_line else ""
    return shaped(
        FoundPassage,
        hit,
        snippet=cut(hit.text, _SNIPPET),
        source="sessions" if hit.source_type == "session" else "memory",
        citation=f"{hit.path}#L{hit.start_line}{end}",
        graph_ids=hit.graph_ids[:_FEW_IDS],
    )


def provider_of(memory: Memory) -> tuple[str, str | None]:
    """Where vectors come from, and the name of their space; ("none", None) without a model."""
    embedder = memory.embedder
    return ("local", embedder.space) if embedder else ("none", None)

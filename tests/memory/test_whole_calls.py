"""What one call says is one batch: a kill leaves it whole or not at all."""

from collections.abc import Callable
from typing import Any

import pytest

from quipu.agents.entries import Entries
from quipu.agents.knowledge import (
    KnowledgeEntity,
    KnowledgeGraph,
    KnowledgeRelation,
    ThingObservations,
)
from quipu.memory import Memory
from quipu.records.batch import Batch

ANN = KnowledgeEntity(name="Ann", type="person", observations=("Likes tea", "Runs far"))
ACME = KnowledgeEntity(name="Acme", type="organization", observations=("Makes anvils",))
WORKS = KnowledgeRelation(source="Ann", type="works_at", target="Acme")


def _filled(memory: Memory) -> None:
    graph = KnowledgeGraph(memory)
    graph.create_entities([ANN, ACME])
    graph.relate([WORKS])


def _store(memory: Memory) -> None:
    entries = Entries(memory)
    first = entries.store("Use tabs in every project.", category="preference").entry.id
    other = entries.store("Use Postgres for billing.", category="decision").entry.id
    entries.store("Ann leads billing.", category="fact", related_to=[first, other])


def _observe(memory: Memory) -> None:
    _filled(memory)
    said = [("Ann", ("Sings", "Reads")), ("Acme", ("Is old",))]
    KnowledgeGraph(memory).observe([ThingObservations(of=name, contents=c) for name, c in said])


def _delete(memory: Memory) -> None:
    _filled(memory)
    KnowledgeGraph(memory).delete_entities(["Ann", "Acme"])


def _tie(memory: Memory) -> None:
    KnowledgeGraph(memory).relate(
        [WORKS, KnowledgeRelation(source="Bo", type="knows", target="Ann")]
    )


# What each writes, and in how many calls.
CALLS: dict[str, tuple[int, Callable[[Memory], None]]] = {
    "create_entities and create_relations": (2, _filled),
    "create_relations": (1, _tie),
    "add_observations": (3, _observe),
    "delete_entities": (3, _delete),
    "memory_store": (3, _store),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_one_batch(memory: Memory, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    calls, do = CALLS[call]
    batches = _batches(memory, monkeypatch)
    do(memory)
    assert len(batches) == calls
    assert memory.validate().errors == ()
    assert memory.stats().unembedded == 0


def _batches(memory: Memory, patch: pytest.MonkeyPatch) -> list[Batch]:
    """The batches that are written from now on, but those of vectors."""
    write, batches = memory.store.write, list[Batch]()

    def counted(batch: Batch) -> Any:
        if batch.episodes or batch.claims or batch.replaces:
            batches.append(batch)
        return write(batch)

    patch.setattr(memory.store, "write", counted)
    return batches

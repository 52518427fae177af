"""What one call says is one batch: a kill leaves it whole or not at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.agents.entries import Entries
from quipu.agents.knowledge import (
    KnowledgeEntity,
    KnowledgeGraph,
    KnowledgeRelation,
    ThingObservations,
)
from quipu.agents.knowledge_file import import_knowledge
from quipu.memory import Memory
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.records.batch import Batch

ANN = KnowledgeEntity(name="Ann", type="person", observations=("Likes tea", "Runs far"))
ACME = KnowledgeEntity(name="Acme", type="organization", observations=("Makes anvils",))
WORKS = KnowledgeRelation(source="Ann", type="works_at", target="Acme")
LINES = [
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Sings"]},
    {"type": "entity", "name": "Bo", "entityType": "person", "observations": ["Dances"]},
    {"type": "relation", "from": "Ann", "to": "Bo", "relationType": "knows"},
]


def _filled(memory: Memory) -> None:
    graph = KnowledgeGraph(memory)
    graph.create_entities([ANN, ACME])
    graph.relate([WORKS])


def _store(memory: Memory) -> None:
    entries = Entries(memory)
    first = entries.store("Use tabs in every project.", category="preference").entry.id
    other = entries.store("Use Postgres for billing.", category="decision").entry.id
    entries.store("Ann leads billing.", category="fact", related_to=[first, other])


def _import(memory: Memory, tmp_path: Path) -> None:
    _filled(memory)
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    done = import_knowledge(memory, path)
    assert (done.entities, done.observations, done.relations) == (1, 2, 1)


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


def test_a_file_is_taken_in_as_one_batch(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    batches = _batches(memory, monkeypatch)
    _import(memory, tmp_path)
    assert len(batches) == 3


def _batches(memory: Memory, patch: pytest.MonkeyPatch) -> list[Batch]:
    """The batches that are written from now on, but those of vectors."""
    write, batches = memory.store.write, list[Batch]()

    def counted(batch: Batch) -> Any:
        if batch.episodes or batch.claims or batch.replaces:
            batches.append(batch)
        return write(batch)

    patch.setattr(memory.store, "write", counted)
    return batches


def test_what_was_made_whole_is_found_and_stands_as_support(memory: Memory) -> None:
    _filled(memory)
    assert KnowledgeGraph(memory).read() == ([ANN, ACME], [WORKS])
    (ann,) = (e for e in memory.store.named(["ann"])["ann"] if e.type != "Document")
    held = memory.store.support([ann.entity_id])[ann.entity_id]
    assert len([each for each in held if each.chunk_ids]) == 2
    assert memory.search("who likes tea?").hits


def test_a_killed_call_of_many_items_is_made_good_whole(
    tmp_path: Path, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [
        IngestItem(text="Use tabs in every project."),
        IngestItem(text="Draw the map", kind="task", id="7"),
        IngestItem(text="Use Postgres for billing."),
        IngestItem(text="I leave for Lima in May.", kind="message"),
    ]
    url = tmp_path / ".quipu" / "quipu.db"
    with open_memory(url, tmp_path) as memory, monkeypatch.context() as patched:
        write, written = memory.store.write, list[Batch]()

        def dies(batch: Batch) -> Any:
            if written:
                raise KeyboardInterrupt
            written.append(batch)
            return write(batch)

        patched.setattr(memory.store, "write", dies)
        with pytest.raises(KeyboardInterrupt):
            ingest_items(memory, items, session_key="trip")
        assert len(memory.jobs()) == 4
    with open_memory(url, tmp_path) as memory:
        memory.resume()
        assert {job.status for job in memory.jobs()} == {"done"}
        assert len(list(memory.store.scan("chunk"))) == 4
        again = ingest_items(memory, items, session_key="trip")
        assert (again.accepted, again.unchanged) == (4, 4)

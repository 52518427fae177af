"""Validation finds what a writer should not have written, by id."""

from typing import Any

import msgspec
import pytest

from quipu.memory.validation import Validation, validate
from quipu.records.batch import Batch, Claim, IndexedChunk
from quipu.records.record import Chunk, Entity, Episode, Fact, Relation
from quipu.store import open_store

NOW = "2026-01-01T00:00:00.000Z"
EPISODE = Episode(
    episode_id="ep_1",
    source_type="file",
    source_ref="a.md",
    observed_at=NOW,
    ingested_at=NOW,
    content_hash="0",
    source_sha="0",
    document_id="en_d",
)
DOCUMENT = Entity(entity_id="en_d", type="Document", name="A", updated_at=NOW, source_sha="0")
SERVICE = Entity(entity_id="en_s", type="Service", name="pay", updated_at=NOW, source_sha="0")
CHUNK = Chunk(
    chunk_id="ch_" + "0" * 24,
    episode_id="ep_1",
    document_id="en_d",
    profile="prose",
    position=0,
    text="It is so.",
    start_line=1,
    end_line=1,
)
RELATION = Relation(
    rel_id="re_1",
    source_entity_id="en_d",
    target_entity_id="en_s",
    type="DESCRIBES",
    created_at=NOW,
    updated_at=NOW,
    source_sha="0",
)
OWNED = msgspec.structs.replace(RELATION, type="SHOWS", target_entity_id="en_s")
FACT = Fact(
    fact_id="fa_1", subject="A", predicate="status", object="done", updated_at=NOW, source_sha="0"
)


def found(*records: Any, chunk: Chunk = CHUNK, names: tuple[str, ...] = ("pay",)) -> Validation:
    fields = {"prose": {"so": 1}, "name": dict.fromkeys(names, 1)}
    with open_store("memory:") as store:
        store.write(
            Batch(
                recorded_at=NOW,
                episodes=(EPISODE,),
                chunks=(IndexedChunk(chunk, fields),),
                claims=tuple(
                    Claim(record, "ep_1", (chunk.chunk_id,)) for record in (DOCUMENT, *records)
                ),
            )
        )
        return validate(store)


def changed(record: Any, **values: Any) -> Any:
    return msgspec.structs.replace(record, **values)


def test_a_sound_graph_has_no_findings() -> None:
    validation = found(SERVICE, RELATION, FACT)
    assert validation.valid
    assert validation.errors == validation.warnings == ()
    assert validation.checked == {"entity": 2, "relation": 1, "fact": 1, "chunk": 1}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (changed(SERVICE, type="Gizmo"), "unknown entity type 'Gizmo'"),
        (changed(SERVICE, name=" "), "Service without name"),
        (changed(SERVICE, source_sha=""), "Service without source_sha"),
        (changed(SERVICE, updated_at=""), "Service without updated_at"),
        (changed(OWNED, source_sha=""), "relation without source_sha"),
        (changed(OWNED, confidence=1.5), "relation with a confidence"),
        (changed(OWNED, weight=0.0), "relation with a weight"),
        (changed(RELATION, target_entity_id="en_d"), "relation from a thing to itself"),
        (changed(RELATION, target_entity_id="en_gone"), "relation with an end that is no live"),
        (changed(SERVICE, updated_at="yesterday"), "entity whose updated_at 'yesterday' is no"),
        (changed(FACT, updated_at="yesterday"), "fact whose updated_at 'yesterday' is no date"),
        (changed(FACT, valid_from="2026-13-40"), "fact whose valid_from '2026-13-40' is no date"),
        (changed(FACT, predicate=""), "fact without predicate"),
        (changed(FACT, confidence=-0.1), "fact with a confidence"),
        (changed(FACT, valid_from="2026-02", valid_to="2026-01-31"), "fact that ends before"),
    ],
)
def test_a_broken_record_is_an_error_with_its_id(record: Any, message: str) -> None:
    validation = found(*([SERVICE] if isinstance(record, Relation) else []), record)
    assert not validation.valid
    [finding] = validation.errors
    assert finding.message.startswith(message)
    assert finding.count == 1
    assert finding.ids == (next(iter(msgspec.to_builtins(record).values())),)


ANN = changed(SERVICE, entity_id="en_a", type="person", name="Ann")


@pytest.mark.parametrize(
    ("type_", "source", "target", "message"),
    [
        ("OWNED_BY", SERVICE, ANN, None),
        ("OWNED_BY", ANN, SERVICE, "OWNED_BY with a target that is a Service"),
        ("HAS_TASK", SERVICE, ANN, "HAS_TASK with a source that is a Service"),
        ("DEFINED_IN", SERVICE, ANN, "DEFINED_IN with a target that is a person"),
        ("DEPENDS_ON", ANN, SERVICE, None),
        ("SHEPHERDS", ANN, SERVICE, None),
        ("OWNED_BY", ANN, changed(SERVICE, type="custom"), None),
    ],
)
def test_a_relation_ties_what_its_type_can_tie(
    type_: str, source: Entity, target: Entity, message: str | None
) -> None:
    ends = {"source_entity_id": source.entity_id, "target_entity_id": target.entity_id}
    validation = found(source, target, changed(RELATION, type=type_, **ends))
    assert [e.message for e in validation.errors] == ([message] if message else [])


def test_an_edge_to_what_was_forgotten_or_removed_is_no_error() -> None:
    other = changed(EPISODE, episode_id="ep_2", source_ref="b.md", document_id=None)
    with open_store("memory:") as store:
        for ended in (False, True):
            store.write(
                Batch(
                    recorded_at=NOW,
                    episodes=(EPISODE, other),
                    claims=(
                        Claim(DOCUMENT, "ep_1"),
                        Claim(SERVICE, "ep_2"),
                        Claim(RELATION, "ep_1"),
                    ),
                )
            )
            if ended:
                store.write(Batch(recorded_at=NOW, replaces=("b.md",)))
            else:
                store.forget(["b.md"])
            assert store.scan("relation") == []
            assert validate(store).errors == ()


def test_strict_asks_for_the_node_types_of_a_platform() -> None:
    with open_store("memory:") as store:
        assert validate(store).valid
        missing = [e.ids[0] for e in validate(store, strict=True).errors]
    assert missing == [
        "ADR",
        "Application",
        "Document",
        "Infra",
        "Owner",
        "Policy",
        "Registry",
        "Service",
        "Workflow",
    ]


def test_unknown_relation_types_are_counted_warnings() -> None:
    validation = found(SERVICE, changed(RELATION, type="SHEPHERDS"))
    assert validation.valid
    [finding] = validation.warnings
    assert (finding.message, finding.count) == ("unknown relation type 'SHEPHERDS'", 1)

"""The hand-kept knowledge graph: kept exactly, found by search, safe between processes."""

import multiprocessing
from pathlib import Path

import pytest
from tests.counting import lines_run

from quipu.agents.knowledge import (
    KnowledgeEntity,
    KnowledgeGraph,
    KnowledgeRelation,
    ThingObservations,
)
from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

ANN = KnowledgeEntity(name="Ann_Lee", type="person", observations=("Speaks Spanish", "Likes tea"))
ACME = KnowledgeEntity(name="Acme", type="organization")
ATLAS = KnowledgeEntity(
    name="Atlas", type="project", observations=("written in Rust", "owned by Ann")
)
WORKS = KnowledgeRelation(source="Ann_Lee", type="works_at", target="Acme")


@pytest.fixture
def graph(memory: Memory) -> KnowledgeGraph:
    return KnowledgeGraph(memory)


def test_what_is_made_is_read_back_in_order(graph: KnowledgeGraph) -> None:
    assert graph.create_entities([ANN, ACME]) == [ANN, ACME]
    assert graph.relate([WORKS]) == [WORKS]
    assert graph.read() == ([ANN, ACME], [WORKS])


def test_what_is_there_is_not_made_again(graph: KnowledgeGraph) -> None:
    graph.create_entities([ANN])
    graph.relate([WORKS])
    other = KnowledgeEntity(name="Ann_Lee", type="robot", observations=("Beeps",))
    assert graph.create_entities([other, ACME]) == [ACME]
    assert graph.relate([WORKS]) == []
    assert graph.observe([ThingObservations(of="Ann_Lee", contents=("Likes tea", "Runs"))]) == [
        ThingObservations(of="Ann_Lee", contents=("Runs",))
    ]
    assert graph.read()[0][0].observations == ("Speaks Spanish", "Likes tea", "Runs")


def test_an_unknown_thing_cannot_be_observed(graph: KnowledgeGraph) -> None:
    graph.create_entities([ANN])
    with pytest.raises(InvalidInput, match="Entity with name Bo not found"):
        graph.observe(
            [
                ThingObservations(of="Ann_Lee", contents=("x",)),
                ThingObservations(of="Bo", contents=("y",)),
            ]
        )
    assert graph.read() == ([ANN], [])


def test_what_is_deleted_is_gone_with_what_hangs_on_it(graph: KnowledgeGraph) -> None:
    graph.create_entities([ANN, ACME])
    graph.relate([WORKS])
    graph.delete_observations(
        [ThingObservations(of="Ann_Lee", contents=("Likes tea", "never said"))]
    )
    assert graph.open(["Ann_Lee"])[0][0].observations == ("Speaks Spanish",)
    graph.unrelate([WORKS, KnowledgeRelation(source="a", type="b", target="c")])
    assert graph.read()[1] == []
    graph.relate([WORKS])
    graph.delete_entities(["Ann_Lee", "nobody"])
    assert graph.read() == ([ACME], [])
    assert graph.create_entities([ANN]) == [ANN]


def test_things_and_ties_are_records_of_the_graph(memory: Memory, graph: KnowledgeGraph) -> None:
    graph.relate([WORKS])
    graph.create_entities([ANN, ACME])
    people = [e for e in memory.store.named(["ann_lee"])["ann_lee"] if e.type == "person"]
    assert [person.name for person in people] == ["Ann_Lee"]
    relations = memory.relations(people[0].entity_id)
    assert [(r.type, r.properties["as_written"]) for r in relations] == [("WORKS_AT", "works_at")]
    assert memory.validate().errors == ()


def _observe(database: Path, first: int) -> None:
    with Memory.open(database, config=Config(), embedder=None) as memory:
        graph = KnowledgeGraph(memory)
        for number in range(first, first + 6):
            graph.create_entities([KnowledgeEntity(name="Shared", type="project")])
            graph.observe([ThingObservations(of="Shared", contents=(f"note {number}",))])
            graph.relate([KnowledgeRelation(source="Shared", type="has", target=f"part {number}")])


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    database = tmp_path / ".quipu" / "quipu.db"
    database.parent.mkdir()
    with Memory.open(database, config=Config(), embedder=HashEmbedder()):
        pass
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_observe, args=(database, n * 6)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    with Memory.open(database, config=Config(), embedder=None) as memory:
        things, relations = KnowledgeGraph(memory).read()
    assert [thing.name for thing in things] == ["Shared"]
    assert sorted(things[0].observations) == sorted(f"note {n}" for n in range(18))
    assert len(relations) == 18


def test_opening_by_name_gives_what_reading_everything_gives(graph: KnowledgeGraph) -> None:
    things = [
        ATLAS,
        KnowledgeEntity(name="atlas", type="book"),
        KnowledgeEntity(name="Ann_Lee", type="person"),
    ]
    relations = [
        KnowledgeRelation(source="Ann_Lee", type="leads", target="Atlas"),
        KnowledgeRelation(source="Atlas", type="needs", target="Nowhere"),
        KnowledgeRelation(source="atlas", type="about", target="Ann_Lee"),
    ]
    graph.take_in(things, relations)
    assert graph.open(["Atlas"]) == ([ATLAS], relations[:2])
    assert graph.open(["Ann_Lee", "atlas"]) == (
        [things[1], things[2]],
        [relations[0], relations[2]],
    )
    assert graph.open(["Nowhere"]) == ([], [])
    graph.delete_entities(["Ann_Lee"])
    assert graph.open(["Atlas", "Ann_Lee"]) == ([ATLAS], relations[1:2])


def test_opening_one_thing_does_not_read_two_thousand(memory: Memory) -> None:
    graph = KnowledgeGraph(memory, embed=False)
    graph.create_entities(
        [
            KnowledgeEntity(name=f"Thing {n}", type="thing", observations=(f"it is {n}",))
            for n in range(2_000)
        ]
    )

    graph.open(["Thing 6"])  # what every first question needs
    one = lines_run(lambda: graph.open(["Thing 7"]))
    assert graph.open(["Thing 7"])[0][0].observations
    assert one < lines_run(graph.read) / 10

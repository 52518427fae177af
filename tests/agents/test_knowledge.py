"""The hand-kept graph: names that stay names, reading that costs what is read."""

from tests.counting import lines_run

from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph, KnowledgeRelation
from quipu.memory import Memory

ATLAS = KnowledgeEntity(
    name="Atlas", type="project", observations=("written in Rust", "owned by Ann")
)


def test_opening_by_name_gives_what_reading_everything_gives(memory: Memory) -> None:
    graph = KnowledgeGraph(memory)
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

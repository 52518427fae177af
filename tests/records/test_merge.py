"""What many episodes make of one record, whatever the order in which they are heard."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from quipu.records.merge import Assertion, MergedEntity, merge
from quipu.records.record import Entity
from quipu.when.instants import UNKNOWN_TIME

TIMES = (UNKNOWN_TIME, "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z")

said = st.builds(
    lambda name, aliases, description, properties, count: Entity(
        entity_id="e",
        type="person",
        name=name,
        aliases=tuple(aliases),
        description=description,
        properties=dict(properties),
        mention_count=count,
        updated_at=TIMES[1],
        source_sha="",
    ),
    st.sampled_from(["Ann", "ann", "A."]),
    st.lists(st.sampled_from(["Ann", "Annie"]), max_size=2),
    st.sampled_from(["", "a person", "the person"]),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
    st.integers(1, 3),
)
assertions = st.lists(st.tuples(said, st.sampled_from(TIMES)), min_size=1, max_size=4).map(
    lambda drawn: [Assertion(entity, f"e{n}", at) for n, (entity, at) in enumerate(drawn)]
)


@given(assertions)
def test_an_entity_is_the_same_in_whatever_order_it_grows(heard: list[Assertion]) -> None:
    expected = merge(heard)
    for order in permutations(heard):
        grown = MergedEntity()
        for each in order:
            grown.add(each)
        assert grown.record == expected


def test_the_latest_observation_wins_and_all_names_stay() -> None:
    def ann(name: str, at: int, **said: object) -> Assertion:
        entity = Entity(
            entity_id="e",
            type="person",
            name=name,
            updated_at=TIMES[at],
            source_sha=str(at),
            **said,  # type: ignore[arg-type]
        )
        return Assertion(entity, f"e{at}", TIMES[at])

    grown = MergedEntity()
    grown.add(ann("Ann B.", 2, properties={"a": 2}))
    assert grown.record.mention_count == 1
    grown.add(ann("Ann", 1, description="a person", properties={"a": 1, "b": 1}))
    found = grown.record
    assert (found.name, found.aliases, found.description) == ("Ann B.", ("Ann",), "a person")
    assert found.properties == {"a": 2, "b": 1}
    assert (found.mention_count, found.first_seen, found.last_seen) == (2, TIMES[1], TIMES[2])

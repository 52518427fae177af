"""Supersession, endings and contradictions: deterministic, and blind to the order of writing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.facts.attributes import Attributes
from quipu.facts.chains import chains, standings
from quipu.records.ids import make_id
from quipu.records.record import Fact


def _fact(
    object_: str,
    valid_from: str | None = None,
    valid_to: str | None = None,
    *,
    subject: str = "payments",
    predicate: str = "owner",
    observed: str = "2024-01-01T00:00:00.000Z",
) -> Fact:
    return Fact(
        fact_id=make_id(
            "fact", subject, predicate, object_, valid_from or "", valid_to or "", observed
        ),
        subject=subject,
        predicate=predicate,
        object=object_,
        updated_at=observed,
        source_sha="0",
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _by_object(*facts: Fact) -> dict[str, tuple[str | None, str | None]]:
    names = {fact.fact_id: fact.object for fact in facts}
    return {s.fact.object: (s.valid_to, names.get(s.superseded_by or "")) for s in standings(facts)}


def test_the_later_begin_supersedes_and_ends_the_earlier() -> None:
    held = _by_object(_fact("Ann", "2020"), _fact("Bo", "2022-05"), _fact("Cy", "2023"))
    assert held == {"Ann": ("2022-05", "Bo"), "Bo": ("2023", "Cy"), "Cy": (None, None)}


def test_with_one_begin_the_later_observation_supersedes() -> None:
    first = _fact("Ann", "2020", observed="2024-01-01T00:00:00.000Z")
    second = _fact("Bo", "2020", observed="2024-02-01T00:00:00.000Z")
    assert _by_object(second, first) == {"Ann": ("2020", "Bo"), "Bo": (None, None)}


def test_two_that_nothing_orders_contradict_each_other() -> None:
    one, other = _fact("Ann", "2020"), _fact("Bo", "2020")
    held = {s.fact.fact_id: (s.superseded_by, s.contradicted_by) for s in standings([one, other])}
    assert held == {
        one.fact_id: (None, (other.fact_id,)),
        other.fact_id: (None, (one.fact_id,)),
    }


def test_a_fact_learned_late_takes_its_place_in_the_past() -> None:
    facts = [_fact("Ann", "2020"), _fact("Cy", "2023")]
    late = _fact("Bo", "2022", observed="2026-01-01T00:00:00.000Z")
    assert _by_object(*facts, late) == {
        "Ann": ("2022", "Bo"),
        "Bo": ("2023", "Cy"),
        "Cy": (None, None),
    }


def test_what_is_restated_supersedes_nothing() -> None:
    held = standings([_fact("Ann", "2020"), _fact("ANN", "2021"), _fact("Bo", "2022")])
    assert [(s.fact.object, s.valid_to) for s in held] == [
        ("Ann", "2022"),
        ("ANN", "2022"),
        ("Bo", None),
    ]
    assert held[0].superseded_by == held[1].superseded_by == held[2].fact.fact_id


def test_other_predicates_keep_all_their_values() -> None:
    held = _by_object(
        _fact("tea", "2020", predicate="likes"), _fact("coffee", "2021", predicate="likes")
    )
    assert held == {"tea": (None, None), "coffee": (None, None)}


def test_functional_predicates_are_what_the_caller_says() -> None:
    facts = [_fact("tea", "2020", predicate="likes"), _fact("coffee", "2021", predicate="likes")]
    (chain,) = chains(facts, table=Attributes(functional={"likes"}))
    assert chain.functional
    assert chain.standings[0].valid_to == "2021"


def test_no_longer_ends_what_was_open() -> None:
    ending = _fact("MySQL", None, "2024-03-01", predicate="uses")
    held = standings(
        [_fact("MySQL", "2020", predicate="uses"), _fact("Redis", predicate="uses"), ending]
    )
    ends = {(s.fact.object, s.fact.valid_from): s.valid_to for s in held}
    assert ends["MySQL", "2020"] == "2024-03-01"
    assert ends["Redis", None] is None


@pytest.mark.parametrize(
    ("begin", "ended", "end"),
    [
        ("2010-05", "2010", "2010"),  # in the same year, as far as it is told
        ("2010-05-20", "2010-05", "2010-05"),
        ("2010-05-20", "2010-05-19", None),
        ("2011", "2010-12", None),
        ("2010", "2010-03", "2010-03"),
    ],
)
def test_an_ending_counts_by_the_calendar(begin: str, ended: str, end: str | None) -> None:
    facts = [_fact("MySQL", begin, predicate="uses"), _fact("MySQL", None, ended, predicate="uses")]
    held = {s.fact.valid_from: s.valid_to for s in standings(facts)}
    assert held[begin] == end


@pytest.mark.parametrize(
    ("one", "other", "disagree"),
    [
        (_fact("tea", predicate="likes"), _fact("tea", predicate="not likes"), True),
        (_fact("tea", predicate="likes"), _fact("milk", predicate="not likes"), False),
        (
            _fact("tea", "2020", "2021", predicate="likes"),
            _fact("tea", "2022", predicate="not likes"),
            False,
        ),
        # Each is said to have held while the other did.
        (_fact("Ann", "2010", "2015"), _fact("Bo", "2012", "2013"), True),
        (_fact("Ann", "2010", "2015"), _fact("Bo", "2015", "2016"), False),
        (_fact("Ann", "2010"), _fact("Bo", "2012", "2013"), False),
        (_fact("Ann", "2010", "2015"), _fact("ann", "2012", "2013"), False),
    ],
)
def test_contradictions_keep_both_sides(one: Fact, other: Fact, disagree: bool) -> None:
    held = {s.fact.fact_id: s.contradicted_by for s in standings([one, other])}
    expected = ((other.fact_id,), (one.fact_id,)) if disagree else ((), ())
    assert (held[one.fact_id], held[other.fact_id]) == expected


_FACTS = st.lists(
    st.builds(
        _fact,
        st.sampled_from(["Ann", "Bo", "Cy"]),
        st.sampled_from([None, "2019", "2020-05", "2021"]),
        st.sampled_from([None, "2020", "2022"]),
        subject=st.sampled_from(["payments", "search"]),
        predicate=st.sampled_from(["owner", "uses", "not uses"]),
        observed=st.sampled_from(["2024-01-01T00:00:00.000Z", "2024-02-01T00:00:00.000Z"]),
    ),
    max_size=8,
)


@given(_FACTS, st.randoms(use_true_random=False))
def test_the_order_of_writing_never_matters(facts: list[Fact], random: object) -> None:
    shuffled = list(facts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert chains(facts) == chains(shuffled)
    assert chains(facts) == chains(facts + facts)


@given(_FACTS)
def test_nothing_is_lost_and_contradictions_are_mutual(facts: list[Fact]) -> None:
    held = {s.fact.fact_id: s for s in standings(facts)}
    assert set(held) == {fact.fact_id for fact in facts}
    for fact_id, standing in held.items():
        assert all(fact_id in held[other].contradicted_by for other in standing.contradicted_by)
        assert standing.superseded_by is None or standing.superseded_by in held

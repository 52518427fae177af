"""When the letters of two names say that they may be one thing, and when they never do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.resolve.proposals import find_pairs, homonyms, likeness

ALIKE = rows(__file__, "likeness_alike")
APART = rows(__file__, "likeness_apart")


@pytest.mark.parametrize(("one", "other", "reason"), ALIKE)
def test_what_looks_alike_says_why(one: str, other: str, reason: str) -> None:
    found = likeness(one, other)
    assert found is not None
    assert found == likeness(other, one)
    assert found.enough == (reason == "the same letters")
    assert found.reason == reason


@pytest.mark.parametrize(("one", "other"), APART)
def test_homonyms_series_and_strangers_are_never_alike(one: str, other: str) -> None:
    assert likeness(one, other) is None
    assert likeness(other, one) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Mercury", "mercury", True),
        ("Mercury (planet)", "Mercury (element)", True),
        ("Mercury", "Mercury (element)", True),
        ("Mercury (planet)", "Venus (planet)", False),
        ("Payment-Service", "PaymentService", False),
    ],
)
def test_one_name_for_two_things_is_a_homonym(one: str, other: str, same: bool) -> None:
    assert homonyms(one, other) is same


@pytest.mark.parametrize(("one", "other"), [(one, other) for one, other, _ in ALIKE])
def test_whatever_is_alike_is_compared(one: str, other: str) -> None:
    names = [one, *(f"Stranger {i} of Nowhere" for i in range(50)), other]
    assert (0, 51) in find_pairs(names)


@given(st.lists(st.text("abcd e-1()", max_size=12), max_size=12))
def test_pairs_are_few_ordered_and_of_different_places(names: list[str]) -> None:
    pairs = find_pairs(names)
    assert pairs == sorted(set(pairs))
    assert all(first < second < len(names) for first, second in pairs)

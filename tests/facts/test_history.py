"""The audit: who said what, when it was true, when it was known."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.passage import PassageInput


@pytest.fixture
def told(open_memory: Callable[..., Memory], tmp_path: Path) -> Iterator[Memory]:
    """Eva moves; a source takes back what it said."""
    day = ["2026-01-01T00:00:00.000Z"]
    with open_memory("memory:", tmp_path, embedder=None, clock=lambda: day[0]) as memory:
        _say(memory, "d", "Eva Gray lives in Bergen since March 2010.", "2010-04-01")
        day[0] = "2026-02-01T00:00:00.000Z"
        _say(memory, "e", "Eva Gray lives in Oslo since May 2018.", "2018-06-01")
        _say(memory, "w", "Eva Gray works for Acme since 2015.", "2018-06-01")
        day[0] = "2026-03-01T00:00:00.000Z"
        _say(memory, "w", "Nothing to say any more.", "2026-03-01")
        yield memory


def _say(memory: Memory, ref: str, text: str, observed_at: str) -> None:
    memory.add_documents(
        [PassageInput(source_ref=ref, text=text, observed_at=observed_at, source_type="crawl")]
    )


def test_everything_that_was_said_is_there_in_order(told: Memory) -> None:
    entries = told.facts.history("eva gray").entries
    assert [(e.source_ref, e.valid_from, e.valid_to) for e in entries] == [
        ("d", "2010-03", "2018-05"),
        ("w", "2015", None),
        ("e", "2018-05", None),
    ]
    assert [e.observed_at[:10] for e in entries] == ["2010-04-01", "2018-06-01", "2018-06-01"]
    assert [e.recorded_at[:7] for e in entries] == ["2026-01", "2026-02", "2026-02"]
    assert entries[0].superseded_by == entries[2].fact.fact_id
    assert entries[0].said == "Eva Gray lives in Bergen since March 2010."


def test_what_a_source_took_back_stays_with_its_end(told: Memory) -> None:
    ends = {e.source_ref: e.known_until for e in told.facts.history("Eva Gray").entries}
    assert ends == {"d": None, "w": "2026-03-01T00:00:00.000Z", "e": None}


def test_the_past_is_judged_by_what_was_known_then(told: Memory) -> None:
    (only,) = told.facts.history("Eva Gray", known_at="2026-01-15").entries
    assert (only.source_ref, only.valid_to, only.superseded_by) == ("d", None, None)
    later = told.facts.history("Eva Gray", known_at="2026-02-15").entries
    assert [e.source_ref for e in later] == ["d", "w", "e"]


def test_a_date_keeps_what_held_then(told: Memory) -> None:
    assert [e.source_ref for e in told.facts.history("Eva Gray", as_of="2012").entries] == ["d"]
    assert [e.source_ref for e in told.facts.history("Eva Gray", as_of="2020-01-01").entries] == [
        "e"
    ]


@pytest.mark.parametrize(
    "dates", [{"as_of": "soon"}, {"known_at": "soon"}, {"as_of": "2026-02-30"}]
)
def test_no_date_is_the_callers_mistake(told: Memory, dates: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"is no|is not"):
        told.facts.history("Eva Gray", **dates)

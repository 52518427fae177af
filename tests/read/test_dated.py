"""The day that a document names as its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.read.document import written_on

NOW = "2026-11-26T08:00:00.000Z"


@pytest.mark.parametrize(
    ("path", "text", "day"),
    rows(__file__, "a_document_names_its_day"),
)
def test_a_document_names_its_day(path: str, text: str, day: str) -> None:
    found = written_on(path, text, {}, until=NOW)
    assert found == (f"{day}T00:00:00.000Z" if day else "")


def test_front_matter_goes_before_the_name() -> None:
    found = written_on("2026-01-01-x.md", "", {"updated": "2026-02-02"}, until=NOW)
    assert found == "2026-02-02T00:00:00.000Z"


@given(path=st.text(max_size=40), text=st.text(max_size=300), value=st.text(max_size=40))
def test_whatever_it_says_the_day_is_none_to_come(path: str, text: str, value: str) -> None:
    found = written_on(path, text, {"date": value}, until=NOW)
    assert found == "" or found <= NOW

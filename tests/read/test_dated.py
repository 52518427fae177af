"""The day that a document names as its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.read.dated import written_on

NOW = "2026-11-26T08:00:00.000Z"


@pytest.mark.parametrize(
    ("path", "text", "day"),
    [
        ("minutes/2026-03-04.md", "# Minutes\n", "2026-03-04"),
        ("20260304_notes.txt", "", "2026-03-04"),
        ("minutes.md", "# Minutes, 4 March 2026\n\nNext time: 1 April 2026.\n", "2026-03-04"),
        ("minutes.md", "# Minutes\n\n**Date:** 2026-02-03\n", "2026-02-03"),
        ("minutes.md", "Board\nHeld on 5 March 2026 in the hall\n", "2026-03-05"),
        ("README.md", "# Tool\n\nLast updated: 2025-03-01\n", "2025-03-01"),
        ("party.md", "# Party on 12 May 2027\n", ""),  # is still to come
        ("CHANGELOG.md", "# 1.2.0, 1 March 2024\n", ""),  # tells of many days
        ("plan.md", "# Plan\n\nWe began on 3 March 2026.\n", ""),  # no day of its own
        ("v1.20260399.md", "# Build\n", ""),
    ],
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

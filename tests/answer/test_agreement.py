"""How far quoted lines agree with the question."""

import pytest

from quipu.answer.agreement import agreement
from quipu.answer.intent import understand


@pytest.mark.parametrize(
    ("question", "quoted", "code", "told"),
    [
        ("What is read_limit for?", "`read_limit`: The bytes read at once.", False, "named"),
        ("What is read_limit for?", "The bytes that are read at once.", False, "unnamed"),
        ("Which cells are not specific?", "The second cells are specific.", False, "denied"),
        ("Which cells are not specific?", "if cell.specific: return", True, None),
        ("When was the retry added?", "Remove the retry.", False, "opposed"),
        ("Who owns the shop?", "The shop is owned by Ann Lee.", False, None),
        ("What came in 1999?", "In 2004 the museum came.", False, "uncounted"),
        ("What are the three gates?", "There are 3 gates: north, east, south.", False, None),
    ],
)
def test_what_speaks_for_and_against_quoted_lines(
    question: str, quoted: str, code: bool, told: str | None
) -> None:
    found = agreement(understand(question), quoted, None, code=code)
    assert found.met is None
    assert {name for name, value in found._asdict().items() if value} == ({told} - {None})

"""What stands first in a transcript does not decide whether the rest is read."""

import pytest

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read import read_sessions

SAID = b'{"speaker": "Ann", "text": "I live in Oslo."}\n'


@pytest.mark.parametrize("damaged", [b"not json\n", b"[1, 2]\n", b"null\n", b'{"a": 1}\n'])
def test_a_damaged_first_line_is_a_row_of_the_report(damaged: bytes) -> None:
    found = read_sessions("talk.jsonl", damaged + SAID)
    assert [turn.text for each in found.transcripts for turn in each.turns] == ["I live in Oslo."]
    assert [(problem.line, problem.severity) for problem in found.problems] == [(1, "error")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"speaker": "A", "text": "hi"', r"\(line 1 is not JSON, or cut short: .*char 29\)"),
        (b'{"foo": 1}\n{"speaker": "A"\n', r"\(line 2 is not JSON, or cut short: "),
        (b'{"foo": 1}\n', r"is no transcript that can be read here: give"),
    ],
)
def test_the_line_that_is_broken_is_named(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_sessions("talk.jsonl", data)

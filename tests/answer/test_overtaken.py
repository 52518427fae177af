"""An older passage is not cited for sure where a later one says as much, and something else."""

import pytest

from quipu.answer.gate import AnswerDraft, Evidence
from quipu.answer.intent import understand
from quipu.answer.overtaken import overtaken


def _turn(n: int, text: str) -> Evidence:
    return Evidence(
        id=f"chunk:{n}",
        document_id="session:s",
        path=f"session:s#{n}",
        start_line=1,
        end_line=1,
        title="Ann",
        text=text,
        is_code=False,
        graph_ids=(f"chunk:{n}",),
        updated_at=f"2026-05-0{n}T10:00:00.000Z",
        source_sha="0",
    )


OLD = _turn(1, "The aseptic unit closes at 16:30.")


@pytest.mark.parametrize(
    ("question", "later", "told"),
    [
        ("When does the aseptic unit close?", "The aseptic unit closes at 17:15 these days.", 1.0),
        ("When does the aseptic unit close?", "The aseptic unit closes at 16:30, as ever.", 0.0),
        ("When does the aseptic unit close?", "The canteen closes at 17:15.", 0.0),
        ("When did the aseptic unit close?", "The aseptic unit closes at 17:15 these days.", 0.0),
    ],
)
def test_a_later_turn_with_another_value_overtakes(question: str, later: str, told: float) -> None:
    found = [OLD, _turn(2, later)]
    draft = AnswerDraft(answer=OLD.text, evidence=(OLD,))
    assert overtaken(understand(question), draft, found) == told


def test_what_was_said_before_overtakes_nothing() -> None:
    new = _turn(2, "The aseptic unit closes at 17:15 these days.")
    draft = AnswerDraft(answer=new.text, evidence=(new,))
    asked = understand("When does the aseptic unit close?")
    assert overtaken(asked, draft, [OLD, new]) == 0.0

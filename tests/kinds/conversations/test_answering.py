"""Which turn answers: the head that says how likely each does, and what an answer makes of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.rows import rows
from tests.talk import transcript

from quipu.config import AnswerConfig, Config
from quipu.embed import MiniLM
from quipu.memory import Memory
from quipu.records.reply import Reply

NOW = "2026-07-01T12:00:00.000Z"
model = pytest.mark.model


@pytest.fixture
def memory(tmp_path: Path, encoder: MiniLM) -> Iterator[Memory]:
    config = Config(answer=AnswerConfig(floor=0.0))
    with Memory.open(
        "memory:", home=tmp_path, config=config, embedder=encoder, clock=lambda: NOW
    ) as opened:
        yield opened


def _say(memory: Memory, day: str, said: Sequence[tuple[str, str]]) -> None:
    time = f"{day}T10:{{n:02}}:00.000Z"
    memory.ingest_sessions([transcript(day, said, group="team", time=time)])


def _likely(reply: Reply) -> float:
    found = reply.confidence.inputs["likely"]
    assert found is not None
    return found


FILLER = ("Ines", "lunch at Da Enzo today?")


@model
def test_the_turn_that_tells_it_comes_before_those_that_only_speak_of_it(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "The dentist again. I hate that waiting room.")])
    _say(memory, "2026-02-03", [("Ann", "Dr Okoro looks after my teeth, she is brilliant.")])
    _say(memory, "2026-03-01", [("Bo", "My dentist retired, so I have none at all.")])
    assert memory.ask("Who is Ann's dentist?").contract.answer.startswith("Ann, 2026-02-03")


@model
@pytest.mark.parametrize(
    ("said", "asked", "told"),
    rows(__file__, "a_turn_is_quoted_from_the_sentence_that_tells_it"),
)
def test_a_turn_is_quoted_from_the_sentence_that_tells_it(
    memory: Memory, said: str, asked: str, told: str
) -> None:
    _say(memory, "2026-01-05", [FILLER, ("Bo", said)])
    assert memory.ask(asked).contract.answer.startswith(f"Bo, 2026-01-05: {told} [1].")


@model
def test_what_nobody_said_is_less_likely_than_what_somebody_did(memory: Memory) -> None:
    _say(memory, "2026-01-05", [("Ann", "Our boiler is a Vaillant, it was put in by Hogan's.")])
    _say(memory, "2026-01-09", [("Bo", "The bikes go into the shed behind the house.")])
    said = memory.ask("Which make is our boiler?")
    unsaid = memory.ask("How many litres does our boiler hold?")
    assert _likely(said) > _likely(unsaid)
    assert said.confidence.value > unsaid.confidence.value


PROCESS = """# How we work

Releases go out every Tuesday. Piet runs the release and writes the notes. Hotfixes need the
approval of two reviewers. Alerts of the gateway go to PagerDuty.
"""


@model
def test_what_nobody_spoke_of_is_told_by_the_document(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "process.md").write_text(PROCESS)
    memory.index(tmp_path / "docs")
    _say(memory, "2026-04-02", [("Piet", "I'm handing the parking permits to Rafael"), FILLER])
    reply = memory.ask("Where do the alerts of the gateway go?")
    assert "PagerDuty" in reply.contract.answer
    assert {Path(each.path).suffix for each in reply.citations} == {".md"}


@model
@pytest.mark.parametrize(
    ("said", "question", "reply"),
    [
        ("The dentist got moved to Tuesday but I went.", "Have I been to the dentist?", "Yes: "),
        ("Pottery's over for me, my wrists hurt.", "Do I still go to pottery?", "No: "),
    ],
)
def test_yes_or_no_is_said_where_the_turn_surely_tells(
    memory: Memory, said: str, question: str, reply: str
) -> None:
    _say(memory, "2025-07-13", [("user", said), FILLER])
    assert memory.ask(question).contract.answer.startswith(reply)


@model
@pytest.mark.parametrize("text", ["👍", "...", "\u200b", "word " * 400, "x" * 3000])
def test_turns_that_hardly_say_a_word_are_no_obstacle(memory: Memory, text: str) -> None:
    _say(memory, "2026-01-05", [("Bo", text), ("Ann", "The spare key hangs behind the blue door.")])
    assert "blue door" in memory.ask("Where is the spare key?").contract.answer
    memory.ask(text)

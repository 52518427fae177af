"""Notes that were given by hand, each set a memory of its own: what is asked of them is answered
rightly, and nothing is wrong and sure. Periods, denials, designations, moves and times."""

import re
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from tests.rows import rows

from quipu.answer import ASSERT_ABOVE
from quipu.answer.contract import UNKNOWN
from quipu.memory import Memory

LEAST_RIGHT = 71
CASES = Path(__file__).with_name("notes.jsonl").read_text("utf-8").splitlines()


class Asked(NamedTuple):
    """A question; what its answer must match and must not (empty: anything); whether it must be
    `sure` or `unsure` (empty: either)."""

    question: str
    must: str
    never: str
    sure: str


class Case(msgspec.Struct):
    """Notes, each with its day, and what is asked of them."""

    name: str
    kind: str
    notes: list[tuple[str, str]]
    ask: list[Asked]


class Judged(NamedTuple):
    """An answer, whether it is right, and whether it is wrong and sure."""

    asked: str
    answer: str
    right: bool
    misleads: bool


def judged(case: Case, folder: Path) -> list[Judged]:
    with Memory.open(folder / "memory.db") as memory:
        for n, (day, text) in enumerate(case.notes):
            memory.add(text, observed_at=day, source_ref=f"note:{n}")
        return [_judged(memory, each) for each in case.ask]


def _judged(memory: Memory, asked: Asked) -> Judged:
    reply = memory.ask(asked.question)
    answer, sure = reply.contract.answer, reply.confidence.value >= ASSERT_ABOVE
    says = re.search(asked.must, answer, re.IGNORECASE) is not None
    denies = bool(asked.never) and re.search(asked.never, answer, re.IGNORECASE) is not None
    fits = says and not denies
    right = fits and sure != (asked.sure == "unsure") if asked.sure else fits
    misleads = sure and answer != UNKNOWN and (not fits or asked.sure == "unsure")
    return Judged(asked.question, answer, right, misleads)


@pytest.mark.slow
def test_notes_are_answered_rightly_and_never_wrongly_and_surely(tmp_path: Path) -> None:
    cases = [msgspec.json.decode(line, type=Case) for line in CASES]
    found = [each for n, case in enumerate(cases) for each in judged(case, tmp_path / str(n))]
    wrong = [each for each in found if not each.right]
    assert [each for each in found if each.misleads] == []
    assert len(found) - len(wrong) >= LEAST_RIGHT, wrong


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What did we deploy yesterday?", "the search service"),
        ("What did we deploy last week?", "the billing service"),
    ],
)
def test_a_time_told_from_today_is_a_filter(question: str, answer: str) -> None:
    with Memory.open("memory:", clock=lambda: "2026-03-18T10:00:00.000Z") as memory:
        for day, what in (("03-05", "gateway"), ("03-12", "billing"), ("03-17", "search")):
            memory.add(f"We deployed the {what} service.", observed_at=f"2026-{day}")
        told = memory.ask(question).contract.answer
    assert answer in told
    assert told.count("deployed") == 1


@pytest.mark.model
@pytest.mark.parametrize(
    ("note", "asked", "told"),
    rows(__file__, "another_thing_of_the_kind_asked_about_is_never_a_sure_answer"),
)
def test_another_thing_of_the_kind_asked_about_is_never_a_sure_answer(
    note: str, asked: str, told: str
) -> None:
    with Memory.open("memory:") as memory:
        memory.add(note, observed_at="2026-03-01")
        assert memory.ask(asked).confidence.value < ASSERT_ABOVE
        assert memory.ask(told).confidence.value >= ASSERT_ABOVE

"""A fact that is found is known to answer only where it tells what is asked for."""

from collections.abc import Iterator

import pytest

from quipu.memory import Memory

pytestmark = pytest.mark.model
NOW = "2025-12-20T12:00:00.000Z"
SAID = (
    "The spring concert is on 12 April.",
    "The booking widget is called Pinwheel.",
    "I work as a freelance translator.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("known") / "memory.db"
    with Memory.open(path, clock=lambda: NOW) as opened:
        for text in SAID:
            opened.add(text, observed_at="2025-03-03")
        yield opened


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("When is the spring concert?", "12 April"),
        ("What is the booking widget called?", "Pinwheel"),
    ],
)
def test_what_is_told_is_known(memory: Memory, question: str, value: str) -> None:
    found = memory.facts.find(question)
    assert found.known
    assert found.matches[0].standing.fact.object == value


@pytest.mark.parametrize(
    "question",
    [
        "Where is the spring concert?",  # a day is no place
        "What was the booking widget called before the rename?",  # nothing tells of what was
        "Where do I live these days?",  # a job is no place
    ],
)
def test_what_is_not_told_is_not(memory: Memory, question: str) -> None:
    assert not memory.facts.find(question).known

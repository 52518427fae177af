"""Which of two turns states what holds now, over pairs in everyday wording.

`updates.txt`: a value | the later one that took its place | what holds now? | and before?
`apart.txt`: two values of which neither takes the other's place | what is asked of the first.
"""

from pathlib import Path

import numpy as np
import pytest

from quipu.index.columns import pack
from quipu.kinds.conversations.columns import pack_turn, read_turns
from quipu.kinds.conversations.score import telling_stems
from quipu.kinds.conversations.states import read_states
from quipu.kinds.conversations.updates import find_replaced
from quipu.kinds.conversations.values import pack_values
from quipu.question import read_question


def _pairs(name: str) -> list[list[str]]:
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [line.split(" | ") for line in lines]


UPDATES, APART = _pairs("updates.txt"), _pairs("apart.txt")


def replaces(old: str, new: str, asked: str) -> bool:
    """Whether the later turn takes the place of the one that is ranked above it."""
    blobs = [
        pack(
            [],
            [],
            pack_values(text)
            + pack_turn(text, session="s", offset=place, speaker="", role="user", time=""),
        )
        for place, text in enumerate((old, new))
    ]
    turns, question = read_turns(blobs), read_question(asked)
    stems = telling_stems(question, turns)
    return find_replaced(question, stems, turns, blobs, np.array([1.0, 0.8])) == (0, 1)


def test_most_updates_are_seen() -> None:
    seen = [old for old, new, now, _ in UPDATES if replaces(old, new, now)]
    assert len(UPDATES) == 80
    assert len(seen) >= 71


@pytest.mark.parametrize(("old", "new", "past"), [(o, n, past) for o, n, _, past in UPDATES])
def test_a_question_about_the_past_lifts_nothing(old: str, new: str, past: str) -> None:
    assert not replaces(old, new, past)


def test_what_is_of_something_else_takes_no_place() -> None:
    wrong = [one for one, other, asked in APART if replaces(one, other, asked)]
    assert len(APART) == 56
    assert wrong == ["The course has 24 modules according to the syllabus."]


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("i live in porto with my cat.", [(("live",), ("porto",))]),
        ("we've finally moved to york and love it.", [(("live",), ("york",))]),
        ("i got promoted to shift manager.", [(("job",), ("shift", "manag"))]),
        (
            "we switched from jenkins to buildkite for our builds.",
            [(("use", "build"), ("buildkit",))],
        ),
        ("my new favourite tea is now sencha.", [(("favourit", "tea"), ("sencha",))]),
        ("the release has been postponed to thursday.", [(("releas",), ("thursday",))]),
        ("we sold it and our landlord is tomas now.", [(("landlord",), ("toma",))]),
        ("my favourite tea is so good.", []),  # a judgement
        ("my office was in berlin.", []),  # the past
        ("is my office in berlin?", []),
        ("the thing that i like about my job is lunch.", []),  # a clause
        ("nothing here", []),
    ],
)
def test_states_that_are_read(text: str, states: list[tuple[tuple[str, ...], ...]]) -> None:
    assert [(state.attribute, state.value) for state in read_states(text)] == states

"""The values that a turn states, and which of two took the other's place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.index.columns import pack, tail
from quipu.kinds.conversations.columns import TURN, pack_turn, read_turns
from quipu.kinds.conversations.updates import find_replaced
from quipu.kinds.conversations.values import KINDS, VALUE, pack_values, read_values, stem_hash
from quipu.question import read_question


def packed(text: str, *, offset: int = 1, time: str = "", role: str = "user") -> bytes:
    values = b"" if role == "assistant" else pack_values(text)
    return pack(
        [],
        [],
        values + pack_turn(text, session="s", offset=offset, speaker="", role=role, time=time),
    )


def stated(text: str) -> list[tuple[str, bool]]:
    return [(KINDS[int(v["kind"])], bool(v["changed"])) for v in read_values(packed(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have 45 sources in my library.", [("count", False)]),
        ("The number of mentees has increased to 7, how nice.", [("count", True)]),
        ("It is rescheduled to March 22 at 4:30 PM.", [("day", True), ("clock", True)]),
        ("It costs $1,200 a month.", [("money", False)]),
        ("Coverage recently improved to 78%.", [("share", True)]),
        ("We met on 29.12.2023, then on 2024-01-05 and on 3rd of May.", [("day", False)] * 3),
        ("I rent two rooms.", [("count", False)]),
        ("I novel idea may decide nothing.", []),
        ("Run `retry(5)` with Flask 2.3.1.", []),
        ("```\nlimit = 60\n```\nIs that right?", []),
        ("Nothing here.", []),
    ],
)
def test_what_kinds_of_value_a_turn_states(text: str, expected: list[tuple[str, bool]]) -> None:
    assert stated(text) == expected


def test_a_value_knows_what_it_counts_and_what_it_is_about() -> None:
    (value,) = read_values(packed("I practised 12 conditional probability problems. Then 1 slept"))[
        :1
    ]
    assert set(value["unit"]) == {stem_hash(s) for s in ("condit", "probabl", "problem")}
    assert stem_hash("practis") in value["about"]
    assert stem_hash("slept") not in value["about"]


def test_the_row_of_a_turn_stays_readable_beside_its_values() -> None:
    blob = packed("I have 5 cats and 3 dogs.", offset=7)
    assert len(tail(blob)) == 2 * VALUE.itemsize + TURN.itemsize
    assert int(read_turns([blob])["offset"][0]) == 7
    assert (
        len(
            read_values(
                pack(
                    [],
                    [],
                    pack_turn("5 cats", session="s", offset=1, speaker="", role="user", time=""),
                )
            )
        )
        == 0
    )


@given(st.text())
def test_any_text_has_at_most_sixteen_values(text: str) -> None:
    assert len(pack_values(text)) <= 16 * VALUE.itemsize
    assert len(pack_values(text + " 1 cat" * 40)) <= 16 * VALUE.itemsize


OLD, NEW = "I have 45 sources in my library.", "I now have 52 sources in my library."
ASKED = "How many sources are in my library?"


def replaced(question: str, *turns: bytes, scores: tuple[float, ...] = ()) -> object:
    asked = read_question(question)
    return find_replaced(
        asked,
        ["sourc", "librari"],
        read_turns(turns),
        turns,
        np.array(scores or [1.0 - place / 10 for place in range(len(turns))]),
    )


def test_the_later_value_takes_the_place_of_the_earlier() -> None:
    assert replaced(ASKED, packed(OLD), packed(NEW, offset=2)) == (0, 1)


def test_the_day_goes_before_the_order_of_writing() -> None:
    late, early = "2024-05-02T00:00:00.000Z", "2024-05-01T00:00:00.000Z"
    assert replaced(ASKED, packed(OLD, time=late), packed(NEW, time=early)) == (1, 0)
    assert replaced(ASKED, packed(OLD, time=early), packed(NEW, time=late)) == (0, 1)


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("How many sources were in my library?", packed(NEW, offset=2)),  # the past
        ("How many sources did I add between May and June to my library?", packed(NEW, offset=2)),
        ("Is my library good?", packed(NEW, offset=2)),  # no value is asked for
        (ASKED, packed(OLD, offset=2)),  # the same value
        (ASKED, packed("I have 12 shelves.", offset=2)),  # of something else
        (ASKED, packed("My library grew by 20% of its sources.", offset=2)),  # another kind
        (ASKED, packed(NEW, offset=2, role="assistant")),  # a machine says it
    ],
)
def test_nothing_is_lifted_without_a_later_value_of_the_same(question: str, second: bytes) -> None:
    assert replaced(question, packed(OLD), second) is None


def test_a_turn_far_below_is_not_lifted() -> None:
    assert replaced(ASKED, packed(OLD), packed(NEW, offset=2), scores=(1.0, 0.3)) is None

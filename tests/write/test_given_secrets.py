"""No secret is stored, wherever it was given: text, title, reference, group, property, name."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory
from quipu.records.passage import PassageInput

TOKEN = "ghp_" + "a1B2" * 9
PASSWORD = "hunter2-Rk8p9xQz"


def stored(memory: Memory) -> str:
    kinds: tuple[Any, ...] = ("episode", "chunk", "entity", "relation", "fact")
    return "".join(
        msgspec.json.encode(record).decode() for kind in kinds for record in memory.store.scan(kind)
    )


def by_hand(memory: Memory) -> None:
    memory.add(
        f"The key is {TOKEN}.",
        source_ref=f"https://me:{PASSWORD}@example.org/a",
        title=f"About {TOKEN}",
        group=f"group {TOKEN}",
        properties={
            "password": PASSWORD,
            "nested": {"api_key": PASSWORD, "list": [f"see {TOKEN}"]},
            f"key {TOKEN}": 1,
        },
    )


def as_passage(memory: Memory) -> None:
    memory.add_documents(
        [
            PassageInput(
                source_ref=f"row {TOKEN}",
                text=f"The key is {TOKEN}.",
                title=f"About {TOKEN}",
                group=f"group {TOKEN}",
                properties={"password": PASSWORD, "speaker": f"Ann {TOKEN}"},
            )
        ]
    )


def as_turn(memory: Memory) -> None:
    turn = Turn(
        session_id=f"s {TOKEN}",
        offset=1,
        speaker=f"Ann {TOKEN}",
        role="other",
        text=f"My favourite key is {TOKEN}.",
        caption=f"a picture of {TOKEN}",
    )
    memory.ingest_sessions(
        [Transcript(session_id=f"s {TOKEN}", group=f"g {TOKEN}", title=TOKEN, turns=(turn,))]
    )


def as_relation(memory: Memory) -> None:
    memory.add("# One", source_ref="one")
    memory.add("# Two", source_ref="two")
    memory.relate(
        "one",
        f"explains {TOKEN}",
        "two",
        description=f"by {TOKEN}",
        properties={"password": PASSWORD, "note": TOKEN},
    )


WAYS = [by_hand, as_passage, as_turn, as_relation]


@pytest.mark.parametrize("write", WAYS, ids=lambda way: way.__name__)
def test_what_is_given_is_redacted(memory: Memory, write: Callable[[Memory], None]) -> None:
    write(memory)
    held = stored(memory)
    assert TOKEN not in held
    assert PASSWORD not in held
    assert "[redacted:" in held
    before = memory.store.sequence()
    write(memory)
    assert memory.store.sequence() == before

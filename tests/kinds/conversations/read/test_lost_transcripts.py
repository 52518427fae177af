"""One odd value never costs more than itself: its turn, its line, its message."""

import json
from typing import Any

import pytest

from quipu.kinds.conversations.read import read_sessions
from quipu.when.instants import UNKNOWN_TIME


@pytest.mark.parametrize(
    "written",
    [
        "1e400",
        "NaN",
        "-Infinity",
        "1e20",
        "-1e20",
        "1" + "0" * 400,
        "-99999999999",
        '"0001-01-01T00:00:00+10:00"',
        '"9999-12-31T23:59:59-10:00"',
        '"Mon, 04 Mar 99999999999999999999 10:00:00 +0100"',
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_an_odd_time_leaves_its_turn_without_a_time_and_a_note(name: str, written: str) -> None:
    good = '{"role": "user", "content": "Before"}'
    odd = f'{{"role": "user", "content": "Odd", "timestamp": {written}}}'
    rows = (good, odd, good.replace("Before", "After"))
    whole = "\n".join(rows) if name.endswith("l") else f"[{','.join(rows)}]"
    sessions = read_sessions(name, whole.encode())
    (transcript,) = sessions.transcripts
    assert [turn.text for turn in transcript.turns] == ["Before", "Odd", "After"]
    assert transcript.turns[1].time == UNKNOWN_TIME
    assert [(p.severity, " is no " in p.error) for p in sessions.problems] == [("warning", True)]


def node(parent: str | None, text: object, children: list[str]) -> dict[str, Any]:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}}
    return {"parent": parent, "children": children, "message": message}


@pytest.mark.parametrize(
    ("broken", "kept"),
    [
        ({"parent": "a", "children": ["c"], "message": "no object"}, ["one", "three"]),
        ({"parent": "a", "children": ["c"], "message": {"author": 5}}, ["one", "three"]),
        ("no object", ["three"]),
        ({"parent": 7.5, "children": ["c"], "message": None}, ["one", "three"]),
        (
            {
                **node("a", "two", ["c"]),
                "message": {
                    "author": {"role": "user"},
                    "content": {"content_type": "text", "parts": "x"},
                },
            },
            ["one", "three"],
        ),
    ],
)
def test_a_bad_message_of_an_export_costs_itself_only(broken: Any, kept: list[str]) -> None:
    mapping = {"a": node(None, "one", ["b"]), "b": broken, "c": node("b", "three", [])}
    if broken == "no object":
        mapping["a"]["children"] = []
    data = json.dumps([{"id": "x", "mapping": mapping, "current_node": "c"}]).encode()
    sessions = read_sessions("c.json", data)
    assert [t.text for t in sessions.transcripts[0].turns] == kept
    if not (isinstance(broken, dict) and broken["message"] is None):
        assert [p.severity for p in sessions.problems] == ["error"]


def test_a_message_beside_lists_of_messages_is_read_too() -> None:
    data = json.dumps(
        [{"messages": [{"role": "user", "content": "In"}]}, {"role": "user", "content": "Out"}, 7]
    ).encode()
    sessions = read_sessions("a.json", data)
    assert sorted(t.text for s in sessions.transcripts for t in s.turns) == ["In", "Out"]
    assert [p.severity for p in sessions.problems] == ["error"]

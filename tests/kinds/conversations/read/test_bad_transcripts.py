"""Damage is a problem with a line; the rest is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read import read_sessions, read_time, sniff_format
from quipu.when.instants import UNKNOWN_TIME

GOOD = b'{"speaker": "Ann", "text": "Hello", "session": "s"}\n'


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"[1]", "the line is [1], not an object"),
        (b'{"speaker": "A", "text": 5}', "text is 5, not text"),
        (b'{"speaker": "A", "text": " "}', "neither text nor caption"),
        (b'{"text": "who?"}', "neither speaker nor role"),
        (b"{" * 5000, "not JSON, or cut short"),
        (b"\xff\xfe\x00", "not JSON, or cut short"),
    ],
)
def test_a_bad_line_is_a_problem_and_the_next_is_read(line: bytes, says: str) -> None:
    sessions = read_sessions("a.jsonl", GOOD + line + b"\n" + GOOD)
    assert [t.text for t in sessions.transcripts[0].turns] == ["Hello", "Hello"]
    (problem,) = sessions.problems
    assert problem.line == 2
    assert says in problem.error


def test_wrong_types_inside_a_log_cost_their_line_only() -> None:
    rows: list[object] = [
        {"type": "user", "uuid": "a", "sessionId": "s", "message": "no object"},
        {"type": "user", "uuid": "b", "sessionId": "s", "message": {"role": "user", "content": 7}},
        {"type": "user", "uuid": "c", "sessionId": "s", "message": {"role": 3, "content": "Yes"}},
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    sessions = read_sessions("a.jsonl", data)
    assert [t.text for t in sessions.transcripts[0].turns] == ["Yes"]
    assert [p.line for p in sessions.problems if p.severity == "error"] == [1, 2]


def test_a_cut_export_says_that_it_is_cut() -> None:
    data = json.dumps([{"id": "c", "mapping": {}}]).encode()
    with pytest.raises(InvalidInput, match="cut short"):
        read_sessions("c.json", data[:-3])


@pytest.mark.parametrize(
    ("value", "instant"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00.000Z"),
        ("March-15-2024", "2024-03-15T00:00:00.000Z"),
        ("May 3rd, 2024 at 14:05", "2024-05-03T14:05:00.000Z"),
        ("2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00.000Z"),
        ("29.12.2023", "2023-12-29T00:00:00.000Z"),
        ("2024.1.7", "2024-01-07T00:00:00.000Z"),
        ("Mon, 04 Mar 2024 10:00:00 +0100", "2024-03-04T09:00:00.000Z"),
        (1772359200, "2026-03-01T10:00:00.000Z"),
        (1772359200500, "2026-03-01T10:00:00.500Z"),
        ("2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00.000Z"),
        (None, UNKNOWN_TIME),
    ],
)
def test_times_as_transcripts_write_them(value: object, instant: str) -> None:
    assert read_time(value) == instant


@pytest.mark.parametrize(
    "value", ["soon", True, [], "31 June 2024", 1e300, "x" * 1000, float("nan"), -1, 0, 12.5]
)
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        read_time(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "text",
                    "type",
                    "message",
                    "messages",
                    "sessionId",
                    "uuid",
                    "payload",
                    "mapping",
                    "author",
                    "parts",
                    "chat_messages",
                    "speaker",
                    "time",
                    "id",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@given(st.lists(JSON, min_size=1, max_size=5), st.booleans())
def test_any_json_is_read_or_refused(rows: list[object], lines: bool) -> None:
    data = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    raw = data.encode()
    if sniff_format("a.json", raw) is None:
        with pytest.raises(InvalidInput):
            read_sessions("a.json", raw)
        return
    sessions = read_sessions("a.json", raw)
    for transcript in sessions.transcripts:
        offsets = [turn.offset for turn in transcript.turns]
        assert offsets == sorted(set(offsets))
        assert all(turn.text or turn.caption for turn in transcript.turns)

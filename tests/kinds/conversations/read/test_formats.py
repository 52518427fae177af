"""Each transcript format as its program writes it."""

import json

from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read import read_sessions
from quipu.when.instants import UNKNOWN_TIME


def _lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _said(sessions: Sessions) -> list[tuple[str, int, str, str]]:
    return [
        (turn.session_id, turn.offset, turn.speaker, turn.text)
        for transcript in sessions.transcripts
        for turn in transcript.turns
    ]


def _claude(kind: str, uuid: str, content: object, **more: object) -> dict[str, object]:
    return {
        "type": kind,
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": kind, "content": content},
        **more,
    }


CLAUDE_CODE = _lines(
    {"type": "summary", "summary": "Moving the cache", "leafUuid": "x", "sessionId": "s1"},
    _claude("user", "a", "<command-name>/clear</command-name>"),
    _claude("user", "b", "Please be brief.", isMeta=True),
    _claude("user", "c", "Where is the cache?<system-reminder>be nice</system-reminder>"),
    _claude("assistant", "d", [{"type": "thinking", "thinking": "Hmm."}]),
    _claude(
        "assistant",
        "e",
        [
            {"type": "text", "text": "I will look."},
            {"type": "tool_use", "id": "t1", "name": "Grep", "input": {"pattern": "cache"}},
        ],
    ),
    _claude(
        "user",
        "f",
        [{"type": "tool_result", "tool_use_id": "t1", "content": "none", "is_error": True}],
    ),
    _claude("assistant", "g", [{"type": "text", "text": "It is not there."}]),
    _claude("assistant", "g", [{"type": "text", "text": "It is not there."}]),
    _claude("user", "h", "Look harder.", isSidechain=True, agentId="k"),
    {"type": "file-history-snapshot", "messageId": "m"},
)


def test_of_claude_code_only_speech_is_read() -> None:
    sessions = read_sessions("projects/x/s1.jsonl", CLAUDE_CODE)
    assert sessions.format == "claude-code"
    assert sessions.problems == ()
    assert _said(sessions) == [
        ("s1", 1, "user", "Where is the cache?"),
        ("s1", 2, "assistant", "I will look."),
        ("s1", 3, "assistant", "It is not there."),
        ("s1/k", 1, "user", "Look harder."),
    ]
    assert sessions.transcripts[0].turns[0].time == "2026-03-01T10:00:00.000Z"
    assert sessions.transcripts[0].started_at == "2026-03-01T10:00:00.000Z"


def _codex(kind: str, payload: object) -> dict[str, object]:
    return {"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload}


def test_codex_new_and_old_logs_read_alike() -> None:
    items: list[dict[str, object]] = [
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "<environment_context>cwd</environment_context>"}
            ],
        },
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Run the tests."}],
        },
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Running"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "3 passed"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "All pass."}],
        },
    ]
    new = _lines(
        _codex("session_meta", {"id": "s2", "timestamp": "2026-03-01T09:59:00Z"}),
        _codex("turn_context", {"model": "m"}),
        *(_codex("response_item", item) for item in items),
        _codex("event_msg", {"type": "agent_message", "message": "All pass."}),
    )
    old = _lines(
        {"id": "s2", "timestamp": "2026-03-01T09:59:00Z", "instructions": None},
        {"record_type": "state"},
        *items,
    )
    for data in (new, old):
        sessions = read_sessions("rollout.jsonl", data)
        assert sessions.format == "codex"
        assert sessions.problems == ()
        assert _said(sessions) == [
            ("s2", 1, "user", "Run the tests."),
            ("s2", 2, "assistant", "All pass."),
        ]
        assert sessions.transcripts[0].started_at == "2026-03-01T09:59:00.000Z"


MESSAGES: list[object] = [
    {"role": "system", "content": "You are kind."},
    {"role": "user", "name": "Ada", "content": [{"type": "text", "text": "Weather?"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"name": "weather", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "rain"},
    {"role": "assistant", "content": "It rains."},
]


def test_message_lists_in_every_wrapping() -> None:
    expected = [("system", "You are kind."), ("Ada", "Weather?"), ("assistant", "It rains.")]
    for data in (
        json.dumps(MESSAGES, indent=1).encode(),
        json.dumps({"id": "chat", "messages": MESSAGES}).encode(),
        json.dumps([{"messages": MESSAGES}]).encode(),
        _lines(*MESSAGES),
        _lines({"messages": MESSAGES}),
    ):
        sessions = read_sessions("chat.json", data)
        assert sessions.format == "messages"
        assert sessions.problems == ()
        assert [(speaker, text) for _, _, speaker, text in _said(sessions)] == expected


def _node(key: str, parent: str | None, role: str, part: object, **more: object) -> object:
    message = {
        "author": {"role": role},
        "create_time": 1772359200.5,
        "content": {"content_type": "text", "parts": [part]},
        **more,
    }
    return {"id": key, "parent": parent, "children": ["x"], "message": message}


def test_chatgpt_export_follows_the_branch_that_is_shown() -> None:
    mapping = {
        "r": {"id": "r", "parent": None, "children": ["a"], "message": None},
        "a": _node("a", "r", "user", "First wording"),
        "b": _node("b", "r", "user", "Better wording"),
        "c": _node("c", "b", "assistant", "print(1)", recipient="python"),
        "d": _node("d", "c", "tool", "1"),
        "e": _node("e", "d", "assistant", "One."),
    }
    data = json.dumps(
        [{"title": "T", "conversation_id": "g", "mapping": mapping, "current_node": "e"}]
    ).encode()
    sessions = read_sessions("conversations.json", data)
    assert sessions.format == "chatgpt-export"
    assert sessions.transcripts[0].title == "T"
    assert _said(sessions) == [("g", 1, "user", "Better wording"), ("g", 2, "assistant", "One.")]
    assert sessions.transcripts[0].turns[0].time == "2026-03-01T10:00:00.500Z"


def test_claude_export() -> None:
    conversation = {
        "uuid": "u",
        "name": "Trip",
        "created_at": "2026-03-01T10:00:00.123456Z",
        "chat_messages": [
            {"sender": "human", "text": "Old text", "attachments": [{"file_name": "a.pdf"}]},
            {"sender": "assistant", "text": "x", "content": [{"type": "text", "text": "Hello"}]},
        ],
    }
    sessions = read_sessions("conversations.json", json.dumps([conversation]).encode())
    assert sessions.format == "claude-export"
    assert _said(sessions) == [("u", 1, "user", "Old text"), ("u", 2, "assistant", "Hello")]
    assert sessions.transcripts[0].turns[0].caption == "a.pdf"
    assert sessions.transcripts[0].started_at == "2026-03-01T10:00:00.123Z"


def test_plain_lines_keep_conversations_sessions_and_times() -> None:
    data = _lines(
        {"conv": "c", "session": 1, "speaker": "Ann", "text": "Hi", "session_time": "8 May, 2023"},
        {"conv": "c", "session": 2, "speaker": "Bo", "text": "", "image_caption": "a dog"},
        {"conv": "c", "session": 1, "speaker": "Bo", "text": "Ho", "turn": 7, "time": 1700000000},
        {"conv": "c", "session": 1, "speaker": "Ann", "text": "Hm", "turn": 3},
    )
    sessions = read_sessions("talk.jsonl", data)
    assert sessions.format == "jsonl"
    assert [t.group for t in sessions.transcripts] == ["c", "c"]
    assert _said(sessions) == [
        ("c/1", 1, "Ann", "Hi"),
        ("c/1", 7, "Bo", "Ho"),
        ("c/1", 8, "Ann", "Hm"),
        ("c/2", 1, "Bo", ""),
    ]
    first, second, _ = sessions.transcripts[0].turns
    assert first.time == "2023-05-08T00:00:00.000Z"
    assert second.time == "2023-11-14T22:13:20.000Z"
    assert sessions.transcripts[1].turns[0].caption == "a dog"
    assert sessions.transcripts[1].turns[0].time == UNKNOWN_TIME


def test_memory_folder_notes_know_headings_and_dates() -> None:
    text = (
        "---\ntitle: x\n---\n# Log\n\nPlain paragraph\nof two lines.\n\n## 2026-02-03\n\n"
        "- Prefers tabs\n  - always\n- [x] Moved to Bern\n\n```\n# no heading\n\nx\n```\n"
    )
    sessions = read_sessions("memory/2026-02-04.md", text.encode())
    transcript = sessions.transcripts[0]
    assert (sessions.format, transcript.title) == ("memory-folder", "Log")
    assert [(t.text, t.caption, t.time[:10], t.line) for t in transcript.turns] == [
        ("Plain paragraph\nof two lines.", "Log", "2026-02-04", 6),
        ("Prefers tabs\n  - always", "Log > 2026-02-03", "2026-02-03", 11),
        ("Moved to Bern", "Log > 2026-02-03", "2026-02-03", 13),
        ("```\n# no heading\n\nx\n```", "Log > 2026-02-03", "2026-02-03", 15),
    ]

"""Threads of trackers and chats: who said what, and what the tracker knows of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.embed import MiniLM
from quipu.kinds.conversations.read import read_sessions, sniff_format
from quipu.memory import Memory

_ISSUE, _PULL = json.loads(
    (Path(__file__).parent / "data" / "threads.json").read_text("utf-8")
).values()


def _turns(path: str, value: object) -> list[tuple[str, str, str]]:
    sessions = read_sessions(path, json.dumps(value).encode())
    assert not sessions.problems
    return [(t.session_id, t.speaker, t.text) for s in sessions.transcripts for t in s.turns]


def test_an_issue_is_a_session_of_its_repository_with_a_turn_a_comment() -> None:
    sessions = read_sessions("issues.json", json.dumps([_ISSUE]).encode())
    (thread,) = sessions.transcripts
    assert (sessions.format, thread.session_id, thread.group) == (
        "threads",
        "shop/store#7",
        "shop/store",
    )
    assert [(t.speaker, t.role, t.time[:10], t.text) for t in thread.turns] == [
        (
            "ann",
            "other",
            "2026-01-02",
            "The pool leaks connections\n\nAfter an hour no connection is free.",
        ),
        ("bob", "other", "2026-01-03", "It happens when a request times out."),
        (
            "tracker",
            "note",
            "2026-01-05",
            (
                "Issue shop/store#7 “The pool leaks connections” was opened by ann, "
                "closed by somebody on 2026-01-05."
            ),
        ),
        ("tracker", "note", "2026-01-05", "shop/store#7 has the labels bug."),
    ]


def test_a_pull_request_tells_who_merged_and_reviewed_it_and_what_it_closes() -> None:
    _, *rest = _turns("pulls.json", [_PULL])
    assert [text for _, _, text in rest] == [
        "dora reviewed this: changes requested.\n\nPlease add a test.",
        "dora reviewed this: approved.",
        (
            "Pull request shop/store#9 “Give a connection back after a time-out” was "
            "opened by cem, merged by ann on 2026-01-05."
        ),
        "shop/store#9 closes shop/store#7.",
        "shop/store#9 has the commits ab12cd34ef56 (Give connections back).",
        "shop/store#9 changes src/pool.py.",
    ]


def test_pages_of_the_api_are_read_alike_comments_among_them() -> None:
    url = "https://api.github.com/repos/shop/store/issues/7"
    issue = {"number": 7, "title": "Leak", "body": None, "user": {"login": "ann"}, "url": url}
    comment = {"body": "Seen here too.", "user": {"login": "bob"}, "issue_url": url}
    assert _turns("page.json", [issue, comment]) == [
        ("shop/store#7", "ann", "Leak"),
        ("shop/store#7", "tracker", "Issue shop/store#7 “Leak” was opened by ann."),
        ("shop/store#7", "bob", "Seen here too."),
    ]


def test_merge_requests_of_gitlab_are_read_alike() -> None:
    request = {
        "iid": 3,
        "title": "Retry",
        "description": "Waits longer.",
        "author": {"username": "eva"},
        "merged_at": "2026-02-01T00:00:00Z",
        "merge_user": {"username": "finn"},
        "web_url": "https://gitlab.com/group/sub/shop/-/merge_requests/3",
    }
    (session, speaker, _), (_, _, text) = _turns("mrs.json", [request])
    assert (session, speaker) == ("group/sub/shop#3", "eva")
    assert "merged by finn on 2026-02-01." in text


def test_threads_of_a_slack_channel_are_sessions_of_the_channel() -> None:
    day = [
        {
            "type": "message",
            "user": "U1",
            "ts": "1767348000.1",
            "text": "<@U2> see <https://x.y|it>",
        },
        {
            "type": "message",
            "user": "U1",
            "ts": "1767348100.1",
            "text": "Deploy?",
            "thread_ts": "9.1",
        },
        {
            "type": "message",
            "user_profile": {"real_name": "Bob"},
            "ts": "1767348200.1",
            "text": "Not on Fridays.",
            "thread_ts": "9.1",
        },
        {"type": "message", "subtype": "channel_join", "ts": "1767348300.1"},
    ]
    assert _turns("export/general/2026-01-02.json", day) == [
        ("general/2026-01-02", "U1", "@U2 see it"),
        ("general/9.1", "U1", "Deploy?"),
        ("general/9.1", "Bob", "Not on Fridays."),
    ]


def test_what_programs_say_in_slack_stands_in_attachments_and_blocks() -> None:
    pieces = [{"type": "text", "text": "Nightly"}, {"type": "user"}, {"type": "text", "text": "ok"}]
    page = {"from_url": "https://x.y", "text": "A page that Slack shows."}
    day = [
        {
            "type": "message",
            "ts": "1767348000.1",
            "bot_id": "B1",
            "bot_profile": {"name": "alerts"},
            "text": "",
            "attachments": [{"title": "Disk", "text": "db7 is full", "fallback": "full"}],
        },
        {
            "type": "message",
            "ts": "1767348100.1",
            "username": "ci",
            "blocks": [
                {"type": "header", "text": {"type": "plain_text", "text": "Build"}},
                {"type": "rich_text", "elements": [{"elements": pieces}, None, 3]},
            ],
        },
        {
            "type": "message",
            "ts": "1767348200.1",
            "user": "U1",
            "text": "Look",
            "attachments": [page],
        },
    ]
    assert _turns("export/ops/2026-01-02.json", day) == [
        ("ops/2026-01-02", "alerts", "Disk\ndb7 is full"),
        ("ops/2026-01-02", "ci", "Build Nightly ok"),
        ("ops/2026-01-02", "U1", "Look"),
    ]


def test_what_programs_say_in_discord_stands_in_embeds() -> None:
    embed = {"title": "Build", "description": "failed", "fields": [{"name": "On", "value": "main"}]}
    export = {
        "guild": None,
        "channel": {"name": "ops"},
        "messages": [
            {"author": {"name": "ci", "isBot": True}, "content": "", "embeds": [embed, None]},
            {"author": {"name": "ann"}, "content": "See", "embeds": [{"title": "A page"}]},
        ],
    }
    (channel,) = read_sessions("ops.json", json.dumps(export).encode()).transcripts
    assert [(t.speaker, t.text) for t in channel.turns] == [
        ("ci", "Build\nfailed\nOn: main"),
        ("ann", "See"),
    ]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_discord_channel_is_a_session_of_its_guild(indent: int | None) -> None:
    export = {
        "guild": {"name": "Shop"},
        "channel": {"name": "ops"},
        "messages": [
            {
                "timestamp": "2026-01-02T10:00:00+00:00",
                "content": "The ledger is down.",
                "author": {"name": "ann", "nickname": "Ann"},
                "attachments": [{"fileName": "graph.png"}],
            }
        ],
    }
    data = json.dumps(export, indent=indent).encode()
    assert sniff_format("ops.json", data) == "discord"
    (channel,) = read_sessions("ops.json", data).transcripts
    assert (channel.session_id, channel.group) == ("Shop/ops", "Shop")
    assert [(t.speaker, t.text, t.caption) for t in channel.turns] == [
        ("Ann", "The ledger is down.", "graph.png")
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {**_ISSUE, "comments": 3, "labels": "bug", "author": None},
        {**_ISSUE, "comments": [{"body": 4, "createdAt": "never"}], "createdAt": "soon"},
        {"type": "message", "ts": "now", "text": 3},
    ],
)
def test_what_is_half_or_wrong_is_left_out_and_nothing_raises(bad: object) -> None:
    read_sessions("page.json", json.dumps([bad]).encode())


@pytest.fixture(scope="module")
def told(encoder: MiniLM) -> Iterator[Memory]:
    read = read_sessions("threads.json", json.dumps([_ISSUE, _PULL]).encode())
    with Memory.open("memory:", config=Config(), embedder=encoder) as memory:
        memory.ingest_sessions(read.transcripts)
        yield memory


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who merged shop/store#9?", "ann"),
        ("Who reviewed “Give a connection back after a time-out”?", "dora reviewed this"),
        ("Why were connections kept?", "the time-out skipped the clean-up"),
        ("Which pull request closes shop/store#7?", "shop/store#9"),
    ],
)
def test_questions_about_threads_quote_them(told: Memory, question: str, said: str) -> None:
    reply = told.ask(question)
    assert said in reply.contract.answer
    assert reply.contract.evidence

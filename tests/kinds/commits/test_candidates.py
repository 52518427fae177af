"""Which questions are about changes, and what a history says to all others: nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.kinds.commits.asked import asks_of_changes
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

OF_CHANGES = (
    "Why was the retry removed from http.c?",
    "Who removed the retry?",
    "Which commit fixes the crash?",
    "What changed in lib/cache.c?",
    "Who last touched the parser?",
    "When did they drop Python 3.7?",
    "Has support for IPv6 been added?",
    "Why is keep-alive disabled?",
    "What does deadbeef12 do?",
    "Why does it no longer follow redirects?",
    "Who is the author of lib/url.c?",
    "What were the latest changes?",
)
OF_ANYTHING_ELSE = (
    "Who is the author of httpx?",
    "Which Python versions does it support?",
    "How do I add a header?",
    "Which headers are removed by default?",
    "What does the deprecated flag do?",
    "How are values added to the cache?",
    "What is the default timeout?",
    "Where is the retry limit set?",
    "Can I disable the cache?",
    "Who maintains this project?",
    "How does it handle a changed file?",
    "retry policy",
)


@pytest.mark.parametrize("question", OF_CHANGES)
def test_a_question_about_a_change_is_known(question: str) -> None:
    assert asks_of_changes(question)


@pytest.mark.parametrize("question", OF_ANYTHING_ELSE)
def test_any_other_question_is_not_about_changes(question: str) -> None:
    assert not asks_of_changes(question)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Memory]:
    """Files and the history of a project, whose commits share the words of its questions."""
    (tmp_path / "README.md").write_text(
        "# Shop\n\nShop sells boats. The request timeout of the client is nine seconds.\n", "utf-8"
    )
    memory = Memory.open(
        "memory:",
        home=tmp_path,
        config=Config(),
        embedder=HashEmbedder(64),
        clock=lambda: "2026-11-22T01:05:00.000Z",
    )
    with memory:
        memory.index([tmp_path])
        memory.add_commits(
            CommitInput(
                sha=sign * 40,
                message=message,
                time=f"2026-03-0{day}",
                author="Ada Byron",
                files=("client.py",),
                repository="shop",
            )
            for day, (sign, message) in enumerate(
                (
                    ("a", "Tell the author of Shop"),
                    ("b", "Set the request timeout of the client\n\nSlow networks need it."),
                ),
                1,
            )
        )
        yield memory


def test_commits_answer_no_other_question(shop: Memory) -> None:
    reply = shop.ask("Who is the author of Shop?")
    assert all("commit:" not in hit.path for hit in reply.hits[:1])
    assert all("commit:" not in c.path for c in reply.citations)
    reply = shop.ask("What is the request timeout of the client?")
    assert [c.path for c in reply.citations] == ["README.md"]
    assert "nine seconds" in reply.contract.answer


def test_commits_stand_behind_the_files_in_another_search(shop: Memory) -> None:
    hits = shop.search("request timeout of the client").hits
    assert [hit.path for hit in hits[:2]] == ["README.md", f"commit:{'b' * 40}"]
    assert hits[1].why_ranked.parts["aside"] == 1.0

"""Which questions are about changes, and what a history says to all others: nothing."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.kinds.commits.asked import asks_of_changes
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory


@pytest.mark.parametrize(("question", "is_about"), rows(__file__, "questions_about_changes"))
def test_a_question_about_changes_is_known(question: str, is_about: bool) -> None:
    assert asks_of_changes(question) is is_about


@pytest.fixture
def shop(remember: Callable[..., Memory]) -> Memory:
    """Files and the history of a project, whose commits share the words of its questions."""
    readme = "# Shop\n\nShop sells boats. The request timeout of the client is nine seconds.\n"
    memory = remember({"README.md": readme})
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
    return memory


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

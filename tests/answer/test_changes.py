"""Questions that a history answers: who, when, which commit and why, with the commit cited."""

import pytest

from quipu.answer import ASSERT_ABOVE
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.records.scope import Scope

ADDED, ZONE, REMOVED, CRASH, LEAK = (digit * 40 for digit in "abcde")
COMMITS = (
    (
        ADDED,
        "Ada Byron",
        "Retry requests that time out\n\nSent again, at most three times.",
        ("lib/http.c",),
    ),
    (ZONE, "Grace Hopper", "Parse addresses with an IPv6 zone id", ("lib/url.c",)),
    (
        REMOVED,
        "Ada Byron",
        "Remove the retry\n\nIt sent orders twice.\n\nReviewed-by: Alan Turing",
        ("lib/http.c", "docs/retry.md"),
    ),
    (CRASH, "Alan Turing", "url: fix crash when the port is missing\n\nFixes #12", ("lib/url.c",)),
    (LEAK, "Ada Byron", "Fix the memory leak in the DNS cache", ("lib/cache.c",)),
)


@pytest.fixture
def told(memory: Memory) -> Memory:
    """A memory with a short history."""
    memory.add_commits(
        CommitInput(
            sha=sha,
            message=message,
            time=f"2026-03-0{day}",
            author=author,
            files=files,
            repository="shop",
        )
        for day, (sha, author, message, files) in enumerate(COMMITS, 1)
    )
    return memory


def ask(memory: Memory, question: str) -> tuple[str, list[str], float]:
    reply = memory.ask(question)
    cited = [path for item in reply.contract.evidence for path in item.file_paths]
    return reply.contract.answer, cited, reply.confidence.value


CASES = {
    "Why was the retry removed from http.c?": (REMOVED, "sent orders twice"),
    "When was the retry removed?": (REMOVED, "on 2026-03-03"),
    "Who removed the retry?": (REMOVED, "Ada Byron"),
    "When was the retry added?": (None, ""),
    "Which commit fixed the crash when the port is missing?": (CRASH, "`dddddddddddd`"),
    "Why was the crash with a missing port fixed?": (CRASH, "gives no reason"),
    "Who changed lib/url.c last?": (CRASH, "Alan Turing"),
    "Who most recently changed lib/url.c?": (CRASH, "changed last on 2026-03-04 by Alan Turing"),
    "Who created lib/url.c?": (ZONE, "`lib/url.c` was added on 2026-03-02 by Grace Hopper"),
    "When was lib/url.c first changed?": (ZONE, "on 2026-03-02"),
    "Who changed url.c last?": (CRASH, "Alan Turing"),
    "What changed in lib/cache.c?": (LEAK, "memory leak"),
    "Who removed the TLS handshake?": (None, ""),
    "Who changed lib/nothere.c last?": (None, ""),
}


@pytest.mark.parametrize("question", CASES)
def test_a_question_about_a_change_is_answered_from_the_commit(told: Memory, question: str) -> None:
    sha, says = CASES[question]
    answer, cited, confidence = ask(told, question)
    if sha is None:  # what another change did may be quoted, and is not asserted
        assert answer == "unknown" or confidence < ASSERT_ABOVE
        return
    assert cited == [f"commit:{sha}"]
    assert says in answer
    assert confidence >= 0.5


def test_every_change_of_a_file_is_told_the_last_first(told: Memory) -> None:
    answer, cited, _ = ask(told, "What changed in lib/url.c?")
    assert cited == [f"commit:{CRASH}", f"commit:{ZONE}"]
    assert answer.index("port is missing") < answer.index("zone id")


def test_who_wrote_what_several_changed_is_never_sure(told: Memory) -> None:
    assert ask(told, "Who wrote lib/url.c?")[2] < 0.7


def test_a_scope_bounds_what_is_told_of_a_file(told: Memory) -> None:
    before = Scope(before="2026-03-04T00:00:00.000Z")
    reply = told.ask("Who changed lib/url.c last?", scope=before)
    assert [item.file_paths for item in reply.contract.evidence] == [(f"commit:{ZONE}",)]
    assert "Grace Hopper" in reply.contract.answer
    none = told.ask("Who changed lib/url.c last?", scope=Scope(before="2026-03-02T00:00:00.000Z"))
    assert none.contract.answer == "unknown"


def test_a_name_that_fits_two_files_is_not_guessed(told: Memory) -> None:
    twin = CommitInput(
        sha="f" * 40,
        message="Add a fuzzer",
        time="2026-03-09",
        author="Ada Byron",
        files=("fuzz/url.c", "lib/url.c"),
        repository="shop",
    )
    told.add_commits([twin])
    assert ask(told, "Who changed url.c last?")[0] == "unknown"
    assert ask(told, "Who changed lib/url.c last?")[1] == [f"commit:{'f' * 40}"]

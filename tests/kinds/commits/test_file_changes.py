"""What commits say of one file: who changed it, and when."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

HISTORY = (
    ("Begin the client", "Ada Byron", ("client.py", "README.md")),
    ("Begin the pump", "Cy Mo", ("src/pump.py",)),
    ("Set the timeout", "Ada Byron", ("client.py",)),
    ("Add a valve", "Cy Mo", ("src/pump.py", "README.md")),
    ("Move the sources", "Bo Lee", ("src/pump.py", "core/pump.py")),
    ("Reformat", "Bo Lee", ("client.py",)),
)


@pytest.fixture
def shop(tmp_path: Path, write_files: Callable[..., None]) -> Iterator[Memory]:
    """A project of documents full of the questions' words, and its history."""
    write_files(
        tmp_path,
        {
            "client.py": '"""When the client was last changed."""\n\ndef fetch():\n    return 1\n',
            "core/pump.py": "def pump():\n    return 2\n",
            "README.md": "# Shop\n\nWho wrote what, when it was last changed, added or modified.\n",
            **{
                f"docs/{n}.md": f"# Changes {n}\n\nWhen client.py was last changed, see {n}.\n"
                for n in range(12)
            },
        },
    )
    with Memory.open(
        "memory:",
        home=tmp_path,
        config=Config(),
        embedder=HashEmbedder(64),
        clock=lambda: "2026-11-22T01:05:00.000Z",
    ) as memory:
        memory.index([tmp_path])
        memory.add_commits(
            CommitInput(
                sha=f"{n:x}" * 40,
                message=message,
                time=f"2026-03-0{n}",
                author=author,
                files=files,
                repository="shop",
            )
            for n, (message, author, files) in enumerate(HISTORY, 1)
        )
        yield memory


@pytest.mark.parametrize(
    ("question", "says", "commits"),
    [
        ("When was client.py last changed?", "changed last on 2026-03-06 by Bo Lee", "6"),
        ("When did client.py change last?", "changed last on 2026-03-06 by Bo Lee", "6"),
        ("Who last modified client.py?", "changed last on 2026-03-06 by Bo Lee", "6"),
        ("When was client.py added?", "`client.py` was added on 2026-03-01 by Ada Byron", "1"),
        ("Who created client.py?", "`client.py` was added on 2026-03-01 by Ada Byron", "1"),
        ("When was core/pump.py last changed?", "changed last on 2026-03-05 by Bo Lee", "5"),
        ("When was src/pump.py added?", "was added on 2026-03-02 by Cy Mo", "2"),
    ],
)
def test_the_changes_of_a_file_are_answered_from_its_commits(
    shop: Memory, question: str, says: str, commits: str
) -> None:
    reply = shop.ask(question)
    assert says in reply.contract.answer
    assert [c.path for c in reply.citations] == [f"commit:{sign * 40}" for sign in commits]
    assert reply.confidence.value >= 0.7


def test_who_wrote_what_several_changed_is_never_sure(shop: Memory) -> None:
    assert shop.ask("Who wrote client.py?").confidence.value < 0.7

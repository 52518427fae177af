"""What the tree says counts: an answer that cites a file which has changed is made anew, or is
never sure."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import git

from quipu.errors import UnknownRecord
from quipu.memory import Memory
from quipu.memory.excerpts import read_lines

ASKED = "What is MAX_RETRIES?"
OWNER = "Who owns the ledger?"
UNSURE = 0.5


def code(value: int) -> str:
    return f'"""Settings of the client."""\n\nMAX_RETRIES = {value}\nTIMEOUT = 10\n'


def table(owner: str) -> str:
    return f"# Guide\n\n| service | owner |\n|---|---|\n| ledger | {owner} |\n| shop | Bo |\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "config.py").write_text(code(3))
    (root / "guide.md").write_text(table("Ann Ash"))
    return root


@pytest.fixture
def indexed(project: Path, open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory(project / ".quipu" / "quipu.db", project)
    memory.index()
    return memory


def values(memory: Memory) -> tuple[str, float]:
    reply = memory.ask(ASKED)
    return reply.contract.answer, reply.confidence.value


def test_an_edit_is_read_before_it_is_answered(indexed: Memory, project: Path) -> None:
    assert "MAX_RETRIES = 3" in values(indexed)[0]
    (project / "src" / "config.py").write_text(code(5))
    answer, _ = values(indexed)
    assert "MAX_RETRIES = 5" in answer
    assert "MAX_RETRIES = 3" not in answer
    (project / "src" / "config.py").write_text(code(7))
    assert "MAX_RETRIES = 7" in indexed.search("MAX_RETRIES").hits[0].text
    (project / "src" / "config.py").write_text(code(8))
    assert "MAX_RETRIES = 8" in read_lines(indexed, "src/config.py").text


def test_an_edit_that_leaves_size_and_time_is_seen(indexed: Memory, project: Path) -> None:
    file = project / "src" / "config.py"
    os.utime(file, (1, 1))
    assert "MAX_RETRIES = 3" in values(indexed)[0]
    file.write_text(code(5))
    os.utime(file, (1, 1))
    assert "MAX_RETRIES = 5" in values(indexed)[0]


def test_what_is_gone_is_not_told(indexed: Memory, project: Path) -> None:
    (project / "src" / "config.py").unlink()
    assert values(indexed)[0] == "unknown"
    with pytest.raises(UnknownRecord):
        indexed.get("src/config.py")


def test_of_a_memory_that_is_only_read_it_is_said_and_nothing_is_sure(
    indexed: Memory, project: Path, open_memory: Callable[..., Memory]
) -> None:
    indexed.close()
    (project / "src" / "config.py").write_text(code(5))
    (project / "guide.md").unlink()
    with open_memory(project / ".quipu" / "quipu.db", project, read_only=True) as memory:
        reply = memory.ask(ASKED)
        assert reply.confidence.value <= UNSURE
        assert "src/config.py has changed since it was read." in reply.contract.limitations
        assert "quipu index" in reply.contract.next_step
        hits = memory.search(ASKED).hits
        assert {h.path: h.changed for h in hits}["src/config.py"] == "changed since it was read"
        assert read_lines(memory, "src/config.py").changed == "changed since it was read"
        assert not memory.facts.find(OWNER).known
        assert "guide.md is gone" in memory.ask(OWNER).contract.limitations
        plan = memory.plan(ASKED)
        assert memory.retrieve(plan).hits[0].changed


def test_a_file_that_is_another_where_one_stands_is_never_sure(
    project: Path, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "One")
    git(project, "worktree", "add", "-q", "-b", "two", "../two")
    other = project.parent / "two"
    with open_memory(project / ".quipu" / "quipu.db", project) as memory:
        memory.index()
        monkeypatch.chdir(other / "src")
        assert "changed" not in memory.ask(ASKED).contract.limitations
        (other / "src" / "config.py").write_text(code(5))
        reply = memory.ask(ASKED)
        assert reply.confidence.value <= UNSURE
        assert "src/config.py is another in the work tree" in reply.contract.limitations
        (other / "src" / "config.py").unlink()
        assert values(memory)[1] <= UNSURE
        monkeypatch.chdir(project)
        assert "work tree" not in memory.ask(ASKED).contract.limitations


def test_a_memory_that_came_with_its_folder_does_not_tell_what_is_gone(
    indexed: Memory,
    project: Path,
    open_memory: Callable[..., Memory],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    indexed.close()
    (project / "src" / "config.py").unlink()
    monkeypatch.setattr("quipu.memory.freshness.standing", lambda _: "foreign")
    with open_memory(project / ".quipu" / "quipu.db", project) as memory:
        reply = memory.ask(ASKED)
        assert "src/config.py is gone since it was read." in reply.contract.limitations
        assert len(memory.store.sources()) == 2  # nothing is read again on somebody else's word


def test_a_memory_that_was_brought_here_without_its_tree_is_left_as_it_is(
    indexed: Memory, project: Path, tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    indexed.backup(tmp_path / "kept")
    (tmp_path / "elsewhere").mkdir()
    place = tmp_path / "elsewhere" / ".quipu" / "quipu.db"
    Memory.restore(tmp_path / "kept", place)
    shutil.rmtree(project / "src")
    with open_memory(place, tmp_path / "elsewhere") as memory:
        reply = memory.ask(ASKED)
        assert "MAX_RETRIES = 3" in reply.contract.answer
        assert "gone" not in reply.contract.limitations
        (tmp_path / "elsewhere" / "src").mkdir()
        (tmp_path / "elsewhere" / "src" / "config.py").write_text(code(5))
        assert "has changed since it was read" in memory.ask(ASKED).contract.limitations


def test_what_was_forgotten_does_not_come_back_by_a_question(
    indexed: Memory, project: Path
) -> None:
    indexed.forget("guide.md")
    (project / "src" / "config.py").write_text(code(5))
    assert "MAX_RETRIES = 5" in values(indexed)[0]
    assert [s.source_ref for s in indexed.store.sources()] == ["src/config.py"]
    assert indexed.index().added == ("guide.md",)  # asked for, it does
    (project / "src" / "config.py").write_text(code(6))
    (project / "guide.md").write_text("# Guide\n\nAnother.\n")
    assert "MAX_RETRIES = 6" in values(indexed)[0]
    assert len(indexed.store.sources()) == 2


def test_what_has_become_a_link_or_is_ignored_is_not_read(indexed: Memory, project: Path) -> None:
    outside = project.parent / "outside.py"
    outside.write_text(code(99))
    file = project / "src" / "config.py"
    file.unlink()
    file.symlink_to(outside)
    assert "99" not in values(indexed)[0]
    file.unlink()
    file.write_text(code(5))
    indexed.index()
    (project / ".quipuignore").write_text("config.py\n")
    file.write_text(code(98))
    assert "98" not in values(indexed)[0]
    assert values(indexed)[1] <= UNSURE

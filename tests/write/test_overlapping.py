"""Two runs over one store: neither undoes what the other found later."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quipu.memory import Memory
from quipu.records.record import Chunk
from quipu.write import run
from quipu.write.batches import BatchWriter

Tree = Callable[[dict[str, str]], None]


@pytest.fixture
def memory(tmp_path: Path, open_memory: Any) -> Iterator[Memory]:
    """A memory in a file, so that another handle can write to it."""
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    with open_memory(home / ".quipu" / "quipu.db", home) as opened:
        yield opened


@pytest.fixture
def tree(memory: Memory, write_files: Callable[..., None]) -> Tree:
    """Writes files into the memory's tree."""
    return lambda files: write_files(memory.home.folder, files)


def texts(memory: Memory) -> str:
    return "\n".join(c.text for c in memory.store.scan("chunk") if isinstance(c, Chunk))


@pytest.fixture
def during_survey(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Has something happen once, when the first run has surveyed and not written yet."""
    real = run.survey

    def arrange(happen: Callable[[], None]) -> None:
        waiting = [happen]

        def survey(*arguments: Any, **options: Any) -> Any:
            found = real(*arguments, **options)
            if waiting:
                waiting.pop()()
            return found

        monkeypatch.setattr(run, "survey", survey)

    return arrange


def test_an_older_survey_does_not_override_a_newer_one(
    memory: Memory, tree: Tree, during_survey: Callable[..., None], open_memory: Any
) -> None:
    tree({"a.md": "# A\n\nOld text of A.\n"})
    memory.index()
    tree({"a.md": "# A\n\nMiddle text of A.\n", "b.md": "# B\n\nMiddle text of B.\n"})

    def meanwhile() -> None:
        tree({"a.md": "# A\n\nNew text of A.\n", "b.md": "# B\n\nNew text of B.\n"})
        with open_memory(memory.home.url, memory.home.folder) as other:
            other.index()
        tree({"a.md": "# A\n\nMiddle text of A.\n", "b.md": "# B\n\nMiddle text of B.\n"})

    during_survey(meanwhile)
    memory.index()
    assert "New text of A" in texts(memory)
    assert "New text of B" in texts(memory)


def test_what_came_back_meanwhile_is_not_removed(
    memory: Memory, tree: Tree, during_survey: Callable[..., None], open_memory: Any
) -> None:
    tree({"a.md": "# A\n\nText of A.\n", "b.md": "# B\n\nText of B.\n"})
    memory.index()
    (memory.home.folder / "a.md").unlink()

    def meanwhile() -> None:
        tree({"a.md": "# A\n\nIt came back.\n"})
        with open_memory(memory.home.url, memory.home.folder) as other:
            other.index()

    during_survey(meanwhile)
    memory.index()
    assert "It came back" in texts(memory)


def test_a_foreign_write_is_noticed_in_every_later_batch(
    memory: Memory,
    tree: Tree,
    during_survey: Callable[..., None],
    open_memory: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BatchWriter, "most_sources", 1)
    tree({f"{n}.md": f"# {n}\n\nMiddle text.\n" for n in range(5)})

    def meanwhile() -> None:
        tree({f"{n}.md": f"# {n}\n\nNew text.\n" for n in range(5)})
        with open_memory(memory.home.url, memory.home.folder) as other:
            other.index()
        tree({f"{n}.md": f"# {n}\n\nMiddle text.\n" for n in range(5)})

    during_survey(meanwhile)
    memory.index()
    assert "Middle" not in texts(memory)


DEADLY = "x" * 50


def test_the_death_of_a_worker_costs_one_passage(
    tmp_path: Path, open_memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quipu.config import Config, IndexConfig
    from quipu.records.passage import PassageInput
    from quipu.write.prepare import PassageTask
    from quipu.write.workers import WorkerDied, Workers

    real = Workers[Any, Any].map
    lock = threading.Lock()

    def dying(self: Any, jobs: Any) -> Any:
        for task, outcome in real(self, jobs):
            with lock:
                killed = isinstance(task, PassageTask) and DEADLY in task.passage.text
            yield task, WorkerDied("the reading process ended with -9") if killed else outcome

    monkeypatch.setattr(Workers, "map", dying)
    config = Config(index=IndexConfig(workers=1))
    with open_memory("memory:", tmp_path, config=config) as memory:
        given = [PassageInput(source_ref=f"row-{n}", text=f"Row {n} here.") for n in range(40)]
        given[7] = PassageInput(source_ref="row-7", text=DEADLY)
        report = memory.add_documents(given)
        assert [row.path for row in report.errors] == ["row-7"]
        assert len(report.added) == 39

"""Two runs over one store: neither undoes what the other found later."""

from collections.abc import Callable
from typing import Any

import pytest

from quipu.memory import Memory
from quipu.records.record import Chunk
from quipu.write import run

Tree = Callable[[dict[str, str]], None]


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

"""What is served follows its folder: what is new there is known without anybody asking for it."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from quipu.memory import Memory
from quipu.serve.keeping_up import kept_up

LONGEST_S = 60


def _until(found: Callable[[], bool]) -> bool:
    waiting = threading.Event()
    return any(found() or waiting.wait(0.1) for _ in range(LONGEST_S * 10))


def test_a_memory_that_is_served_follows_what_was_indexed(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("# A\n\nFirst.\n")
    (folder / "other.md").write_text("# Other\n\nNever indexed.\n")
    opened = partial(open_memory, folder / ".quipu" / "quipu.db", folder)
    with opened() as memory:
        memory.index([folder / "docs"])
        (folder / "docs" / "b.md").write_text("# B\n\nWritten while nobody looked.\n")

        def known() -> set[str]:
            return {source.source_ref for source in memory.store.sources()}

        with kept_up(opened):
            assert _until(lambda: "docs/b.md" in known())
            (folder / "docs" / "c.md").write_text("# C\n\nWritten now.\n")
            (folder / "docs" / "a.md").unlink()
            assert _until(lambda: known() == {"docs/b.md", "docs/c.md"})

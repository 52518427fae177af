"""Two runs over one tree at once: each says what it wrote, not what the other did."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.memory import Memory
from quipu.write.batches import BatchWriter


def test_what_another_run_wrote_meanwhile_is_not_reported_as_added(
    tmp_path: Path,
    open_memory: Callable[..., Memory],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (home / f"{name}.md").write_text(f"# Page {name}\n\nIt says {name}.\n")
    url = str(home / ".quipu" / "quipu.db")
    flush, other = BatchWriter.flush, []

    def late(self: BatchWriter) -> None:
        if not other:
            other.append(None)
            with open_memory(url, home) as second:
                other[0] = second.index(home)
        flush(self)

    monkeypatch.setattr(BatchWriter, "flush", late)
    with open_memory(url, home) as first:
        report = first.index(home)
    assert other[0] is not None
    assert other[0].added == ("a.md", "b.md", "c.md")
    assert (report.added, report.unchanged) == ((), 3)

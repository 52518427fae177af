"""What has ended is memory too: an export holds it, an import brings it back as it was known."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.memory import Memory
from quipu.ports import Store

Open = Callable[..., Memory]


def days() -> Callable[[], str]:
    """A clock that moves on by a day a reading."""
    count = iter(range(1, 10_000))

    def clock() -> str:
        n = next(count)
        return f"20{n // 336:02d}-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d}T10:00:00.000Z"

    return clock


@pytest.fixture(params=["memory", "sqlite"])
def lived(request: pytest.FixtureRequest, tmp_path: Path, open_memory: Open) -> Memory:
    """A memory whose truths changed: a note twice, a relation undone, a file gone."""
    home = tmp_path / "home"
    home.mkdir()
    url = "memory:" if request.param == "memory" else home / "quipu.db"
    memory = open_memory(url, home, clock=days())
    memory.add("# Zed\n\nEva Gray lives in Bergen since March 2010.\n", source_ref="notes/eva.md")
    memory.add("# Zed\n\nEva Gray lives in Oslo since May 2018.\n", source_ref="notes/eva.md")
    memory.add("# Other\n\nText of Other.\n", source_ref="notes/other.md")
    relation = memory.relate("notes/eva.md", "explains", "notes/other.md")
    memory.unrelate(relation.rel_id)
    (home / "gone.md").write_text("# Gone\n\nThe moon base is led by Ann Lee.\n")
    memory.index(home)
    (home / "gone.md").unlink()
    (home / "stays.md").write_text("# Stays\n\nText.\n")
    memory.index(home)
    return memory


def everything(store: Store) -> dict[str, Any]:
    ids = sorted({c.record_id for c in store.changes(0) if c.kind == "episode"})
    return {key: sorted(map(repr, rows)) for key, rows in store.periods(ids).items() if rows}


@pytest.mark.parametrize("target", ["memory", "sqlite"])
def test_history_comes_along(lived: Memory, open_memory: Open, tmp_path: Path, target: str) -> None:
    moved = lived.export(tmp_path / "out.jsonl")
    assert moved.past > 0
    url = "memory:" if target == "memory" else tmp_path / "new.db"
    with open_memory(url, tmp_path / "elsewhere", clock=days(), embedder=None) as other:
        other.import_(tmp_path / "out.jsonl")
        assert everything(other.store) == everything(lived.store)
        assert other.facts.history("Eva Gray") == lived.facts.history("Eva Gray")
        known = [entry.recorded_at for entry in lived.facts.history("Eva Gray").entries]
        for moment in known:
            assert other.facts(known_at=moment) == lived.facts(known_at=moment)
        before = other.store.sequence()
        assert other.import_(tmp_path / "out.jsonl").changes == 0
        assert other.store.sequence() == before
        other.export(tmp_path / "again.jsonl")
        first, second = ((tmp_path / f"{n}.jsonl").read_bytes() for n in ("out", "again"))
        assert first == second


def test_what_was_forgotten_is_in_no_export(lived: Memory, tmp_path: Path) -> None:
    lived.forget("gone.md")
    lived.export(tmp_path / "out.jsonl")
    assert "moon base" not in (tmp_path / "out.jsonl").read_text()


def test_a_secret_in_a_foreign_file_is_redacted(
    lived: Memory, open_memory: Open, tmp_path: Path
) -> None:
    token = "ghp_" + "a1B2" * 9
    lived.export(tmp_path / "out.jsonl")
    text = (tmp_path / "out.jsonl").read_text().replace("Text of Other", f"Key {token} here")
    (tmp_path / "secret.jsonl").write_text(text)
    with open_memory("memory:", tmp_path) as other:
        other.import_(tmp_path / "secret.jsonl")
        other.export(tmp_path / "clean.jsonl")
    assert token not in (tmp_path / "clean.jsonl").read_text()
    assert "[redacted:github-token]" in (tmp_path / "clean.jsonl").read_text()

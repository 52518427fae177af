"""Damaged or foreign state beside a memory, and looking at one that others change."""

from pathlib import Path

from quipu.handle.home import DATABASE
from quipu.memory import Memory


def opened(folder: Path, **options: object) -> Memory:
    return Memory.open(folder / DATABASE, home=folder, embedder=None, **options)  # type: ignore[arg-type]


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    state = tmp_path / ".quipu"
    with opened(tmp_path) as memory:
        memory.index()
        memory.add("Ana moved to Puno.", source_ref="manual:ana")
        for path in (state, *state.rglob("*")):
            assert path.stat().st_mode & 0o077 == 0, path
    state.chmod(0o755)
    for path in state.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with opened(tmp_path):
        for path in (state, *state.rglob("*")):
            assert path.stat().st_mode & 0o077 == 0, path

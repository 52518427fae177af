"""Damaged or foreign state beside a memory, and looking at one that others change."""

import threading
from pathlib import Path

from quipu.handle.home import DATABASE
from quipu.memory import Memory
from quipu.memory.validation import validate
from quipu.store.sqlite import SQLiteStore


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


class Disturbed(SQLiteStore):
    """A store that another handle changes whenever a page was read."""

    def scan(self, *args: object, **options: object) -> list[object]:  # type: ignore[override]
        page = super().scan(*args, **options)  # type: ignore[arg-type]
        disturb = threading.Thread(target=self.disturb)  # type: ignore[attr-defined]
        disturb.start()
        disturb.join()
        return page  # type: ignore[return-value]


def test_validation_and_export_see_one_moment(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nSee [other](a.md) and [more](b.md).\n")
    with opened(tmp_path) as memory, Disturbed(tmp_path / DATABASE, namespace="default") as store:
        memory.index()
        turn = iter(range(1000))

        def disturb() -> None:
            if next(turn) % 2:
                (tmp_path / "a.md").write_text("# a\n\nBack, see [more](b.md).\n")
            else:
                (tmp_path / "a.md").unlink()
            memory.index(embed=False)

        store.disturb = disturb  # type: ignore[attr-defined]
        found = validate(store)
        assert found.errors == ()
        assert found.checked["chunk"] == 3

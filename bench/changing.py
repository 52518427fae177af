"""Changing: what one changed file costs in trees of growing size."""

from __future__ import annotations

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quipu.config import Config
from quipu.memory import Memory

SIZES = (2_500, 5_000, 10_000, 20_000)
_PAGE = (
    "# Document {n}\n\nSee [the next](doc{next}.md) and `func_{n}`.\n\n## Part\n\n"
    "The owner of service{n} is Ann{owner}. Some words {n} of no weight.\n"
)
_LONG_AGO = 1_700_000_000
_AT_REST_S = 3


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Processor seconds of an unchanged look, of `index FILE` and of `index` after one change, by
    the number of documents (of those sizes that `passages` reaches)."""
    del out
    return {f"{size:,}": _grown(size) for size in SIZES if size <= passages}


def _grown(size: int) -> dict[str, float]:
    with TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / ".quipu").mkdir()
        _write(home, size)
        time.sleep(_AT_REST_S)
        url = str(home / ".quipu" / "quipu.db")
        with Memory.open(url, home=home, config=Config(), embedder=None) as memory:
            figures = {"first_s": _timed(memory)}
            figures["unchanged_s"] = _timed(memory)
            changed = home / "d1" / "doc1.md"
            for name, paths in (("index_file_s", [changed]), ("index_after_one_change_s", [])):
                changed.write_text(changed.read_text() + "\nOne more line.\n")
                figures[name] = _timed(memory, *paths)
        return figures


def _write(home: Path, size: int) -> None:
    for n in range(size):
        path = home / f"d{n % 50}" / f"doc{n}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_PAGE.format(n=n, next=(n + 50) % size, owner=n % 97))
        os.utime(path, (_LONG_AGO, _LONG_AGO))


def _timed(memory: Memory, *paths: Path) -> float:
    began = time.process_time()
    memory.index(paths, embed=False)
    return round(time.process_time() - began, 2)

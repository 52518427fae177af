"""How the cost of what reads or carries everything grows: 2,500 to 20,000 documents.

Each document is small: two passages, a link to the one before, an owner, a dated statement. Work
that is linear doubles from one row to the next; `per_document_us` then stays level.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.corpus import Words
from quipu import Memory
from quipu.config import Config, EmbedConfig

SIZES = (2_500, 5_000, 10_000, 20_000)
_PER_FOLDER = 250


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Seconds of each kind of work at each size; `passages` has no part in it."""
    del out, passages
    return {str(size): _at(size) for size in SIZES}


def _at(size: int) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_documents(folder / "read", size)
        (folder / "taken").mkdir()
        with (
            Memory.open(folder / "read" / "quipu.db", config=_CONFIG) as memory,
            Memory.open(folder / "taken" / "quipu.db", config=_CONFIG) as other,
        ):
            return {
                name: _timed(work, size)
                for name, work in (
                    ("index", lambda: memory.index(folder / "read")),
                    ("validate", memory.validate),
                    ("entity_proposals", memory.entities.proposals),
                    ("export", lambda: memory.export(folder / "all.jsonl")),
                    ("import", lambda: other.import_(folder / "all.jsonl")),
                )
            }


_CONFIG = Config(embed=EmbedConfig(model="none"))


def _timed(work: Callable[[], object], size: int) -> dict[str, float]:
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    return {"s": round(seconds, 2), "per_document_us": round(seconds / size * 1e6)}


def write_documents(folder: Path, count: int) -> None:
    """`count` Markdown files, 250 a folder, the same for the same count."""
    words = Words(7, words=4_000, names=4_000)
    for number in range(count):
        place = folder / f"part-{number // _PER_FOLDER:03}"
        place.mkdir(parents=True, exist_ok=True)
        before = f"../part-{(number - 1) // _PER_FOLDER:03}/note-{number - 1:05}.md"
        linked = f"See [the one before]({before}).\n" if number else ""
        owner = f"Team {words.some_names(1)[0].split()[0]}"
        text = (
            f"# Note {number:05}\n\nservice-{number:05} is owned by {owner}. {words.sentence()}\n"
            f"{linked}\n## What came of it\n\nSince 2024-01-{1 + number % 28:02} the status of "
            f"service-{number:05} is green. {words.sentence()}\n"
        )
        (place / f"note-{number:05}.md").write_text(text, encoding="utf-8")

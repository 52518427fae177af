"""`make demo`: index a folder and ask it three real questions and one it must not answer. Of this
checkout that is `docs`, which takes a minute.

Everything runs through the installed command, as a person would type it. Only tracked work goes
in: the folder's `.gitignore` is honoured, and the memory is made in its own `.quipu/`.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from quipu import Memory
from quipu.records.record import Entity

QUIPU = str(Path(sys.executable).with_name("quipu"))
ROOT = Path(__file__).parents[1]
ABOUT_QUIPU = (
    "Which SQLite versions can corrupt a database that several connections write?",
    "What happens to the edges of a document when it is deleted?",
    "What stops the hooks that take in transcripts?",
)
UNANSWERABLE = "What is the boiling point of tungsten in a vacuum furnace?"


def main(folder: Path) -> int:
    """Index `folder` and ask; the exit status is that of the first command that failed."""
    start = time.perf_counter()
    if not (folder / ".quipu" / "quipu.db").exists():
        _type(folder, "init")
    own = folder.resolve() == ROOT
    _type(folder, "index", "docs" if own else ".")
    questions = ABOUT_QUIPU if own else _questions_about(folder)
    for question in (*questions, UNANSWERABLE):
        _type(folder, "ask", question)
    _type(folder, "status")
    print(f"\nThe demo took {time.perf_counter() - start:.0f} s. Now ask your own question:")
    print(f"  cd {folder} && {QUIPU} ask '...'")
    return 0


def _type(folder: Path, *arguments: str) -> None:
    shown = " ".join(f"'{a}'" if " " in a else a for a in arguments)
    print(f"\n$ quipu {shown}", flush=True)
    done = subprocess.run([QUIPU, *arguments], cwd=folder, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def _questions_about(folder: Path) -> list[str]:
    """Three questions from what the index itself holds: its best connected symbols and pages."""
    with Memory.open(folder / ".quipu" / "quipu.db") as memory:
        symbols = _best_connected(memory, "Symbol")
        pages = _best_connected(memory, "Document")
    asked = [f"Where is {symbols[0]} defined?", f"What uses {symbols[0]}?"] if symbols else []
    return [*asked, *(f"What is {name} about?" for name in pages)][:3]


def _best_connected(memory: Memory, kind: str) -> list[str]:
    """The names of the entities of `kind` with the most edges coming in, at most three."""
    names: dict[str, str] = {}
    after = ""
    while page := memory.store.scan("entity", after=after):
        found = [e for e in page if isinstance(e, Entity)]
        names |= {e.entity_id: e.name for e in found if e.type == kind}
        after = found[-1].entity_id
    edges = memory.store.neighbors(list(names), direction="in", limit_per_id=50)
    ranked = sorted(names, key=lambda each: (-len(edges[each]), names[each], each))
    return [names[each] for each in ranked[:3]]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))

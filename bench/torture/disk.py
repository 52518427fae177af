"""A disk that is full: no file can grow beyond a seeded size, and nothing is lost or half.

The limit is one of the process (`RLIMIT_FSIZE`), so no rights are needed; to SQLite and to Python
it is a write that fails in the middle. After it, with room again, the same command brings what it
brings on an empty disk.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

from bench.torture.material import write_given, write_home
from bench.torture.trial import (
    BEFORE,
    NO_MODEL,
    NOW,
    Broken,
    Hands,
    Trial,
    demand,
    exported,
    honest,
    require_whole,
    succeed,
)
from bench.torture.warm import Done, Limits, Warm

__all__ = ["Disk"]

_COMMANDS = (
    ("index", "."),
    ("ingest", "../given/talk.jsonl"),
    ("ingest", "../given/plan.json"),
    ("add", "Ann owns the payment service since May 2025."),
    ("reflect",),
    ("incident", "add", "../given/incidents.jsonl"),
    ("export", "out.jsonl"),
    ("relation", "add", "docs/p00.md", "depends_on", "docs/p01.md"),
    ("forget", "--yes", "docs/p00.md"),
    ("entity", "merge", "team-ash", "team-birch"),
)


class Disk(Trial):
    """See the module."""

    name: ClassVar[str] = "disk"
    what: ClassVar[str] = "writing commands on a disk that fills up"
    cases: ClassVar[int] = 150

    def __enter__(self) -> Self:
        home = self.prepared / "home"
        home.mkdir(parents=True)
        write_given(self.prepared / "given")
        write_home(home, files=12)
        for command in (("init",), ("index", ".")):
            succeed(_quipu(self.warm, home, command, now=BEFORE))
        self._before = frozenset(exported(self.warm, home))
        write_home(home, files=12, seed=1)
        self._after: dict[Sequence[str], frozenset[str]] = {}
        for number, command in enumerate(_COMMANDS):
            once = self._copied(self.prepared / f"once{number}")
            succeed(_quipu(self.warm, once, command))
            self._after[command] = frozenset(exported(self.warm, once))
        return self

    def _copied(self, to: Path) -> Path:
        for name in ("home", "given"):
            shutil.copytree(self.prepared / name, to / name)
        return to / "home"

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Fill the disk under one command, free it, and run the command again."""
        command = _COMMANDS[number % len(_COMMANDS)]
        home, warm = self._copied(hands.folder), hands.warm
        held = max(f.stat().st_size for f in (home / ".quipu").rglob("*") if f.is_file())
        limit = dice.randrange(1, 2 * held)
        try:
            honest(_quipu(warm, home, command, file_bytes=limit))
            lost = (self._before & self._after[command]) - {*exported(warm, home)}
            demand(not lost, f"{len(lost)} records are gone: {min(lost, default='')[:300]}")
            require_whole(_quipu(warm, home, ("doctor", "--json")))
            (home / "out.jsonl").unlink(missing_ok=True)
            honest(_quipu(warm, home, command), "again:", codes=(0, 1, 2))
            if command[0] in ("add", "ingest"):
                _quipu(warm, home, ("jobs", "--resume"))
            other = self._after[command] ^ {*exported(warm, home)}
            shown = min(other, default="")[:300]
            demand(not other, f"the same command with room again gives other records: {shown}")
        except Broken as broken:
            raise Broken(f"{' '.join(command)}, files end at {limit} bytes: {broken}") from None


def _quipu(
    warm: Warm, home: Path, command: Sequence[str], *, now: str = NOW, file_bytes: int | None = None
) -> Done:
    limits = Limits(file_bytes=file_bytes, now=now)
    return warm.quipu(*command, cwd=home, env=NO_MODEL, limits=limits)

"""A disk that is full: no file can grow beyond a seeded size, and nothing is lost or half.

The limit is one of the process (`RLIMIT_FSIZE`), so no rights are needed; to SQLite and to Python
it is a write that fails in the middle. After it, with room again, the same command brings what it
brings on an empty disk.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

from bench.torture.material import INCIDENTS, PLAN, TALK, write_home
from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import OWN_STORE, Done, Limits, Warm

__all__ = ["Disk"]

_BEFORE, _NOW = "2026-03-01T10:00:00.000+00:00", "2026-03-01T11:00:00.000+00:00"
_ENV = {"QUIPU_EMBED_MODEL": "none", **OWN_STORE}
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

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        super().__init__(prepared, seed, warm)
        self._after: dict[Sequence[str], frozenset[str]] = {}

    def __enter__(self) -> Self:
        home, given = self.prepared / "home", self.prepared / "given"
        for folder in (home, given):
            folder.mkdir(parents=True)
        (given / "talk.jsonl").write_text(TALK)
        (given / "plan.json").write_text(PLAN)
        (given / "incidents.jsonl").write_text(INCIDENTS)
        write_home(home, files=12)
        warm = self.warm
        for command in (("init",), ("index", ".")):
            assert _quipu(warm, home, command, _BEFORE).code == 0
        self._before = _exported(warm, home)
        write_home(home, files=12, seed=1)
        for number, command in enumerate(_COMMANDS):
            once = self.prepared / f"once{number}"
            once.mkdir()
            shutil.copytree(home, once / "home")
            shutil.copytree(given, once / "given")
            done = _quipu(warm, once / "home", command, _NOW)
            assert done.code == 0, done.err
            self._after[command] = _exported(warm, once / "home")
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Fill the disk under one command, free it, and run the command again."""
        command = _COMMANDS[number % len(_COMMANDS)]
        for name in ("home", "given"):
            shutil.copytree(self.prepared / name, hands.folder / name)
        home, warm = hands.folder / "home", hands.warm
        held = max(f.stat().st_size for f in (home / ".quipu").rglob("*") if f.is_file())
        limit = dice.randrange(1, 2 * held)
        try:
            done = _quipu(warm, home, command, _NOW, limit)
            _demand(done.code in (0, 1, 2, 3), f"exit {done.code}: {done.err[-300:]}")
            raw = "Traceback" in done.err or "this should not happen" in done.err
            _demand(not raw, done.err[-300:])
            lost = (self._before & self._after[command]) - _exported(warm, home)
            _demand(not lost, f"{len(lost)} records are gone: {min(lost)[:300] if lost else ''}")
            doctor = json.loads(_quipu(warm, home, ("doctor", "--json"), _NOW).out)
            failed = [c["detail"] for c in doctor["checks"] if c["status"] == "fail"]
            _demand(not failed, f"doctor says {failed}")
            (home / "out.jsonl").unlink(missing_ok=True)
            again = _quipu(warm, home, command, _NOW)
            _demand(again.code in (0, 1, 2), f"again: exit {again.code}: {again.err[-300:]}")
            if command[0] in ("add", "ingest"):
                _quipu(warm, home, ("jobs", "--resume"), _NOW)
            different = _exported(warm, home) ^ self._after[command]
            shown = min(different)[:300] if different else ""
            _demand(not different, f"the same command with room again gives other records: {shown}")
        except Broken as broken:
            raise Broken(f"{' '.join(command)}, files end at {limit} bytes: {broken}") from None


def _quipu(
    warm: Warm, home: Path, command: Sequence[str], now: str, file_bytes: int | None = None
) -> Done:
    limits = Limits(file_bytes=file_bytes, now=now)
    return warm.quipu(*command, cwd=home, env=_ENV, limits=limits)


def _exported(warm: Warm, home: Path) -> frozenset[str]:
    file = home.parent / "exported.jsonl"
    done = _quipu(warm, home, ("export", "--force", str(file)), _NOW)
    _demand(done.code == 0, f"it cannot be exported: {done.err[-300:]}")
    return frozenset(file.read_text("utf-8").splitlines()[1:])


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Broken(otherwise)

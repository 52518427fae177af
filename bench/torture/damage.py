"""Bytes of the memory's own files, turned over: the outcome is the same or an error of ours.

A case damages one file (`quipu.db`, `ops.db`, the vector files, an export) in one seeded way and
then runs what people run. Each of them must give what it gives undamaged, or say in a line of its
own what is wrong; never a traceback, never something else without a word. `doctor` must not call
whole what another command refuses.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import ClassVar, Self

from bench.torture.material import TALK, write_home
from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import OWN_STORE, Done, Limits, Warm

__all__ = ["Damage"]

NOW = "2026-03-01T10:00:00.000+00:00"
_ENV = {"QUIPU_EMBED_MODEL": "none", **OWN_STORE}
_ASKED = (
    ("export", "--vectors", "--force", "out.jsonl"),
    ("search", "--json", "who owns Service-3 marker3"),
    ("ask", "--json", "Who owns Service-4?"),
    ("facts", "--json"),
    ("jobs", "--json"),
    ("validate", "--json"),
)
_RAW = ("Traceback", "this should not happen", "UnicodeDecodeError", "ValidationError")


class Damage(Trial):
    """See the module."""

    name: ClassVar[str] = "bytes"
    what: ClassVar[str] = "damaged bytes in the memory's files and in exports"
    cases: ClassVar[int] = 300

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        super().__init__(prepared, seed, warm)
        self._undamaged: dict[str, tuple[int, str]] = {}

    def __enter__(self) -> Self:
        home = self.prepared / "home"
        home.mkdir(parents=True)
        warm = self.warm
        write_home(home)
        (self.prepared / "talk.jsonl").write_text(TALK)
        for command in (
            ("init",),
            ("index", "."),
            ("ingest", "../talk.jsonl"),
            ("add", "Ann owns the payment service."),
        ):
            _ours(warm.quipu(*command, cwd=home, env=_ENV, limits=Limits(now=NOW)))
        given = "bench.torture.inside:give_vectors"
        _ours(warm.call(given, cwd=home, env=_ENV, limits=Limits(now=NOW)))
        (self.prepared / "once").mkdir()
        shutil.copytree(home, self.prepared / "once" / "home")
        for command in _ASKED:
            self._undamaged[command[0]] = _asked(warm, self.prepared / "once" / "home", command)
        shutil.copy(self.prepared / "once" / "home" / "out.jsonl", self.prepared / "out.jsonl")
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Damage one file and look at it in every way."""
        home = hands.folder / "home"
        if number % 4 == 3:
            return self._import(dice, hands, home)
        shutil.copytree(self.prepared / "home", home)
        files = sorted((home / ".quipu").rglob("*"))
        chosen = [f for f in files if f.is_file() and f.suffix not in {".json", ".lock", ".toml"}]
        main = [f for f in chosen if f.name == "quipu.db"]
        victim = (main if number % 4 < 2 else chosen)[
            dice.randrange(len(main if number % 4 < 2 else chosen))
        ]
        said = _harm(victim, dice)
        try:
            self._ask(hands.warm, home)
        except Broken as broken:
            raise Broken(f"{victim.name}, {said}: {broken}") from None
        return len(_ASKED)

    def _ask(self, warm: Warm, home: Path) -> None:
        doctor = _quipu(warm, home, ("doctor", "--json"))
        _honest(("doctor",), doctor)
        whole = doctor.code == 0
        different: list[str] = []
        for command in _ASKED:
            code, out = _asked(warm, home, command)
            if (code, out) == self._undamaged[command[0]]:
                continue
            if code == 3 or (code == 2 and command[0] != "search"):
                if whole:
                    raise Broken(f"{command[0]} refuses it, and doctor calls it whole")
                continue
            if whole:
                different.append(command[0])
        if different:
            raise Broken(f"{', '.join(different)} gave something else, without a word")

    def _import(self, dice: random.Random, hands: Hands, home: Path) -> int:
        home.mkdir()
        shutil.copy(self.prepared / "out.jsonl", home / "out.jsonl")
        said = _harm(home / "out.jsonl", dice)
        try:
            _quipu(hands.warm, home, ("init",))
            _honest(("import",), _quipu(hands.warm, home, ("import", "out.jsonl")))
            for command in _ASKED:
                _asked(hands.warm, home, command)
        except Broken as broken:
            raise Broken(f"an export, {said}: {broken}") from None
        return 1 + len(_ASKED)


def _harm(file: Path, dice: random.Random) -> str:
    """Damage `file` in one way; what was done."""
    data = bytearray(file.read_bytes())
    size = len(data)
    if not size:
        return "empty already"
    at = dice.randrange(size)
    match dice.choice(("bit", "bit", "bit", "byte", "block", "zeros", "cut", "swap")):
        case "bit":
            bit = dice.randrange(8)
            data[at] ^= 1 << bit
            said = f"bit {bit} of byte {at} of {size}"
        case "byte":
            data[at] = (data[at] + dice.randint(1, 255)) % 256
            said = f"byte {at} of {size}"
        case "block":
            count = min(dice.choice((16, 512, 4096)), size - at)
            data[at : at + count] = dice.randbytes(count)
            said = f"{count} bytes at {at} of {size} at random"
        case "zeros":
            count = min(dice.choice((16, 512, 4096)), size - at)
            data[at : at + count] = bytes(count)
            said = f"{count} bytes at {at} of {size} zeroed"
        case "cut":
            del data[at:]
            said = f"cut at byte {at} of {size}"
        case _:
            count = min(64, (size - at) // 2)
            first, second = data[at : at + count], data[at + count : at + 2 * count]
            data[at : at + 2 * count] = second + first
            said = f"two pieces of {count} bytes at {at} of {size} in each other's place"
    file.write_bytes(data)
    return said


def _quipu(warm: Warm, home: Path, command: tuple[str, ...]) -> Done:
    return warm.quipu(*command, cwd=home, env=_ENV, limits=Limits(now=NOW, timeout_s=60))


def _asked(warm: Warm, home: Path, command: tuple[str, ...]) -> tuple[int, str]:
    """How the command ended and what it printed or wrote, the place of the folder aside."""
    done = _quipu(warm, home, command)
    _honest(command, done)
    if command[0] == "export" and done.code == 0:
        return done.code, (home / "out.jsonl").read_text("utf-8", "replace")
    out = json.loads(done.out) if done.out.strip() else None
    if isinstance(out, dict):
        out.pop("notes", None)  # a note says what is wrong
    return done.code, json.dumps(out, sort_keys=True).replace(str(home), "HOME")


def _honest(command: tuple[str, ...], done: Done) -> None:
    raw = next((word for word in _RAW if word in done.err + done.out), None)
    if raw or done.code not in (0, 1, 2, 3):
        raise Broken(f"{command[0]} ended with {done.code}: {done.err.strip()[-300:]}")


def _ours(done: Done) -> None:
    assert done.code == 0, done.err

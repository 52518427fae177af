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
from bench.torture.trial import BEFORE, NO_MODEL, Broken, Hands, Trial, demand, honest, succeed
from bench.torture.warm import Done, Limits, Warm

__all__ = ["Damage"]

_MADE = (
    ("init",),
    ("index", "."),
    ("ingest", "../talk.jsonl"),
    ("add", "Ann owns the payment service."),
)
_ASKED = (
    ("export", "--vectors", "--force", "out.jsonl"),
    ("search", "--json", "who owns Service-3 marker3"),
    ("ask", "--json", "Who owns Service-4?"),
    ("facts", "--json"),
    ("jobs", "--json"),
    ("validate", "--json"),
)


class Damage(Trial):
    """See the module."""

    name: ClassVar[str] = "bytes"
    what: ClassVar[str] = "damaged bytes in the memory's files and in exports"
    cases: ClassVar[int] = 300

    def __enter__(self) -> Self:
        home, once = self.prepared / "home", self.prepared / "once" / "home"
        home.mkdir(parents=True)
        write_home(home)
        (self.prepared / "talk.jsonl").write_text(TALK)
        for command in _MADE:
            succeed(_quipu(self.warm, home, command))
        given = "bench.torture.inside:give_vectors"
        succeed(self.warm.call(given, cwd=home, env=NO_MODEL, limits=Limits(now=BEFORE)))
        shutil.copytree(home, once)
        self._undamaged = {command[0]: _asked(self.warm, once, command) for command in _ASKED}
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Damage one file and look at it in every way."""
        home = hands.folder / "home"
        if number % 4 == 3:
            return self._import(dice, hands, home)
        shutil.copytree(self.prepared / "home", home)
        kept = {".json", ".lock", ".toml"}
        files = sorted(f for f in (home / ".quipu").rglob("*") if f.is_file())
        chosen = [f for f in files if f.suffix not in kept]
        if number % 4 < 2:
            chosen = [f for f in chosen if f.name == "quipu.db"]
        victim = dice.choice(chosen)
        said = _harm(victim, dice)
        try:
            self._ask(hands.warm, home)
        except Broken as broken:
            raise Broken(f"{victim.name}, {said}: {broken}") from None
        return len(_ASKED)

    def _ask(self, warm: Warm, home: Path) -> None:
        whole = honest(_quipu(warm, home, ("doctor", "--json")), "doctor:").code == 0
        different: list[str] = []
        for command in _ASKED:
            code, out = _asked(warm, home, command)
            if not whole or (code, out) == self._undamaged[command[0]]:
                continue
            refused = code == 3 or (code == 2 and command[0] != "search")
            demand(not refused, f"{command[0]} refuses it, and doctor calls it whole")
            different.append(command[0])
        demand(not different, f"{', '.join(different)} gave something else, without a word")

    def _import(self, dice: random.Random, hands: Hands, home: Path) -> int:
        home.mkdir()
        shutil.copy(self.prepared / "once" / "home" / "out.jsonl", home / "out.jsonl")
        said = _harm(home / "out.jsonl", dice)
        try:
            _quipu(hands.warm, home, ("init",))
            honest(_quipu(hands.warm, home, ("import", "out.jsonl")), "import:")
            for command in _ASKED:
                _asked(hands.warm, home, command)
        except Broken as broken:
            raise Broken(f"an export, {said}: {broken}") from None
        return 1 + len(_ASKED)


def _harm(file: Path, dice: random.Random) -> str:
    """Damage `file` in one way; what was done."""
    data = bytearray(file.read_bytes())
    if not data:
        return "empty already"
    at = dice.randrange(len(data))
    count = min(dice.choice((16, 512, 4096)), len(data) - at)
    how = dice.choice(("a bit", "a bit", "a bit", "a byte", "noise", "zeros", "a cut", "a swap"))
    match how:
        case "a bit":
            data[at] ^= 1 << dice.randrange(8)
        case "a byte":
            data[at] = (data[at] + dice.randint(1, 255)) % 256
        case "noise":
            data[at : at + count] = dice.randbytes(count)
        case "zeros":
            data[at : at + count] = bytes(count)
        case "a cut":
            del data[at:]
        case _:
            count = min(64, (len(data) - at) // 2)
            first, second = data[at : at + count], data[at + count : at + 2 * count]
            data[at : at + 2 * count] = second + first
    said = f"{how} at byte {at} of {file.stat().st_size} ({count})"
    file.write_bytes(data)
    return said


def _quipu(warm: Warm, home: Path, command: tuple[str, ...]) -> Done:
    return warm.quipu(*command, cwd=home, env=NO_MODEL, limits=Limits(now=BEFORE, timeout_s=60))


def _asked(warm: Warm, home: Path, command: tuple[str, ...]) -> tuple[int, str]:
    """How the command ended and what it printed or wrote, the place of the folder aside."""
    done = honest(_quipu(warm, home, command), command[0])
    if command[0] == "export" and done.code == 0:
        return done.code, (home / "out.jsonl").read_text("utf-8", "replace")
    out = json.loads(done.out) if done.out.strip() else None
    if isinstance(out, dict):
        out.pop("notes", None)  # a note says what is wrong
    return done.code, json.dumps(out, sort_keys=True).replace(str(home), "HOME")

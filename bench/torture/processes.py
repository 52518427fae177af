"""Many processes at once on one store: every write that was acknowledged is there, none failed.

Writers add texts, transcripts, entries, relations and files, and forget what they wrote; readers
search, ask, export and validate beside them. A writer says of each write that it was done; at the
end all of that is there, and the memory is whole.
"""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any, ClassVar

from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import Done, Limits, Warm

__all__ = ["Processes"]

_ENV = {"QUIPU_EMBED_MODEL": "none"}


class Processes(Trial):
    """See the module."""

    name: ClassVar[str] = "processes"
    what: ClassVar[str] = "writers and readers at once on one store"
    cases: ClassVar[int] = 1
    writers, readers = 6, 4
    seconds = 150.0

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Let them run for `seconds`, then look for everything that was acknowledged."""
        home = hands.folder
        assert hands.warm.quipu("init", cwd=home, env=_ENV).code == 0
        parts = [("write", str(n)) for n in range(self.writers)]
        parts += [("read", str(n)) for n in range(self.readers)]
        together = threading.Barrier(len(parts))
        done: dict[int, Done] = {}

        def run(at: int) -> None:
            role, name = parts[at]
            with Warm() as warm:
                warm.call("time:time", cwd=home)  # warm before the others begin
                together.wait()
                done[at] = warm.call(
                    f"bench.torture.inside:{role}_for",
                    name,
                    str(dice_of[at]),
                    str(self.seconds),
                    cwd=home,
                    env=_ENV,
                    limits=Limits(timeout_s=self.seconds * 4 + 300),
                )

        dice_of = [dice.randrange(1 << 30) for _ in parts]
        threads = [threading.Thread(target=run, args=(at,)) for at in range(len(parts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return _settled(hands, home, parts, done)


def _settled(hands: Hands, home: Path, parts: list[tuple[str, str]], done: dict[int, Done]) -> int:
    """Check what they said against what is there; how much was done."""
    kept: dict[str, str] = {}
    erased: set[str] = set()
    actions = 0
    for at, (role, name) in enumerate(parts):
        if done[at].code:
            raise Broken(f"{role} {name}: exit {done[at].code}: {done[at].err.strip()[-400:]}")
        said: dict[str, Any] = json.loads(done[at].out.splitlines()[-1])
        actions += said["actions"]
        if said["failures"]:
            raise Broken(f"{role} {name}: {said['failures'][0]}")
        kept |= said["kept"]
        erased |= set(said["erased"])
    export = hands.warm.quipu("export", "all.jsonl", cwd=home, env=_ENV)
    if export.code:
        raise Broken(f"export: {export.err}")
    held = (home / "all.jsonl").read_text("utf-8")
    if lost := sorted(mark for mark in kept if f"{mark} " not in held):
        raise Broken(f"{len(lost)} acknowledged writes are not there: {lost[0]} ({kept[lost[0]]})")
    if left := sorted(mark for mark in erased if f"{mark} " in held):
        raise Broken(f"{len(left)} forgotten texts are still there: {left[0]}")
    for command in (("doctor",), ("validate",)):
        checked = hands.warm.quipu(*command, cwd=home, env=_ENV)
        if checked.code:
            raise Broken(f"{command[0]}: exit {checked.code}: {(checked.out + checked.err)[-500:]}")
    return actions

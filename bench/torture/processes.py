"""Many processes at once on one store: every write that was acknowledged is there, none failed.

Writers add texts, transcripts, entries, relations and files, and forget what they wrote; readers
search, ask, export and validate beside them. A writer says of each write that it was done; at the
end all of that is there, and the memory is whole.
"""

from __future__ import annotations

import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from bench.torture.trial import NO_MODEL, Broken, Hands, Trial, demand, succeed
from bench.torture.warm import Limits, Warm

__all__ = ["Processes"]


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
        succeed(hands.warm.quipu("init", cwd=home, env=NO_MODEL))
        parts = [("write", str(n), dice.randrange(1 << 30)) for n in range(self.writers)]
        parts += [("read", str(n), dice.randrange(1 << 30)) for n in range(self.readers)]
        together = threading.Barrier(len(parts))

        def run(part: tuple[str, str, int]) -> dict[str, Any]:
            role, name, seed = part
            given = (f"bench.torture.inside:{role}_for", name, str(seed), str(self.seconds))
            with Warm() as warm:
                warm.call("time:time", cwd=home)  # warm before the others begin
                together.wait()
                limits = Limits(timeout_s=self.seconds * 4 + 300)
                done = succeed(warm.call(*given, cwd=home, env=NO_MODEL, limits=limits), role)
                return dict(json.loads(done.out.splitlines()[-1]))

        with ThreadPoolExecutor(len(parts)) as threads:
            return _settled(hands.warm, home, list(threads.map(run, parts)))


def _settled(warm: Warm, home: Path, said: list[dict[str, Any]]) -> int:
    """Check what they said against what is there; how much was done."""
    failures = [each for part in said for each in part["failures"]]
    demand(not failures, str(failures[:1]))
    kept = {mark: kind for part in said for mark, kind in part["kept"].items()}
    erased = {mark for part in said for mark in part["erased"]}
    succeed(warm.quipu("export", "all.jsonl", cwd=home, env=NO_MODEL), "export:")
    held = (home / "all.jsonl").read_text("utf-8")
    if lost := sorted(mark for mark in kept if f"{mark} " not in held):
        raise Broken(f"{len(lost)} acknowledged writes are not there: {lost[0]} ({kept[lost[0]]})")
    if left := sorted(mark for mark in erased if f"{mark} " in held):
        raise Broken(f"{len(left)} forgotten texts are still there: {left[0]}")
    for command in ("doctor", "validate"):
        succeed(warm.quipu(command, cwd=home, env=NO_MODEL), command)
    return sum(part["actions"] for part in said)

"""Namespaces side by side in one store: nothing of one is ever seen from another.

Every namespace holds the same pages, with a word of its own in each. What a case asks, in one
namespace, names the words of the others; no reply may hold one that was not asked for.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from typing import ClassVar, Self

from bench.torture.trial import BEFORE, NO_MODEL, Hands, Trial, demand, succeed
from bench.torture.warm import Limits

__all__ = ["Namespaces", "leaked", "question"]

NAMES = ("red", "green", "blue", "default")
PAGES = 12
_MARK = re.compile(r"zq(red|green|blue|default)x\d+", re.IGNORECASE)
_QUESTIONS = (
    "who owns Service-{n}",
    "Zq{other}x{n}",
    "what does Zq{other}x{n} own?",
    "since when is Service-{n} owned by Zq{other}x{n}?",
    "which services are owned by a team?",
    "where did Service-{n} move in May 2025?",
    "team",
    "docs/p{n}.md",
)
_COMMANDS = (
    "search {asked}",
    "ask {asked}",
    "plan {asked}",
    "get docs/p{n}.md",
    "facts",
    "history Service-{n}",
    "audit Service-{n}",
    "status",
    "relation list",
    "entity proposals",
    "validate",
)


class Namespaces(Trial):
    """See the module."""

    name: ClassVar[str] = "namespaces"
    what: ClassVar[str] = "reads and searches beside other namespaces"
    cases: ClassVar[int] = 60
    reads = 400

    def __enter__(self) -> Self:
        from quipu.config import Config
        from quipu.memory import Memory
        from quipu.records.passage import PassageInput
        from quipu.testing.fakes import HashEmbedder

        place = self.prepared / ".quipu" / "quipu.db"
        place.parent.mkdir(parents=True)
        for name in NAMES:
            with Memory.open(
                place,
                namespace=name,
                config=Config(),
                embedder=HashEmbedder(),
                clock=lambda: "2026-03-01T10:00:00.000Z",
            ) as memory:
                memory.add_documents(
                    PassageInput(
                        source_ref=f"docs/p{n}.md",
                        title=f"Page {n}",
                        text=f"Service-{n} is owned by team Zq{name}x{n} since May 2025. It left "
                        f"shelf {n}.",
                    )
                    for n in range(PAGES)
                )
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Read and search in one namespace, many times in Python or a few by the command line."""
        home, warm = hands.folder / "home", hands.warm
        shutil.copytree(self.prepared, home)
        mine, limits = NAMES[number % len(NAMES)], Limits(now=BEFORE)
        if number % 6:
            place, seed = "bench.torture.inside:read_namespace", str(dice.randrange(1 << 30))
            done = succeed(warm.call(place, mine, seed, str(self.reads), cwd=home, limits=limits))
            leaks, reads = json.loads(done.out)
            demand(not leaks, f"from {mine}, seed {seed}: {leaks[:1]}")
            return int(reads)
        asked, n = question(dice), dice.randrange(PAGES)
        for command in _COMMANDS:
            words = [word.format(asked=asked, n=n) for word in command.split()]
            words += ["--json", "--namespace", mine]
            done = warm.quipu(*words, cwd=home, limits=limits, env=NO_MODEL)
            found = leaked(done.out + done.err, mine, asked)
            said = f"quipu {' '.join(words)}: {found or done.err}"
            demand(not found and "Traceback" not in done.err, said)
        return len(_COMMANDS)


def leaked(reply: str, mine: str, asked: str) -> str:
    """The marks of other namespaces in a reply that were not in the question; "" is none."""
    allowed = {mark.group().lower() for mark in _MARK.finditer(asked)}
    found = {m.group().lower() for m in _MARK.finditer(reply) if m[1].lower() != mine}
    return ", ".join(sorted(found - allowed))


def question(dice: random.Random) -> str:
    """A question that names things of any namespace."""
    return dice.choice(_QUESTIONS).format(n=dice.randrange(PAGES), other=dice.choice(NAMES))

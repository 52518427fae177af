"""Namespaces side by side in one store: nothing of one is ever seen from another.

Every namespace holds the same pages, with a word of its own in each. What a case asks, in one
namespace, names the words of the others; no reply may hold one that was not asked for, and what
a reply says besides must not depend on what the others hold.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from typing import TYPE_CHECKING, ClassVar, Self

from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import OWN_STORE, Limits

if TYPE_CHECKING:
    from quipu.records.passage import PassageInput

__all__ = ["Namespaces"]

NAMES = ("red", "green", "blue", "default")
PAGES = 12
_NOW = "2026-03-01T10:00:00.000+00:00"
_MARK = re.compile(r"zq(red|green|blue|default)x\d+", re.IGNORECASE)


class Namespaces(Trial):
    """See the module."""

    name: ClassVar[str] = "namespaces"
    what: ClassVar[str] = "reads and searches beside other namespaces"
    cases: ClassVar[int] = 60
    reads = 400

    def __enter__(self) -> Self:
        from quipu.config import Config
        from quipu.memory import Memory
        from quipu.testing.fakes import HashEmbedder

        (self.prepared / ".quipu").mkdir(parents=True)
        for name in NAMES:
            with Memory.open(
                self.prepared / ".quipu" / "quipu.db",
                namespace=name,
                config=Config(),
                embedder=HashEmbedder(),
                clock=lambda: "2026-03-01T10:00:00.000Z",
            ) as memory:
                memory.add_documents(pages(name))
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Read and search in one namespace, many times in Python or a few by the command line."""
        home = hands.folder / "home"
        shutil.copytree(self.prepared, home)
        mine = NAMES[number % len(NAMES)]
        limits = Limits(now=_NOW)
        if number % 6:
            place, seed = "bench.torture.inside:read_namespace", str(dice.randrange(1 << 30))
            done = hands.warm.call(place, mine, seed, str(self.reads), cwd=home, limits=limits)
            if done.code:
                raise Broken(f"{mine}: exit {done.code}: {done.err.strip()[-300:]}")
            leaks, reads = json.loads(done.out)
            if leaks:
                raise Broken(f"from {mine}, seed {seed}: {leaks[0]}")
            return int(reads)
        commands = list(_commands(dice, mine))
        for command in commands:
            done = hands.warm.quipu(
                *command,
                "--json",
                "--namespace",
                mine,
                cwd=home,
                limits=limits,
                env={"QUIPU_EMBED_MODEL": "none", **OWN_STORE},
            )
            found = leaked(done.out + done.err, mine, " ".join(command))
            if found or "Traceback" in done.err:
                raise Broken(f"quipu {' '.join(command)} --namespace {mine}: {found or done.err}")
        return len(commands)


def pages(name: str) -> list[PassageInput]:
    """The pages of a namespace; all but the marks is the same in each."""
    from quipu.records.passage import PassageInput

    return [
        PassageInput(
            source_ref=f"docs/p{n}.md",
            title=f"Page {n}",
            text=f"Service-{n} is owned by team Zq{name}x{n} since May 2025. It left shelf {n}.",
        )
        for n in range(PAGES)
    ]


def leaked(reply: str, mine: str, asked: str) -> str:
    """The marks of other namespaces in a reply that were not in the question; "" is none."""
    allowed = {mark.group().lower() for mark in _MARK.finditer(asked)}
    found = {m.group().lower() for m in _MARK.finditer(reply) if m[1].lower() != mine}
    return ", ".join(sorted(found - allowed))


def question(dice: random.Random) -> str:
    """A question that names things of any namespace."""
    n, other = dice.randrange(PAGES), dice.choice(NAMES)
    return dice.choice(
        (
            f"who owns Service-{n}",
            f"Zq{other}x{n}",
            f"what does Zq{other}x{n} own?",
            f"since when is Service-{n} owned by Zq{other}x{n}?",
            "which services are owned by a team?",
            f"where did Service-{n} move in May 2025?",
            "team",
            f"docs/p{n}.md",
        )
    )


def _commands(dice: random.Random, mine: str) -> list[tuple[str, ...]]:
    n = dice.randrange(PAGES)
    asked = question(dice)
    return [
        ("search", asked),
        ("ask", asked),
        ("plan", asked),
        ("get", f"docs/p{n}.md"),
        ("facts",),
        ("history", f"Service-{n}"),
        ("audit", f"Service-{n}"),
        ("status",),
        ("relation", "list"),
        ("entity", "proposals"),
        ("validate",),
    ]

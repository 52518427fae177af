"""Escapes in everything that people can name: none reaches a terminal, in text or in JSON.

Names of files, titles, passages, transcripts, relations, incidents and questions hold what steers
a terminal; every command that prints them must print something else in its place.
"""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path
from typing import ClassVar

from bench.torture.trial import Broken, Hands, Trial

__all__ = ["Terminal", "steering"]

ESCAPES = (
    "\x1b[2J",
    "\x1b[31m",
    "\x1b]0;owned\x07",
    "\x1b]8;;http://evil.example/\x1b\\",
    "\x9b31m",
    "\x9d0;owned\x9c",
    "\x07",
    "\x08\x08",
    "\x7f",
    "\x1bP1$r\x1b\\",
    "\x1b]52;c;b3duZWQ=\x07",
    "\x1bc",
    "\x0e",
    "\u202e",
    "\u2066",
    "\u200f",
    "\x00",
    "\x85",
    "\x1b[6n",
    "\x1b_a\x1b\\",
)
_ENV = {"QUIPU_EMBED_MODEL": "none", "COLUMNS": "80"}


class Terminal(Trial):
    """See the module."""

    name: ClassVar[str] = "terminal"
    what: ClassVar[str] = "escapes in names and texts"
    cases: ClassVar[int] = 40

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Write things with one escape in them, and print all of them in every way."""
        mark = ESCAPES[number % len(ESCAPES)] + dice.choice(("", dice.choice(ESCAPES)))
        home = hands.folder
        _lay(home, mark)
        words = mark.replace("\0", "")
        commands: list[tuple[str, ...]] = [
            ("init",),
            ("index", "."),
            ("ingest", "talk.jsonl"),
            ("incident", "add", "in.jsonl"),
            ("add", f"Bo{words} owns the quagga."),
            ("relation", "add", "a.md", f"is{words}", "b.md"),
            ("search", "--explain", f"quagga {words}"),
            ("ask", f"who owns the quagga{words}?"),
            ("plan", "quagga"),
            ("get", "a.md"),
            ("facts",),
            ("history", f"Ann{words}"),
            ("audit", f"Ann{words}"),
            ("audit",),
            ("status",),
            ("validate",),
            ("jobs",),
            ("doctor",),
            ("relation", "list"),
            ("entity", "proposals"),
            ("entity", "show", f"Ann{words}"),
            ("incident", "similar", "--component", "ledger", "--title", words or "x"),
            ("reflect", "--show"),
            ("get", f"nowhere{words}"),
            (f"no{words}", "such"),
            ("forget", "--yes", f"no{words}"),
            ("index", f"nowhere{words}"),
            ("export", f"{words.replace('/', '')}/x"),
        ]
        for command in commands:
            for extra in ((), ("--json",)):
                done = hands.warm.quipu(*command, *extra, cwd=home, env=_ENV)
                shown = " ".join(map(ascii, (*command, *extra)))
                if found := steering(done.out) or steering(done.err):
                    raise Broken(f"quipu {shown} prints {found!a}")
                if "Traceback" in done.err or "this should not happen" in done.err:
                    raise Broken(f"quipu {shown}: {done.err[-300:]!a}")
        return 2 * len(commands)


def steering(text: str) -> str:
    """What in `text` steers a terminal; "" is nothing."""
    return "".join(
        c
        for c in text
        if (unicodedata.category(c) == "Cc" and c not in "\n\t")
        or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )[:20]


def _lay(home: Path, mark: str) -> None:
    (home / "a.md").write_text(
        f"---\ntitle: T{mark}\nowner: o{mark}\n---\n# H{mark}\n\n"
        f"A quagga{mark} is here. Ann{mark} owns the quagga{mark} since May 2025.\n"
    )
    (home / "b.md").write_text(f"# Other\n\n[a{mark}](a.md) quagga `code{mark}`\n")
    (home / "c.py").write_text(f'def run():\n    """A quagga{mark}."""\n'.replace("\0", ""))
    name = mark.replace("/", "").replace("\0", "")
    (home / f"n{name}.md").write_text("# Named\n\nA quagga.\n")
    (home / f"bad{name}.json").write_bytes(b'{"a": \xff')
    rows = [
        {
            "session": f"s{mark}",
            "speaker": f"Ann{mark}",
            "text": f"I moved the quagga{mark} in May.",
        }
    ]
    (home / "talk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    incident = {
        "component": "ledger",
        "timestamp": "2026-02-01T10:00:00Z",
        "title": f"T{mark}",
        "root_cause": f"quagga{mark}",
        "metrics": {"latency_p99": 900},
    }
    (home / "in.jsonl").write_text(json.dumps(incident) + "\n")

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

from bench.torture.trial import NO_MODEL, Hands, Trial, demand

__all__ = ["Terminal", "steering"]

ESCAPES = (
    "\x1b[2J", "\x1b[31m", "\x1b]0;owned\x07", "\x1b]8;;http://evil.example/\x1b\\", "\x9b31m",
    "\x9d0;owned\x9c", "\x07", "\x08\x08", "\x7f", "\x1bP1$r\x1b\\", "\x1b]52;c;b3duZWQ=\x07",
    "\x1bc", "\x0e", "\u202e", "\u2066", "\u200f", "\x00", "\x85", "\x1b[6n", "\x1b_a\x1b\\",
)  # fmt: skip
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("init",),
    ("index", "."),
    ("ingest", "talk.jsonl"),
    ("incident", "add", "in.jsonl"),
    ("add", "Bo{0} owns the quagga."),
    ("relation", "add", "a.md", "is{0}", "b.md"),
    ("search", "--explain", "quagga {0}"),
    ("ask", "who owns the quagga{0}?"),
    ("plan", "quagga"),
    ("get", "a.md"),
    ("facts",),
    ("history", "Ann{0}"),
    ("audit", "Ann{0}"),
    ("audit",),
    ("status",),
    ("validate",),
    ("jobs",),
    ("doctor",),
    ("relation", "list"),
    ("entity", "proposals"),
    ("entity", "show", "Ann{0}"),
    ("incident", "similar", "--component", "ledger", "--title", "x{0}"),
    ("reflect", "--show"),
    ("get", "nowhere{0}"),
    ("no{0}", "such"),
    ("forget", "--yes", "no{0}"),
    ("index", "nowhere{0}"),
    ("export", "{1}/x"),
)


class Terminal(Trial):
    """See the module."""

    name: ClassVar[str] = "terminal"
    what: ClassVar[str] = "escapes in names and texts"
    cases: ClassVar[int] = 40

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """Write things with one escape in them, and print all of them in every way."""
        mark = ESCAPES[number % len(ESCAPES)] + dice.choice(("", dice.choice(ESCAPES)))
        _lay(hands.folder, mark)
        filled = mark.replace("\0", ""), mark.replace("\0", "").replace("/", "")
        for command in _COMMANDS:
            for extra in ((), ("--json",)):
                words = [*(word.format(*filled) for word in command), *extra]
                done = hands.warm.quipu(*words, cwd=hands.folder, env=NO_MODEL | {"COLUMNS": "80"})
                found = steering(done.out) or steering(done.err)
                raw = "Traceback" in done.err or "this should not happen" in done.err
                shown = " ".join(map(ascii, words))
                demand(not found, f"quipu {shown} prints {found!a}")
                demand(not raw, f"quipu {shown}: {done.err[-300:]!a}")
        return 2 * len(_COMMANDS)


def steering(text: str) -> str:
    """What in `text` steers a terminal; "" is nothing."""
    controls = (c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t")
    return "".join([*controls, *(c for c in text if c in _DIRECTIONS)])[:20]


def _lay(home: Path, mark: str) -> None:
    name = mark.replace("/", "").replace("\0", "")
    said = {"session": f"s{mark}", "speaker": f"Ann{mark}", "text": f"I moved the quagga{mark}."}
    incident = {
        "component": "ledger",
        "timestamp": "2026-02-01T10:00:00Z",
        "title": f"T{mark}",
        "root_cause": f"quagga{mark}",
        "metrics": {"latency_p99": 900},
    }
    files = {
        "a.md": f"---\ntitle: T{mark}\nowner: o{mark}\n---\n# H{mark}\n\n"
        f"A quagga{mark} is here. Ann{mark} owns the quagga{mark} since May 2025.\n",
        "b.md": f"# Other\n\n[a{mark}](a.md) quagga `code{mark}`\n",
        "c.py": f'def run():\n    """A quagga{mark}."""\n'.replace("\0", ""),
        f"n{name}.md": "# Named\n\nA quagga.\n",
        "talk.jsonl": json.dumps(said) + "\n",
        "in.jsonl": json.dumps(incident) + "\n",
    }
    for path, text in files.items():
        (home / path).write_text(text)
    (home / f"bad{name}.json").write_bytes(b'{"a": \xff')

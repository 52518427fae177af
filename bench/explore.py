"""`python -m bench explore TREES QUESTIONS`: does one result hold the files that a change touched?

QUESTIONS is a file of JSON lines (`id`, `text` of an issue, `gold`: paths that its fix changed);
TREES/ID is the tree as it stood before. Beside `explore` with 2,000 tokens, a reader who searches
for the rare words of the issue and reads the five files that hold most of them.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from quipu import Memory
from quipu.agents.budget import tokens
from quipu.agents.explore import explore
from quipu.records.role import role_of

__all__ = ["main"]

_READ = 5
_RARE = 0.1  # of the files hold a word, at most
_WORD = re.compile(r"[A-Za-z_]\w{3,}")


def main(arguments: Sequence[str]) -> int:
    """Print the share of the gold files that is named and shown, and what it costs."""
    parser = argparse.ArgumentParser(prog="python -m bench explore", description=__doc__)
    parser.add_argument("trees", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--embed", action="store_true", help="use the local model too")
    given = parser.parse_args(arguments)
    rows: list[dict[str, float]] = []
    for line in given.questions.read_text("utf-8").splitlines():
        asked = json.loads(line)
        tree = given.trees / asked["id"]
        if tree.is_dir():
            rows.append(_explored(tree, asked, embed=given.embed) | _read_by_words(tree, asked))
    for name in rows[0] if rows else ():
        print(f"{name}: {mean(row[name] for row in rows):.3f}")
    print(f"{len(rows)} issues")
    return 0


def _explored(tree: Path, asked: dict[str, Any], *, embed: bool) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        options: dict[str, Any] = {} if embed else {"embedder": None}
        with Memory.open(Path(folder) / "memory.db", home=tree, **options) as memory:
            memory.index(tree)
            found = explore(memory, asked["text"])
    named = {place.path for place in found.places}
    shown = {place.path for place in found.places if place.shown}
    return {
        "gold files named": _share(asked["gold"], named),
        "gold files shown": _share(asked["gold"], shown),
        "some gold file named": float(not named.isdisjoint(asked["gold"])),
        "tokens": found.token_count,
    }


def _read_by_words(tree: Path, asked: dict[str, Any]) -> dict[str, float]:
    files = {str(p.relative_to(tree)): p.read_text("utf-8", "replace") for p in tree.rglob("*.py")}
    source = {path: text for path, text in files.items() if role_of(path, code=True) == "source"}
    holding = {
        word: [path for path, text in source.items() if word in text]
        for word in sorted(set(_WORD.findall(asked["text"])))
    }
    scores = dict.fromkeys(source, 0.0)
    for paths in holding.values():
        if paths and len(paths) <= max(3, _RARE * len(source)):
            for path in paths:
                scores[path] += 1 / len(paths)
    read = sorted(scores, key=lambda path: (-scores[path], path))[:_READ]
    return {
        "gold files read": _share(asked["gold"], set(read)),
        "some gold file read": float(not set(read).isdisjoint(asked["gold"])),
        "tokens read": sum(tokens(source[path]) for path in read),
    }


def _share(gold: Sequence[str], found: set[str]) -> float:
    return len(found.intersection(gold)) / len(gold)

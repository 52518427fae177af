"""Git history: a synthetic repository made by `git fast-import`, indexed by the command."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.measure import quipu, run

_START = 1_000_000_000
_PEOPLE = 50
_WORDS, _NAMES, _FILES = 8_000, 6_000, 3_000


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Commits a second without embedding, as a whole process; memory, store size, next run."""
    commits = passages * 2 // 5
    repository = out / f"history-{commits}"
    if not repository.exists():
        make_repository(repository, commits)
    home = out / "history-home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    run(quipu("init"), cwd=home)
    command = quipu("index", "--git", str(repository.resolve()), "--no-embed", "--json")
    first = run(command, cwd=home)
    again = run(command, cwd=home)
    report = json.loads(first.output)
    held = sum(path.stat().st_size for path in (home / ".quipu").rglob("*") if path.is_file())
    return {
        "commits": report["added"],
        "relations": sum(report["edges"].values()),
        "first_s": round(first.wall_s, 2),
        "commits_per_s": round(report["added"] / first.wall_s),
        "peak_mb": round(first.peak_mb),
        "store_mb": round(held / 1e6),
        "unchanged_s": round(again.wall_s, 2),
    }


def make_repository(folder: Path, commits: int) -> None:
    """A linear history of `commits`; the same number gives the same hashes."""
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--initial-branch=main", str(folder)], check=True)
    importing = subprocess.Popen(
        ["git", "-C", str(folder), "fast-import", "--quiet"], stdin=subprocess.PIPE
    )
    assert importing.stdin is not None
    with importing.stdin as stream:
        for piece in _stream(commits):
            stream.write(piece)
    if importing.wait():
        raise RuntimeError(f"git fast-import failed in {folder}")


def _stream(commits: int) -> Iterator[bytes]:
    dice = random.Random(5)
    words = [_word(dice) for _ in range(_WORDS)]
    names = [f"{dice.choice(words)}_{dice.choice(words)}" for _ in range(_NAMES)]
    files = [_file(dice, words) for _ in range(_FILES)]
    now = _START
    for number in range(1, commits + 1):
        now += dice.randint(600, 20_000)
        who = f"Dev {number % _PEOPLE} <dev{number % _PEOPLE}@example.org> {now} +0000"
        message = _message(dice, words, names).encode()
        yield f"commit refs/heads/main\nmark :{number}\nauthor {who}\ncommitter {who}\n".encode()
        yield b"data %d\n%s\n" % (len(message), message)
        for path in sorted({_often(dice, files) for _ in range(dice.randint(1, 5))}):
            content = str(number).encode()
            yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"


def _message(dice: random.Random, words: list[str], names: list[str]) -> str:
    title = [f"{_often(dice, words)}:", *(_often(dice, words) for _ in range(5))]
    lines = [
        " ".join(_often(dice, words if dice.random() < 0.9 else names) for _ in range(11))
        for _ in range(dice.randint(0, 4))
    ]
    return "\n".join([" ".join([*title, _often(dice, names)]), "", *lines, ""])


def _often(dice: random.Random, choices: list[str]) -> str:
    """Few of them often, most of them seldom."""
    return choices[min(int(dice.paretovariate(0.6)), len(choices)) - 1]


def _word(dice: random.Random) -> str:
    syllables = range(dice.randint(2, 4))
    return "".join(dice.choice("bcdfglmnprst") + dice.choice("aeiou") for _ in syllables)


def _file(dice: random.Random, words: list[str]) -> str:
    folders = [dice.choice(["src", "lib", "tests", "docs"])]
    folders += dice.sample(words[:200], dice.randint(0, 2))
    return "/".join([*folders, dice.choice(words) + dice.choice([".c", ".h", ".py", ".md"])])

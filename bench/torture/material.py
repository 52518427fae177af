"""A small home that has something of everything: what the trials write, read and break."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

__all__ = ["TALK", "commit_all", "git", "write_given", "write_home"]

MOMENT = 1_770_000_000
TEAMS = ("team-ash", "team-birch", "team-cedar")

TALK = "".join(
    json.dumps(
        {
            "session": f"s{n // 6}",
            "speaker": ("Ann", "Bo")[n % 2],
            "role": "user",
            "timestamp": f"2026-01-{1 + n // 6:02d}T10:{n:02d}:00Z",
            "text": f"In week {n} we moved the ledger from shelf {n} to shelf {n + 1}.",
        }
    )
    + "\n"
    for n in range(24)
)

_PLAN = json.dumps(
    {
        "goals": [{"id": 3, "title": "Leave the old database", "owner": "Ann"}],
        "tasks": [
            {
                "id": n,
                "title": f"Copy table {n}",
                "goal": 3,
                "status": ("open", "done")[n % 2],
                "created_at": "2026-05-02",
                "owner": "Bo",
                "depends_on": [n - 1] if n > 1 else [],
            }
            for n in range(1, 9)
        ],
    }
)

_INCIDENTS = "".join(
    json.dumps(
        {
            "component": ("ledger", "payments", "search")[n % 3],
            "title": f"Pool {n} empty",
            "timestamp": f"2026-02-{1 + n:02d}T10:00:00Z",
            "root_cause": "too few connections",
            "metrics": {"latency_p99": 500 + n, "error_rate": 0.1 * (n % 5)},
            "upstream_deps": ["search"] if n % 2 else [],
        }
    )
    + "\n"
    for n in range(8)
)

_ARF_TEXTS = [f"service-{n} {400 + n} 0.2 pool {n} exhausted after deploy" for n in range(12)]


def write_home(home: Path, *, files: int = 24, seed: int = 0) -> None:
    """Pages that link to each other, with owners and dates, and modules that call each other."""
    for n in range(files):
        other = (n * 7 + 1 + seed) % files
        team = TEAMS[n % len(TEAMS)]
        _put(
            home / f"docs/p{n:02d}.md",
            (
                f"---\ntitle: Page {n}\nowner: {team}\n---\n# Page {n} {seed}\n\nSee [it]"
                f"(p{other:02d}.md). Service-{n} is owned by {team}. "
                f"It moved to shelf {other} in May 2025.\n\n"
                f"## Part {seed}\n\nMarker{n} Zymurgy{n} stands here, and `run_{other}` does it.\n"
            ),
        )
        if n % 3 == 0:
            _put(
                home / f"src/m{n:02d}.py",
                (
                    f"from m{other:02d} import run_{other}\n\n\ndef run_{n}():\n"
                    f'    """Runs {n} {seed}."""\n    return run_{other}()\n'
                ),
            )


def commit_all(folder: Path, *, commits: int = 8) -> None:
    """Make `folder` a repository of `commits` commits, none of whose bytes depends on today."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "--initial-branch=main")
    for n in range(commits):
        (folder / f"pool{n % 3}.py").write_text("# pool\n" * n + f"SIZE = {n}\n")
        at = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{MOMENT + n} +0000")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"Mend the leak of pool {n}\n\nIt was {n}.", **at)


def write_given(folder: Path, *, all_kinds: bool = False) -> None:
    """What commands are given: transcripts, tasks, incidents; of `all_kinds` a repository, hours,
    what the official memory server keeps and a FAISS index too."""
    _put(folder / "talk.jsonl", TALK)
    _put(folder / "plan.json", _PLAN)
    _put(folder / "incidents.jsonl", _INCIDENTS)
    if not all_kinds:
        return
    from bench.torture.inside import write_arf

    rows: list[dict[str, object]] = [
        {"type": "entity", "name": f"Thing {n}", "entityType": "thing", "observations": [f"is {n}"]}
        for n in range(6)
    ]
    rows.append({"type": "relation", "from": "Thing 1", "to": "Thing 2", "relationType": "knows"})
    _put(folder / "memory.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    hours = {"entries": [{"script": "a.py", "hours_saved": 2}], "total": 2}
    _put(folder / "values" / "value_ledger.json", json.dumps(hours))
    write_arf(folder / "arf", _ARF_TEXTS)
    commit_all(folder / "repo")


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (MOMENT, MOMENT))


def git(folder: Path, *arguments: str, **env: str) -> None:
    """Run git as somebody who is configured nowhere."""
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **env}
    subprocess.run(["git", "-C", folder, *who, *arguments], env=env, check=True)

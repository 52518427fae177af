"""Git as tests run it: as Ann Ash, whatever the user has configured."""

import os
import subprocess
from pathlib import Path

__all__ = ["git"]

_SET = ("user.name=Ann Ash", "user.email=ann@example.org", "core.excludesFile=/dev/null")


def git(folder: Path, *arguments: str, **environment: str) -> str:
    """What git says in a folder."""
    chosen = [word for each in (*_SET, "init.defaultBranch=main") for word in ("-c", each)]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, **environment}
    done = subprocess.run(
        ["git", "-C", folder, *chosen, *arguments], check=True, capture_output=True, env=env
    )
    return os.fsdecode(done.stdout)

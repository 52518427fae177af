"""The fenced blocks of a page, and a way to run them as a reader does."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
_FENCED = re.compile(r"^(`{3,4})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
Blocks = list[tuple[str, str]]


def blocks(text: str) -> Blocks:
    """Language and content of each fenced block, in order."""
    return [(language, content) for _, language, content in _FENCED.findall(text)]


def run(given: Iterable[tuple[str, str]], folder: Path, **environment: str) -> str:
    """What the blocks of `sh` and `python` print, run in order by one shell in `folder`."""
    script = ["set -eu"]
    for language, content in given:
        if language == "sh":
            script.append(content)
        elif language == "python":
            script.append(f"python - <<'PYTHON'\n{content}PYTHON")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

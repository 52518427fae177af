"""The tutorial's commands run as they stand, in order, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

pytestmark = [pytest.mark.slow, pytest.mark.model]


def _script() -> str:
    lines = ["set -eu"]
    for language, block in BLOCKS:
        lines.append(block if language == "sh" else f"python - <<'PYTHON'\n{block}PYTHON")
    return "\n".join(lines)


def test_every_block_runs(tmp_path: Path) -> None:
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", _script()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"^`{3,4}\n(Answer .*?)(?:\n\n|^```)", PAGE, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    assert [answer for answer in shown if answer.strip() not in done.stdout] == []
    assert "is owned by @team-pay" in done.stdout
    assert "unknown" in done.stdout
    assert "Holm & Partners" in done.stdout
    assert "1 changed" in done.stdout + done.stderr

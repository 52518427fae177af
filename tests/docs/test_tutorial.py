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
_SURE = re.compile(r"confidence (\d+)%")


def _script() -> str:
    lines = ["set -eu"]
    for language, block in BLOCKS:
        lines.append(block if language == "sh" else f"python - <<'PYTHON'\n{block}PYTHON")
    return "\n".join(lines)


def _is_alike(shown: str, given: str) -> bool:
    """Whether they are one answer, as sure but for a few points: of one text the vectors of two
    processors differ a little."""
    sure = [int(percent) for each in (shown, given) for percent in _SURE.findall(each)]
    same = _SURE.sub("", shown).strip() == _SURE.sub("", given).strip()
    return same and len(sure) == 2 and abs(sure[0] - sure[1]) <= 3


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
    given = re.findall(r"^(Answer .*?)(?:\n\n|\Z)", done.stdout, re.MULTILINE | re.DOTALL)
    assert [answer for answer in shown if not any(_is_alike(answer, each) for each in given)] == []
    assert "is owned by @team-pay" in done.stdout
    assert "unknown" in done.stdout
    assert "Holm & Partners" in done.stdout
    assert "1 changed" in done.stdout + done.stderr

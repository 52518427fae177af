"""The pages on the modes: their blocks run in an empty folder and print what stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "explanation"
_TODAY = re.compile(r"(known since|until) \d{4}-\d\d-\d\d|(?<=recency )0\.\d\d")


def _steady(text: str) -> str:
    """Without the day of the run, and without what fades from day to day."""
    return _TODAY.sub(r"\1 TODAY", text)


@pytest.mark.parametrize(
    "name",
    ["audit", pytest.param("local", marks=[pytest.mark.slow, pytest.mark.model])],
)
def test_every_block_runs_and_prints_what_the_page_shows(tmp_path: Path, name: str) -> None:
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = ["set -eu"]
    for language, block in fenced:
        if language == "sh":
            lines.append(block)
        elif language == "python":
            lines.append(f"python - <<'PYTHON'\n{block}PYTHON")
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    # What most processors take by themselves, and all can.
    environment |= {"COLUMNS": "100", "QUIPU_EMBED_PRECISION": "int8"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = [block for language, block in fenced if not language]
    assert len(printed) >= 2
    said = _steady(done.stdout)
    for block in printed:
        assert _steady(block) in said

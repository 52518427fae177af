"""The walks of docs/how-to/extend.md that change Quipu itself run as they stand, in a copy."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "extend.md").read_text(encoding="utf-8")
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACED = re.compile(r"# in (?P<path>\S+), after: (?P<line>.+)\n")

pytestmark = pytest.mark.slow


def _copy_with(blocks: list[tuple[str, str]], place: Path) -> set[str]:
    """A copy of Quipu with the blocks put in their places; the files that were changed."""
    shutil.copytree(ROOT / "src", place / "src")
    changed: set[str] = set()
    for _, block in blocks:
        if placed := PLACED.match(block):
            file, line = place / placed["path"], placed["line"]
            text = file.read_text("utf-8")
            assert text.count(f"{line}\n") == 1, line
            file.write_text(text.replace(f"{line}\n", f"{line}\n{block[placed.end() :]}"), "utf-8")
            changed.add(placed["path"])
    return changed


def _run(blocks: list[tuple[str, str]], source: Path, folder: Path) -> str:
    """What the blocks that are no part of Quipu print, in their order."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": tools, "PYTHONPATH": str(source)}
    environment["QUIPU_EMBED_MODEL"] = "none"
    shown = ""
    for language, block in blocks:
        if language == "text" or PLACED.match(block):
            continue
        command = ["bash", "-euc"] if language == "sh" else [sys.executable, "-c"]
        done = subprocess.run(
            [*command, block],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        shown += done.stdout
    return shown


@pytest.mark.parametrize(
    ("heading", "file"),
    [
        ("A relation type", "src/quipu/records/schema.py"),
        ("An output format", "src/quipu/transfer/formats.py"),
        ("A fact rule", "src/quipu/facts/attributes.toml"),
    ],
)
def test_a_walk_touches_one_file_and_does_what_the_page_says(
    heading: str, file: str, tmp_path: Path
) -> None:
    blocks = FENCED.findall(PAGE.split(f"\n## {heading}\n")[1].partition("\n## ")[0])
    assert _copy_with(blocks, tmp_path) == {file}
    (tmp_path / "home").mkdir()
    shown = _run(blocks, tmp_path / "src", tmp_path / "home")
    promised = [
        line for language, each in blocks if language == "text" for line in each.splitlines()
    ]
    assert len(promised) > 1
    assert [line for line in promised if line not in shown] == [], shown

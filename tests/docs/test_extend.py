"""Every walk of docs/how-to/extend.md runs as it stands, with its package installed."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "extend.md").read_text(encoding="utf-8")
BOOKMARKS = ROOT / "tests" / "extending" / "quipu_bookmarks"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# (?P<path>[\w/]+\.(?:py|toml))\n")
WALKS = {
    heading: FENCED.findall(text)
    for heading, _, text in (each.partition("\n") for each in PAGE.split("\n## ")[1:])
}


def _files(blocks: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for _, block in blocks:
        if named := NAMED.match(block):
            yield named["path"], block[named.end() :]


def _run(blocks: list[tuple[str, str]], site: Path, folder: Path) -> str:
    """What the blocks that are no files print, in their order."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": tools, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    environment["QUIPU_EMBED_MODEL"] = "none"
    shown = ""
    for language, block in blocks:
        if language == "text" or NAMED.match(block):
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


def _promised(blocks: list[tuple[str, str]]) -> list[str]:
    return [line for language, block in blocks if language == "text" for line in block.splitlines()]


@pytest.mark.parametrize(
    "heading",
    [
        "A reader for a format",
        "A tool",
        "A language of code",
        pytest.param("A store", marks=pytest.mark.slow),
    ],
)
def test_a_walk_does_what_the_page_says(
    heading: str, tmp_path: Path, install: Callable[[Path, Path], None]
) -> None:
    blocks = WALKS[heading]
    source, folder = tmp_path / "source", tmp_path / "home"
    folder.mkdir()
    for path, text in _files(blocks):
        place = (folder if path.startswith("test_") else source) / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    install(source, tmp_path / "site")
    shown = _run(blocks, tmp_path / "site", folder)
    assert [line for line in _promised(blocks) if line not in shown] == []


def test_the_kind_of_the_page_is_the_one_that_is_tested(
    tmp_path: Path, install: Callable[[Path, Path], None]
) -> None:
    blocks = WALKS["A kind of source"]
    quoted = list(_files(blocks))
    assert len(quoted) > 3
    for path, text in quoted:
        assert text in (BOOKMARKS / path).read_text("utf-8"), path
    install(BOOKMARKS, tmp_path / "site")
    (tmp_path / "home").mkdir()
    shown = _run(blocks, tmp_path / "site", tmp_path / "home")
    assert [line for line in _promised(blocks) if line not in shown] == []


def test_the_size_of_the_kind_is_as_the_page_says() -> None:
    files = sorted((BOOKMARKS / "quipu_bookmarks").glob("*.py"))
    lines = sum(file.read_text("utf-8").count("\n") for file in files)
    assert f"It took {len(files)} files of\n{lines} lines in its own folder" in PAGE


def test_every_stage_that_a_kind_can_have_a_part_in_is_listed() -> None:
    from typing import get_args

    from quipu.kind import Stage

    assert [stage for stage in get_args(Stage) if f"\n| `{stage}` |" not in PAGE] == []

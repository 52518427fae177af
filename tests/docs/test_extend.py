"""Every walk of docs/how-to/extend.md runs as it stands: with its package installed, or, where it
changes Quipu itself, in a copy."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from tests.docs.blocks import DOCS, Blocks, blocks, run

from quipu.kind import Stage

ROOT = DOCS.parent
PAGE = (DOCS / "how-to" / "extend.md").read_text("utf-8")
BOOKMARKS = ROOT / "tests" / "extending" / "quipu_bookmarks"
NAMED = re.compile(r"# (?P<path>[\w/]+\.(?:py|toml))\n")
PLACED = re.compile(r"# in (?P<path>\S+), after: (?P<line>.+)\n")
WALKS = {
    heading: blocks(text)
    for heading, _, text in (each.partition("\n") for each in PAGE.split("\n## ")[1:])
}


def assert_does_as_promised(walk: Blocks, home: Path, *path: Path) -> None:
    """That the blocks which are no files print every line that the page shows."""
    home.mkdir(exist_ok=True)
    commands = [each for each in walk if not NAMED.match(each[1]) and not PLACED.match(each[1])]
    shown = run(
        commands, home, PYTHONPATH=":".join(map(str, (*path, ROOT))), QUIPU_EMBED_MODEL="none"
    )
    promised = [line for language, text in walk if language == "text" for line in text.splitlines()]
    assert promised
    assert [line for line in promised if line not in shown] == []


@pytest.mark.parametrize(
    "heading",
    [
        "A reader for a format",
        "A tool",
        "A language of code",
        pytest.param("A store", marks=pytest.mark.large),
    ],
)
def test_a_walk_does_what_the_page_says(
    heading: str, tmp_path: Path, install: Callable[[Path, Path], None]
) -> None:
    source, home = tmp_path / "source", tmp_path / "home"
    for _, text in WALKS[heading]:
        if named := NAMED.match(text):
            place = (home if named["path"].startswith("test_") else source) / named["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text[named.end() :], "utf-8")
    install(source, tmp_path / "site")
    assert_does_as_promised(WALKS[heading], home, tmp_path / "site")


def test_the_kind_of_the_page_is_the_one_that_is_tested(
    tmp_path: Path, install: Callable[[Path, Path], None]
) -> None:
    walk = WALKS["A kind of source"]
    for _, text in walk:
        if named := NAMED.match(text):
            assert text[named.end() :] in (BOOKMARKS / named["path"]).read_text("utf-8")
    install(BOOKMARKS, tmp_path / "site")
    assert_does_as_promised(walk, tmp_path / "home", tmp_path / "site")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "files"),
    [
        (
            "A relation type",
            ["src/quipu/records/schema.py", "src/quipu/records/relations.toml"],
        ),
        ("An output format", ["src/quipu/transfer/formats.py"] * 2),
        ("A fact rule", ["src/quipu/facts/attributes.toml"]),
    ],
)
def test_a_walk_touches_what_it_says_and_does_what_the_page_says(
    heading: str, files: list[str], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src")
    touched: list[str] = []
    for _, block in WALKS[heading]:
        if placed := PLACED.match(block):
            file = tmp_path / placed["path"]
            text, line = file.read_text("utf-8"), f"{placed['line']}\n"
            assert text.count(line) == 1, line
            file.write_text(text.replace(line, line + block[placed.end() :]), "utf-8")
            touched.append(placed["path"])
    assert touched == files
    assert_does_as_promised(WALKS[heading], tmp_path / "home", tmp_path / "src")


def test_every_stage_that_a_kind_can_have_a_part_in_is_listed() -> None:
    assert [stage for stage in get_args(Stage) if f"\n| `{stage}` |" not in PAGE] == []

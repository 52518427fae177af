"""What another package brings is found, and one that is broken says so and takes nothing along."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.errors import InvalidInput
from quipu.store import open_store

KIND = "from quipu.kind import Kind\n\nKIND = Kind(name='own', parts={parts})\n"
READER = """
import os
from quipu.read.kinds import FileReader

class Reader(FileReader):
    name = "own"

    def claims(self, path, data):
        if path.endswith(".odd"):
            raise ValueError("an odd name")
        return path.endswith(".own")

    def read(self, text):
        os._exit(3)

READER = Reader()
"""
COMMANDS = """
from quipu.serve.cli.kinds import Commands
from quipu.serve.cli.lazy import CommandEntry

COMMANDS = Commands({"ask": CommandEntry("own.commands:ask", "Ask otherwise.")})
"""
Own = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def own(tmp_path: Path, install: Any, run_with: Any) -> Own:
    """Run Python in a folder with a package `own` that has these modules and entry points."""

    def run(
        modules: dict[str, str], points: str, *words: str
    ) -> "subprocess.CompletedProcess[str]":
        source, site = tmp_path / "source", tmp_path / "site"
        if not site.exists():
            (source / "own").mkdir(parents=True)
            for name, text in modules.items():
                (source / "own" / f"{name}.py").write_text(text, "utf-8")
            project = f'[project]\nname = "own"\nversion = "1"\n\n[project.entry-points.{points}\n'
            (source / "pyproject.toml").write_text(project, "utf-8")
            install(source, site)
            (tmp_path / "home").mkdir()
        return run_with(site, tmp_path / "home", *words)

    return run


def _kind(**parts: str) -> tuple[dict[str, str], str]:
    return {"__init__": KIND.format(parts=parts)}, '"quipu.kinds"]\nown = "own:KIND"'


QUIPU = ("-m", "quipu.serve.cli")


def test_a_reader_that_fails_costs_its_file_only(own: Own, tmp_path: Path) -> None:
    modules, points = _kind(read="own.read:READER")
    modules["read"] = READER
    own(modules, points, *QUIPU, "init")
    (tmp_path / "home" / "a.own").write_text("anything", "utf-8")
    (tmp_path / "home" / "c.odd").write_text("anything", "utf-8")
    (tmp_path / "home" / "b.md").write_text("# Harbour\n\nThe harbour is deep.\n", "utf-8")
    done = own(modules, points, *QUIPU, "index", ".")
    assert done.returncode == 0, done.stderr
    shown = done.stdout + done.stderr
    assert "the reading process ended with 3" in shown
    assert "cannot be read: ValueError: an odd name" in shown
    assert "1 added" in shown


def test_a_command_of_a_name_that_is_taken_is_refused(own: Own) -> None:
    modules, points = _kind(commands="own.commands:COMMANDS")
    modules["commands"] = COMMANDS
    done = own(modules, points, *QUIPU, "--help")
    assert done.returncode == 3
    assert "there are two commands 'ask'" in done.stderr
    assert own(modules, points, *QUIPU, "ask", "--help").returncode == 0


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"commands": "own.nothing:COMMANDS"}, "'own.nothing:COMMANDS' does not load"),
        ({"commands": "own:KIND"}, "'own:KIND' is a Kind, and a Commands is wanted"),
        ({"reader": "own:KIND"}, "names a part 'reader': parts are records, read, write"),
    ],
)
def test_a_part_that_cannot_be_used_is_named(own: Own, parts: dict[str, str], said: str) -> None:
    done = own(*_kind(**parts), *QUIPU, "no-such-command")
    assert done.returncode == 3
    assert said in done.stderr


@pytest.mark.parametrize("text", ["READER == 1\n", "import own.nothing\n", "class (\n", "\n"])
def test_a_reader_that_does_not_load_ends_an_index(own: Own, tmp_path: Path, text: str) -> None:
    modules, points = _kind(read="own.read:READER")
    modules["read"] = text
    own(modules, points, *QUIPU, "init")
    (tmp_path / "home" / "b.md").write_text("# Harbour\n", "utf-8")
    done = own(modules, points, *QUIPU, "index", ".")
    assert done.returncode == 3
    assert "'own.read:READER' does not load" in done.stderr
    assert "if it is yours" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scheme_that_nobody_brings_names_those_there_are(own: Own) -> None:
    with pytest.raises(InvalidInput, match=r"use memory:, sqlite:///path, a path, .*or install"):
        open_store("redis://somewhere")
    with pytest.raises(InvalidInput, match="'redis://ann@somewhere' names no store") as refused:
        open_store("redis://ann:s3cret@somewhere")
    assert "s3cret" not in str(refused.value)
    modules = {"__init__": "open_shelf = None\n"}
    points = '"quipu.stores"]\nshelf = "own:open_shelf"'
    done = own(modules, points, *QUIPU, "status", "--store", "redis://somewhere")
    assert done.returncode == 2
    assert "shelf://…, or install the package that brings redis://" in done.stderr


def test_a_store_that_does_not_load_is_named(own: Own) -> None:
    points = '"quipu.stores"]\nshelf = "own.missing:open_shelf"'
    done = own({"__init__": ""}, points, *QUIPU, "status", "--store", "shelf://somewhere")
    assert done.returncode == 3
    assert "the stores of shelf:// cannot be used: 'own.missing:open_shelf'" in done.stderr

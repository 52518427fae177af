"""What another package brings is found, and one that is broken says so and takes nothing along."""

import json
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
    assert "cannot be read: the kind of source 'own' failed: ValueError: an odd name" in shown
    assert "1 added" in shown


ROTA = """
from quipu.read.kinds import FileReader
from quipu.read.reading import Reading
from quipu.records.document import DatedFact, Section

class Reader(FileReader):
    name = "own"

    def claims(self, path, data):
        return path.endswith(".rota")

    def read(self, text):
        rows = [row.split(",") for row in text.splitlines()]
        facts = [
            DatedFact(who, "is on call for", service, line, since, until)
            for line, (service, who, since, until) in enumerate(rows, 1)
        ]
        sections = [Section((), line, line) for line in range(1, len(rows) + 1)]
        return Reading(text, sections=sections, facts=facts)

READER = Reader()
"""


def test_a_fact_that_a_reader_states_is_cited_by_its_own_line(own: Own, tmp_path: Path) -> None:
    modules, points = _kind(read="own.read:READER")
    modules["read"] = ROTA
    own(modules, points, *QUIPU, "init")
    weeks = [f"payments,P{n},{2000 + n}-01-01,{2001 + n}-01-01" for n in range(200)]
    (tmp_path / "home" / "a.rota").write_text("\n".join(weeks), "utf-8")
    (tmp_path / "home" / "bad.rota").write_text("payments,Ann,soon,", "utf-8")
    done = own(modules, points, *QUIPU, "index", ".")
    assert "has a fact in line 1 with no ISO date: 'soon'" in done.stdout + done.stderr
    program = (
        "from quipu import Memory\n"
        "with Memory.open() as memory:\n"
        "    (fact,) = memory.facts('P12')\n"
        "    (row,) = memory.graph.support([fact.fact_id])[fact.fact_id]\n"
        "    chunks = memory.graph.get(row.chunk_ids).values()\n"
        "    print(fact.object, fact.valid_from, *(chunk.start_line <= 13 <= chunk.end_line < 200"
        " for chunk in chunks))\n"
    )
    shown = own(modules, points, "-c", program)
    assert shown.stdout == "payments 2012-01-01 True\n", shown.stderr


def test_attributes_of_the_configuration_hold_in_worker_processes(own: Own, tmp_path: Path) -> None:
    own({"__init__": ""}, '"quipu.kinds"]', *QUIPU, "init")
    home = tmp_path / "home"
    with (home / "quipu.toml").open("a", encoding="utf-8") as written:
        written.write('\n[facts.attributes.sponsor]\nverbs = ["be sponsor by"]\nsingle = true\n')
    said = "# Events\n\nThe marathon is sponsored by Acme since May 2024.\n"
    (home / "long.md").write_text(said + "\nNothing more of it.\n" * 1_500, "utf-8")
    own({}, "", *QUIPU, "trust")
    own({}, "", *QUIPU, "index", ".")
    shown = own({}, "", *QUIPU, "facts", "marathon", "--json")
    assert [fact["object"] for fact in json.loads(shown.stdout)["facts"]] == ["Acme"]


ANSWERS = """
from quipu.answer.kinds import Answers

class Wrong(Answers):
    def listed(self, plan, graph, found, *, now):
        return 1 / 0

ANSWERS = Wrong()
"""


def test_a_part_that_fails_is_named(own: Own) -> None:
    modules, points = _kind(answer="own.answer:ANSWERS")
    modules["answer"] = ANSWERS
    own(modules, points, *QUIPU, "init")
    done = own(modules, points, *QUIPU, "ask", "What is it?")
    assert done.returncode == 3
    assert "the kind of source 'own' failed: ZeroDivisionError" in done.stderr


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


@pytest.mark.parametrize("text", ["import own.nothing\n", "class (\n", "\n"])
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

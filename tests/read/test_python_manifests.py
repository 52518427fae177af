"""setup.cfg is read as a manifest, a setup.py as code; a crate is as its workspace says."""

import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]


def declared(document: Document) -> dict[str, Any]:
    return cast("dict[str, Any]", document.properties.get("declares", {}))


def packages(document: Document) -> list[str]:
    return [thing.name for thing in document.things if thing.type == "Package"]


def needed(document: Document) -> set[tuple[str, str]]:
    return {
        (stated.target, str(stated.properties.get("group", "")))
        for stated in document.relations
        if stated.type == "DEPENDS_ON"
    }


def test_a_setup_py_is_code_and_declares_nothing(read: Read) -> None:
    document = read("setup.py", "from setuptools import setup\nsetup(name='g')\n")
    assert (document.type, packages(document), declared(document)) == ("code", [], {})


def test_a_setup_cfg_is_read_by_its_sections(read: Read) -> None:
    text = (
        "[metadata]\nname = gadget\nversion = file: VERSION\nlicense = MIT\n"
        "project_urls =\n    Source = https://x.org/g\n    Docs = https://x.org/d\n\n"
        "[options]\npython-requires = >=3.9\ninstall_requires =\n"
        "    Aa>=1,<2\n    bb; os == 'x'\n\n"
        "[options.extras_require]\nDocs = sphinx\n\n"
        "[options.entry_points]\nconsole_scripts =\n    Wind = g.cli:main\n\n"
        "[flake8]\nmax-line-length = 100\n"
    )
    document = read("setup.cfg", text)
    assert (document.type, document.family, document.problems) == ("manifest", "data", ())
    assert packages(document) == ["gadget"]
    assert needed(document) == {("Aa", ""), ("bb", ""), ("sphinx", "Docs")}
    assert declared(document) == {
        "license": "MIT",
        "requires": "Python >=3.9",
        "repository": "https://x.org/g",
        "commands": {"Wind": "g.cli:main"},
        "extras": {"Docs": ["sphinx"]},
        "dependencies": ["Aa >=1,<2", "bb"],
    }
    assert ("options",) in {section.path for section in document.sections}


def test_a_setup_cfg_of_tools_alone_declares_nothing(read: Read) -> None:
    document = read("setup.cfg", "[flake8]\nmax-line-length = 100\n\n[egg_info]\ntag_date = 0\n")
    assert (packages(document), declared(document), document.problems) == ([], {}, ())


def test_a_broken_setup_cfg_is_read_as_text_with_a_warning(read: Read) -> None:
    document = read("setup.cfg", "name = gadget\n[metadata\n")
    assert document.problems[0].error.startswith("is no usable manifest")
    assert document.text == "name = gadget\n[metadata\n"


def test_a_crate_takes_over_what_its_workspace_says_in_the_same_file(read: Read) -> None:
    shared = '[workspace.package]\nrust-version = "1.80"\nlicense = "MIT"\n'
    package = '[package]\nname = "g"\nrust-version.workspace = true\n'
    assert declared(read("Cargo.toml", package + shared)) == {
        "requires": "Rust 1.80",
        "dependencies": [],
    }
    assert declared(read("Cargo.toml", shared)) == {"requires": "Rust 1.80", "license": "MIT"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", f"[metadata]\nname = g\nx{' ' * 60_000}b\n" + f"y{' ' * 1900}b\n" * 400),
        ("go.mod", "module g\n" + "exclude(\n" * 60_000),
    ],
)
def test_long_runs_are_read_in_no_time(name: str, text: str, read: Read) -> None:
    begun = time.process_time()
    assert packages(read(name, text)) == ["g"]
    assert time.process_time() - begun < 5

"""setup.cfg, setup.py and PKG-INFO are read as manifests; a setup.py is parsed, never run."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]
HEAD = "from setuptools import setup\n"


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


def test_a_setup_py_stays_code_and_declares_a_package(read: Read) -> None:
    text = (
        HEAD + 'NAME = "gadget"\n\n\ndef helper():\n    pass\n\n\n'
        'setup(name=NAME, python_requires=">=3.8", install_requires=["a>=1", "b"],\n'
        '      extras_require={"x": ["c"]}, scripts=["bin/wind"])\n'
    )
    document = read("setup.py", text)
    assert document.type == "code"
    assert "helper" in {each.name for each in document.definitions}
    assert packages(document) == ["gadget"]
    assert needed(document) == {("a", ""), ("b", ""), ("c", "x")}
    assert declared(document) == {
        "requires": "Python >=3.8",
        "commands": {"wind": "bin/wind"},
        "extras": {"x": ["c"]},
        "dependencies": ["a >=1", "b"],
    }


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (HEAD + "NEEDS = ('a', 'b')\nsetup(name='g', install_requires=NEEDS)", ["a", "b"]),
        (HEAD + "NEEDS = ['a']\nsetup(name='g', install_requires=NEEDS + ['b'])", ["a", "b"]),
        ("import setuptools as s\ns.setup(name='g', install_requires=['a'])", ["a"]),
        (
            "from distutils.core import setup as go\ngo(name='g', install_requires='a\\nb')",
            ["a", "b"],
        ),
        (HEAD + "NEEDS = ['a']\nNEEDS.append('b')\nsetup(name='g', install_requires=NEEDS)", None),
        (HEAD + "NEEDS = ['a']\nNEEDS += ['b']\nsetup(name='g', install_requires=NEEDS)", None),
        (HEAD + "if x:\n    NEEDS = ['a']\nsetup(name='g', install_requires=NEEDS)", None),
        (HEAD + "setup(name='g', install_requires=[line for line in open('r')])", None),
        (HEAD + "setup(name='g', install_requires=['a', other()])", None),
        (HEAD + "A = A\nsetup(name='g', install_requires=A)", None),
    ],
)
def test_only_what_stands_in_a_setup_py_is_read(
    text: str, held: list[str] | None, read: Read
) -> None:
    document = read("setup.py", text)
    assert packages(document) == ["g"]
    assert declared(document).get("dependencies") == held


@pytest.mark.parametrize(
    ("entries", "commands"),
    [
        ("[console_scripts]\n    Wind=g.cli:main\n", {"Wind": "g.cli:main"}),
        ("[console_scripts\n", None),
    ],
)
def test_entry_points_may_be_written_as_settings(
    entries: str, commands: dict[str, str] | None, read: Read
) -> None:
    document = read("setup.py", HEAD + f"setup(name='g', entry_points={entries!r})\n")
    assert packages(document) == ["g"]
    assert declared(document).get("commands") == commands


@pytest.mark.parametrize(
    "text",
    [
        "def setup(name):\n    pass\n\n\nsetup(name='g')\n",
        "from .core import setup\nsetup(name='g')\n",
        "class A:\n    def f(self):\n        self.setup(name='g')\n",
        HEAD + "setup(name='g'\n",
        HEAD + "setup(name=" + "(" * 3000 + ")\n",
        HEAD + f"setup(name='g', description='{'x' * 200_000}')\n",
        "",
    ],
)
def test_what_is_no_setup_declares_nothing(text: str, read: Read) -> None:
    document = read("setup.py", text)
    assert document.type == "code"
    assert packages(document) == []
    assert declared(document) == {}


def test_a_setup_py_is_not_run(tmp_path: Path, read: Read) -> None:
    made = tmp_path / "made"
    text = f"from pathlib import Path\nPath({str(made)!r}).touch()\n{HEAD}setup(name='g')\n"
    assert packages(read("setup.py", text)) == ["g"]
    assert not made.exists()


def test_a_setup_of_another_file_declares_nothing(read: Read) -> None:
    assert packages(read("install.py", HEAD + "setup(name='g')\n")) == []


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


def test_the_head_of_a_pkg_info_is_read_and_its_description_is_prose(read: Read) -> None:
    text = (
        "Metadata-Version: 2.1\nName: gadget\nVersion: 1.2\nSummary: Winds clocks\n"
        "Author-email: Ann Lee <a@x.org>\nProject-URL: Source, https://x.org/g\n"
        "Classifier: License :: OSI Approved :: MIT License\nRequires-Dist: a>=1\n"
        'Requires-Dist: b; python_version < "3.9" and extra == "x"\nProvides-Extra: x\n\n'
        "Name: other\n"
    )
    document = read("PKG-INFO", text)
    assert (document.type, document.family) == ("manifest", "prose")
    assert packages(document) == ["gadget"]
    assert needed(document) == {("a", ""), ("b", "x")}
    assert declared(document) == {
        "version": "1.2",
        "license": "MIT License",
        "authors": "Ann Lee",
        "repository": "https://x.org/g",
        "extras": {"x": ["b"]},
        "dependencies": ["a >=1"],
    }


def test_a_crate_takes_over_what_its_workspace_says_in_the_same_file(read: Read) -> None:
    shared = '[workspace.package]\nrust-version = "1.80"\nlicense = "MIT"\n'
    package = '[package]\nname = "g"\nrust-version.workspace = true\n'
    assert declared(read("Cargo.toml", package + shared)) == {
        "requires": "Rust 1.80",
        "dependencies": [],
    }
    assert declared(read("Cargo.toml", shared)) == {"requires": "Rust 1.80", "license": "MIT"}


def test_what_no_text_holds_is_left_out(read: Read) -> None:
    surrogate = read("setup.py", HEAD + "setup(name='\\ud800', license='M\\0IT')")
    assert not packages(surrogate)
    assert declared(surrogate) == {"license": "MIT"}
    blank = read("setup.py", HEAD + "setup(name='g', entry_points='[a]\\n\\xa0\\nb = c')")
    assert packages(blank) == ["g"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", f"[metadata]\nname = g\nx{' ' * 60_000}b\n" + f"y{' ' * 1900}b\n" * 400),
        ("setup.py", f"{HEAD}setup(name='g', author='a{' ' * 60_000}b')"),
        (
            "setup.py",
            f"{HEAD}setup(name='g', entry_points={{'console_scripts': ['a{' ' * 60_000}b']}})",
        ),
        ("go.mod", "module g\n" + "exclude(\n" * 60_000),
    ],
)
def test_long_runs_are_read_in_no_time(name: str, text: str, read: Read) -> None:
    begun = time.process_time()
    assert packages(read(name, text)) == ["g"]
    assert time.process_time() - begun < 5


def test_a_header_that_goes_on_hides_no_secret(read: Read) -> None:
    head = "Metadata-Version: 2.1\nName: g\n"
    secret = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    document = read("PKG-INFO", f"{head}License: {secret[:10]}\n {secret[10:]}\n")
    assert secret[:10] not in str(declared(document))
    assert declared(read("PKG-INFO", f"{head}License: BSD\n License\n"))["license"] == "BSD License"

"""What manifests of six languages declare of their packages, asked for in a question."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

PYPROJECT = """[project]
name = "gadget"
version = "2.1.0"
license = "BSD-3-Clause"
requires-python = ">=3.10"
authors = [{ name = "Ann Lee", email = "ann@x.org" }, { name = "Bo Ek" }]

[project.scripts]
gadget = "gadget.cli:main"

[project.urls]
Homepage = "https://gadget.dev"
Source = "https://git.example/gadget"
"""
PACKAGE = """{
  "name": "gadget", "version": "5.0.1", "license": "MIT", "author": "Cy Orr <cy@x.org>",
  "engines": {"node": ">=20"}, "bin": "cli.js", "scripts": {"lint": "eslint .", "test": "mocha"},
  "repository": {"url": "git+https://git.example/g.git"}
}
"""
CARGO = """[package]
name = "gadget"
version = "0.3.0"
license = "Apache-2.0"
rust-version = "1.75"
authors = ["Di Wu <di@x.org>"]
repository = "https://git.example/gadget"
"""
COMPOSER = """{
  "name": "ann/gadget", "license": "MIT", "authors": [{"name": "Gus Hall"}],
  "require": {"php": ">=8.1", "monolog/monolog": "^3.0"}, "scripts": {"check": "phpstan analyse"}
}
"""
POM = """<project><groupId>org.x</groupId><artifactId>gadget</artifactId><version>1.4</version>
<properties><java.version>17</java.version></properties>
<licenses><license><name>MPL-2.0</name></license></licenses>
<developers><developer><name>Eve Fox</name></developer></developers></project>
"""
Ask = Callable[[str], str]


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str, str], Ask]:
    def make(name: str, text: str) -> Ask:
        (tmp_path / name).write_text(text, "utf-8")
        (tmp_path / "NOTES.md").write_text("# Notes\n\nThe gadget winds clocks.\n", "utf-8")
        memory = Memory.open(
            "memory:",
            home=tmp_path,
            config=Config(),
            embedder=HashEmbedder(64),
            clock=lambda: "2026-11-22T01:05:00.000Z",
        )
        memory.index([tmp_path])

        def ask(question: str) -> str:
            reply = memory.ask(question)
            if reply.contract.answer != "unknown":
                assert all(item.file_paths for item in reply.contract.evidence)
            return reply.contract.answer

        return ask

    return make


DECLARED = [
    ("package.json", PACKAGE, "Which npm scripts are there?", "has the scripts lint, test"),
    ("composer.json", COMPOSER, "Which PHP version does it require?", "requires PHP >=8.1"),
    ("composer.json", COMPOSER, "Who wrote it?", "is written by Gus Hall"),
    ("composer.json", COMPOSER, "What licence is it under?", "licensed under MIT"),
    ("pyproject.toml", PYPROJECT, "What licence is it under?", "licensed under BSD-3-Clause"),
    ("pyproject.toml", PYPROJECT, "Which Python versions are supported?", "Python >=3.10"),
    ("pyproject.toml", PYPROJECT, "Who wrote gadget?", "written by Ann Lee, Bo Ek"),
    ("pyproject.toml", PYPROJECT, "Where is the source code?", "https://git.example/gadget"),
    ("pyproject.toml", PYPROJECT, "Which command does it install?", "the command gadget"),
    ("pyproject.toml", PYPROJECT, "What version is this project?", "version 2.1.0"),
    ("package.json", PACKAGE, "What is the license of gadget?", "licensed under MIT"),
    ("package.json", PACKAGE, "Which Node.js version does it require?", "Node.js >=20"),
    ("package.json", PACKAGE, "Who is the author of this package?", "written by Cy Orr"),
    ("Cargo.toml", CARGO, "What is the minimum Rust version?", "Rust 1.75"),
    ("Cargo.toml", CARGO, "Who is the author?", "written by Di Wu"),
    ("go.mod", "module git.example/gadget\n\ngo 1.22\n", "Which Go version is needed?", "Go 1.22"),
    (
        "go.mod",
        "module git.example/gadget\n\ngo 1.22\n",
        "go version declared in go.mod",
        "Go 1.22",
    ),
    ("pom.xml", POM, "Which Java version does it need?", "Java 17"),
    ("pom.xml", POM, "Under which license is this project?", "licensed under MPL-2.0"),
]


@pytest.mark.parametrize(("name", "text", "question", "says"), DECLARED)
def test_what_is_declared_answers(
    project: Callable[[str, str], Ask], name: str, text: str, question: str, says: str
) -> None:
    assert says in project(name, text)(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which licence does requests have?",
        "Which version of h2 does it need?",
        "Is gadget written in Rust?",
        "Which Node.js version does it require?",
        "What is the version of the file format?",
    ],
)
def test_what_is_asked_of_something_else_is_not_answered_by_it(
    project: Callable[[str, str], Ask], question: str
) -> None:
    answer = project("pyproject.toml", PYPROJECT)(question)
    assert not any(says in answer for says in ("is licensed", "requires Python", "is at version"))


APACHE = "Apache License\n        Version 2.0, January 2004\n    http://www.apache.org/licenses/\n"
BSD = (
    "Copyright 2010 Ann Lee\n\nRedistribution and use in source and binary forms, with or without\n"
    "modification, are permitted provided that the following conditions are met:\n\n"
)
NOR = "Neither the name of the copyright holder nor the names of its contributors may be used.\n"
MIT = (
    "(The MIT License)\n\nPermission is hereby granted, free of charge, to any person obtaining a\n"
    "copy of this software\n"
)
GPL = "          GNU GENERAL PUBLIC LICENSE\n             Version 3, 29 June 2007\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (APACHE, "Apache-2.0"),
        (BSD + NOR, "BSD-3-Clause"),
        (BSD, "BSD-2-Clause"),
        (MIT, "MIT"),
        (GPL, "GPL-3.0"),
    ],
)
def test_where_no_manifest_names_it_the_licence_file_says_what_it_is(
    tmp_path: Path, project: Callable[[str, str], Ask], text: str, says: str
) -> None:
    (tmp_path / "LICENSE.txt").write_text(text, "utf-8")
    answer = project("go.mod", "module git.example/gadget\n\ngo 1.22\n")(
        "What licence does it use?"
    )
    assert f"is licensed under {says} [1]" in answer


def test_a_text_that_is_no_known_licence_is_not_named(
    tmp_path: Path, project: Callable[[str, str], Ask]
) -> None:
    (tmp_path / "LICENSE").write_text("Ask Ann before you copy it.\n", "utf-8")
    answer = project("go.mod", "module git.example/gadget\n")("What licence does it use?")
    assert "is licensed under" not in answer


def test_what_is_asked_for_instead_is_not_what_is_declared(
    project: Callable[[str, str], Ask],
) -> None:
    said = project("pyproject.toml", PYPROJECT)("which command is used instead of the gadget cli")
    assert "brings the command" not in said

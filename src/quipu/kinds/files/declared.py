"""What a manifest declares of its package, asked for in a question: licence, what it requires, its
version, who wrote it, where its source is, which commands it brings."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from quipu.records.record import Entity
from quipu.text import stems

__all__ = ["ASKED", "DeclaredProperty", "as_written", "asked_field", "is_asked"]


class DeclaredProperty(NamedTuple):
    """A property of a package, the words that ask for it, and the sentence that states it of
    `name`. `also` are words that may stand in the question besides."""

    key: str
    asked: frozenset[str]
    also: frozenset[str]
    says: str


def _field(key: str, asked: str, also: str, says: str) -> DeclaredProperty:
    return DeclaredProperty(key, frozenset(stems(asked)), frozenset(stems(also)), says)


_FIELDS = (
    _field(
        "license", "licence license licensed licensing licenced",
        "under released distributed code open source kind type what terms", "is licensed under",
    ),
    _field(
        "requires", "python node nodejs node.js rust go golang java jdk php",
        "version versions minimum required require requires needed need support supported supports "
        "supporting run runs running work works compatible least oldest lowest which on with",
        "requires",
    ),
    _field(
        "authors", "author authors wrote written creator creators created maintainer maintainers "
        "maintains maintained made behind",
        "who people main original by of", "is written by",
    ),
    _field(
        "repository", "repository homepage website url repo github source",
        "where code link find found hosted live lives page address", "has its source at",
    ),
    _field(
        "commands", "command commands cli executable script entry",
        "install installs installed provide provides provided bring brings point points line "
        "called name tool which", "brings the command",
    ),
    _field(
        "scripts", "script scripts npm composer",
        "run runs running defined define declared has there exist package json", "has the scripts",
    ),
    _field("version", "version release", "current latest number", "is at version"),
)  # fmt: skip
ASKED = frozenset[str]().union(*(field.asked for field in _FIELDS))
"""The stems by which any of them is asked for."""
_VERSIONED = frozenset(
    stems("version versions require requires required requirement support supported supports "
          "minimum need needed compatible run runs")
)  # fmt: skip
_ASKING = frozenset(
    stems("what which who where how is are does do can the this that it its of for a an i we use "
          "to there have has in please tell me declared declares stated specified listed set")
)  # fmt: skip
_LANGUAGE = re.compile(r"^(Python|Node\.js|Rust|Go|Java|PHP) ")


def asked_field(said: frozenset[str], package: Entity) -> DeclaredProperty | None:
    """The field that is asked for in the stems `said` (without those that name the project), if
    the package declares it and the question says nothing else."""
    rest = said - _ASKING
    for field in _FIELDS:
        value = package.properties.get(field.key)
        asked = rest & field.asked
        if not asked or not isinstance(value, str) or not value:
            continue
        if field.key == "requires" and not (_speaks_of(value, asked) and rest & _VERSIONED):
            continue
        if rest <= field.asked | field.also:
            return field
    return None


def is_asked(key: str, said: frozenset[str]) -> bool:
    """Whether the stems `said` ask for the field `key` and for nothing else."""
    field = next(field for field in _FIELDS if field.key == key)
    rest = said - _ASKING
    return bool(rest & field.asked) and rest <= field.asked | field.also


def as_written(value: str) -> str:
    """The first word of a value as the manifest writes it: `>=3.10` of `Python >=3.10`."""
    return _LANGUAGE.sub("", value).strip().split(", ")[0].partition(" ")[0]


def _speaks_of(value: str, asked: Iterable[str]) -> bool:
    """Whether a requirement is one of the language that is asked for."""
    found = _LANGUAGE.match(value)
    known = {"Python": "python", "Node.js": "node nodejs node.js", "Rust": "rust",
             "Go": "go golang", "Java": "java jdk", "PHP": "php"}  # fmt: skip
    return found is not None and bool(set(stems(known[found[1]])) & set(asked))

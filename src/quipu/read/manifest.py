"""Dependency manifests: the package a file declares, what it depends on, and what else it says of
it, which its document keeps as `declares`.
"""

import re
from typing import Any

from quipu.read.declared import FORMATS, Manifest, declares
from quipu.read.keys import read_keys
from quipu.read.prose import bare_urls, mentions, sections_of
from quipu.read.reading import Reading
from quipu.records.document import Link, StatedRelation, Thing

_INCLUDED = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)")
_NAME = re.compile(r"[\w@][\w@./:~+-]*")
_PART = re.compile(r"[\w-]+")
_SECTION = re.compile(r"\[([^\]\n]+)\]")
_UNUSABLE = (ValueError, TypeError, AttributeError, KeyError, RecursionError)


def read_manifest(text: str, name: str, language: str) -> Reading:
    """The manifest called `name`; broken ones are read as data or text, with a warning."""
    reading = _base(text, language)
    reading.type = "manifest"
    if reading.warnings:
        return reading
    try:
        manifest = FORMATS[name if name in FORMATS else language](text)
    except _UNUSABLE as error:
        reading.warnings.append((f"is no usable manifest: {str(error)[:200]}", 0))
        return reading
    _add(reading, manifest)
    if language == "requirements":
        for line, content in enumerate(text.split("\n"), 1):
            if included := _INCLUDED.match(content):
                reading.links.append(Link(included[1], line))
    return reading


def _base(text: str, language: str) -> Reading:
    """The text with its sections and addresses, without what it declares."""
    if language in ("toml", "json"):
        return read_keys(text, language)
    last = text.count("\n") + 1
    if language == "pkg-info":  # a description follows, which is prose
        reading = Reading(text, uses=mentions(text), links=bare_urls(text))
        reading.sections = sections_of([], last)
        return reading
    reading = Reading(text, family="data", links=bare_urls(text))
    headings: list[tuple[int, int, str]] = []
    if language == "setup.cfg":
        reading.uses = [u for u in mentions(text, spans_are_code=False) if u.kind == "path"]
        lines = enumerate(text.split("\n"), 1)
        headings = [(at, 1, found[1]) for at, line in lines if (found := _SECTION.match(line))]
    reading.sections = sections_of(headings, last)
    return reading


def _add(reading: Reading, manifest: Manifest) -> None:
    lines = _Lines(reading.text)
    if content := declares(manifest):
        reading.properties["declares"] = content
    package = manifest.package
    if package:
        fields = {"version": manifest.version, **manifest.about}
        said: dict[str, Any] = {key: value for key, value in fields.items() if value}
        thing = Thing("Package", package, lines.of(package), manifest.description, said)
        reading.things.append(thing)
    source = ("Package", package) if package else None
    for name, specifier, group in sorted(set(manifest.dependencies)):
        properties = {"specifier": specifier, "group": group}
        reading.relations.append(
            StatedRelation(
                "DEPENDS_ON",
                "Package",
                name,
                lines.of(name),
                source=source,
                create=True,
                properties={key: value for key, value in properties.items() if value},
            )
        )


class _Lines:
    """Where a word first stands alone in the text, found in one pass for all words."""

    def __init__(self, text: str) -> None:
        self._first: dict[str, int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            for match in _NAME.finditer(line):
                self._first.setdefault(match[0].rstrip(".:/"), number)
                for part in _PART.findall(match[0]):
                    self._first.setdefault(part, number)

    def of(self, word: str) -> int:
        """Its line; that of its last part where the parts stand apart, as in a pom; else 1."""
        return self._first.get(word) or self._first.get(word.rpartition(":")[2], 1)

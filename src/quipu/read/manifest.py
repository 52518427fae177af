"""Dependency manifests: the package a file declares, what it depends on, and what else it says of
it, which its document keeps as `declares`.
"""

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import msgspec

from quipu.read.declared import (
    Dependency,
    Manifest,
    address,
    declares,
    items,
    people,
    specifier,
    table,
    text_of,
)
from quipu.read.keys import read_keys
from quipu.read.prose import bare_urls, mentions, sections_of
from quipu.read.python_manifests import pkg_info, pyproject, requirements, setup_cfg, setup_py
from quipu.read.reading import Reading
from quipu.records.document import Link, StatedRelation, Thing

_INCLUDED = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)")
_NAME = re.compile(r"[\w@][\w@./:~+-]*")
_PART = re.compile(r"[\w-]+")
_GO_MODULE = re.compile(r"^[ \t]*module[ \t]+(\S+)", re.MULTILINE)
_GO_VERSION = re.compile(r"^[ \t]*go[ \t]+(\d[\w.]*)", re.MULTILINE)
_GO_BLOCK = re.compile(r"(?:exclude|replace|retract|tool|ignore)\s*\(")
_SECTION = re.compile(r"\[([^\]\n]+)\]")
_JSON_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_JAVA = ("maven.compiler.release", "java.version", "maven.compiler.source")
_POM_GROUPS = (
    ("dependencies/dependency", ""),
    ("dependencyManagement/dependencies/dependency", "management"),
)
_UNUSABLE = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
_CARGO_GROUPS = ("dependencies", "dev-dependencies", "build-dependencies")


def read_manifest(text: str, name: str, language: str) -> Reading:
    """The manifest called `name`; broken ones are read as data or text, with a warning."""
    reading = _base(text, language)
    reading.type = "manifest"
    if reading.warnings:
        return reading
    try:
        manifest = _PARSERS[name if name in _PARSERS else language](text)
    except _UNUSABLE as error:
        reading.warnings.append((f"is no usable manifest: {str(error)[:200]}", 0))
        return reading
    _add(reading, manifest)
    if language == "requirements":
        for line, content in enumerate(text.split("\n"), 1):
            if included := _INCLUDED.match(content):
                reading.links.append(Link(included[1], line))
    return reading


def read_setup(text: str) -> Reading:
    """What a `setup.py` declares besides being code; nothing where it is broken."""
    reading = Reading(text)
    try:
        manifest = setup_py(text)
    except _UNUSABLE:
        return reading
    _add(reading, manifest)
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
    if manifest.package:
        fields = {"version": manifest.version, **manifest.about}
        reading.things.append(
            Thing(
                "Package",
                manifest.package,
                lines.of(manifest.package),
                manifest.description,
                {key: value for key, value in fields.items() if value},
            )
        )
    source = ("Package", manifest.package) if manifest.package else None
    for each in sorted(set(manifest.dependencies)):
        properties: dict[str, Any] = {}
        if each.specifier:
            properties["specifier"] = each.specifier
        if each.group:
            properties["group"] = each.group
        reading.relations.append(
            StatedRelation(
                "DEPENDS_ON",
                "Package",
                each.name,
                lines.of(each.name),
                source=source,
                create=True,
                properties=properties,
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


def _package_json(text: str) -> Manifest:
    data = table(msgspec.json.decode(text))
    found = [
        Dependency(name, text_of(value), "" if group == "dependencies" else group)
        for group in _JSON_GROUPS
        for name, value in table(data.get(group)).items()
    ]
    own, commands = text_of(data.get("name")), data.get("bin")
    node = text_of(table(data.get("engines")).get("node"))
    repository = data.get("repository")
    about = {
        "license": text_of(data.get("license")) or text_of(table(data.get("license")).get("type")),
        "requires": f"Node.js {node}" if node else "",
        "authors": people(data.get("author")) or people(data.get("maintainers")),
        "repository": address(
            {"url": text_of(repository)}, table(repository), {"url": data.get("homepage")}
        ),
        "commands": own if isinstance(commands, str) else ", ".join(table(commands)),
        "scripts": ", ".join(table(data.get("scripts"))),
    }
    bins = {own: commands} if isinstance(commands, str) else table(commands)
    return Manifest(
        own,
        found,
        text_of(data.get("version")),
        text_of(data.get("description")),
        about,
        {"commands": _named(bins), "scripts": _named(table(data.get("scripts")))},
    )


def _named(given: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """The entries of a table that are a text, or a list of texts."""
    found: dict[str, str | list[str]] = {}
    for name, value in given.items():
        if isinstance(value, str):
            found[name] = value
        elif isinstance(value, list):
            listed = items(cast("object", value))
            found[name] = [each for each in listed if isinstance(each, str)]
    return found


def _composer(text: str) -> Manifest:
    data = table(msgspec.json.decode(text))
    found = [
        Dependency(name, text_of(value), group.removeprefix("require").removeprefix("-"))
        for group in ("require", "require-dev")
        for name, value in table(data.get(group)).items()
        if "/" in name  # the rest is PHP itself and what it is built with
    ]
    php, license_ = text_of(table(data.get("require")).get("php")), data.get("license")
    bins = {text_of(each).rpartition("/")[2]: each for each in items(data.get("bin"))}
    about = {
        "license": text_of(license_) or ", ".join(map(text_of, items(license_))),
        "requires": f"PHP {php}" if php else "",
        "authors": people(data.get("authors")),
        "repository": address(table(data.get("support")), {"url": data.get("homepage")}),
        "commands": ", ".join(bins),
        "scripts": ", ".join(table(data.get("scripts"))),
    }
    return Manifest(
        text_of(data.get("name")),
        found,
        text_of(data.get("version")),
        text_of(data.get("description")),
        about,
        {"commands": _named(bins), "scripts": _named(table(data.get("scripts")))},
    )


def _go_mod(text: str) -> Manifest:
    module = _GO_MODULE.search(text)
    found: list[Dependency] = []
    for line in _go_lines(text):
        bare, _, comment = line.partition("//")
        path, version = [*bare.removeprefix("require").split()[:2], "", ""][:2]
        if "." in path and version.startswith("v"):
            found.append(Dependency(path, version, "indirect" if comment.strip() else ""))
    go = _GO_VERSION.search(text)
    about = {"requires": f"Go {go[1]}"} if go else {}
    return Manifest(module[1] if module else "", found, about=about)


def _go_lines(text: str) -> Iterator[str]:
    """The lines outside of the blocks that name no dependency."""
    inside = False
    for line in text.split("\n"):
        if inside or _GO_BLOCK.match(line):
            inside = ")" not in line
        else:
            yield line


def _cargo(text: str) -> Manifest:
    data = tomllib.loads(text)
    workspace = table(data.get("workspace"))
    package = _inheriting(table(data.get("package")), table(workspace.get("package")))
    rust = text_of(package.get("rust-version"))
    bins = {text_of(table(b).get("name")): table(b).get("path", "") for b in items(data.get("bin"))}
    found = list(_crates(table(workspace.get("dependencies")), "workspace"))
    for place in (data, *map(table, table(data.get("target")).values())):
        for group in _CARGO_GROUPS:
            found += _crates(table(place.get(group)), "" if group == "dependencies" else group)
    return Manifest(
        text_of(package.get("name")),
        found,
        text_of(package.get("version")),
        text_of(package.get("description")),
        {
            "license": text_of(package.get("license")),
            "requires": f"Rust {rust}" if rust else "",
            "authors": people(package.get("authors")),
            "repository": address(package),
            "commands": ", ".join(bins),
        },
        {"commands": _named(bins), "features": _named(table(data.get("features")))},
    )


def _inheriting(package: Mapping[str, Any], shared: Mapping[str, Any]) -> Mapping[str, Any]:
    """A package with what it takes over from its workspace, which may have none."""
    taken = {
        key: value
        for key, value in shared.items()
        if not package or table(package.get(key)).get("workspace") is True
    }
    return {**package, **taken}


def _crates(listed: Mapping[str, Any], group: str) -> Iterator[Dependency]:
    for name, value in listed.items():
        optional = not group and table(value).get("optional") is True
        real = text_of(table(value).get("package")) or name
        yield Dependency(real, specifier(value), "optional" if optional else group)


def _pom(text: str) -> Manifest:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("it declares XML entities, which are not expanded")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - entities were refused above
    except ElementTree.ParseError as error:
        raise ValueError(f"it is not whole XML: {error}") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    own = _coordinates(root)
    if own and ":" not in own and (parent := root.findtext("parent/groupId")):
        own = f"{parent}:{own}"
    found = [
        Dependency(name, each.findtext("version") or "", each.findtext("scope") or group)
        for path, group in _POM_GROUPS
        for each in root.iterfind(path)
        if (name := _coordinates(each))
    ]
    java = next(
        (
            v
            for k in _JAVA
            if (v := (root.findtext(f"properties/{k}") or "").strip()) and "$" not in v
        ),
        "",
    )
    named = [each.text or "" for each in root.iterfind("developers/developer/name")]
    about = {
        "license": (root.findtext("licenses/license/name") or "").strip(),
        "requires": f"Java {java}" if java else "",
        "authors": ", ".join(each.strip() for each in named if each.strip()),
        "repository": (root.findtext("scm/url") or root.findtext("url") or "").strip(),
    }
    return Manifest(
        own,
        found,
        root.findtext("version") or "",
        (root.findtext("description") or "").strip(),
        about,
    )


def _coordinates(element: ElementTree.Element) -> str:
    parts = (element.findtext("groupId"), element.findtext("artifactId"))
    return ":".join(part.strip() for part in parts if part and part.strip())


_PARSERS: dict[str, Callable[[str], Manifest]] = {
    "pyproject.toml": pyproject,
    "setup.cfg": setup_cfg,
    "pkg-info": pkg_info,
    "package.json": _package_json,
    "composer.json": _composer,
    "cargo.toml": _cargo,
    "go.mod": _go_mod,
    "xml": _pom,
    "requirements": requirements,
}

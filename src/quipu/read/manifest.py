"""Dependency manifests: the package a file declares, what it depends on, and what else it says of
it, which its document keeps as `declares`.

Where formats in TOML and JSON say it is data (`rules/manifests.toml`); the others are first brought
into one such form (`_PLAIN`).
"""

import configparser
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from quipu.limits import LONGEST_LINE
from quipu.read.keys import items_of, read_keys, table_of
from quipu.read.prose import bare_urls, mentions, sections_of
from quipu.read.reading import Reading
from quipu.records.document import Link, StatedRelation, Thing
from quipu.records.record import Properties, Value
from quipu.tables import read_table

__all__ = ["read_manifest"]

_UNUSABLE = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
_MOST = 200
_INCLUDED = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)")
_NAME = re.compile(r"[\w@][\w@./:~+-]*")
_PART = re.compile(r"[\w-]+")
_SECTION = re.compile(r"\[([^\]\n]+)\]")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^#;]*)")
_GO_DIRECTIVE = re.compile(r"^[ \t]*(module|go)[ \t]+(\S+)", re.MULTILINE)
_GO_BLOCK = re.compile(r"(?:exclude|replace|retract|tool|ignore)\s*\(")
_JAVA = ("maven.compiler.release", "java.version", "maven.compiler.source")
_ADDRESSES = ("source", "source code", "repository", "github", "code", "homepage", "url")
_TABLES = ("commands", "scripts", "features", "extras")
Table: TypeAlias = Mapping[str, Any]


class _Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of the file, whose head says what each key means."""

    engine: str
    own: tuple[str, ...] = ("",)
    requires: tuple[str, ...] = ("requires",)
    urls: tuple[str, ...] = ("urls",)
    needs: dict[str, tuple[str, ...]] = msgspec.field(default_factory=lambda: {"*": ("needs.*",)})
    skip: str = ""
    commands: tuple[str, ...] = ("commands",)
    scripts: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    extras: tuple[str, ...] = ("extras",)


class _Dependency(NamedTuple):
    """What a package needs, in a version that fits `specifier`; in the `group` "" to run."""

    name: str
    specifier: str = ""
    group: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.specifier}".strip()


@cache
def _formats() -> Mapping[str, _Format]:
    return msgspec.convert(read_table("quipu.read", "rules", "manifests.toml"), dict[str, _Format])


def read_manifest(text: str, name: str, language: str) -> Reading:
    """The manifest called `name`; broken ones are read as data or text, with a warning."""
    reading = _base(text, language)
    reading.type = "manifest"
    if reading.warnings:
        return reading
    try:
        _add(reading, *_loaded(text, name, language))
    except _UNUSABLE as error:
        reading.warnings.append((f"is no usable manifest: {str(error)[:200]}", 0))
        return reading
    if language == "requirements":
        for line, content in enumerate(text.split("\n"), 1):
            if included := _INCLUDED.match(content):
                reading.links.append(Link(included[1], line))
    return reading


def _base(text: str, language: str) -> Reading:
    """The text with its sections and addresses, without what it declares."""
    if language in ("toml", "json"):
        return read_keys(text, language)
    reading = Reading(text, family="data", links=bare_urls(text))
    headings: list[tuple[int, int, str]] = []
    if language == "setup.cfg":
        reading.uses = [u for u in mentions(text, spans_are_code=False) if u.kind == "path"]
        lines = enumerate(text.split("\n"), 1)
        headings = [(at, 1, found[1]) for at, line in lines if (found := _SECTION.match(line))]
    reading.sections = sections_of(headings, text.count("\n") + 1)
    return reading


def _loaded(text: str, name: str, language: str) -> tuple[_Format, Table]:
    """The format of a manifest, and its content as tables. Raises ValueError or the like for what
    is no usable manifest."""
    if name in _formats():
        load = tomllib.loads if language == "toml" else msgspec.json.decode
        return _formats()[name], table_of(load(text))
    engine, load_plain = _PLAIN[language]
    return _Format(engine), load_plain(text)


# What a format says ----------------------------------------------------------------------------


def _add(reading: Reading, form: _Format, tree: Table) -> None:
    """Add what a manifest declares: its package, what that depends on, and all as `declares`."""
    own = _own(form, tree)
    tree = {**tree, "own": own}
    package = _text(own.get("name")).strip()
    needed = sorted(set(_needs(form, tree)))
    tables = {key: _entries(_values(tree, getattr(form, key)), package) for key in _TABLES}
    engines = [_specifier(value) for value in _values(tree, form.requires)]
    engine = next((each.strip() for each in engines if each), "")
    people = (_people(own.get(key)) for key in ("authors", "author", "maintainers", "maintainer"))
    fields: dict[str, Any] = {
        "version": _text(own.get("version")).strip(),
        "license": _licence(own),
        "requires": f"{form.engine} {engine}" if engine else "",
        "authors": next(filter(None, people), ""),
        "repository": _repository(_values(tree, form.urls)),
        "commands": ", ".join(tables["commands"]),
        "scripts": ", ".join(tables["scripts"]),
    }
    fields = {key: value for key, value in fields.items() if value}
    groups = _by_group(needed, tables["extras"])
    content: Properties = {**fields, **{key: _capped(t) for key, t in tables.items() if t}}
    whole = package and "dependencies" not in items_of(own.get("dynamic"))
    to_run = groups.pop("", [] if whole else None)
    if groups:
        content["groups"] = _capped(groups)
    if to_run is not None:
        content["dependencies"] = [*to_run[:_MOST]]
    if content:
        reading.properties["declares"] = content
    lines = _Lines(reading.text)
    if package:
        described = _text(own.get("description")).strip()
        reading.things.append(Thing("Package", package, lines.of(package), described, fields))
    source = ("Package", package) if package else None
    for each in needed:
        said = {"specifier": each.specifier, "group": each.group}
        properties: Properties = {key: value for key, value in said.items() if value}
        stated = StatedRelation("DEPENDS_ON", "Package", each.name, lines.of(each.name))
        stated = stated._replace(source=source, create=True, properties=properties)
        reading.relations.append(stated)


def _own(form: _Format, tree: Table) -> dict[str, Any]:
    """The usual keys of a package."""
    found: dict[str, Any] = {}
    for table in map(table_of, _values(tree, form.own)):
        taken = {k: v for k, v in table.items() if table_of(found.get(k)).get("workspace") is True}
        found = {**found, **taken} if found else {**table}
    return found


def _values(tree: Table, paths: Iterable[str]) -> list[object]:
    return [value for path in paths for _, value in _at(tree, path)]


def _at(tree: Table, path: str) -> Iterator[tuple[str, object]]:
    """What stands at a path, each with the key that `*` is there."""
    found: list[tuple[str, object]] = [("", tree)]
    for part in path.split(".") if path else ():
        found = [
            (key if part == "*" else star, table[key])
            for star, table in ((star, table_of(value)) for star, value in found)
            for key in (table if part == "*" else (part,))
            if key in table
        ]
    yield from found


def _needs(form: _Format, tree: Table) -> Iterator[_Dependency]:
    skipped = re.compile(form.skip)
    for group, paths in form.needs.items():
        for path in paths:
            for star, listed in _at(tree, path):
                for each in _dependencies(listed, star if group == "*" else group):
                    if each.name and not skipped.fullmatch(each.name):
                        yield each


def _dependencies(listed: object, group: str) -> Iterator[_Dependency]:
    """Each of a list of requirements, or of a table of versions by name."""
    for requirement in _texts(listed):
        if match := _REQUIREMENT.match(requirement):
            yield _Dependency(match[1], match[2].strip(), group)
    for name, value in table_of(listed).items():
        optional = not group and table_of(value).get("optional") is True
        real = _text(table_of(value).get("package")) or name
        yield _Dependency(real, _specifier(value), "optional" if optional else group)


def _by_group(needed: Iterable[_Dependency], extras: Table) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for each in needed:
        if each.group not in extras:
            groups.setdefault(each.group, []).append(str(each))
    return groups


def _entries(tables: Iterable[object], package: str) -> dict[str, str | list[str]]:
    """What is listed by name, commands and what they run, say: a text is of the package, one of a
    list is called as its file is."""
    found: dict[str, str | list[str]] = {}
    for table in tables:
        if isinstance(table, str):
            found[package] = table
        for each in items_of(table):
            own = table_of(each)
            found[_text(own.get("name")) or _text(each).rpartition("/")[2]] = _text(
                own.get("path", each)
            )
        for name, value in table_of(table).items():
            run = table_of(value)
            is_text = isinstance(value, str)
            found[name] = value if is_text else _texts(value) or _text(run.get("reference"))
    return {name: value for name, value in found.items() if name}


def _capped(named: Mapping[str, str | list[str]]) -> dict[str, Value]:
    """The first of a table, and of each list in it."""
    return {
        name: value if isinstance(value, str) else [*value[:_MOST]]
        for name, value in [*named.items()][:_MOST]
    }


def _licence(own: Table) -> str:
    given = own.get("license")
    classified = (c for c in _texts(own.get("classifiers")) if c.startswith("License :: "))
    return (
        _text(given).strip()
        or _text(table_of(given).get("text") or table_of(given).get("type"))
        or ", ".join(_texts(given) or (each.rpartition(" :: ")[2] for each in classified))
    )


def _repository(places: Iterable[object]) -> str:
    """Where the source stands, or else the project's page."""
    for place in places:
        urls = {"url": place} if isinstance(place, str) else table_of(place)
        known = {key.casefold(): _text(value) for key, value in urls.items()}
        for key in _ADDRESSES:
            if known.get(key):
                return known[key].removeprefix("git+").removesuffix(".git")
    return ""


def _people(given: object) -> str:
    """Names without their addresses: of "Ann <a@b.c>", of tables with a `name`."""
    names = [_text(who) or _text(table_of(who).get("name")) for who in items_of(given) or [given]]
    return ", ".join(bare for name in names if (bare := re.split("[<(]", name)[0].strip()))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [each for each in items_of(value) if isinstance(each, str)]


def _specifier(value: object) -> str:
    """The version that is asked for: a text, or that of a table."""
    return _text(value) or _text(table_of(value).get("version"))


# Formats of their own, brought into one form ---------------------------------------------------


def _requirements(text: str) -> Table:
    """A `requirements.txt`, which names no package of its own."""
    lines = (line for line in text.split("\n") if line.strip() and "://" not in line)
    return {"needs": {"": [line for line in lines if not line.lstrip().startswith(("#", "-"))]}}


def _setup_cfg(text: str) -> Table:
    """`[metadata]` and `[options]`; what is read from other files is left out."""
    parser = configparser.ConfigParser(
        interpolation=None, strict=False, delimiters=("=",), allow_no_value=True
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign] # names as they are written
    # the parser takes the square of the length of a run of blanks
    lines = (line for line in text.split("\n") if len(line) <= LONGEST_LINE)
    try:
        parser.read_string(re.sub(r"(?<=\S)[^\S\n]{2,}", " ", "\n".join(lines)))
    except (configparser.Error, AttributeError) as error:  # it trips over odd kinds of blanks
        raise ValueError(f"it is no whole file of settings: {error}") from error
    sections = {name: dict(parser.items(name)) for name in parser.sections()}
    own = {
        key.replace("-", "_").casefold(): value.strip()
        for section in ("options", "metadata")
        for key, value in sections.get(section, {}).items()
        if value and not value.strip().startswith(("file:", "attr:", "find:"))
    }
    extras = {key: _lines(v) for key, v in sections.get("options.extras_require", {}).items()}
    points = sections.get("options.entry_points", {})
    run = (line for key in ("console_scripts", "gui_scripts") for line in _lines(points.get(key)))
    return {
        **own,
        "classifiers": _lines(own.get("classifiers")),
        "requires": own.get("python_requires"),
        "urls": dict(_halves(_lines(own.get("project_urls")))) or own.get("url"),
        "needs": {**extras, "": _lines(own.get("install_requires"))},
        "commands": {name: runs.partition("[")[0].strip() for name, runs in _halves(run)},
        "extras": extras,
        "dynamic": [] if "install_requires" in own else ["dependencies"],
    }


def _lines(value: str | None) -> list[str]:
    return [line.strip() for line in (value or "").split("\n") if line.strip()]


def _halves(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name, _, value in (line.partition("=") for line in lines):
        yield name.strip(), value.strip()


def _go_mod(text: str) -> Table:
    needs: dict[str, dict[str, str]] = {"": {}, "indirect": {}}
    inside = False
    for line in text.split("\n"):
        if inside or _GO_BLOCK.match(line):  # a block that names no dependency
            inside = ")" not in line
            continue
        bare, _, comment = line.partition("//")
        path, version = [*bare.removeprefix("require").split()[:2], "", ""][:2]
        if "." in path and version.startswith("v"):
            needs["indirect" if comment.strip() else ""][path] = version
    said = dict(reversed(_GO_DIRECTIVE.findall(text)))
    return {"name": said.get("module"), "requires": said.get("go"), "needs": needs}


def _pom(text: str) -> Table:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("it declares XML entities, which are not expanded")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - entities were refused above
    except ElementTree.ParseError as error:
        raise ValueError(f"it is not whole XML: {error}") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]

    def said(path: str) -> str:
        return (root.findtext(path) or "").strip()

    needs: dict[str, dict[str, str]] = {}
    for path, group in (("", ""), ("dependencyManagement/", "management")):
        for needed in root.iterfind(f"{path}dependencies/dependency"):
            if name := _coordinates(needed):
                scope = needed.findtext("scope") or group
                needs.setdefault(scope, {})[name] = needed.findtext("version") or ""
    java = (version for key in _JAVA if (version := said(f"properties/{key}")))
    name, parent = _coordinates(root), said("parent/groupId")
    return {
        "name": f"{parent}:{name}" if parent and name and ":" not in name else name,
        "version": said("version"),
        "description": said("description"),
        "license": said("licenses/license/name"),
        "authors": [each.text for each in root.iterfind("developers/developer/name")],
        "requires": next((version for version in java if "$" not in version), ""),
        "urls": {"source": said("scm/url"), "url": said("url")},
        "needs": needs,
    }


def _coordinates(element: ElementTree.Element) -> str:
    parts = (element.findtext("groupId"), element.findtext("artifactId"))
    return ":".join(part.strip() for part in parts if part and part.strip())


_PLAIN: Mapping[str, tuple[str, Callable[[str], Table]]] = {
    "requirements": ("Python", _requirements),
    "setup.cfg": ("Python", _setup_cfg),
    "go.mod": ("Go", _go_mod),
    "xml": ("Java", _pom),
}


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

"""Dependency manifests: the package a file declares, and what it depends on."""

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import msgspec

from quipu.read.keys import read_keys
from quipu.read.prose import bare_urls, sections_of
from quipu.read.reading import Reading
from quipu.records.document import Link, StatedRelation, Thing

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*([^#;]*)")
_INCLUDED = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)")
_NAME = re.compile(r"[\w@][\w@./:~+-]*")
_PART = re.compile(r"[\w-]+")
_GO_MODULE = re.compile(r"^[ \t]*module[ \t]+(\S+)", re.MULTILINE)
_GO_VERSION = re.compile(r"^[ \t]*go[ \t]+(\d[\w.]*)", re.MULTILINE)
_JSON_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_JAVA = ("maven.compiler.release", "java.version", "maven.compiler.source")
_CARGO_GROUPS = ("dependencies", "dev-dependencies", "build-dependencies")


class _Dependency(NamedTuple):
    name: str
    specifier: str = ""
    group: str = ""


class _Manifest(NamedTuple):
    """What a manifest declares: its own package ("" for none), what that depends on, and what else
    it says of it: `license`, `requires`, `authors`, `repository`, `commands`, `scripts`."""

    package: str
    dependencies: list[_Dependency]
    version: str = ""
    description: str = ""
    about: Mapping[str, str] = {}


def read_manifest(text: str, name: str, language: str) -> Reading:
    """The manifest called `name`; broken ones are read as data or text, with a warning."""
    if language in ("toml", "json"):
        reading = read_keys(text, language)
    else:
        reading = Reading(text, family="data", links=bare_urls(text))
        reading.sections = sections_of([], text.count("\n") + 1)
    reading.type = "manifest"
    if reading.warnings:
        return reading
    try:
        manifest = _PARSERS[name if name in _PARSERS else language](text)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        reading.warnings.append((f"is no usable manifest: {str(error)[:200]}", 0))
        return reading
    _add(reading, manifest)
    if language == "requirements":
        for line, content in enumerate(text.split("\n"), 1):
            if included := _INCLUDED.match(content):
                reading.links.append(Link(included[1], line))
    return reading


def _add(reading: Reading, manifest: _Manifest) -> None:
    lines = _Lines(reading.text)
    if manifest.package:
        reading.things.append(
            Thing(
                "Package",
                manifest.package,
                lines.of(manifest.package),
                manifest.description,
                {
                    key: said
                    for key, said in {"version": manifest.version, **manifest.about}.items()
                    if said
                },
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


def _requirement(written: object, group: str = "") -> list[_Dependency]:
    match = _REQUIREMENT.match(written) if isinstance(written, str) else None
    if match is None:
        return []
    return [_Dependency(match[1], match[3].strip(), group)]


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _specifier(value: object) -> str:
    return _text(value) or _text(_table(value).get("version"))


def _pyproject(text: str) -> _Manifest:
    data = tomllib.loads(text)
    project, poetry = _table(data.get("project")), _table(_table(data.get("tool")).get("poetry"))
    found = [d for each in _items(project.get("dependencies")) for d in _requirement(each)]
    for group, listed in _table(project.get("optional-dependencies")).items():
        found += [d for each in _items(listed) for d in _requirement(each, group)]
    for group, listed in _table(data.get("dependency-groups")).items():
        found += [d for each in _items(listed) for d in _requirement(each, group)]
    tables = [("", poetry), *_table(poetry.get("group")).items()]
    for group, table in tables:
        for name, value in _table(_table(table).get("dependencies")).items():
            if name != "python":
                found.append(_Dependency(name, _specifier(value), group))
    own = _text(project.get("name")) or _text(poetry.get("name"))
    about = project or poetry
    return _Manifest(
        own,
        found,
        _text(about.get("version")),
        _text(about.get("description")),
        _of_pyproject(project, poetry),
    )


def _of_pyproject(project: Mapping[str, Any], poetry: Mapping[str, Any]) -> dict[str, str]:
    about = project or poetry
    python = _text(project.get("requires-python")) or _specifier(
        _table(poetry.get("dependencies")).get("python")
    )
    license_ = about.get("license")
    named = [
        each.rpartition(" :: ")[2]
        for each in map(_text, _items(about.get("classifiers")))
        if each.startswith("License :: ")
    ]
    return {
        "license": _text(license_) or _text(_table(license_).get("text")) or ", ".join(named),
        "requires": f"Python {python}" if python else "",
        "authors": _people(about.get("authors")) or _people(about.get("maintainers")),
        "repository": _address(_table(about.get("urls")), poetry),
        "commands": ", ".join(_table(about.get("scripts"))),
    }


def _address(*tables: Mapping[str, Any]) -> str:
    """Where the source stands, or else the project's page."""
    for table in tables:
        known = {key.casefold(): _text(value) for key, value in table.items()}
        for key in ("source", "source code", "repository", "github", "code", "homepage", "url"):
            if known.get(key):
                return known[key].removeprefix("git+").removesuffix(".git")
    return ""


def _people(given: object) -> str:
    """Names without their addresses: of "Ann <a@b.c>", of tables with a `name`."""
    listed = _items(given) or [given]
    names = [_text(each) or _text(_table(each).get("name")) for each in listed]
    return ", ".join(bare for name in names if (bare := re.sub(r"\s*[<(].*", "", name).strip()))


def _requirements(text: str) -> _Manifest:
    found: list[_Dependency] = []
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith(("#", "-")) and "://" not in line:
            found += _requirement(line)
    return _Manifest("", found)


def _package_json(text: str) -> _Manifest:
    data = _table(msgspec.json.decode(text))
    found = [
        _Dependency(name, _text(value), "" if group == "dependencies" else group)
        for group in _JSON_GROUPS
        for name, value in _table(data.get(group)).items()
    ]
    own, commands = _text(data.get("name")), data.get("bin")
    node = _text(_table(data.get("engines")).get("node"))
    repository = data.get("repository")
    about = {
        "license": _text(data.get("license")) or _text(_table(data.get("license")).get("type")),
        "requires": f"Node.js {node}" if node else "",
        "authors": _people(data.get("author")) or _people(data.get("maintainers")),
        "repository": _address(
            {"url": _text(repository)}, _table(repository), {"url": data.get("homepage")}
        ),
        "commands": own if isinstance(commands, str) else ", ".join(_table(commands)),
        "scripts": ", ".join(_table(data.get("scripts"))),
    }
    return _Manifest(own, found, _text(data.get("version")), _text(data.get("description")), about)


def _composer(text: str) -> _Manifest:
    data = _table(msgspec.json.decode(text))
    found = [
        _Dependency(name, _text(value), group.removeprefix("require").removeprefix("-"))
        for group in ("require", "require-dev")
        for name, value in _table(data.get(group)).items()
        if "/" in name  # the rest is PHP itself and what it is built with
    ]
    php, license_ = _text(_table(data.get("require")).get("php")), data.get("license")
    about = {
        "license": _text(license_) or ", ".join(map(_text, _items(license_))),
        "requires": f"PHP {php}" if php else "",
        "authors": _people(data.get("authors")),
        "repository": _address(_table(data.get("support")), {"url": data.get("homepage")}),
        "commands": ", ".join(_text(each).rpartition("/")[2] for each in _items(data.get("bin"))),
        "scripts": ", ".join(_table(data.get("scripts"))),
    }
    return _Manifest(
        _text(data.get("name")),
        found,
        _text(data.get("version")),
        _text(data.get("description")),
        about,
    )


def _go_mod(text: str) -> _Manifest:
    module = _GO_MODULE.search(text)
    found: list[_Dependency] = []
    for line in text.split("\n"):
        bare, _, comment = line.partition("//")
        path, version = [*bare.removeprefix("require").split()[:2], "", ""][:2]
        if "." in path and version.startswith("v"):
            found.append(_Dependency(path, version, "indirect" if comment.strip() else ""))
    go = _GO_VERSION.search(text)
    about = {"requires": f"Go {go[1]}"} if go else {}
    return _Manifest(module[1] if module else "", found, about=about)


def _cargo(text: str) -> _Manifest:
    data = tomllib.loads(text)
    package = _table(data.get("package"))
    rust = _text(package.get("rust-version"))
    places: list[Mapping[str, Any]] = [
        data,
        _table(data.get("workspace")),
        *map(_table, _table(data.get("target")).values()),
    ]
    found: list[_Dependency] = []
    for place in places:
        for group in _CARGO_GROUPS:
            for name, value in _table(place.get(group)).items():
                real = _text(_table(value).get("package")) or name
                found.append(
                    _Dependency(real, _specifier(value), "" if group == "dependencies" else group)
                )
    return _Manifest(
        _text(package.get("name")),
        found,
        _text(package.get("version")),
        _text(package.get("description")),
        {
            "license": _text(package.get("license")),
            "requires": f"Rust {rust}" if rust else "",
            "authors": _people(package.get("authors")),
            "repository": _address(package),
            "commands": ", ".join(_text(_table(b).get("name")) for b in _items(data.get("bin"))),
        },
    )


def _pom(text: str) -> _Manifest:
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
        _Dependency(name, each.findtext("version") or "", each.findtext("scope") or "")
        for each in _declared(root)
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
    people = [each.text or "" for each in root.iterfind("developers/developer/name")]
    about = {
        "license": (root.findtext("licenses/license/name") or "").strip(),
        "requires": f"Java {java}" if java else "",
        "authors": ", ".join(each.strip() for each in people if each.strip()),
        "repository": (root.findtext("scm/url") or root.findtext("url") or "").strip(),
    }
    return _Manifest(
        own,
        found,
        root.findtext("version") or "",
        (root.findtext("description") or "").strip(),
        about,
    )


def _declared(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    yield from root.iterfind("dependencies/dependency")
    yield from root.iterfind("dependencyManagement/dependencies/dependency")


def _coordinates(element: ElementTree.Element) -> str:
    parts = (element.findtext("groupId"), element.findtext("artifactId"))
    return ":".join(part.strip() for part in parts if part and part.strip())


_PARSERS: dict[str, Callable[[str], _Manifest]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "composer.json": _composer,
    "cargo.toml": _cargo,
    "go.mod": _go_mod,
    "xml": _pom,
    "requirements": _requirements,
}

"""Dependency manifests: the package a file declares, what it depends on, and what else it says of
it, which its document keeps as `declares`. Each format is read into one shape, `Manifest`.
"""

import configparser
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping
from email.parser import HeaderParser
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec

from quipu.read.keys import read_keys
from quipu.read.prose import bare_urls, mentions, sections_of
from quipu.read.reading import Reading
from quipu.read.redact import redact
from quipu.records.document import Link, StatedRelation, Thing
from quipu.records.record import Properties, Value

__all__ = ["read_manifest"]


_INCLUDED = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)")
_NAME = re.compile(r"[\w@][\w@./:~+-]*")
_PART = re.compile(r"[\w-]+")
_SECTION = re.compile(r"\[([^\]\n]+)\]")
_UNUSABLE = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
_MOST = 200
_LONGEST_LINE = 2000
_LONGEST_LICENCE = 80
_ADDRESS = re.compile(r"[<(]")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*([^#;]*)")
_EXTRA = re.compile(r"\bextra\s*==\s*[\"']([^\"']+)[\"']")
_RUN = re.compile(r"[\w.]+(?:\s*:\s*[\w.]+)?")
_BLANKS = re.compile(r"(?<=\S)[^\S\n]{2,}")
_GO_MODULE = re.compile(r"^[ \t]*module[ \t]+(\S+)", re.MULTILINE)
_GO_VERSION = re.compile(r"^[ \t]*go[ \t]+(\d[\w.]*)", re.MULTILINE)
_GO_BLOCK = re.compile(r"(?:exclude|replace|retract|tool|ignore)\s*\(")
_READ_FROM = ("file:", "attr:", "find:")
_ADDRESSES = ("source", "source code", "repository", "github", "code", "homepage", "url")
_NPM = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_CARGO = ("dependencies", "dev-dependencies", "build-dependencies")
_JAVA = ("maven.compiler.release", "java.version", "maven.compiler.source")
Table: TypeAlias = Mapping[str, str | list[str]]
"""What a manifest lists by name: commands and what they run, features and what they enable."""


class Dependency(NamedTuple):
    """What a package needs, in a version that fits `specifier`; in the `group` "" to run."""

    name: str
    specifier: str = ""
    group: str = ""


class Manifest(NamedTuple):
    """What a manifest declares: its own package ("" for none), what that depends on, and `about`
    it: `license`, `requires`, `authors`, `repository`, `commands`, `scripts`.

    `tables` are `commands`, `scripts`, `features`, `extras` and `groups` of further dependencies,
    by name. What is not `whole` may have dependencies that are not read from it.
    """

    package: str
    dependencies: list[Dependency]
    version: str = ""
    description: str = ""
    about: Mapping[str, str] = {}
    tables: Mapping[str, Table] = {}
    whole: bool = True


def declares(manifest: Manifest) -> Properties:
    """Return all that a manifest says of its package, as a property of its document."""
    fields: Properties = {"version": manifest.version, **manifest.about}
    groups: dict[str, list[str]] = {}
    for needed in sorted(set(manifest.dependencies)):
        groups.setdefault(needed.group, []).append(_written(needed))
    to_run = groups.pop("", [] if manifest.whole and manifest.package else None)
    extras = manifest.tables.get("extras", {})
    own = {name: listed for name, listed in groups.items() if name not in extras}
    tables = {**manifest.tables, "groups": {**manifest.tables.get("groups", {}), **own}}
    content: Properties = {key: value for key, value in fields.items() if value}
    for key, listed in tables.items():
        if listed:
            content[key] = _capped(listed)
    if to_run is not None:
        content["dependencies"] = [*to_run[:_MOST]]
    return content


def _capped(named: Table) -> dict[str, Value]:
    """The first of a table, and of each list in it."""
    return {
        name: value if isinstance(value, str) else [*value[:_MOST]]
        for name, value in [*named.items()][:_MOST]
    }


def _manifest(
    own: Mapping[str, Any],
    needs: Mapping[str, object],
    *,
    engine: str = "",
    needed_engine: object = None,
    urls: Iterable[object] = (),
    tables: Mapping[str, object] | None = None,
    whole: bool = True,
) -> Manifest:
    """A manifest whose `own` table has the usual keys; `needs` are its dependencies by group."""
    listed = {key: _entries(value) for key, value in (tables or {}).items()}
    found = [d for group, each in needs.items() for d in _dependencies(each, group)]
    people = (_people(own.get(key)) for key in ("authors", "author", "maintainers", "maintainer"))
    version = _specifier(needed_engine).strip()
    return Manifest(
        _text(own.get("name")).strip(),
        found,
        _text(own.get("version")).strip(),
        _text(own.get("description")).strip(),
        {
            "license": _licence(own),
            "requires": f"{engine} {version}" if version else "",
            "authors": next(filter(None, people), ""),
            "repository": _repository(urls),
            "commands": ", ".join(listed.get("commands", ())),
            "scripts": ", ".join(listed.get("scripts", ())),
        },
        listed,
        whole,
    )


def _dependencies(listed: object, group: str) -> Iterator[Dependency]:
    """Each of a list of requirements, or of a table of versions by name."""
    for requirement in _texts(listed):
        if match := _REQUIREMENT.match(requirement):
            yield Dependency(match[1], match[3].strip(), group)
    for name, value in _table(listed).items():
        optional = not group and _table(value).get("optional") is True
        real = _text(_table(value).get("package")) or name
        yield Dependency(real, _specifier(value), "optional" if optional else group)


def _entries(given: object) -> dict[str, str | list[str]]:
    """The entries of a table that are a text (of Poetry: what it refers to) or a list of texts."""
    found: dict[str, str | list[str]] = {}
    for name, value in _table(given).items():
        if isinstance(value, list):
            found[name] = _texts(cast("object", value))
        elif isinstance(value, str):
            found[name] = value
        elif run := _table(cast("object", value)):
            found[name] = _text(run.get("reference") or run.get("callable"))
    return found


def _licence(own: Mapping[str, Any]) -> str:
    given = own.get("license")
    classified = (c for c in _texts(own.get("classifiers")) if c.startswith("License :: "))
    return (
        _text(given).strip()
        or _text(_table(given).get("text") or _table(given).get("type"))
        or ", ".join(_texts(given) or (each.rpartition(" :: ")[2] for each in classified))
    )


def _repository(tables: Iterable[object]) -> str:
    """Where the source stands, or else the project's page."""
    for urls in tables:
        known = {key.casefold(): _text(value) for key, value in _table(urls).items()}
        for key in _ADDRESSES:
            if known.get(key):
                return known[key].removeprefix("git+").removesuffix(".git")
    return ""


def _people(given: object) -> str:
    """Names without their addresses: of "Ann <a@b.c>", of tables with a `name`."""
    names = [_text(who) or _text(_table(who).get("name")) for who in _items(given) or [given]]
    return ", ".join(bare for name in names if (bare := _ADDRESS.split(name, 1)[0].strip()))


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [each for each in _items(value) if isinstance(each, str)]


def _specifier(value: object) -> str:
    """The version that is asked for: a text, or that of a table."""
    return _text(value) or _text(_table(value).get("version"))


def _written(needed: Dependency) -> str:
    return f"{needed.name} {needed.specifier}".strip()


def _pyproject(text: str) -> Manifest:
    """`[project]`, or the table of Poetry; with what it is built with."""
    data = tomllib.loads(text)
    project, poetry = _table(data.get("project")), _table(_table(data.get("tool")).get("poetry"))
    own, of_poetry = project or poetry, dict(_table(poetry.get("dependencies")))
    python = project.get("requires-python") or of_poetry.pop("python", None)
    extras = _table(project.get("optional-dependencies"))
    built_with = _texts(_table(data.get("build-system")).get("requires"))
    further = _table(poetry.get("group")).items()
    needs: dict[str, object] = {
        "": project.get("dependencies") or of_poetry,
        "dev": poetry.get("dev-dependencies"),
        **{name: _table(group).get("dependencies") for name, group in further},
        **extras,
        **_table(data.get("dependency-groups")),
    }
    return _manifest(
        own,
        needs,
        engine="Python",
        needed_engine=python,
        urls=(own.get("urls"), poetry),
        tables={
            "commands": {**_table(own.get("scripts")), **_table(own.get("gui-scripts"))},
            "extras": extras or poetry.get("extras"),
            "groups": {"build-system": built_with} if built_with else {},
        },
        whole="dependencies" not in _items(project.get("dynamic")),
    )


def _requirements(text: str) -> Manifest:
    """A `requirements.txt`, which names no package of its own."""
    lines = [line for line in text.split("\n") if line.strip() and "://" not in line]
    asked = [line for line in lines if not line.lstrip().startswith(("#", "-"))]
    return _manifest({}, {"": asked})


def _setup_cfg(text: str) -> Manifest:
    """`[metadata]` and `[options]`; what is read from other files is left out."""
    sections = _sections(text)
    own: dict[str, Any] = {
        key.replace("-", "_").casefold(): value.strip()
        for section in ("options", "metadata")
        for key, value in sections.get(section, {}).items()
        if not value.strip().startswith(_READ_FROM)
    }
    entry_points = sections.get("options.entry_points", {})
    run = (line for key in ("console_scripts", "gui_scripts") for line in _lines(entry_points, key))
    split = ((name.strip(), _RUN.match(runs.strip())) for name, _, runs in _halves(run))
    extras = {
        name: _lines(sections["options.extras_require"], name)
        for name in sections.get("options.extras_require", {})
    }
    return _manifest(
        {**own, "classifiers": _lines(own, "classifiers")},
        {"": _lines(own, "install_requires"), **extras},
        engine="Python",
        needed_engine=own.get("python_requires"),
        urls=(
            {name.strip(): url.strip() for name, _, url in _halves(_lines(own, "project_urls"))},
            {"url": own.get("url") or own.get("home_page")},
        ),
        tables={
            "commands": {name: found[0].replace(" ", "") for name, found in split if found},
            "extras": extras,
        },
        whole="install_requires" in own,
    )


def _lines(table: Mapping[str, Any], key: str) -> list[str]:
    return [line.strip() for line in _text(table.get(key)).split("\n") if line.strip()]


def _halves(lines: Iterable[str]) -> list[tuple[str, str, str]]:
    return [line.partition("=") for line in lines]


class _Parser(configparser.ConfigParser):
    """Keeps names as they are written."""

    def __init__(self) -> None:
        super().__init__(interpolation=None, strict=False, delimiters=("=",), allow_no_value=True)

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def _sections(text: str) -> dict[str, dict[str, str]]:
    """The sections of a file of settings, without its overlong lines. Runs of blanks are one: the
    parser takes the square of their length."""
    lines = [line for line in text.split("\n") if len(line) <= _LONGEST_LINE]
    parser = _Parser()
    try:
        parser.read_string(_BLANKS.sub(" ", "\n".join(lines)))
    except (configparser.Error, AttributeError) as error:  # it trips over odd kinds of blanks
        raise ValueError(f"it is no whole file of settings: {error}") from error
    return {name: {k: v or "" for k, v in parser.items(name)} for name in parser.sections()}


def _pkg_info(text: str) -> Manifest:
    """The metadata of a package as it was built, above its description."""
    headers: dict[str, list[str]] = {}
    for name, value in HeaderParser().parsestr(text, headersonly=True).items():
        parts = [line.strip() for line in str(value).split("\n")]
        headers.setdefault(name.casefold(), []).append(_unfolded(parts))
    if "metadata-version" not in headers:
        return Manifest("", [], whole=False)
    first = {key: values[0] for key, values in headers.items()}
    needs: dict[str, list[str]] = {}
    for required in headers.get("requires-dist", ()):
        extra = _EXTRA.search(required)
        needs.setdefault(extra[1] if extra else "", []).append(required)
    extras = {
        name: [_written(d) for d in _dependencies(needs.get(name), name)]
        for name in headers.get("provides-extra", ())
    }
    licence = first.get("license", "")
    own = {
        "name": first.get("name"),
        "version": first.get("version"),
        "description": first.get("summary"),
        "license": first.get("license-expression")
        or (licence if len(licence) <= _LONGEST_LICENCE else ""),
        "classifiers": headers.get("classifier"),
        "author": first.get("author") or first.get("author-email"),
        "maintainer": first.get("maintainer"),
    }
    urls = [url.partition(",") for url in headers.get("project-url", ())]
    return _manifest(
        own,
        needs,
        engine="Python",
        needed_engine=first.get("requires-python"),
        urls=({name: url.strip() for name, _, url in urls}, {"url": first.get("home-page")}),
        tables={"extras": extras},
    )


def _unfolded(parts: list[str]) -> str:
    """The lines of a header as one, without a secret that a break of the line hid."""
    clean, secrets = redact("".join(parts)) if len(parts) > 1 else ("", {})
    return clean if secrets else " ".join(parts).strip()


def _package_json(text: str) -> Manifest:
    own = _table(msgspec.json.decode(text))
    run, repository = own.get("bin"), own.get("repository")
    return _manifest(
        own,
        {"" if key == "dependencies" else key: own.get(key) for key in _NPM},
        engine="Node.js",
        needed_engine=_table(own.get("engines")).get("node"),
        urls=({"url": repository}, repository, {"url": own.get("homepage")}),
        tables={
            "commands": {_text(own.get("name")): run} if isinstance(run, str) else run,
            "scripts": own.get("scripts"),
        },
    )


def _composer(text: str) -> Manifest:
    own = _table(msgspec.json.decode(text))
    needs = {
        group: {name: v for name, v in _table(own.get(key)).items() if "/" in name}
        for group, key in (("", "require"), ("dev", "require-dev"))
    }  # the rest is PHP itself and what it is built with
    return _manifest(
        own,
        needs,
        engine="PHP",
        needed_engine=_table(own.get("require")).get("php"),
        urls=(own.get("support"), {"url": own.get("homepage")}),
        tables={
            "commands": {path.rpartition("/")[2]: path for path in _texts(own.get("bin"))},
            "scripts": own.get("scripts"),
        },
    )


def _cargo(text: str) -> Manifest:
    """`[package]`, with what it takes over from the `[workspace.package]` of the same file."""
    data = tomllib.loads(text)
    workspace, package = _table(data.get("workspace")), _table(data.get("package"))
    shared = {
        key: value
        for key, value in _table(workspace.get("package")).items()
        if not package or _table(package.get(key)).get("workspace") is True
    }
    own = {**package, **shared}
    found = [*_dependencies(workspace.get("dependencies"), "workspace")]
    for place in (data, *map(_table, _table(data.get("target")).values())):
        for key in _CARGO:
            found += _dependencies(place.get(key), "" if key == "dependencies" else key)
    run = {_text(_table(b).get("name")): _table(b).get("path", "") for b in _items(data.get("bin"))}
    made = _manifest(
        own,
        {},
        engine="Rust",
        needed_engine=_text(own.get("rust-version")),
        urls=(own,),
        tables={"commands": run, "features": data.get("features")},
    )
    return made._replace(dependencies=found)


def _go_mod(text: str) -> Manifest:
    module, go = _GO_MODULE.search(text), _GO_VERSION.search(text)
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
    own = {"name": module[1] if module else ""}
    return _manifest(own, needs, engine="Go", needed_engine=go[1] if go else "")


def _pom(text: str) -> Manifest:
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

    name = _coordinates(root)
    if name and ":" not in name and (parent := root.findtext("parent/groupId")):
        name = f"{parent}:{name}"
    found = [
        Dependency(other, needed.findtext("version") or "", needed.findtext("scope") or group)
        for path, group in (("", ""), ("dependencyManagement/", "management"))
        for needed in root.iterfind(f"{path}dependencies/dependency")
        if (other := _coordinates(needed))
    ]
    java = (version for key in _JAVA if (version := said(f"properties/{key}")))
    own = {
        "name": name,
        "version": said("version"),
        "description": said("description"),
        "license": said("licenses/license/name"),
        "authors": [each.text for each in root.iterfind("developers/developer/name")],
    }
    made = _manifest(
        own,
        {},
        engine="Java",
        needed_engine=next((version for version in java if "$" not in version), ""),
        urls=({"source": said("scm/url"), "url": said("url")},),
    )
    return made._replace(dependencies=found)


def _coordinates(element: ElementTree.Element) -> str:
    parts = (element.findtext("groupId"), element.findtext("artifactId"))
    return ":".join(part.strip() for part in parts if part and part.strip())


FORMATS = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "pkg-info": _pkg_info,
    "package.json": _package_json,
    "composer.json": _composer,
    "cargo.toml": _cargo,
    "go.mod": _go_mod,
    "xml": _pom,
    "requirements": _requirements,
}
"""What reads a manifest, by its name or its language. Each raises ValueError or the like for what
is no usable manifest."""


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

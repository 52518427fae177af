"""Manifests of Python packages: pyproject.toml, requirements, setup.cfg, setup.py, PKG-INFO."""

import ast
import configparser
import re
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from email.parser import HeaderParser
from typing import Any, cast

from quipu.read.declared import (
    Dependency,
    Manifest,
    Table,
    address,
    items,
    people,
    specifier,
    table,
    text_of,
)
from quipu.read.redact import redact

__all__ = ["pkg_info", "pyproject", "requirements", "setup_cfg", "setup_py"]

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*([^#;]*)")
_EXTRA = re.compile(r"\bextra\s*==\s*[\"']([^\"']+)[\"']")
_RUN = re.compile(r"[\w.]+(?:\s*:\s*[\w.]+)?")
_READ_FROM = ("file:", "attr:", "find:")
_COMMANDS = ("console_scripts", "gui_scripts")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BLANKS = re.compile(r"(?<=\S)[^\S\n]{2,}")
_LARGEST = 200_000
_LONGEST_LINE = 2000
_LONGEST_LICENCE = 80
_CHANGING = frozenset({"append", "extend", "insert", "remove", "pop", "clear", "update"})


def pyproject(text: str) -> Manifest:
    """A `pyproject.toml`: its `[project]` table, or that of Poetry."""
    data = tomllib.loads(text)
    project, poetry = table(data.get("project")), table(table(data.get("tool")).get("poetry"))
    extras = table(project.get("optional-dependencies"))
    found = [d for each in items(project.get("dependencies")) for d in _requirement(each)]
    for group, listed in (*extras.items(), *table(data.get("dependency-groups")).items()):
        found += [d for each in items(listed) for d in _requirement(each, group)]
    built_with = _texts(table(data.get("build-system")).get("requires"))
    found += _of_poetry(poetry)
    about = project or poetry
    commands = {**table(about.get("scripts")), **table(about.get("gui-scripts"))}
    offered = extras or table(poetry.get("extras"))
    return Manifest(
        text_of(project.get("name")) or text_of(poetry.get("name")),
        found,
        text_of(about.get("version")),
        text_of(about.get("description")),
        _of_pyproject(project, poetry, commands),
        {
            "commands": {name: _run_by(said) for name, said in commands.items()},
            "extras": {name: _texts(listed) for name, listed in offered.items()},
            "groups": {"build-system": built_with} if built_with else {},
        },
        whole="dependencies" not in items(project.get("dynamic")),
    )


def _run_by(written: object) -> str:
    """What a command runs: a text, or the `reference` or `callable` of a table of Poetry."""
    reference = table(written)
    return (
        text_of(written)
        or text_of(reference.get("reference"))
        or text_of(reference.get("callable"))
    )


def _of_poetry(poetry: Mapping[str, Any]) -> Iterator[Dependency]:
    groups = [("", poetry.get("dependencies")), ("dev", poetry.get("dev-dependencies"))]
    for group, content in table(poetry.get("group")).items():
        groups.append((group, table(content).get("dependencies")))
    for group, listed in groups:
        for name, value in table(listed).items():
            if name != "python":
                optional = not group and table(value).get("optional") is True
                yield Dependency(name, specifier(value), "optional" if optional else group)


def _of_pyproject(
    project: Mapping[str, Any], poetry: Mapping[str, Any], commands: Iterable[str]
) -> dict[str, str]:
    about = project or poetry
    python = text_of(project.get("requires-python")) or specifier(
        table(poetry.get("dependencies")).get("python")
    )
    license_ = about.get("license")
    return {
        "license": text_of(license_)
        or text_of(table(license_).get("text"))
        or _classified(_texts(about.get("classifiers"))),
        "requires": f"Python {python}" if python else "",
        "authors": people(about.get("authors")) or people(about.get("maintainers")),
        "repository": address(table(about.get("urls")), poetry),
        "commands": ", ".join(commands),
    }


def _classified(classifiers: Iterable[str]) -> str:
    """The licences that the classifiers name."""
    named = (each for each in classifiers if each.startswith("License :: "))
    return ", ".join(each.rpartition(" :: ")[2] for each in named)


def _texts(listed: object) -> list[str]:
    return [each for each in items(listed) if isinstance(each, str)]


def _requirement(written: object, group: str = "") -> list[Dependency]:
    match = _REQUIREMENT.match(written) if isinstance(written, str) else None
    if match is None:
        return []
    return [Dependency(match[1], match[3].strip(), group)]


def requirements(text: str) -> Manifest:
    """A `requirements.txt`, which names no package of its own."""
    found: list[Dependency] = []
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith(("#", "-")) and "://" not in line:
            found += _requirement(line)
    return Manifest("", found)


def _of_setup(keywords: Mapping[str, object]) -> Manifest:
    """What keywords of `setup` say, each a text, a list of texts or a table of these."""
    needed, extras = keywords.get("install_requires"), table(keywords.get("extras_require"))
    extras = {name: _listed(listed) for name, listed in extras.items()}
    found = [d for each in _listed(needed) for d in _requirement(each)]
    for group, listed in extras.items():
        found += [d for each in listed for d in _requirement(each, group)]
    paths = _listed(keywords.get("scripts"))
    commands = {
        **_commands(keywords.get("entry_points")),
        **{path.rpartition("/")[2]: path for path in paths},
    }
    python = text_of(keywords.get("python_requires")).strip()
    urls = {**table(keywords.get("project_urls")), "homepage": keywords.get("url")}
    classified = _classified(_listed(keywords.get("classifiers")))
    about = {
        "license": text_of(keywords.get("license")).strip() or classified,
        "requires": f"Python {python}" if python else "",
        "authors": people(keywords.get("author")) or people(keywords.get("maintainer")),
        "repository": address(urls),
        "commands": ", ".join(commands),
    }
    return Manifest(
        text_of(keywords.get("name")).strip(),
        found,
        text_of(keywords.get("version")).strip(),
        text_of(keywords.get("description")).strip(),
        about,
        {"commands": commands, "extras": extras},
        whole=needed is not None,
    )


def _listed(written: object) -> list[str]:
    """A list of texts, or the lines of one."""
    if isinstance(written, str):
        return [line.strip() for line in written.split("\n") if line.strip()]
    return _texts(written)


def _commands(entry_points: object) -> Table:
    """Each command that is installed, with what it runs."""
    lines = [line for key in _COMMANDS for line in _listed(table(entry_points).get(key))]
    halves = [line.partition("=") for line in lines]
    split = ((name.strip(), _RUN.match(runs.strip())) for name, _, runs in halves)
    return {name: runs[0].replace(" ", "") for name, runs in split if name and runs}


def setup_cfg(text: str) -> Manifest:
    """A `setup.cfg`: `[metadata]` and `[options]`; what is read from other files is left out."""
    sections = _settings(text)
    keywords: dict[str, object] = {
        key.replace("-", "_").casefold(): value.strip()
        for section in ("options", "metadata")
        for key, value in sections.get(section, {}).items()
        if not value.strip().startswith(_READ_FROM)
    }
    keywords.setdefault("url", keywords.get("home_page"))
    if "install_requires" in keywords:
        keywords["install_requires"] = _listed(
            text_of(keywords["install_requires"]).replace(";\n", "\n")
        )
    keywords["extras_require"] = sections.get("options.extras_require", {})
    keywords["entry_points"] = sections.get("options.entry_points", {})
    urls = [line.partition("=") for line in _listed(keywords.get("project_urls"))]
    keywords["project_urls"] = {name.strip(): url.strip() for name, _, url in urls}
    return _of_setup(keywords)


def setup_py(text: str) -> Manifest:
    """What a `setup.py` hands over to `setup` as it stands there, or as a constant of the file.
    The file is parsed, never run."""
    if len(text) > _LARGEST:
        raise ValueError(f"it is longer than {_LARGEST} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = ast.parse(text)
        except (SyntaxError, MemoryError) as error:
            raise ValueError(f"it is not whole Python: {error}") from error
    called = _called_setup(module)
    calls = [
        each
        for each in ast.walk(module)
        if isinstance(each, ast.Call) and ast.unparse(each.func) in called
    ]
    if not calls:
        return Manifest("", [], whole=False)
    constants = _constants(module)
    readings = [_keywords(call, constants) for call in calls]
    keywords = next((each for each in readings if text_of(each.get("name"))), readings[0])
    if "entry_points" in keywords and isinstance(keywords["entry_points"], str):
        keywords["entry_points"] = _written_entry_points(keywords["entry_points"])
    return _of_setup(keywords)


def _written_entry_points(text: str) -> dict[str, str]:
    """Entry points that are written as the text of a file of settings."""
    try:
        sections = _settings(re.sub(r"(?m)^[ \t]+", "", text))
    except ValueError:
        return {}
    return {
        group: "\n".join(f"{name} = {runs}" for name, runs in listed.items())
        for group, listed in sections.items()
    }


class _Parser(configparser.ConfigParser):
    """Keeps names as they are written."""

    def __init__(self) -> None:
        super().__init__(interpolation=None, strict=False, delimiters=("=",), allow_no_value=True)

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def _settings(text: str) -> dict[str, dict[str, str]]:
    """The sections of a file of settings, without its overlong lines. Runs of blanks are one: the
    parser takes the square of their length."""
    lines = [line for line in text.split("\n") if len(line) <= _LONGEST_LINE]
    parser = _Parser()
    try:
        parser.read_string(_BLANKS.sub(" ", "\n".join(lines)))
    except (configparser.Error, AttributeError) as error:  # it trips over odd kinds of blanks
        raise ValueError(f"it is no whole file of settings: {error}") from error
    return {name: {k: v or "" for k, v in parser.items(name)} for name in parser.sections()}


def _called_setup(module: ast.Module) -> set[str]:
    """How the file calls the `setup` that it imports: one of its own is something else."""
    found: set[str] = set()
    for each in ast.walk(module):
        if isinstance(each, ast.ImportFrom) and not each.level:
            found |= {a.asname or a.name for a in each.names if a.name == "setup"}
            if each.module == "distutils":
                found |= {f"{a.asname or a.name}.setup" for a in each.names if a.name == "core"}
        elif isinstance(each, ast.Import):
            modules = [a for a in each.names if a.name in ("setuptools", "distutils.core")]
            found |= {f"{a.asname or a.name}.setup" for a in modules}
    return found


def _constants(module: ast.Module) -> dict[str, ast.expr]:
    """The names of a module that are set once, outside of any condition, and not changed."""
    changed: Counter[str] = Counter()
    for each in ast.walk(module):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del):
            changed[each.id] += 1
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            changed[each.value.id] += 2 * (each.attr in _CHANGING)
    found: dict[str, ast.expr] = {}
    for statement in module.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        else:
            continue
        if statement.value is not None and len(targets) == 1 and isinstance(targets[0], ast.Name):
            found[targets[0].id] = statement.value
    return {name: value for name, value in found.items() if changed[name] == 1}


def _keywords(call: ast.Call, constants: Mapping[str, ast.expr]) -> dict[str, object]:
    """The texts, lists and tables that a call is given by name."""
    found: dict[str, object] = {}
    for keyword in call.keywords:
        try:
            value = _value(keyword.value, constants)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue  # it is computed
        if keyword.arg is not None and value is not None:
            found[keyword.arg] = value
    return found


def _value(node: ast.expr, constants: Mapping[str, ast.expr]) -> object:
    """What stands there, or as a constant of the file; lists that are added up are one list."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _value(node.left, constants), _value(node.right, constants)
        return [*items(left), *items(right)] if left and right else None
    named = constants.get(node.id, node) if isinstance(node, ast.Name) else node
    return _without_odd(ast.literal_eval(named))


def _without_odd(value: object) -> object:
    """Texts without control characters, in lists and tables too; None for what is no text."""
    if isinstance(value, str):
        return None if _SURROGATE.search(value) else _CONTROL.sub("", value)
    if isinstance(value, list | tuple | set):
        every = cast("Iterable[object]", value)
        return [each for each in map(_without_odd, every) if each is not None]
    cleaned = {_without_odd(key): _without_odd(each) for key, each in table(value).items()}
    return {k: v for k, v in cleaned.items() if k is not None and v is not None} or None


def pkg_info(text: str) -> Manifest:
    """A `PKG-INFO`: the metadata of a package as it was built, above its description."""
    headers = _headers(text)
    if "metadata-version" not in headers:
        return Manifest("", [], whole=False)
    first = {key: values[0] for key, values in headers.items()}
    found: list[Dependency] = []
    for each in headers.get("requires-dist", ()):
        extra = _EXTRA.search(each)
        found += _requirement(each, extra[1] if extra else "")
    extras: dict[str, str | list[str]] = {
        name: [f"{d.name} {d.specifier}".strip() for d in found if d.group == name]
        for name in headers.get("provides-extra", ())
    }
    urls = [each.partition(",") for each in headers.get("project-url", ())]
    python = first.get("requires-python", "")
    about = {
        "license": first.get("license-expression")
        or _brief(first.get("license", ""))
        or _classified(headers.get("classifier", ())),
        "requires": f"Python {python}" if python else "",
        "authors": people(first.get("author") or first.get("author-email"))
        or people(first.get("maintainer")),
        "repository": address(
            {name.strip(): url.strip() for name, _, url in urls},
            {"homepage": first.get("home-page")},
        ),
    }
    return Manifest(
        first.get("name", ""),
        found,
        first.get("version", ""),
        first.get("summary", ""),
        about,
        {"extras": extras},
    )


def _headers(text: str) -> dict[str, list[str]]:
    """The headers above the description, each with the lines that go on with it."""
    found: dict[str, list[str]] = {}
    for name, value in HeaderParser().parsestr(text, headersonly=True).items():
        parts = [line.strip() for line in str(value).split("\n")]
        found.setdefault(name.casefold(), []).append(_unfolded(parts))
    return found


def _unfolded(parts: list[str]) -> str:
    """The lines of a header as one, without a secret that a break of the line hid."""
    clean, secrets = redact("".join(parts)) if len(parts) > 1 else ("", {})
    return clean if secrets else " ".join(parts).strip()


def _brief(licence: str) -> str:
    """The name of a licence; "" for its text."""
    return licence if len(licence) <= _LONGEST_LICENCE else ""

"""Import statements of each language, read from their text."""

import re
from collections.abc import Callable

from quipu.domain.document import Import

_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"#[^\n]*")
_QUOTED = re.compile(r"""["'`]([^"'`\n]+)["'`]""")
_JS_NAMES = re.compile(r"\{([^}]*)\}", re.DOTALL)
_JS_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([A-Za-z_$][\w$]*)")
_JS_STAR = re.compile(r"\*\s+as\s+([A-Za-z_$][\w$]*)")
_RUST_GROUP = re.compile(r"^(.*?)::\{(.*)\}$", re.DOTALL)


def read_import(statement: str, line: int, language: str) -> list[Import]:
    """What one import statement brings in; nothing when it cannot be read."""
    reader = _READERS.get(language)
    return reader(statement, line) if reader else []


def _as(item: str) -> tuple[str, str]:
    name, _, alias = item.partition(" as ")
    return name.strip(), (alias or name).strip()


def _python(statement: str, line: int) -> list[Import]:
    flat = _SPACE.sub(" ", _COMMENT.sub("", statement).replace("\\\n", " ")).strip()
    if flat.startswith("from "):
        module, _, rest = flat[5:].partition(" import ")
        module = module.strip()
        bare = module.lstrip(".")
        names = [_as(item) for item in rest.strip("() ").split(",") if item.strip(" ()")]
        return [Import(bare, line, tuple(names), level=len(module) - len(bare))]
    found: list[Import] = []
    for item in flat.removeprefix("import ").split(","):
        name, alias = _as(item)
        if name:
            found.append(Import(name, line, alias=alias))
    return found


def _javascript(statement: str, line: int) -> list[Import]:
    quoted = _QUOTED.findall(statement)
    if not quoted:
        return []
    module = quoted[-1]
    names: list[tuple[str, str]] = []
    if braces := _JS_NAMES.search(statement):
        names += [
            _as(item.strip().removeprefix("type ")) for item in braces[1].split(",") if item.strip()
        ]
    alias = ""
    if star := _JS_STAR.search(statement):
        alias = star[1]
    if (default := _JS_DEFAULT.match(statement)) and default[1] != "type":
        names.append(("default", default[1]))
    level = -1 if module.startswith((".", "/")) else 0
    return [Import(module, line, tuple(names), alias, level)]


def _go(statement: str, line: int) -> list[Import]:
    quoted = _QUOTED.search(statement)
    if not quoted:
        return []
    alias = statement[: quoted.start()].strip() or quoted[1].rpartition("/")[2]
    return [Import(quoted[1], line, alias=alias)]


def _dotted(statement: str, line: int) -> list[Import]:
    """`import a.b.C;` and `using X = a.b.C;`, Java and C#."""
    words = statement.rstrip(";").split()
    path = words[-1] if words else ""
    if not path or path in {"import", "using"}:
        return []
    name = path.rpartition(".")[2]
    return [Import(path, line, ((name, name),) if name != "*" else ())]


def _rust(statement: str, line: int) -> list[Import]:
    use = statement.partition("use ")[2].rstrip("; \n")
    group = _RUST_GROUP.match(use)
    if group is None:
        path, _, alias = use.partition(" as ")
        head, _, name = path.rpartition("::")
        return [Import(head or path, line, ((name.strip(), (alias or name).strip()),))]
    names = [
        _as(item)
        for item in _SPACE.sub(" ", group[2]).split(",")
        if item.strip() and "{" not in item
    ]
    return [Import(group[1].strip(), line, tuple(n for n in names if n[0].isidentifier()))]


def _include(statement: str, line: int) -> list[Import]:
    quoted = re.search(r'#\s*include\s*"([^"]+)"', statement)
    if quoted:
        return [Import(quoted[1], line, level=-1)]
    system = re.search(r"#\s*include\s*<([^>]+)>", statement)
    return [Import(system[1], line)] if system else []


def _ruby(statement: str, line: int) -> list[Import]:
    quoted = _QUOTED.search(statement)
    if not quoted:
        return []
    relative = "require_relative" in statement[: quoted.start()]
    return [Import(quoted[1], line, level=-1 if relative else 0)]


def _php(statement: str, line: int) -> list[Import]:
    if statement.startswith("use"):
        path = statement.removeprefix("use").strip(" ;\n").partition(" as ")[0].lstrip("\\")
        dotted = path.replace("\\", ".")
        if "{" in dotted:
            return []
        name = dotted.rpartition(".")[2]
        return [Import(dotted, line, ((name, name),))]
    quoted = _QUOTED.search(statement)
    return [Import(quoted[1].lstrip("/"), line, level=-1)] if quoted else []


def _bash(statement: str, line: int) -> list[Import]:
    words = statement.split()
    if len(words) < 2 or "$" in words[1]:
        return []
    return [Import(words[1].strip("\"'"), line, level=-1)]


_READERS: dict[str, Callable[[str, int], list[Import]]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _javascript,
    "tsx": _javascript,
    "go": _go,
    "java": _dotted,
    "csharp": _dotted,
    "rust": _rust,
    "c": _include,
    "cpp": _include,
    "ruby": _ruby,
    "php": _php,
    "bash": _bash,
}

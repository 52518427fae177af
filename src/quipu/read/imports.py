"""Import statements of each language, read from their text."""

import re
from collections.abc import Callable, Iterator

from quipu.limits import LONGEST_PASSAGE
from quipu.records.document import Import

_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"#[^\n]*")
_QUOTED = re.compile(r"""["'`]([^"'`\n]+)["'`]""")
_JS_NAMES = re.compile(r"\{([^}]*)\}", re.DOTALL)
_JS_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([A-Za-z_$][\w$]*)")
_JS_REQUIRED = re.compile(r"([A-Za-z_$][\w$]*)\s*=\s*require\([^)]*\)(?:\.([A-Za-z_$][\w$]*))?$")
_JS_STAR = re.compile(r"\*\s+as\s+([A-Za-z_$][\w$]*)")
_FROM = re.compile(r"from ?(\.*(?: \.+)*) ?([\w.]*) ?\bimport\b ?(.*)")
_VERSION = re.compile(r"v\d+")
_DOT_VERSION = re.compile(r"\.v\d+$")
_DOTTED_HEAD = re.compile(r"^\s*(?:global\s+)?(?:using|import)\s+(?:static\s+)?")
_RUST_USE = re.compile(r"\buse\b(.*)", re.DOTALL)
_RUST_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_RUST_TOKEN = re.compile(r"[{},]|[^\s{},]+(?:\s+as\s+\w+)?")
_PHP_KIND = re.compile(r"^(?:function|const) ")


def read_import(statement: str, line: int, language: str) -> list[Import]:
    """What one import statement brings in; nothing when it cannot be read."""
    reader = _READERS.get(language)
    return reader(statement[:LONGEST_PASSAGE], line) if reader else []


def _as(item: str) -> tuple[str, str]:
    name, _, alias = item.partition(" as ")
    return name.strip(), (alias or name).strip()


def _python(statement: str, line: int) -> list[Import]:
    flat = _SPACE.sub(" ", _COMMENT.sub("", statement).replace("\\\n", " ")).strip()
    if brought := _FROM.fullmatch(flat):
        level = brought[1].count(".")
        names = [_as(item) for item in brought[3].strip("() ").split(",") if item.strip(" ()")]
        return [Import(brought[2], line, tuple(names), level=level)]
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
            _as(item.strip().removeprefix("type ").replace(":", " as ", 1))
            for item in braces[1].split(",")
            if item.strip()
        ]
    alias = ""
    if required := _JS_REQUIRED.match(statement):
        names += [(required[2], required[1])] if required[2] else []
        alias = "" if required[2] else required[1]
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
    return [
        Import(quoted[1], line, alias=statement[: quoted.start()].strip() or _go_name(quoted[1]))
    ]


def _go_name(path: str) -> str:
    """What a package is likely called: its last part, its version aside."""
    *above, last = path.split("/")
    if above and _VERSION.fullmatch(last):
        last = above[-1]
    return _DOT_VERSION.sub("", last)


def _dotted(statement: str, line: int) -> list[Import]:
    """`import a.b.C;` and `using X = a.b.C;`, Java and C#."""
    body = _DOTTED_HEAD.sub("", statement).strip("; \n")
    alias, equals, path = body.partition("=")
    path = "".join((path if equals else body).partition("<")[0].split())
    if not path:
        return []
    name = path.rpartition(".")[2]
    names = ((name, alias.strip() if equals else name),) if name != "*" else ()
    return [Import(path, line, names)]


def _rust(statement: str, line: int) -> list[Import]:
    """`use a::{b, c::{d as e, self}, f::*};` as an import of each module, with its names."""
    use = _RUST_USE.search(_RUST_COMMENT.sub(" ", statement))
    if use is None:
        return []
    modules: dict[str, list[tuple[str, str]]] = {}
    for path, alias in _leaves(use[1].rstrip("; \n")):
        module, _, name = path.rpartition("::")
        called = module.rpartition("::")[2] if name == "self" else name
        modules.setdefault(module or path, []).append((name, alias or called))
    return [Import(module, line, tuple(names)) for module, names in modules.items()]


def _leaves(tree: str) -> Iterator[tuple[str, str]]:
    """Every path of a use tree and what it is called here ("" for its own name)."""
    prefixes, pending = [""], ""
    for mark in (*_RUST_TOKEN.findall(tree), ","):
        if mark == "{":
            prefixes.append(prefixes[-1] + pending)
        elif mark not in ",}":
            pending = "".join(mark.split()) if " as " not in _SPACE.sub(" ", mark) else mark
            continue
        elif pending:
            path, alias = _as(_SPACE.sub(" ", pending))
            yield (prefixes[-1] + path).removeprefix("::"), "" if alias == path else alias
        pending = ""
        if mark == "}" and len(prefixes) > 1:
            prefixes.pop()


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
        body = _PHP_KIND.sub("", _SPACE.sub(" ", statement.removeprefix("use")).strip(" ;"))
        prefix, group, items = body.partition("{")
        if not group:
            prefix, items = "", body
        return [
            _php_name(prefix + _PHP_KIND.sub("", item.strip()), line)
            for item in items.strip("} ").split(",")
            if item.strip()
        ]
    quoted = _QUOTED.search(statement)
    return [Import(quoted[1].lstrip("/"), line, level=-1)] if quoted else []


def _php_name(written: str, line: int) -> Import:
    path, alias = _as(written)
    dotted = path.strip("\\ ").replace("\\", ".")
    name = dotted.rpartition(".")[2]
    return Import(dotted, line, ((name, name if alias == path else alias),))


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

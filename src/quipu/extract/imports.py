"""Imports: which document of the tree, or which package, an import statement means."""

import posixpath
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import msgspec

from quipu.extract.asserting import Assertions
from quipu.extract.catalogue import Catalogue
from quipu.records.document import Document, Import
from quipu.tables import read_table

_JS = ("javascript", "typescript", "tsx")
_MOST_FILES = 40
PACKAGE_CONFIDENCE = 0.8
"""An import says that there is such a package, not which distribution it comes from."""


class _Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    own: frozenset[str]
    families: tuple[frozenset[str], ...]
    implicit: frozenset[str]
    common: str


class _Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file, which says what each key means."""

    names: _Names
    endings: dict[str, tuple[str, ...]]
    builtin: dict[str, str]
    distributions: dict[str, str]


@cache
def known_languages() -> _Known:
    """What languages of code call things: `languages.toml`."""
    return msgspec.convert(read_table("quipu.extract", "languages.toml"), _Known)


@dataclass(slots=True)
class Imported:
    """What names mean because of the imports: documents (modules), names inside of them, the
    documents of a package, and documents whose names are all in scope, with their namespace;
    `foreign` are names of what is not of this tree."""

    modules: dict[str, str] = field(default_factory=dict[str, str])
    names: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    packages: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    open: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    foreign: set[str] = field(default_factory=set[str])


def assert_imports(found: Assertions, catalogue: Catalogue) -> Imported:
    """Assert IMPORTS of every import, and say what the imported names mean."""
    document = found.document
    imported = Imported()
    for each in document.imports:
        if each.level == -2:
            continue
        targets = _targets(each, document, catalogue, imported)
        for path in targets:
            target = catalogue.document(path)
            if target:
                found.relation(found.document_id, "IMPORTS", target, each.line)
        if targets:
            continue
        imported.foreign |= _brought(each)
        package = _package(each, document.language)
        if package:
            known = catalogue.thing("Package", package)
            target = known or found.named("Package", package, each.line)
            confidence = 1.0 if known else PACKAGE_CONFIDENCE
            found.relation(found.document_id, "IMPORTS", target, each.line, confidence=confidence)
        elif each.level == -1:
            found.missing(each.line, "IMPORTS", each.module)
    return imported


def _brought(each: Import) -> set[str]:
    """The names that an import brings into its file."""
    if each.names or each.alias:
        return {alias for _, alias in each.names} | {each.alias} - {""}
    parts = [part for part in re.split(r"[./\\:]+", each.module) if part]
    return {parts[0], parts[-1]} if parts else set()


def _targets(
    each: Import, document: Document, catalogue: Catalogue, imported: Imported
) -> list[str]:
    resolver = _RESOLVERS.get(document.language)
    if resolver:
        return resolver(each, document, catalogue, imported)
    path = _path(each, document, catalogue)
    if path is None:
        return []
    document_id = catalogue.document(path) or ""
    for name, alias in each.names:
        imported.names[alias] = (document_id, name)
    if each.alias:
        imported.modules[each.alias] = document_id
    return [path]


def _python(
    each: Import, document: Document, catalogue: Catalogue, imported: Imported
) -> list[str]:
    base = _relative_base(each, document.path) if each.level else None
    if each.level and base is None:
        return []

    def path_of(name: str = "") -> str | None:
        if base is not None:
            return _first(posixpath.join(base, name), "python", catalogue)
        return _python_path(f"{each.module}.{name}".strip("."), document, catalogue)

    own = path_of()
    paths = [own] if own else []
    own_id = catalogue.document(own) if own else None
    if own_id and not each.names:
        imported.modules[each.alias or each.module] = own_id
    for name, alias in each.names:
        inner = path_of(name)
        inner_id = catalogue.document(inner) if inner else None
        if inner and inner_id:
            imported.modules[alias] = inner_id
            paths.append(inner)
        elif own_id:
            imported.names[alias] = (own_id, name)
    return sorted(set(paths))


def _relative_base(each: Import, path: str) -> str | None:
    """Where the module of a relative import lies, without an ending; None above the root."""
    folder: str = posixpath.dirname(path)
    for _ in range(each.level - 1):
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return posixpath.join(folder, *each.module.split("."))


def _python_path(module: str, document: Document, catalogue: Catalogue) -> str | None:
    folder = posixpath.dirname(document.path)
    if not catalogue.document(posixpath.join(folder, "__init__.py")):
        sibling = posixpath.join(folder, module.replace(".", "/") + ".py")
        if catalogue.document(sibling):  # a folder of scripts, where Python looks first
            return sibling
    return catalogue.module(module)


def _go(each: Import, document: Document, catalogue: Catalogue, imported: Imported) -> list[str]:
    files = catalogue.go_package(each.module)
    names = {each.alias, *(catalogue.package_of("go", path) for path in files[:1])} - {"", "_"}
    used = {
        rest.partition(".")[0]
        for use in document.uses
        for head, _, rest in [use.name.partition(".")]
        if head in names
    }
    ids = [(path, catalogue.document(path) or "") for path in files]
    if each.alias == ".":
        imported.open += [(document_id, "") for _, document_id in ids]
        used = {use.name.partition(".")[0] for use in document.uses}
    elif ids:
        imported.packages |= {name: [document_id for _, document_id in ids] for name in names}
    return _few(ids, used, "", catalogue)


def _few(
    files: list[tuple[str, str]], used: set[str], package: str, catalogue: Catalogue
) -> list[str]:
    """The paths of a package's files; of a large one only those that define a name in `used`."""
    if len(files) <= _MOST_FILES:
        return [path for path, _ in files]
    return [
        path
        for path, document_id in files
        if any(
            catalogue.symbol(document_id, qualified)
            for name in used
            for qualified in (name, f"{package}.{name}")
        )
    ]


def _declared(
    each: Import, document: Document, catalogue: Catalogue, imported: Imported
) -> list[str]:
    """A package that files of the tree declare, or a name that just one of its files defines."""
    language = document.language
    package = each.module.removesuffix(".*")
    files = catalogue.package_files(language, package)
    if files and (language == "csharp" or package != each.module):
        ids = [(path, catalogue.document(path) or "") for path in files]
        imported.open += [(document_id, package) for _, document_id in ids]
        used = {use.name.partition(".")[0] for use in document.uses}
        return _few(ids, used, package, catalogue)
    parts = package.split(".")
    for at in range(len(parts) - 1, max(len(parts) - 3, 0), -1):
        symbol = catalogue.declared(language, ".".join(parts[:at]), parts[at])
        if symbol:
            member = ".".join((symbol.qualified, *parts[at + 1 :]))
            for _, alias in each.names:
                imported.names[alias] = (symbol.document_id, member)
            return [symbol.path]
    path = _path(each, document, catalogue)
    if path is None:
        return []
    for name, alias in each.names:
        imported.names[alias] = (catalogue.document(path) or "", name)
    return [path]


def _rust_targets(
    each: Import, document: Document, catalogue: Catalogue, imported: Imported
) -> list[str]:
    """The modules that are brought in, and those that the names brought in come from."""
    own = _rust(each.module, document, catalogue)
    own_id = (catalogue.document(own) if own else None) or ""
    paths: list[str] = []
    for name, alias in each.names:
        inner = _rust(f"{each.module}::{name}", document, catalogue, exactly=True)
        if inner:
            imported.modules[alias] = catalogue.document(inner) or ""
            paths.append(inner)
        elif own:
            paths.append(own)
            if name == "*":
                imported.open.append((own_id, ""))
            elif name == "self":
                imported.modules[alias] = own_id
            else:
                imported.names[alias] = (own_id, name)
    return sorted(set(paths))


def _path(each: Import, document: Document, catalogue: Catalogue) -> str | None:
    finder = _FINDERS.get(document.language)
    return finder(each, document, catalogue) if finder else None


def _relative(each: Import, document: Document, catalogue: Catalogue) -> str | None:
    """The file of an import that names it by its place from here."""
    language = "javascript" if document.language in _JS else document.language
    here = posixpath.dirname(document.path)
    if each.level == -1:
        return _first(posixpath.join(here, each.module), language, catalogue)
    return catalogue.path_ending(f"lib/{each.module}.rb") if language == "ruby" else None


def _included(each: Import, document: Document, catalogue: Catalogue) -> str | None:
    if each.level == -1:
        here = posixpath.dirname(document.path)
        near = posixpath.normpath(posixpath.join(here, each.module))
        if catalogue.document(near):
            return near
    return catalogue.path_ending(each.module) if "/" in each.module or each.level else None


def _class_file(each: Import, document: Document, catalogue: Catalogue) -> str | None:
    parts = each.module.split(".")
    for drop in range(min(2, len(parts) - 1)):
        path = catalogue.path_ending("/".join(parts[drop:]) + "." + document.language)
        if path:
            return path
    return None


def _first(path: str, language: str, catalogue: Catalogue) -> str | None:
    """The first path of the tree that a module at `path` may be."""
    normal = posixpath.normpath(path)
    endings = known_languages().endings[language]
    names = [ending.lstrip("/") if normal == "." else normal + ending for ending in endings]
    stem, _, ending = normal.rpartition(".")
    if ending in ("js", "jsx", "mjs"):  # TypeScript names the file it will become
        names += [f"{stem}.ts", f"{stem}.tsx"]
    return next((name for name in names if catalogue.document(name)), None)


def _rust(
    module: str, document: Document, catalogue: Catalogue, *, exactly: bool = False
) -> str | None:
    """The file of a module of this crate; unless `exactly`, the last parts may be types."""
    parts = module.split("::")
    here = posixpath.dirname(document.path)
    if parts[0] == "crate":
        root = here
        while root and not catalogue.document(posixpath.join(root, "Cargo.toml")):
            root = posixpath.dirname(root)
        folder = posixpath.join(root, "src")
    elif parts[0] in ("self", "super"):
        stem = posixpath.splitext(document.path)[0]
        folder = here if posixpath.basename(stem) in ("mod", "lib", "main") else stem
        if parts[0] == "super":
            folder = posixpath.dirname(folder)
    else:
        return None
    for end in range(len(parts), len(parts) - 1 if exactly else 0, -1):
        base = posixpath.join(folder, *parts[1:end])
        if path := _first(base, "rust", catalogue):
            return path
    return None


def _package(each: Import, language: str) -> str:
    """The package that an import which is not in the tree comes from, "" when unknown."""
    namer = _PACKAGE_NAMES.get(language)
    return namer(each.module) if namer and not each.level and each.module else ""


def _python_package(module: str) -> str:
    top = module.partition(".")[0]
    known = top in sys.stdlib_module_names or top.startswith("_")
    return "" if known else known_languages().distributions.get(top, top)


def _node_package(module: str) -> str:
    if module.startswith(("node:", "http", "#", "~", "@/")):
        return ""
    parts = module.split("/")
    name = "/".join(parts[:2]) if module.startswith("@") else parts[0]
    return "" if name in known_languages().builtin["node"].split() else name


def _go_package(module: str) -> str:
    parts = module.split("/")
    return "/".join(parts[:3]) if "." in parts[0] else ""


def _crate(module: str) -> str:
    top = module.partition("::")[0]
    own = known_languages().builtin["rust"].split()
    return "" if top in own or not top[:1].islower() else top.replace("_", "-")


_PACKAGE_NAMES: dict[str, Callable[[str], str]] = {
    "python": _python_package,
    **dict.fromkeys(_JS, _node_package),
    "go": _go_package,
    "rust": _crate,
}
_FINDERS: dict[str, Callable[[Import, Document, Catalogue], str | None]] = {
    **dict.fromkeys((*_JS, "ruby", "bash"), _relative),
    **dict.fromkeys(("c", "cpp"), _included),
    **dict.fromkeys(("java", "php"), _class_file),
}
_RESOLVERS: dict[str, Callable[[Import, Document, Catalogue, Imported], list[str]]] = {
    "python": _python,
    "go": _go,
    "rust": _rust_targets,
    **dict.fromkeys(("csharp", "java", "php"), _declared),
}

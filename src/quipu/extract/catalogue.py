"""What is known of a whole tree: the documents, symbols and named things that files refer to.

It is filled from documents, whether just read or kept from an earlier run without their text,
in any order. A name that could mean two things means nothing: what is named so stays unlinked and
is counted as unresolved, whichever of the two came first.
"""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from quipu.extract.entities import entities_of
from quipu.records.document import Document
from quipu.records.ids import identity_key
from quipu.records.record import Entity, Value
from quipu.records.wiki import note_names
from quipu.text import fold, name_key

_OWNED = ("Service", "Application", "Infra", "Registry", "Workflow")
_SOURCE_ROOTS = ("src/", "lib/", "python/", "packages/")


class _DeclaredPackages(msgspec.Struct, frozen=True, array_like=True):
    """What a document says of packages: those it is part of, and the Go modules it names."""

    path: str
    language: str
    packages: tuple[str, ...]
    modules: tuple[str, ...]


class KnownSymbol(NamedTuple):
    """A symbol of the tree: its entity, the document it is in and its dotted name there."""

    entity_id: str
    document_id: str
    path: str
    qualified: str
    language: str
    kind: str
    bases: tuple[str, ...] = ()


class Defined(msgspec.Struct, frozen=True, array_like=True):
    """All of a document that what others say may refer to: while it stays as it is, no other
    document's references mean anything else. Its entities have only what a catalogue asks for."""

    entities: tuple[Entity, ...]
    declared: _DeclaredPackages


_ASKED_FOR = (
    "file_path",
    "id",
    "document_id",
    "path",
    "qualified_name",
    "language",
    "kind",
    "permalink",
)
_BLOCKS, _BASES = "block_ids", "bases"
_MOST_BASES = 20
_NOTES = (".md", ".markdown", ".mdx")


def defined_by(document: Document, document_id: str, namespace: str) -> Defined:
    """What `document` defines."""
    entities = entities_of(document, document_id=document_id, namespace=namespace)
    return Defined(tuple(map(_bare, entities)), _declared_by(document))


def _bare(entity: Entity) -> Entity:
    properties = entity.properties
    return Entity(
        entity_id=entity.entity_id,
        type=entity.type,
        name=entity.name,
        updated_at="",
        source_sha="",
        aliases=entity.aliases,
        properties={
            key: properties[key]
            for key in (*_ASKED_FOR, _BLOCKS, _BASES)
            if isinstance(properties.get(key), list if key in (_BLOCKS, _BASES) else str)
        },
    )


class Catalogue:
    """Look-ups over the entities it was given, in any order; the same entity twice is once."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self._seen: set[str] = set()
        self._documents: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._folders: set[str] = {""}
        self._names: dict[str, set[str]] = {}
        self._things: dict[tuple[str, str], set[str]] = {}
        self._packages = _Packages()
        self._homes: dict[tuple[str, str], str] = {}
        self._symbols: dict[tuple[str, str], KnownSymbol] = {}
        self._by_name: dict[str, list[KnownSymbol]] = {}
        self._by_id: dict[str, KnownSymbol] = {}
        self._by_basename: dict[str, list[str]] = {}
        self._notes: dict[str, list[str]] = {}
        self._modules: dict[str, list[str]] | None = None

    def add(self, document: Document, document_id: str) -> None:
        """Take in a document that was read, and all it defines."""
        self.take(defined_by(document, document_id, self.namespace))

    def take(self, defined: Defined) -> None:
        """Take in what a document defines."""
        for entity in defined.entities:
            self.add_entity(entity)
        self._packages.add(defined.declared)

    def add_entity(self, entity: Entity) -> None:
        """Take in one entity; types nothing refers to by name are passed over. Several pages may
        be one service."""
        home = _text(entity.properties.get("document_id"))
        if home and entity.type != "Symbol":
            self._homes[entity.type, home] = entity.entity_id
        if entity.entity_id in self._seen:
            return
        self._seen.add(entity.entity_id)
        if entity.type == "Document":
            self._add_document(entity)
        elif entity.type == "Symbol":
            self._add_symbol(entity)
        else:
            for name in (entity.name, *entity.aliases):
                key = (entity.type, identity_key(entity.type, name))
                self._things.setdefault(key, set()).add(entity.entity_id)

    def _add_document(self, entity: Entity) -> None:
        path = _text(entity.properties.get("file_path"))
        if not path:
            return
        self._documents[path] = entity.entity_id
        self._paths[entity.entity_id] = path
        folder = posixpath.dirname(path)
        while folder not in self._folders:
            self._folders.add(folder)
            folder = posixpath.dirname(folder)
        self._by_basename.setdefault(posixpath.basename(path), []).append(path)
        self._modules = None
        for called in _called(path):
            self._notes.setdefault(_note_key(called).rpartition("/")[2], []).append(path)
        names = [entity.name, *entity.aliases]
        names += [_text(entity.properties.get(key)) for key in ("id", "permalink")]
        blocks = entity.properties.get(_BLOCKS)
        names += [f"(({block}))" for block in blocks] if isinstance(blocks, list) else []
        for name in filter(None, names):
            self._names.setdefault(name_key(name), set()).add(entity.entity_id)

    def _add_symbol(self, entity: Entity) -> None:
        properties = entity.properties
        symbol = KnownSymbol(
            entity.entity_id,
            _text(properties.get("document_id")),
            _text(properties.get("path")),
            _text(properties.get("qualified_name")) or entity.name,
            _text(properties.get("language")),
            _text(properties.get("kind")),
            _texts(properties.get(_BASES)),
        )
        self._symbols[symbol.document_id, symbol.qualified] = symbol
        self._by_id[symbol.entity_id] = symbol
        parts = symbol.qualified.split(".")
        for at in range(len(parts)):
            self._by_name.setdefault(".".join(parts[at:]), []).append(symbol)

    # Documents

    def paths(self) -> list[str]:
        """Every known path, in order."""
        return sorted(self._documents)

    def document(self, path: str) -> str | None:
        """The document at exactly this path."""
        return self._documents.get(path)

    def path_of(self, document_id: str) -> str:
        """The path of a known document, "" of an unknown one."""
        return self._paths.get(document_id, "")

    def path_ending(self, suffix: str) -> str | None:
        """The one path that is, or ends in a folder's border and, `suffix`."""
        suffix = suffix.strip("/")
        if suffix in self._documents:
            return suffix
        found = [
            path
            for path in self._by_basename.get(posixpath.basename(suffix), ())
            if path.endswith("/" + suffix)
        ]
        return found[0] if len(found) == 1 else None

    def has_folder(self, path: str) -> bool:
        """Whether some document lies below this folder."""
        return path.strip("/") in self._folders

    def note(self, name: str, here: str) -> str | None:
        """The document that a wiki link in the one at `here` means: by its path or the end of it
        (one in the same folder before others), else by its title, an alias or its permalink."""
        key = _note_key(name)
        meant = {
            path: called
            for path in self._notes.get(key.rpartition("/")[2], ())
            for called in _note_paths(path)
            if called == key or called.endswith(f"/{key}")
        }
        folder = posixpath.dirname(here)
        for found in (
            [path for path, called in meant.items() if called == key],
            [path for path in meant if posixpath.dirname(path) == folder],
            list(meant),
        ):
            if len(found) == 1:
                return self._documents[found[0]]
        return None if meant else self.document_named(name)

    def document_named(self, name: str) -> str | None:
        """The one document with this title or front matter id."""
        found = self._names.get(name_key(name), ())
        return next(iter(found)) if len(found) == 1 else None

    def module(self, dotted: str) -> str | None:
        """The path of the one Python module called `dotted`."""
        if self._modules is None:
            self._modules = _python_modules(self._documents)
        found = self._modules.get(dotted, ())
        return found[0] if len(found) == 1 else None

    def package_files(self, language: str, package: str) -> list[str]:
        """The paths of the files that declare themselves part of a package or namespace."""
        return self._packages.declaring(language, package)

    def go_package(self, path: str) -> list[str]:
        """The files of the Go package that `path` imports, if a go.mod of the tree says so."""
        return self._packages.go(path)

    def package_of(self, language: str, path: str) -> str:
        """What the file at `path` declares itself part of, "" for nothing."""
        return self._packages.of(language, path)

    def declared(self, language: str, package: str, name: str) -> KnownSymbol | None:
        """The one symbol `name` that the files of a package define."""
        found = [
            symbol
            for path in self.package_files(language, package)
            for qualified in (name, f"{package}.{name}")
            if (symbol := self._symbols.get((self._documents.get(path, ""), qualified)))
        ]
        return found[0] if len(found) == 1 else None

    # Things

    def thing(self, type: str, name: str) -> str | None:  # noqa: A002 - the record's own word
        """The one entity of `type` known by this name; None when several are."""
        found = self._things.get((type, identity_key(type, name)), ())
        return next(iter(found)) if len(found) == 1 else None

    def is_ambiguous(self, type: str, name: str) -> bool:  # noqa: A002
        """Whether several entities of `type` are known by this name, two ADRs with one id say."""
        return len(self._things.get((type, identity_key(type, name)), ())) > 1

    def thing_in(self, type: str, document_id: str) -> str | None:  # noqa: A002
        """The entity of `type` (an ADR, a policy) that a document is."""
        return self._homes.get((type, document_id))

    def things_in(self, document_id: str) -> list[str]:
        """Every thing that a document is, but the teams that own."""
        found = {self._homes.get((type_, document_id)) for type_ in _OWNED}
        return sorted(each for each in found if each)

    def thing_of_any(self, name: str, types: Iterable[str]) -> tuple[str, str] | None:
        """The first of `types` that knows this name: its entity and the type."""
        for type_ in types:
            found = self.thing(type_, name)
            if found:
                return found, type_
        return None

    # Symbols

    def symbol(self, document_id: str, qualified: str) -> KnownSymbol | None:
        """The symbol with this dotted name in this document."""
        return self._symbols.get((document_id, qualified))

    def with_bases(self, entity_id: str) -> list[KnownSymbol]:
        """The type with this id and those that it extends, the nearest first, as far as their names
        are of its own document or of one symbol of the tree."""
        first = self._by_id.get(entity_id)
        found = [first] if first is not None else []
        for each in found:
            for name in each.bases:
                last = name.rpartition(".")[2]
                above = self.symbol(each.document_id, name) or self.only_symbol(
                    last, languages=frozenset({each.language})
                )
                if above is not None and above not in found and len(found) < _MOST_BASES:
                    found.append(above)
        return found

    def only_symbol(
        self, name: str, *, languages: frozenset[str] = frozenset(), below: str = ""
    ) -> KnownSymbol | None:
        """The one symbol whose dotted name is or ends in `name`.

        `languages` (none: any) and `below` (a folder) narrow the choice. A name that several
        symbols share gives the one that is called so in full, if there is just one.
        """
        found = [
            symbol
            for symbol in self._by_name.get(name, ())
            if (not languages or symbol.language in languages) and symbol.path.startswith(below)
        ]
        if len(found) > 1:
            found = [symbol for symbol in found if symbol.qualified == name]
        return found[0] if len(found) == 1 else None


def _note_key(name: str) -> str:
    return fold(name).lower().removesuffix(".md").strip("/ ")


def _called(path: str) -> list[str]:
    """A note by its names, any other document by its file's name."""
    return note_names(path) if path.endswith(_NOTES) else [posixpath.basename(path)]


def _note_paths(path: str) -> list[str]:
    """A document's path as links write it, by each of its names."""
    folder = posixpath.dirname(path)
    return [_note_key(posixpath.join(folder, called)) for called in _called(path)]


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Value) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(each for each in listed if isinstance(each, str))


def _python_modules(paths: Iterable[str]) -> dict[str, list[str]]:
    """Paths by module name: from the highest folder that is a package, and from usual roots."""
    known = [path for path in paths if path.endswith((".py", ".pyi"))]
    packages: set[str] = {
        posixpath.dirname(path)
        for path in known
        if posixpath.basename(path) in ("__init__.py", "__init__.pyi")
    }
    modules: dict[str, list[str]] = {}
    for path in sorted(known):
        for name in _module_names(path, packages):
            taken = modules.setdefault(name, [])
            if path.removesuffix("i") not in taken:  # a stub gives way to its module
                taken.append(path)
    return modules


def _module_names(path: str, packages: set[str]) -> set[str]:
    folder: str = posixpath.dirname(path)
    while folder in packages:
        folder = posixpath.dirname(folder)
    bare = path.rpartition(".")[0]
    bare = bare.removesuffix("/__init__")
    relative = {bare, bare[len(folder) + 1 :] if folder else bare}
    relative |= {bare.removeprefix(root) for root in _SOURCE_ROOTS if bare.startswith(root)}
    return {name.replace("/", ".") for name in relative if name and name != "__init__"}


def _declared_by(document: Document) -> _DeclaredPackages:
    """What `document` says of packages."""
    modules = [t.name for t in document.things if t.type == "Package"]
    is_module = posixpath.basename(document.path) == "go.mod"
    return _DeclaredPackages(
        document.path,
        document.language,
        tuple(each.module for each in document.imports if each.level == -2),
        tuple(modules) if is_module else (),
    )


@dataclass(slots=True)
class _Packages:
    """Filled from documents in any order."""

    _declared: dict[tuple[str, str], set[str]] = field(
        default_factory=dict[tuple[str, str], set[str]]
    )
    _package_of: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _go_modules: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _go_files: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def add(self, said: _DeclaredPackages) -> None:
        """Take in what a document says of packages."""
        folder, name = posixpath.split(said.path)
        for module in said.modules:
            self._go_modules.setdefault(module, set()).add(folder)
        for package in said.packages:
            self._declared.setdefault((said.language, package), set()).add(said.path)
            self._package_of.setdefault((said.language, said.path), package)
        if said.language == "go" and not name.endswith("_test.go"):
            self._go_files.setdefault(folder, set()).add(said.path)

    def declaring(self, language: str, package: str) -> list[str]:
        """The files that declare `package`, by path."""
        return sorted(self._declared.get((language, package), ()))

    def of(self, language: str, path: str) -> str:
        """The first package that the file at `path` declares, "" without one."""
        return self._package_of.get((language, path), "")

    def go(self, path: str) -> list[str]:
        """The files of the Go package `path`: those of its folder, in the module whose own path
        it begins with. None of a module that two folders claim to be."""
        module = path
        while module and module not in self._go_modules:
            module = module.rpartition("/")[0]
        folders = self._go_modules.get(module, set())
        if len(folders) != 1:
            return []
        below = posixpath.join(*folders, path[len(module) :].lstrip("/")).rstrip("/")
        return sorted(self._go_files.get(below, ()))

"""Packages of several files: those that files declare, and those of a Go module's folders."""

import posixpath
from dataclasses import dataclass, field

import msgspec

from quipu.records.document import Document


class DeclaredPackages(msgspec.Struct, frozen=True, array_like=True):
    """What a document says of packages: those it is part of, and the Go modules it names."""

    path: str
    language: str
    packages: tuple[str, ...]
    modules: tuple[str, ...]


def declared_by(document: Document) -> DeclaredPackages:
    """What `document` says of packages."""
    modules = [t.name for t in document.things if t.type == "Package"]
    is_module = posixpath.basename(document.path) == "go.mod"
    return DeclaredPackages(
        document.path,
        document.language,
        tuple(each.module for each in document.imports if each.level == -2),
        tuple(modules) if is_module else (),
    )


@dataclass(slots=True)
class Packages:
    """Filled from documents in any order."""

    _declared: dict[tuple[str, str], set[str]] = field(
        default_factory=dict[tuple[str, str], set[str]]
    )
    _package_of: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _go_modules: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _go_files: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def add(self, said: DeclaredPackages) -> None:
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

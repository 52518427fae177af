"""REFERS_TO, EXTENDS, RAISES: which symbol a name in code or prose means.

A name is looked for in the file itself, then among what the file imports, then in the whole
tree, where it must be the only one. The confidence says which of these it was.
"""

import builtins
import posixpath
from functools import cache

from quipu.extract.asserting import Assertions
from quipu.extract.catalogue import Catalogue, KnownSymbol
from quipu.extract.imports import Imported, known_languages
from quipu.records.document import Definition, Use
from quipu.records.ids import CONSTRUCTORS, symbol_entity_id

IN_FILE = 0.95
IMPORTED = 0.9
REEXPORTED = 0.8
ONLY_IN_TREE = 0.6
ONLY_METHOD = 0.4
NAMED_IN_PROSE = 0.9
WORD_IN_PROSE = 0.7

_SAYS = {"base": "EXTENDS", "raise": "RAISES", "call": "REFERS_TO"}
_MENTIONABLE = ("Tool", "Service", "Package")


def assert_uses(found: Assertions, catalogue: Catalogue, imported: Imported) -> None:
    """Assert what the names mean that the document uses."""
    if found.document.family == "code":
        resolver = _CodeNames(found, catalogue, imported)
        for use in found.document.uses:
            resolver.assert_use(use)
    else:
        for use in found.document.uses:
            _assert_prose_use(use, found, catalogue)


class _CodeNames:
    """The names of one code file."""

    def __init__(self, found: Assertions, catalogue: Catalogue, imported: Imported) -> None:
        self._found = found
        self._catalogue = catalogue
        self._imported = imported
        self._own = {each.qualified for each in found.document.definitions}
        self._types = {
            each.qualified
            for each in found.document.definitions
            if each.kind not in {"function", "method", "variable"}
        }
        self._methods: dict[str, list[Definition]] = {}
        for each in found.document.definitions:
            if each.kind == "method" and each.name not in CONSTRUCTORS:
                self._methods.setdefault(each.qualified.rpartition(".")[0], []).append(each)
        language, names = found.document.language, known_languages().names
        self._self = names.own
        self._implicit = language in names.implicit
        self._languages = next((f for f in names.families if language in f), frozenset({language}))

    def assert_use(self, use: Use) -> None:
        found = self._found
        if use.kind not in _SAYS:
            return
        target, confidence = self._resolve(use.name, use.within)
        if target is None:
            return
        source = self._symbol_id(use.within) if use.within else found.document_id
        if use.kind == "base" and (use.within not in self._types or source == target):
            return
        found.relation(source, _SAYS[use.kind], target, use.line, confidence=confidence)
        if use.kind == "base":
            self._assert_overrides(use.within, target, confidence)

    def _assert_overrides(self, within: str, base: str, confidence: float) -> None:
        """That methods of the class `within` take the place of those of a class that it extends,
        the nearest one above that has a method of this name."""
        above = self._catalogue.with_bases(base)
        for method in self._methods.get(within, ()):
            for known in above:
                over = self._catalogue.symbol(known.document_id, f"{known.qualified}.{method.name}")
                if over is not None and over.kind in ("method", "function"):
                    own = self._symbol_id(method.qualified)
                    self._found.relation(
                        own, "OVERRIDES", over.entity_id, method.line, confidence=confidence
                    )
                    break

    def _symbol_id(self, qualified: str) -> str:
        return symbol_entity_id(self._found.namespace, self._found.document_id, qualified)

    def _resolve(self, name: str, within: str) -> tuple[str | None, float]:
        head, dot, rest = name.partition(".")
        if head in self._self:
            return self._of_self(rest.partition(".")[0], within)
        if head:
            own = self._in_file(name, within)
            if own:
                return self._symbol_id(own), IN_FILE
            through = self._through_import(head, rest)
            if through[0]:
                return through
        last = name.rpartition(".")[2]
        if head in self._imported.foreign or _is_common(last):
            return None, 0.0
        only = self._catalogue.only_symbol(last, languages=self._languages)
        if only is None or (_is_of_module(only) if dot else only.kind == "method"):
            return None, 0.0
        return only.entity_id, ONLY_METHOD if dot else ONLY_IN_TREE

    def _of_self(self, name: str, within: str) -> tuple[str | None, float]:
        owner = within
        while owner:
            owner = owner.rpartition(".")[0]
            if owner and f"{owner}.{name}" in self._own:
                return self._symbol_id(f"{owner}.{name}"), IN_FILE
        if _is_common(name):
            return None, 0.0
        only = self._catalogue.only_symbol(name, languages=self._languages)
        if only is None or only.kind != "method":
            return None, 0.0
        return only.entity_id, ONLY_METHOD

    def _in_file(self, name: str, within: str) -> str | None:
        scope = within
        while scope:
            scope = scope.rpartition(".")[0]
            candidate = f"{scope}.{name}" if scope else name
            if candidate in self._own:
                # A method is not in scope by its bare name, save where `this` is implied; a nested
                # class is.
                if not scope or "." in name or scope not in self._own or self._implicit:
                    return candidate
                return None
        return name if name in self._own else None

    def _through_import(self, head: str, rest: str) -> tuple[str | None, float]:
        if head in self._imported.names:
            document_id, original = self._imported.names[head]
            return self._member(document_id, f"{original}.{rest}" if rest else original)
        for document_id in self._imported.packages.get(head, ()) if rest else ():
            found = self._member(document_id, rest)
            if found[0]:
                return found
        found = self._through_module(head, rest)
        return found if found[0] else self._in_scope(f"{head}.{rest}" if rest else head)

    def _in_scope(self, name: str) -> tuple[str | None, float]:
        """A name of a namespace that was brought in whole; None when two of them have it."""
        found = {
            symbol.entity_id
            for document_id, package in self._imported.open
            for qualified in (name, f"{package}.{name}")
            if (symbol := self._catalogue.symbol(document_id, qualified))
        }
        return (found.pop(), IMPORTED) if len(found) == 1 else (None, 0.0)

    def _through_module(self, head: str, rest: str) -> tuple[str | None, float]:
        module = head
        remaining = rest
        while True:
            if module in self._imported.modules and remaining:
                return self._member(self._imported.modules[module], remaining)
            part, _, remaining = remaining.partition(".")
            if not remaining:
                return None, 0.0
            module = f"{module}.{part}"

    def _member(self, document_id: str, qualified: str) -> tuple[str | None, float]:
        symbol = self._catalogue.symbol(document_id, qualified)
        if symbol:
            return symbol.entity_id, IMPORTED
        path = self._catalogue.path_of(document_id)
        if posixpath.basename(path).startswith(("__init__.", "index.", "mod.")):
            below = posixpath.dirname(path) + "/"
            symbol = self._catalogue.only_symbol(qualified, below=below)
            if symbol and symbol.qualified == qualified:
                return symbol.entity_id, REEXPORTED
        head = qualified.partition(".")[0]
        if head != qualified:  # a method that is inherited or made: its class is meant at least
            return self._member(document_id, head)
        return None, 0.0


def _is_common(name: str) -> bool:
    """Whether things of any kind have what is called so."""
    return len(name) < 4 or name.lower() in _common_names()


@cache
def _common_names() -> frozenset[str]:
    kinds = (str, bytes, list, dict, set, int, object, builtins)
    own = (name.lower() for kind in kinds for name in dir(kind))
    return frozenset([*own, *known_languages().names.common.split()])


def _is_of_module(symbol: KnownSymbol) -> bool:
    """Whether a symbol is a function that no thing has: `JSON.stringify()` is no call of it."""
    return symbol.kind == "function" and "." not in symbol.qualified


def _assert_prose_use(use: Use, found: Assertions, catalogue: Catalogue) -> None:
    if use.kind == "path":
        near = posixpath.normpath(posixpath.join(posixpath.dirname(found.document.path), use.name))
        path = near if catalogue.document(near) else catalogue.path_ending(use.name)
        target = catalogue.document(path) if path else None
        if target:
            found.relation(
                found.document_id, "REFERS_TO", target, use.line, confidence=NAMED_IN_PROSE
            )
        return
    symbol = named_symbol(use.name, catalogue)
    if symbol:
        confidence = NAMED_IN_PROSE if use.kind == "name" else WORD_IN_PROSE
        found.relation(
            found.document_id, "REFERS_TO", symbol.entity_id, use.line, confidence=confidence
        )
        return
    thing = catalogue.thing_of_any(use.name, _MENTIONABLE)
    if thing:
        found.relation(found.document_id, "MENTIONS", thing[0], use.line, confidence=NAMED_IN_PROSE)


def named_symbol(name: str, catalogue: Catalogue) -> KnownSymbol | None:
    """The symbol that a name in prose means: `walk`, `Store.write`, `quipu.text.fold`."""
    normal = name.replace("::", ".").replace("->", ".").replace("#", ".").removesuffix("()")
    symbol = catalogue.only_symbol(normal)
    if symbol or "." not in normal:
        return symbol
    parts = normal.split(".")
    for at in range(len(parts) - 1, 0, -1):
        path = catalogue.module(".".join(parts[:at]))
        if path:
            return catalogue.symbol(catalogue.document(path) or "", ".".join(parts[at:]))
    return None

"""Source code: definitions, calls and imports, by tree-sitter and one query a language."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from tree_sitter import Node, QueryCursor, Tree

from quipu.read.definitions import (
    LONGEST_CALL,
    MAX_NAME,
    MAX_QUALIFIED,
    QUALIFIER,
    Enclosing,
    SymbolRange,
    SymbolSpan,
    define,
    node_text,
    symbol_span,
    with_parts,
)
from quipu.read.imports import read_import
from quipu.read.languages import Grammar, grammar
from quipu.read.settings import SettingUse, read_setting, relations_of
from quipu.records.document import Definition, Import, StatedRelation, Use

_CHAIN = re.compile(r"[A-Za-z_$@][\w$]*[!?]?(?:(?:\.|::|->|\\)[~\w$]+[!?]?)*")
_LAST_NAME = re.compile(r"[A-Za-z_$][\w$]*[!?]?$")
_MAX_ERROR_CHILDREN = 2_000
_MAX_DEPTH = 20_000
_MAX_STEPS = 40_000  # of 100 operations; dense code takes 25 a kilobyte
_ASCII = bytes(range(128)) + b"_" * 128
_BLOCK = 1 << 16
_MOST_EXPORTS = 200
_AFTER = 200
_RAISED_BY_DOC = re.compile(
    r"(?:@(?:throws|exception|raise)\s|:raises?\s|<exception cref=|^Raises:?\n(?:-+\n)?)"
    r"\s*[\[{\"]?([A-Za-z_][\w.\\:]*\w)",
    re.MULTILINE,
)
_HowUsed: TypeAlias = Literal["call", "base", "raise", "set", "delegate"]
_USING: dict[str, tuple[_HowUsed, str]] = {
    "call": ("call", ""),
    "own": ("call", "self."),
    "member": ("call", "."),
    "base": ("base", ""),
    "raise": ("raise", ""),
    "set": ("set", ""),
    "delegate": ("delegate", ""),
}
"""What a capture says of how a name is used, and what stands before the name."""
_OF_FUNCTIONS: frozenset[_HowUsed] = frozenset({"set", "delegate"})
_AS_WRITTEN: frozenset[_HowUsed] = frozenset({"raise", "delegate"})
_IS_SHORT = re.compile(r"(?:exit|return) \d+|(?:super|self|this|parent|base)\(\)\.\w+|super")
_PARTS = ("field", "parameter", "returns")
_SETTINGS = ("environment", "setting")


class _NameUse(NamedTuple):
    """A name in the code; a base that stands outside of the class is a base `of` it."""

    node: Node
    kind: _HowUsed
    before: str
    of: str


@dataclass(frozen=True, slots=True)
class Code:
    """What the code of one file defines, uses and brings in, and its own docstring;
    `relations` are the settings that it reads, `exports` the names that it gives away.
    What is `hopeless` was not looked into at all, what is `broken` only as far as it could be
    parsed."""

    definitions: tuple[Definition, ...]
    uses: tuple[Use, ...]
    imports: tuple[Import, ...]
    doc: str
    broken: bool
    hopeless: bool = False
    relations: tuple[StatedRelation, ...] = ()
    exports: tuple[str, ...] = ()


@dataclass(slots=True)
class _Captured:
    """What a query found in a file, by what it is."""

    found: list[SymbolSpan] = field(default_factory=list[SymbolSpan])
    used: list[_NameUse] = field(default_factory=list[_NameUse])
    docs: list[Node] = field(default_factory=list[Node])
    imports: list[Node] = field(default_factory=list[Node])
    packages: list[Node] = field(default_factory=list[Node])
    parts: list[tuple[str, Node]] = field(default_factory=list[tuple[str, Node]])
    settings: list[tuple[str, Node]] = field(default_factory=list[tuple[str, Node]])
    exported: list[str] = field(default_factory=list[str])
    public: set[int] = field(default_factory=set[int])
    private: set[int] = field(default_factory=set[int])


def read_code(text: str, language: str) -> Code:
    """The structure of `text`; never fails: what cannot be parsed just defines nothing."""
    known = grammar(language)
    data = text.encode()
    tree = _parsed(known, data.translate(_ASCII) if known.spec.ascii else data)
    if tree is None or _is_hopeless(tree.root_node):
        return Code((), (), (), "", broken=True, hopeless=True)
    captured = _captured(known, tree.root_node, data)
    definitions, ranges, doc = define(captured.found, captured.docs, data, text, known.spec)
    definitions = with_parts(definitions, captured.parts, ranges, data)
    uses = _uses(captured.used, ranges, data)
    settings = _settings(captured.settings, ranges, data, _assigned(definitions, uses))
    return Code(
        definitions=definitions,
        uses=_with_documented(uses, definitions),
        imports=(*_packages(captured.packages, data), *_imports(captured.imports, data, language)),
        doc=doc,
        broken=tree.root_node.has_error,
        relations=tuple(relations_of([*settings])),
        exports=_exports(captured, ranges, known),
    )


def _captured(known: Grammar, root: Node, data: bytes) -> _Captured:
    kept = _Captured()
    for _, captures in QueryCursor(known.query).matches(root):
        if using := _USING.keys() & captures.keys():
            of = node_text(captures["of"][0], data) if "of" in captures else ""
            kept.used += [
                _NameUse(node, *_USING[each], of) for each in using for node in captures[each]
            ]
        elif "name" in captures:
            kept.found.append(symbol_span(captures, data))
        elif "doc" in captures:
            kept.docs += captures["doc"]
        elif "import" in captures:
            kept.imports += captures["import"]
        elif "package" in captures:
            kept.packages += captures["package"]
        else:
            _keep(kept, captures, data)
    return kept


def _keep(kept: _Captured, captures: dict[str, list[Node]], data: bytes) -> None:
    """What is said of definitions, read as settings, or given away."""
    for kind in _PARTS:
        kept.parts += [(kind, node) for node in captures.get(kind, ())]
    for kind in _SETTINGS:
        kept.settings += [(kind, node) for node in captures.get(kind, ())]
    for node in captures.get("exported", ()):
        kept.exported.append(node_text(node, data).strip("\"'`"))
    kept.public |= {node.id for node in captures.get("public", ())}
    kept.private |= {node.id for node in captures.get("private", ())}


def _parsed(known: Grammar, data: bytes) -> Tree | None:
    """The tree, None when it would take more work than any program that people write.

    Work is counted in the parser's own steps, not in time, so that every run agrees.
    """
    steps = 0

    def read(offset: int, _: object) -> bytes:
        return data[offset : offset + _BLOCK]

    def is_too_much(_: int, __: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > _MAX_STEPS

    try:
        return known.parser.parse(read, progress_callback=is_too_much)
    except ValueError:  # what the binding makes of a parse that was stopped
        known.parser.reset()
        return None


def _is_deep(root: Node) -> bool:
    """Whether the tree is deeper than queries can go: past 65,535 levels they never end."""
    if root.descendant_count <= _MAX_DEPTH:
        return False
    cursor = root.walk()
    depth = 0  # the cursor's own is counted anew each time
    while depth <= _MAX_DEPTH:
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1
    return True


def _is_hopeless(root: Node) -> bool:
    """Whether the parser gave up on thousands of tokens; queries take quadratic time there."""
    if _is_deep(root):
        return True
    if not root.has_error:
        return False
    broken = [root] if root.type == "ERROR" else [n for n in root.children if n.type == "ERROR"]
    return any(node.child_count > _MAX_ERROR_CHILDREN for node in broken)


def _uses(used: list[_NameUse], ranges: list[SymbolRange], data: bytes) -> tuple[Use, ...]:
    """Each name once for each way it is used in each definition it stands in, at its first line."""
    seen: dict[tuple[str, str, str], Use] = {}
    around = Enclosing(ranges)
    for node, kind, before, of in sorted(
        used, key=lambda u: (u.node.start_byte, u.node.end_byte, u.kind)
    ):
        start = node.start_byte
        stack = around.of(start)
        tail = data[max(start, node.end_byte - LONGEST_CALL) : node.end_byte]
        written = tail.decode("utf-8", "replace")
        name = _called(written)
        if kind in _AS_WRITTEN and _IS_SHORT.fullmatch(written):
            name = written
        if before and name and "." not in name:
            name = before + name
        within = of or (stack[-1].qualified if stack else "")
        if not name or (kind in _OF_FUNCTIONS and not (stack and stack[-1].kind == "function")):
            continue
        key = (name, within, kind)
        if key not in seen:
            seen[key] = Use(name, node.start_point.row + 1, within, kind)
    return tuple(sorted(seen.values(), key=lambda u: (u.line, u.name, u.within, u.kind)))


def _with_documented(uses: tuple[Use, ...], definitions: Sequence[Definition]) -> tuple[Use, ...]:
    """The uses, and what the documentation of a function says that it raises besides."""
    known = {(use.name, use.within) for use in uses if use.kind == "raise"}
    documented = [
        Use(name, each.line, each.qualified, "raise")
        for each in definitions
        if each.doc and each.kind in ("function", "method")
        for name in dict.fromkeys(map(_dotted, _RAISED_BY_DOC.findall(each.doc)))
        if (name, each.qualified) not in known
    ]
    return (*uses, *documented) if documented else uses


def _dotted(written: str) -> str:
    return QUALIFIER.sub(".", written).lstrip(".")


def _assigned(definitions: Sequence[Definition], uses: Sequence[Use]) -> frozenset[str]:
    """The names that the file itself sets: a shell's own variables are not of its environment."""
    return frozenset(
        [each.name for each in definitions if each.kind == "variable"]
        + [use.name for use in uses if use.kind == "set"]
    )


def _settings(
    nodes: Sequence[tuple[str, Node]],
    ranges: Sequence[SymbolRange],
    data: bytes,
    assigned: frozenset[str],
) -> Iterator[SettingUse]:
    """The settings that the file reads, each within the definition that it stands in."""
    around = Enclosing(ranges)
    for kind, node in sorted(nodes, key=lambda each: (each[1].start_byte, each[0])):
        inside = [each for each in around.of(node.start_byte) if each.kind != "variable"]
        within = inside[-1].qualified if inside else ""
        written = node_text(node, data)
        after = data[node.end_byte : node.end_byte + _AFTER].decode("utf-8", "replace")
        use = read_setting(kind, written, after, node.start_point.row + 1, within)
        if use is not None and (use.name not in assigned or written != use.name):
            yield use


def _exports(captured: _Captured, ranges: Sequence[SymbolRange], known: Grammar) -> tuple[str, ...]:
    """The names that the file gives away: those it lists, and its own outermost definitions that
    are marked as public, or, where the language marks none so, are not private."""
    outer = [each for each in ranges if each.outermost]
    if "public" in known.captures:
        own = [each.qualified for each in outer if each.node in captured.public]
    elif captured.exported and "private" not in known.captures:
        own = []
    else:
        own = [each.qualified for each in outer if each.node not in captured.private]
    listed = dict.fromkeys((*captured.exported, *(name for name in own if name[:1] != "_")))
    return tuple(listed)[:_MOST_EXPORTS]


def _called(written: str) -> str:
    """`a.b.c` as it stands, `.c` for a name asked of something computed, "" for neither."""
    if len(written) <= MAX_NAME and _CHAIN.fullmatch(written):
        return QUALIFIER.sub(".", written)
    last = _LAST_NAME.search(written)
    return f".{last[0]}" if last else ""


def _packages(nodes: list[Node], data: bytes) -> tuple[Import, ...]:
    """The packages or namespaces that the file declares itself part of, as imports of level -2."""
    found: list[str] = []
    around: list[tuple[int, str]] = []
    for node in sorted(nodes, key=lambda n: n.start_byte):
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        name = QUALIFIER.sub(".", node_text(node, data))
        name = f"{around[-1][1]}.{name}" if around else name
        if len(name) <= MAX_QUALIFIED:
            found.append(name)
            if node.parent is not None and node.parent.type == "namespace_declaration":
                around.append((node.parent.end_byte, name))
    return tuple(Import(name, 0, level=-2) for name in dict.fromkeys(found))


def _imports(nodes: list[Node], data: bytes, language: str) -> tuple[Import, ...]:
    read = [
        each
        for node in nodes
        for each in read_import(node_text(node, data), node.start_point.row + 1, language)
    ]
    named = {(each.line, each.module) for each in read if each.names or each.alias}
    read = [i for i in read if i.names or i.alias or (i.line, i.module) not in named]
    return tuple(sorted(read, key=lambda i: (i.line, i.module, i.names)))

"""Source code: definitions, calls and imports, by tree-sitter and one query a language."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from tree_sitter import Node, QueryCursor, Tree

from quipu.read.imports import read_import
from quipu.read.languages import Grammar, LanguageSpec, grammar
from quipu.records.document import Definition, Import, Use

_DEFINING = ("function", "class", "module", "variable")
_WRAPPERS = frozenset(
    """decorated_definition export_statement template_declaration lexical_declaration
    variable_declaration type_declaration expression_statement declaration""".split()
)
_CHAIN = re.compile(r"[A-Za-z_$@][\w$]*[!?]?(?:(?:\.|::|->|\\)[~\w$]+[!?]?)*")
_LAST_NAME = re.compile(r"[A-Za-z_$][\w$]*[!?]?$")
_OWNER = re.compile(r"([A-Za-z_$][\w$.]*)\s*(?:\[[^\]]*\])?\s*\)?$")
_QUALIFIER = re.compile(r"::|->|\\|/")
_TYPE_PARAMETERS = re.compile(r"<.*", re.DOTALL)
_COMMENT_MARK = re.compile(r"^\s*(?:/\*+|\*+/|\*(?!/)|///?!?|#+!?|--+)\s?|\s*\*+/\s*$")
_MAX_NAME = 120
_MAX_QUALIFIED = 400
_LONGEST_CALL = 500
_LONGEST_COMMENT = 2_000
_MAX_ERROR_CHILDREN = 2_000
_MAX_DEPTH = 20_000
_MAX_STEPS = 40_000  # of 100 operations; dense code takes 25 a kilobyte
_ASCII = bytes(range(128)) + b"_" * 128
_BLOCK = 1 << 16
_MAX_PARAMETERS = 200
_MAX_DOC = 1200
_MAX_VALUE = 100


class _Found(NamedTuple):
    start: int
    end: int
    kind: str
    name: str
    parameters: str
    node: Node
    value: str = ""

    @property
    def holds_methods(self) -> bool:
        return self.kind == "class" or self.node.type == "impl_item"


_HowUsed: TypeAlias = Literal["call", "base", "raise"]
_USING: frozenset[_HowUsed] = frozenset({"call", "base", "raise"})


class _Used(NamedTuple):
    """A name in the code; a base that stands outside of the class is a base `of` it."""

    node: Node
    kind: _HowUsed
    of: str


@dataclass(frozen=True, slots=True)
class Code:
    """What the code of one file defines, uses and brings in, and its own docstring. What is
    `hopeless` was not looked into at all, what is `broken` only as far as it could be parsed."""

    definitions: tuple[Definition, ...]
    uses: tuple[Use, ...]
    imports: tuple[Import, ...]
    doc: str
    broken: bool
    hopeless: bool = False


def read_code(text: str, language: str) -> Code:
    """The structure of `text`; never fails: what cannot be parsed just defines nothing."""
    known = grammar(language)
    data = text.encode()
    tree = _parsed(known, data.translate(_ASCII) if known.spec.ascii else data)
    found: list[_Found] = []
    used: list[_Used] = []
    docs: list[Node] = []
    imports: list[Node] = []
    packages: list[Node] = []
    if tree is None or _is_hopeless(tree.root_node):
        return Code((), (), (), "", broken=True, hopeless=True)
    for _, captures in QueryCursor(known.query).matches(tree.root_node):
        if using := _USING & captures.keys():
            of = _text(captures["of"][0], data) if "of" in captures else ""
            used += [_Used(node, kind, of) for kind in using for node in captures[kind]]
        elif "name" in captures:
            found.append(_found(captures, data))
        elif "doc" in captures:
            docs += captures["doc"]
        elif "import" in captures:
            imports += captures["import"]
        elif "package" in captures:
            packages += captures["package"]
    definitions, ranges, doc = _define(found, docs, data, text, known.spec)
    return Code(
        definitions=definitions,
        uses=_uses(used, ranges, data),
        imports=(*_packages(packages, data), *_imports(imports, data, language)),
        doc=doc,
        broken=tree.root_node.has_error,
    )


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


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _found(captures: dict[str, list[Node]], data: bytes) -> _Found:
    kind = next(k for k in _DEFINING if k in captures)
    node = captures[kind][0]
    name = _TYPE_PARAMETERS.sub("", _text(captures["name"][0], data)).strip()
    name = _QUALIFIER.sub(".", name).replace('"', "").replace("`", "")
    if "owner" in captures:
        owner = _OWNER.search(_text(captures["owner"][0], data)[-_LONGEST_CALL:])
        name = f"{owner[1]}.{name}" if owner else name
    parameters = _text(captures["parameters"][0], data) if "parameters" in captures else ""
    parameters = " ".join(parameters.split())
    value = _value(node, data) if kind == "variable" else ""
    return _Found(node.start_byte, node.end_byte, kind, name[:_MAX_NAME], parameters, node, value)


def _value(node: Node, data: bytes) -> str:
    """What a variable is set to, where that is short: grammars call it `right` or `value`."""
    found = node.child_by_field_name("right") or node.child_by_field_name("value")
    if found is None or found.end_byte - found.start_byte > _MAX_VALUE:
        return ""
    value = _text(found, data).strip()
    return "" if "\n" in value else value


class _Range(NamedTuple):
    start: int
    end: int
    qualified: str


def _define(
    found: list[_Found], docs: list[Node], data: bytes, text: str, spec: LanguageSpec
) -> tuple[tuple[Definition, ...], list[_Range], str]:
    """The definitions that are not inside a function, outermost first, with their dotted names."""
    docstrings = sorted((node.start_byte, _docstring(_text(node, data))) for node in docs)
    lines = text.split("\n")
    stack: list[tuple[_Found, str]] = []
    definitions: list[Definition] = []
    ranges: list[_Range] = []
    floor = 0
    for item in sorted(found, key=lambda f: (f.start, -f.end, f.kind)):
        while stack and stack[-1][0].end < item.end:
            stack.pop()
        if any(outer.kind in ("function", "variable") for outer, _ in stack) or not item.name:
            continue
        if stack and stack[-1][0].node == item.node:
            continue
        if item.kind == "variable" and item.name.startswith("__"):  # `__all__` says nothing
            continue
        prefix = stack[-1][1] if stack else ""
        qualified = f"{prefix}.{item.name}" if prefix else item.name
        if len(qualified) > _MAX_QUALIFIED:
            continue
        in_class = bool(stack) and stack[-1][0].holds_methods
        stack.append((item, qualified))
        if item.kind == "module":
            continue
        definition = _definition(item, qualified, in_class, lines, spec, floor)
        if spec.docstrings:
            definition = definition._replace(doc=_doc_inside(item, docstrings))
        definitions.append(definition)
        ranges.append(_Range(item.start, item.end, qualified))
        floor = item.node.start_point.row + 1 if item.kind == "class" else definition.end_line
    first = min((f.start for f in found if f.kind != "variable"), default=len(data))
    module_doc = docstrings[0][1] if docstrings and docstrings[0][0] < first else ""
    return tuple(definitions), ranges, module_doc


def _definition(
    item: _Found, qualified: str, in_class: bool, lines: Sequence[str], spec: LanguageSpec,
    floor: int,
) -> Definition:  # fmt: skip
    outer = item.node
    if item.kind != "variable":  # asking for a parent costs time in a file of many lines
        while (parent := outer.parent) is not None and parent.type in _WRAPPERS:
            outer = parent
    line = item.node.start_point.row + 1
    first = outer.start_point.row + 1
    start = _with_comment_above(first, lines, spec, floor)
    kind = item.kind
    if kind == "function" and (in_class or ("." in item.name)):
        kind = "method"
    elif kind == "class":
        kind = spec.kinds[1]
    return Definition(
        kind=kind,
        name=qualified.rpartition(".")[2],
        qualified=qualified,
        start_line=start,
        end_line=max(_last_line(item.node), line),
        line=line,
        parameters=item.parameters[:_MAX_PARAMETERS],
        doc=_comment_text(lines[start - 1 : first - 1], spec),
        value=item.value,
    )


def _last_line(node: Node) -> int:
    end = node.end_point
    return end.row if end.column == 0 else end.row + 1


def _with_comment_above(first: int, lines: Sequence[str], spec: LanguageSpec, floor: int) -> int:
    marks = (*spec.comments, *spec.decorations)
    first -= _blank_below_doc(first, lines, spec, floor)
    while first - 1 > floor and lines[first - 2].lstrip().startswith(marks):
        first -= 1
    return first


def _blank_below_doc(first: int, lines: Sequence[str], spec: LanguageSpec, floor: int) -> int:
    """1 where a blank line parts a documentation comment, `/** … */`, from what it is about."""
    if "*/" not in spec.comments or first - 2 <= floor or lines[first - 2].strip():
        return 0
    end = at = first - 3
    if not lines[at].rstrip().endswith("*/"):
        return 0
    while at > floor and lines[at].lstrip().startswith("*"):
        at -= 1
    return int(at >= floor and at <= end and lines[at].lstrip().startswith("/**"))


def _comment_text(lines: Iterable[str], spec: LanguageSpec) -> str:
    kept = [
        _COMMENT_MARK.sub("", line[:_LONGEST_COMMENT]).strip()
        for line in lines
        if not line.lstrip().startswith(spec.decorations or ("\0",))
    ]
    return "\n".join(kept).strip()[:_MAX_DOC]


def _doc_inside(item: _Found, docstrings: list[tuple[int, str]]) -> str:
    """The first docstring after the definition's start, if it stands before anything nested."""
    at = bisect_right(docstrings, (item.start, ""))
    if at < len(docstrings) and docstrings[at][0] < item.end:
        body = item.node.child_by_field_name("body")
        if body is not None and docstrings[at][0] == body.start_byte:
            return docstrings[at][1]
    return ""


def _docstring(literal: str) -> str:
    bare = literal.lstrip("rRbBuUfF").strip("\"'")
    return "\n".join(line.strip() for line in bare.strip().split("\n"))[:_MAX_DOC]


def _uses(used: list[_Used], ranges: list[_Range], data: bytes) -> tuple[Use, ...]:
    """Each name once for each way it is used in each definition it stands in, at its first line."""
    seen: dict[tuple[str, str, str], Use] = {}
    stack: list[_Range] = []
    waiting = iter(ranges)
    coming = next(waiting, None)
    for node, kind, of in sorted(used, key=lambda u: (u.node.start_byte, u.node.end_byte, u.kind)):
        start = node.start_byte
        while coming is not None and coming.start <= start:
            stack.append(coming)
            coming = next(waiting, None)
        while stack and stack[-1].end <= start:
            stack.pop()
        tail = data[max(start, node.end_byte - _LONGEST_CALL) : node.end_byte]
        name = _called(tail.decode("utf-8", "replace"))
        if not name:
            continue
        within = of or (stack[-1].qualified if stack else "")
        key = (name, within, kind)
        if key not in seen:
            seen[key] = Use(name, node.start_point.row + 1, within, kind)
    return tuple(sorted(seen.values(), key=lambda u: (u.line, u.name, u.within, u.kind)))


def _called(written: str) -> str:
    """`a.b.c` as it stands, `.c` for a name asked of something computed, "" for neither."""
    if len(written) <= _MAX_NAME and _CHAIN.fullmatch(written):
        return _QUALIFIER.sub(".", written)
    last = _LAST_NAME.search(written)
    return f".{last[0]}" if last else ""


def _packages(nodes: list[Node], data: bytes) -> tuple[Import, ...]:
    """The packages or namespaces that the file declares itself part of, as imports of level -2."""
    found: list[str] = []
    around: list[tuple[int, str]] = []
    for node in sorted(nodes, key=lambda n: n.start_byte):
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        name = _QUALIFIER.sub(".", _text(node, data))
        name = f"{around[-1][1]}.{name}" if around else name
        if len(name) <= _MAX_QUALIFIED:
            found.append(name)
            if node.parent is not None and node.parent.type == "namespace_declaration":
                around.append((node.parent.end_byte, name))
    return tuple(Import(name, 0, level=-2) for name in dict.fromkeys(found))


def _imports(nodes: list[Node], data: bytes, language: str) -> tuple[Import, ...]:
    read = [
        each
        for node in nodes
        for each in read_import(_text(node, data), node.start_point.row + 1, language)
    ]
    named = {(each.line, each.module) for each in read if each.names or each.alias}
    read = [i for i in read if i.names or i.alias or (i.line, i.module) not in named]
    return tuple(sorted(read, key=lambda i: (i.line, i.module, i.names)))

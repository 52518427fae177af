"""What a file of code defines: each symbol with its lines, parameters, documentation and fields."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from quipu.limits import LONGEST_LINE, SHOWN_LINE
from quipu.read.languages import LanguageSpec
from quipu.records.document import Definition

__all__ = [
    "LONGEST_CALL",
    "MAX_NAME",
    "MAX_QUALIFIED",
    "QUALIFIER",
    "Enclosing",
    "SymbolRange",
    "SymbolSpan",
    "define",
    "node_text",
    "symbol_span",
    "with_parts",
]

_DEFINING = ("function", "class", "module", "variable")
_WRAPPERS = frozenset(
    """decorated_definition export_statement template_declaration lexical_declaration
    variable_declaration type_declaration expression_statement declaration""".split()
)
_OWNER = re.compile(r"([A-Za-z_$][\w$.]*)\s*(?:\[[^\]]*\])?\s*\)?$")
QUALIFIER = re.compile(r"::|->|\\|/")
_TYPE_PARAMETERS = re.compile(r"<.*", re.DOTALL)
_COMMENT_MARK = re.compile(r"^\s*(?:/\*+|\*+/|\*(?!/)|///?!?|#+!?|--+)\s?|\s*\*+/\s*$")
MAX_NAME = 120
MAX_QUALIFIED = 400
LONGEST_CALL = 500
_MAX_DOC = 1200
_MAX_VALUE = 100
_MOST_PARTS = 60
_SEE = re.compile(r"<(?:see|seealso|paramref|typeparamref) (?:cref|name)=\"([^\"<>\n]+)\" ?/>")
_LAYOUT = re.compile(r"</?(?:summary|remarks|para|value|returns|c|code)(?: [^<>\n]*)?/?>")
_OWN_INSTANCE = re.compile(r"(?:&\s*)?(?:mut\s+)?(?:self|cls|this)\b.{0,20}|void|[*/]")
_RETURNED_BY_DOC = re.compile(r"@returns?\s+(?:\{([^}\n]+)\}|\[([^\]\n]+)\])|:rtype:\s*(\S.*)")


class SymbolSpan(NamedTuple):
    """A symbol as the query captured it, by the bytes it stands in; `takes` are its parameters as
    they are written."""

    start: int
    end: int
    kind: str
    name: str
    parameters: str
    node: Node
    value: str = ""
    takes: tuple[str, ...] = ()
    returns: str = ""

    @property
    def holds_methods(self) -> bool:
        """Whether a function inside of it is a method."""
        return self.kind == "class" or self.node.type == "impl_item"


def node_text(node: Node, data: bytes) -> str:
    """What is written there."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def symbol_span(captures: dict[str, list[Node]], data: bytes) -> SymbolSpan:
    """The symbol that one match of the query captured."""
    kind = next(k for k in _DEFINING if k in captures)
    node = captures[kind][0]
    name = _TYPE_PARAMETERS.sub("", node_text(captures["name"][0], data)).strip()
    name = QUALIFIER.sub(".", name).replace('"', "").replace("`", "")
    if "owner" in captures:
        owner = _OWNER.search(node_text(captures["owner"][0], data)[-LONGEST_CALL:])
        name = f"{owner[1]}.{name}" if owner else name
    parameters = node_text(captures["parameters"][0], data) if "parameters" in captures else ""
    parameters = " ".join(parameters.split())
    value = _value(node, captures, data) if kind == "variable" else ""
    takes = _taken(captures["parameters"][0], data) if "parameters" in captures else ()
    returns = ""
    if "returns" in captures:
        returns = _written(captures["returns"][0], data)
        between = data[captures["returns"][0].end_byte : captures["name"][0].start_byte]
        if between.strip() and not between.strip(b" *&\n"):  # `char *f()`
            returns = f"{returns} {between.strip().decode()}"
    return SymbolSpan(
        node.start_byte,
        node.end_byte,
        kind,
        name[:MAX_NAME],
        parameters,
        node,
        value,
        takes,
        returns,
    )


def _taken(parameters: Node, data: bytes) -> tuple[str, ...]:
    """Each parameter as it is written, but for the instance that a method is of."""
    if not parameters.named_child_count:
        written = [_written(parameters, data)] if parameters.type == "identifier" else []
    else:
        written = [_written(each, data) for each in parameters.named_children[:_MOST_PARTS]]
    return tuple(
        each
        for each in written
        if each and not _OWN_INSTANCE.fullmatch(each) and not each.startswith(("//", "/*", "#"))
    )


def _written(node: Node, data: bytes) -> str:
    """The text of a node in one line, without the mark that ends a statement."""
    return " ".join(node_text(node, data)[: 2 * SHOWN_LINE].split()).rstrip(";,")[:SHOWN_LINE]


def _value(node: Node, captures: dict[str, list[Node]], data: bytes) -> str:
    """What a variable is set to, where that is short: grammars call it `right` or `value`."""
    found = node.child_by_field_name("right") or node.child_by_field_name("value")
    if "value" in captures:
        found = captures["value"][0]
    if found is None or found.end_byte - found.start_byte > _MAX_VALUE:
        return ""
    value = node_text(found, data).strip()
    return "" if "\n" in value else value


class SymbolRange(NamedTuple):
    """The bytes of a definition, its dotted name and kind, and the id of its node."""

    start: int
    end: int
    qualified: str
    kind: str
    node: int
    outermost: bool


class Enclosing:
    """The definitions around a place in the file, asked for in the order of the places."""

    def __init__(self, ranges: Sequence[SymbolRange]) -> None:
        self._waiting = iter(ranges)
        self._coming = next(self._waiting, None)
        self._stack: list[SymbolRange] = []

    def of(self, start: int) -> Sequence[SymbolRange]:
        """Those around the byte `start`, the innermost last."""
        while self._coming is not None and self._coming.start <= start:
            self._leave(self._coming.start)
            self._stack.append(self._coming)
            self._coming = next(self._waiting, None)
        self._leave(start)
        return self._stack

    def _leave(self, start: int) -> None:
        """Take those away that end before the byte `start`."""
        while self._stack and self._stack[-1].end <= start:
            self._stack.pop()


def define(
    found: list[SymbolSpan], docs: list[Node], data: bytes, text: str, spec: LanguageSpec
) -> tuple[tuple[Definition, ...], list[SymbolRange], str]:
    """The definitions that are not inside a function, outermost first, with their dotted names."""
    docstrings = sorted((node.start_byte, _docstring(node_text(node, data))) for node in docs)
    lines = text.split("\n")
    stack: list[tuple[SymbolSpan, str]] = []
    definitions: list[Definition] = []
    ranges: list[SymbolRange] = []
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
        if len(qualified) > MAX_QUALIFIED:
            continue
        in_class = bool(stack) and stack[-1][0].holds_methods
        outermost = not in_class and all(outer.kind == "module" for outer, _ in stack)
        stack.append((item, qualified))
        if item.kind == "module":
            continue
        definition = _definition(item, qualified, in_class, lines, spec, floor)
        if spec.docstrings:
            definition = definition._replace(doc=_doc_inside(item, docstrings))
        definitions.append(definition)
        ranges.append(
            SymbolRange(item.start, item.end, qualified, item.kind, item.node.id, outermost)
        )
        floor = item.node.start_point.row + 1 if item.kind == "class" else definition.end_line
    first = min((f.start for f in found if f.kind != "variable"), default=len(data))
    module_doc = docstrings[0][1] if docstrings and docstrings[0][0] < first else ""
    return tuple(definitions), ranges, module_doc


def _definition(
    item: SymbolSpan,
    qualified: str,
    in_class: bool,
    lines: Sequence[str],
    spec: LanguageSpec,
    floor: int,
) -> Definition:
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
        parameters=item.parameters[:SHOWN_LINE],
        doc=_comment_text(lines[start - 1 : first - 1], spec),
        value=item.value,
        takes=item.takes,
        returns=item.returns,
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
        _COMMENT_MARK.sub("", line[:LONGEST_LINE]).strip()
        for line in lines
        if not line.lstrip().startswith(spec.decorations or ("\0",))
    ]
    return _without_tags("\n".join(kept).strip())[:_MAX_DOC]


def _without_tags(doc: str) -> str:
    """Documentation without the tags that only lay it out, and what they refer to by its name."""
    return _LAYOUT.sub("", _SEE.sub(r"\1", doc)).strip() if "<" in doc else doc


def _doc_inside(item: SymbolSpan, docstrings: list[tuple[int, str]]) -> str:
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


def with_parts(
    definitions: tuple[Definition, ...],
    parts: Sequence[tuple[str, Node]],
    ranges: Sequence[SymbolRange],
    data: bytes,
) -> tuple[Definition, ...]:
    """The definitions with what stands inside of them: fields of a type, parameters and types that
    a function takes or gives where its head does not say so."""
    parts_of: dict[tuple[str, str], list[str]] = {}
    around = Enclosing(ranges)
    for kind, node in sorted(parts, key=lambda part: (part[1].start_byte, part[0])):
        inside = around.of(node.start_byte)
        if not inside:
            continue
        innermost = inside[-1]
        if kind == "field" and innermost.node == node.id and len(inside) > 1:
            innermost = inside[-2]
        if kind == "returns" and not _is_head(node, innermost.node):
            continue
        if (kind == "field") == (innermost.kind == "class"):
            parts_of.setdefault((innermost.qualified, kind), []).append(_written(node, data))
    return tuple(_with_part(each, parts_of) for each in definitions)


def _is_head(node: Node, definition: int) -> bool:
    """Whether a type stands in the head of the definition, not in one inside of it."""
    above = node.parent
    for _ in range(3):
        if above is None or above.id == definition:
            break
        above = above.parent
    return above is not None and above.id == definition


def _with_part(each: Definition, parts_of: dict[tuple[str, str], list[str]]) -> Definition:
    fields = parts_of.get((each.qualified, "field"))
    takes = parts_of.get((each.qualified, "parameter"))
    returns = parts_of.get((each.qualified, "returns"))
    if fields:
        each = each._replace(fields=tuple(dict.fromkeys(fields))[:_MOST_PARTS])
    if takes and not each.takes:
        each = each._replace(takes=tuple(takes[:_MOST_PARTS]))
    said = "" if each.returns or not each.doc else _returned_by(each.doc)
    if not each.returns and (returns or said):
        each = each._replace(returns=returns[0] if returns else said)
    return each


def _returned_by(doc: str) -> str:
    """The type that documentation says is given back."""
    found = _RETURNED_BY_DOC.search(doc)
    return next((group for group in found.groups() if group), "").strip() if found else ""

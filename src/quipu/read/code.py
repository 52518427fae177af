"""Source code: definitions, calls and imports, by tree-sitter and one query a language."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from tree_sitter import Node, QueryCursor, Tree

from quipu.read.imports import read_import
from quipu.read.languages import Grammar, LanguageSpec, grammar
from quipu.read.settings import SettingUse, declared_option, read_setting, relations_of
from quipu.records.document import Definition, Import, StatedRelation, Use

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
_MAX_WRITTEN = 160
_MOST_PARTS = 60
_MOST_EXPORTS = 200
_AFTER = 200
_SEE = re.compile(r"<(?:see|seealso|paramref|typeparamref) (?:cref|name)=\"([^\"<>\n]+)\" ?/>")
_LAYOUT = re.compile(r"</?(?:summary|remarks|para|value|returns|c|code)(?: [^<>\n]*)?/?>")
_OWN_INSTANCE = re.compile(r"(?:&\s*)?(?:mut\s+)?(?:self|cls|this)\b.{0,20}|void|[*/]")
_RAISED_BY_DOC = re.compile(
    r"(?:@(?:throws|exception|raise)\s|:raises?\s|<exception cref=|^Raises:?\n(?:-+\n)?)"
    r"\s*[\[{\"]?([A-Za-z_][\w.\\:]*\w)", re.MULTILINE,
)  # fmt: skip
_RETURNED_BY_DOC = re.compile(r"@returns?\s+(?:\{([^}\n]+)\}|\[([^\]\n]+)\])|:rtype:\s*(\S.*)")


class _SymbolSpan(NamedTuple):
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
        return self.kind == "class" or self.node.type == "impl_item"


_HowUsed: TypeAlias = Literal["call", "base", "raise", "set", "delegate"]
_USING: dict[str, tuple[_HowUsed, str]] = {
    "call": ("call", ""), "own": ("call", "self."), "member": ("call", "."), "base": ("base", ""),
    "raise": ("raise", ""), "set": ("set", ""), "delegate": ("delegate", ""),
}  # fmt: skip
"""What a capture says of how a name is used, and what stands before the name."""
_OF_FUNCTIONS: frozenset[_HowUsed] = frozenset({"set", "delegate"})
_AS_WRITTEN: frozenset[_HowUsed] = frozenset({"raise", "delegate"})
_IS_SHORT = re.compile(r"(?:exit|return) \d+|(?:super|self|this|parent|base)\(\)\.\w+|super")
_PARTS = ("field", "parameter", "returns")
_TOLD = ("environment", "setting", "options", "flags")


class _NameUse(NamedTuple):
    """A name in the code; a base that stands outside of the class is a base `of` it."""

    node: Node
    kind: _HowUsed
    before: str
    of: str


@dataclass(frozen=True, slots=True)
class Code:
    """What the code of one file defines, uses and brings in, and its own docstring;
    `relations` are the settings and options that it reads, `exports` the names that it gives away.
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

    found: list[_SymbolSpan] = field(default_factory=list[_SymbolSpan])
    used: list[_NameUse] = field(default_factory=list[_NameUse])
    docs: list[Node] = field(default_factory=list[Node])
    imports: list[Node] = field(default_factory=list[Node])
    packages: list[Node] = field(default_factory=list[Node])
    parts: list[tuple[str, Node]] = field(default_factory=list[tuple[str, Node]])
    told: list[tuple[str, Node, str]] = field(default_factory=list[tuple[str, Node, str]])
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
    definitions, ranges, doc = _define(captured.found, captured.docs, data, text, known.spec)
    definitions = _with_parts(definitions, captured, ranges, data)
    uses = _uses(captured.used, ranges, data)
    return Code(
        definitions=definitions,
        uses=_with_documented(uses, definitions),
        imports=(*_packages(captured.packages, data), *_imports(captured.imports, data, language)),
        doc=doc,
        broken=tree.root_node.has_error,
        relations=tuple(
            relations_of(_told(captured.told, ranges, data, _assigned(definitions, uses)))
        ),
        exports=_exports(captured, ranges, known),
    )


def _captured(known: Grammar, root: Node, data: bytes) -> _Captured:
    kept = _Captured()
    for _, captures in QueryCursor(known.query).matches(root):
        if using := _USING.keys() & captures.keys():
            of = _text(captures["of"][0], data) if "of" in captures else ""
            kept.used += [
                _NameUse(node, *_USING[each], of) for each in using for node in captures[each]
            ]
        elif "name" in captures:
            kept.found.append(_found(captures, data))
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
    """What is said of definitions, told from outside, or given away."""
    for kind in _PARTS:
        kept.parts += [(kind, node) for node in captures.get(kind, ())]
    named = _text(captures["named"][0], data) if "named" in captures else ""
    for kind in _TOLD:
        kept.told += [(kind, node, named) for node in captures.get(kind, ())]
    for node in captures.get("exported", ()):
        kept.exported.append(_text(node, data).strip("\"'`"))
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


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _found(captures: dict[str, list[Node]], data: bytes) -> _SymbolSpan:
    kind = next(k for k in _DEFINING if k in captures)
    node = captures[kind][0]
    name = _TYPE_PARAMETERS.sub("", _text(captures["name"][0], data)).strip()
    name = _QUALIFIER.sub(".", name).replace('"', "").replace("`", "")
    if "owner" in captures:
        owner = _OWNER.search(_text(captures["owner"][0], data)[-_LONGEST_CALL:])
        name = f"{owner[1]}.{name}" if owner else name
    parameters = _text(captures["parameters"][0], data) if "parameters" in captures else ""
    parameters = " ".join(parameters.split())
    value = _value(node, captures, data) if kind == "variable" else ""
    takes = _taken(captures["parameters"][0], data) if "parameters" in captures else ()
    returns = ""
    if "returns" in captures:
        returns = _written(captures["returns"][0], data)
        between = data[captures["returns"][0].end_byte : captures["name"][0].start_byte]
        if between.strip() and not between.strip(b" *&\n"):  # `char *f()`
            returns = f"{returns} {between.strip().decode()}"
    return _SymbolSpan(
        node.start_byte, node.end_byte, kind, name[:_MAX_NAME], parameters, node, value, takes,
        returns,
    )  # fmt: skip


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
    return " ".join(_text(node, data)[: 2 * _MAX_WRITTEN].split()).rstrip(";,")[:_MAX_WRITTEN]


def _value(node: Node, captures: dict[str, list[Node]], data: bytes) -> str:
    """What a variable is set to, where that is short: grammars call it `right` or `value`."""
    found = node.child_by_field_name("right") or node.child_by_field_name("value")
    if "value" in captures:
        found = captures["value"][0]
    if found is None or found.end_byte - found.start_byte > _MAX_VALUE:
        return ""
    value = _text(found, data).strip()
    return "" if "\n" in value else value


class _Range(NamedTuple):
    start: int
    end: int
    qualified: str
    kind: str
    node: int
    outermost: bool


class _Around:
    """The definitions around a place in the file, asked for in the order of the places."""

    def __init__(self, ranges: Sequence[_Range]) -> None:
        self._waiting = iter(ranges)
        self._coming = next(self._waiting, None)
        self._stack: list[_Range] = []

    def of(self, start: int) -> Sequence[_Range]:
        """Those around the byte `start`, the innermost last."""
        while self._coming is not None and self._coming.start <= start:
            self._stack.append(self._coming)
            self._coming = next(self._waiting, None)
        while self._stack and self._stack[-1].end <= start:
            self._stack.pop()
        return self._stack


def _define(
    found: list[_SymbolSpan], docs: list[Node], data: bytes, text: str, spec: LanguageSpec
) -> tuple[tuple[Definition, ...], list[_Range], str]:
    """The definitions that are not inside a function, outermost first, with their dotted names."""
    docstrings = sorted((node.start_byte, _docstring(_text(node, data))) for node in docs)
    lines = text.split("\n")
    stack: list[tuple[_SymbolSpan, str]] = []
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
        outermost = not in_class and all(outer.kind == "module" for outer, _ in stack)
        stack.append((item, qualified))
        if item.kind == "module":
            continue
        definition = _definition(item, qualified, in_class, lines, spec, floor)
        if spec.docstrings:
            definition = definition._replace(doc=_doc_inside(item, docstrings))
        definitions.append(definition)
        ranges.append(_Range(item.start, item.end, qualified, item.kind, item.node.id, outermost))
        floor = item.node.start_point.row + 1 if item.kind == "class" else definition.end_line
    first = min((f.start for f in found if f.kind != "variable"), default=len(data))
    module_doc = docstrings[0][1] if docstrings and docstrings[0][0] < first else ""
    return tuple(definitions), ranges, module_doc


def _definition(
    item: _SymbolSpan, qualified: str, in_class: bool, lines: Sequence[str], spec: LanguageSpec,
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
        _COMMENT_MARK.sub("", line[:_LONGEST_COMMENT]).strip()
        for line in lines
        if not line.lstrip().startswith(spec.decorations or ("\0",))
    ]
    return _without_tags("\n".join(kept).strip())[:_MAX_DOC]


def _without_tags(doc: str) -> str:
    """Documentation without the tags that only lay it out, and what they refer to by its name."""
    return _LAYOUT.sub("", _SEE.sub(r"\1", doc)).strip() if "<" in doc else doc


def _doc_inside(item: _SymbolSpan, docstrings: list[tuple[int, str]]) -> str:
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


def _uses(used: list[_NameUse], ranges: list[_Range], data: bytes) -> tuple[Use, ...]:
    """Each name once for each way it is used in each definition it stands in, at its first line."""
    seen: dict[tuple[str, str, str], Use] = {}
    around = _Around(ranges)
    for node, kind, before, of in sorted(
        used, key=lambda u: (u.node.start_byte, u.node.end_byte, u.kind)
    ):
        start = node.start_byte
        stack = around.of(start)
        tail = data[max(start, node.end_byte - _LONGEST_CALL) : node.end_byte]
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
    told = [
        Use(name, each.line, each.qualified, "raise")
        for each in definitions
        if each.doc and each.kind in ("function", "method")
        for name in dict.fromkeys(map(_dotted, _RAISED_BY_DOC.findall(each.doc)))
        if (name, each.qualified) not in known
    ]
    return (*uses, *told) if told else uses


def _dotted(written: str) -> str:
    return _QUALIFIER.sub(".", written).lstrip(".")


def _with_parts(
    definitions: tuple[Definition, ...],
    captured: _Captured,
    ranges: Sequence[_Range],
    data: bytes,
) -> tuple[Definition, ...]:
    """The definitions with what stands inside of them: fields of a type, parameters and types that
    a function takes or gives where its head does not say so."""
    held: dict[tuple[str, str], list[str]] = {}
    around = _Around(ranges)
    for kind, node in sorted(captured.parts, key=lambda part: (part[1].start_byte, part[0])):
        inside = around.of(node.start_byte)
        if not inside:
            continue
        innermost = inside[-1]
        if kind == "field" and innermost.node == node.id and len(inside) > 1:
            innermost = inside[-2]
        if kind == "returns" and not _is_head(node, innermost.node):
            continue
        if (kind == "field") == (innermost.kind == "class"):
            held.setdefault((innermost.qualified, kind), []).append(_written(node, data))
    return tuple(_with_part(each, held) for each in definitions)


def _is_head(node: Node, definition: int) -> bool:
    """Whether a type stands in the head of the definition, not in one inside of it."""
    above = node.parent
    for _ in range(3):
        if above is None or above.id == definition:
            break
        above = above.parent
    return above is not None and above.id == definition


def _with_part(each: Definition, held: dict[tuple[str, str], list[str]]) -> Definition:
    fields = held.get((each.qualified, "field"))
    takes = held.get((each.qualified, "parameter"))
    returns = held.get((each.qualified, "returns"))
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


def _assigned(definitions: Sequence[Definition], uses: Sequence[Use]) -> frozenset[str]:
    """The names that the file itself sets: a shell's own variables are not of its environment."""
    return frozenset(
        [each.name for each in definitions if each.kind == "variable"]
        + [use.name for use in uses if use.kind == "set"]
    )


def _told(
    nodes: Sequence[tuple[str, Node, str]],
    ranges: Sequence[_Range],
    data: bytes,
    assigned: frozenset[str],
) -> list[SettingUse]:
    """The settings and options of the file, each within the definition that it stands in."""
    found: list[SettingUse] = []
    around = _Around(ranges)
    by_node = {each.node: each.qualified for each in ranges}
    for kind, node, named in sorted(nodes, key=lambda each: (each[1].start_byte, each[0])):
        inside = [each for each in around.of(node.start_byte) if each.kind != "variable"]
        decorated = None if inside else _decorated(node, by_node)
        within = inside[-1].qualified if inside else decorated or ""
        line = node.start_point.row + 1
        written = _text(node, data)
        if kind in ("options", "flags"):
            told = declared_option(written, line, within, bare=kind == "flags", named=named)
        else:
            after = data[node.end_byte : node.end_byte + _AFTER].decode("utf-8", "replace")
            told = read_setting(kind, written, after, line, within)
            if told is not None and told.name in assigned and written == told.name:
                continue
        if told is not None:
            found.append(told)
    return found


def _decorated(node: Node, by_node: dict[int, str]) -> str | None:
    """The definition that a decorator stands above of."""
    above = node.parent
    while above is not None and above.type not in ("decorated_definition", "module"):
        above = above.parent
    held = above.child_by_field_name("definition") if above is not None else None
    return by_node.get(held.id) if held is not None else None


def _exports(captured: _Captured, ranges: Sequence[_Range], known: Grammar) -> tuple[str, ...]:
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

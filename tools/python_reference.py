"""`docs/reference/python.md`, made from the docstrings and signatures themselves.

`python -m tools.python_reference > docs/reference/python.md` brings it up to date. The
source is read, not run, so the page is the same whatever Python makes it.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click

import quipu
from tools.json_reference import described

__all__ = ["WAYS", "reference"]

_ROOT = Path(quipu.__file__).parent
_WIDTH = 96
_HOME = "quipu.memory.memory"
WAYS = {
    "Accepted as a job first": "a job first",
    "Written down before it is done": "written down first",
    "Written at once": "at once",
}
"""What the docstring of a verb that writes says, and the word for it in the table."""

_SHARED = ("embedder", "embedder_for", "chat", "graph", "graph_of")
"""What a memory has from what its parts share, and its users may use."""

_SETTINGS = {"quipu.config"}
_HEAD = """\
# Python

Made from the docstrings by `python -m tools.python_reference`; a test compares.

```python
from quipu import Memory

with Memory.open("notes.db") as memory:
    memory.add("Ada Smith leads the payments team since March 2026.")
    print(memory.ask("Who leads the payments team?").contract.answer)
```

Every type whose name is a heading under [Types](#types) comes from `quipu` itself
(`from quipu import Reply`) and is imported when it is first used. Those under
[Parts of types](#parts-of-types) are what these are made of. A type without fields here has the
keys that [JSON](json.md) tells of it. Times are ISO 8601 in UTC. What is raised is under
[Errors](#errors).

## Ways in: which are durable

*A job first*: on disk before it is worked on; a process that is killed leaves it to the next that
writes ([jobs](#memoryjobs)). *Written down first*: what a kill leaves is done when the memory is
next opened. *At once*: in whole batches while the call runs; after a kill it is called again,
which writes nothing twice.

| call | way |
|---|---|
"""


class _DefinedName(NamedTuple):
    """Where a name is defined, and as what."""

    module: str
    node: ast.ClassDef | ast.Assign | ast.AnnAssign
    doc: str = ""


@cache
def _tree(module: str) -> ast.Module | None:
    place = _ROOT.parent.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return ast.parse(path.read_text(encoding="utf-8"))
    return None


@cache
def _definition(module: str, name: str) -> _DefinedName | None:
    """Where `name`, as `module` knows it, is defined in this package."""
    tree = _tree(module)
    for node, after in pairwise((*_statements(tree.body), ast.Pass()) if tree else ()):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return _DefinedName(module, node, _doc(node))
        if isinstance(node, ast.AnnAssign | ast.Assign) and name == _target(node):
            said = after.value if isinstance(after, ast.Expr) else None
            doc = str(said.value) if isinstance(said, ast.Constant) else ""
            return None if _is_variable(node) else _DefinedName(module, node, inspect.cleandoc(doc))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("quipu"):
            for each in node.names:
                if (each.asname or each.name) == name:
                    return _definition(node.module or "", each.name)
    return None


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    return _name(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a module, also what is imported for types only."""
    for node in body:
        yield from node.body if isinstance(node, ast.If) else (node,)


def _is_variable(node: ast.Assign | ast.AnnAssign) -> bool:
    return isinstance(node.value, ast.Call) and _name(node.value.func) == "TypeVar"


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


class _Plain(ast.NodeTransformer):
    """An annotation without quotes, `Final[…]` and `Annotated[…]`."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _type(node.value) if isinstance(node.value, str) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if _name(node.value) == "Literal":
            return node
        if _name(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
            return self.visit(node.slice.elts[0])
        node.slice = self.visit(node.slice)
        return node


def _type(written: str | ast.expr) -> ast.expr:
    node = ast.parse(written, mode="eval").body if isinstance(written, str) else written
    return _Plain().visit(ast.parse(ast.unparse(node), mode="eval").body)


def _names(annotation: ast.expr | None) -> Iterator[str]:
    if annotation is not None:
        for node in ast.walk(_type(annotation)):
            if isinstance(node, ast.Name):
                yield node.id


def _methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """The public methods and properties of a class, as they stand; of an overload every form."""
    if node.name == "Memory":
        shared = _definition("quipu.handle.handle", "Handle")
        assert shared is not None
        assert isinstance(shared.node, ast.ClassDef)
        yield from (each for each in _methods(shared.node) if each.name in _SHARED)
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and (
            each.name == "__call__" or not each.name.startswith("_")
        ):
            yield each
    if node.name == "Memory":
        asked = _definition(_HOME, "Questions")
        assert asked is not None
        assert isinstance(asked.node, ast.ClassDef)
        yield from (each for each in _methods(asked.node) if each.name != "freshness")


def _marks(function: ast.FunctionDef) -> set[str]:
    return {ast.unparse(each).split("(")[0] for each in function.decorator_list}


def _fields(node: ast.ClassDef) -> Iterator[ast.AnnAssign]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not _name(each.target).startswith("_"):
            yield each


def _doc(node: ast.ClassDef | ast.FunctionDef) -> str:
    return inspect.cleandoc(ast.get_docstring(node) or "")


def _nouns() -> list[tuple[str, _DefinedName]]:
    """The objects that a memory holds, by the name they have there."""
    home = _definition(_HOME, "Memory")
    assert home is not None
    assert isinstance(home.node, ast.ClassDef)
    found = [("", home)]
    for each in _methods(home.node):
        if "cached_property" in _marks(each) and each.returns is not None:
            noun = _definition(_HOME, ast.unparse(_type(each.returns)))
            if noun is not None:
                found.append((each.name, noun))
    return found


def _signature(function: ast.FunctionDef, prefix: str) -> str:
    """How it is called, a parameter a line where one line is too long."""
    given = _parameters(function.args)
    gives = f" -> {ast.unparse(_type(function.returns))}" if function.returns else ""
    called = prefix if function.name == "__call__" else f"{prefix}.{function.name}"
    line = f"{called}({', '.join(given)}){gives}"
    if len(line) <= _WIDTH:
        return line
    rows = "".join(f"    {each},\n" for each in given)
    return f"{called}(\n{rows}){gives}"


def _parameters(given: ast.arguments) -> list[str]:
    """What a function is given, but itself."""
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    shown = [
        _parameter(one, default)
        for one, default in zip(plain, defaults, strict=True)
        if one.arg not in ("self", "cls")
    ]
    if given.vararg or given.kwonlyargs:
        shown.append(f"*{given.vararg.arg if given.vararg else ''}")
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return shown + [_parameter(one, default) for one, default in named]


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    written = f"{one.arg}: {ast.unparse(_type(one.annotation))}" if one.annotation else one.arg
    return f"{written} = {ast.unparse(default)}" if default else written


def _way(doc: str) -> str:
    flat = " ".join(doc.split())
    return next((word for sentence, word in WAYS.items() if sentence in flat), "")


def _rows() -> Iterator[str]:
    for noun, found in _nouns():
        assert isinstance(found.node, ast.ClassDef)
        for each in _methods(found.node):
            if way := _way(_doc(each)):
                call = f"{noun}.{each.name}" if noun else each.name
                yield f"| `{call}` | {way} |\n"


def _first(doc: str) -> str:
    """The first sentence."""
    flat = " ".join(doc.partition("\n\n")[0].split())
    return flat.partition(". ")[0].rstrip(".") + "." if flat else ""


def _raises(function: ast.FunctionDef) -> str:
    """The sentence that says what is raised."""
    found = re.search(r"\bRaises [^.]*(?:\.\w[^.]*)*\.", " ".join(_doc(function).split()))
    return f" {found[0]}" if found else ""


def _calls(noun: str, node: ast.ClassDef) -> Iterator[str]:
    """A part of the page for each method, and one for each property."""
    prefix = f"memory.{noun}" if noun else "memory"
    forms: list[str] = []
    for each in _methods(node):
        marks = _marks(each)
        if marks & {"property", "cached_property"}:
            gives = ast.unparse(_type(each.returns)) if each.returns else ""
            yield f"\n### {prefix}.{each.name}\n\n`{gives}`. {_first(_doc(each))}\n"
            continue
        of = "Memory" if marks & {"classmethod", "staticmethod"} else prefix
        forms.append(_signature(each, of))
        if "overload" in marks:
            continue
        shown = forms[:-1] if len(forms) > 1 else forms
        title = of if each.name == "__call__" else f"{of}.{each.name}"
        code = chr(10).join(shown)
        yield f"\n### {title}\n\n```python\n{code}\n```\n\n{_first(_doc(each))}{_raises(each)}\n"
        forms = []


def _reached() -> dict[str, _DefinedName]:
    """Every type and alias of this package that the methods and, further, the fields name."""
    nouns = {found.node for _, found in _nouns()}
    queue: list[tuple[str, str]] = []
    for _, found in _nouns():
        assert isinstance(found.node, ast.ClassDef)
        for function in _methods(found.node):
            given = function.args
            for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                queue += [(found.module, name) for name in _names(one.annotation)]
            queue += [(found.module, name) for name in _names(function.returns)]
    queue += [("quipu", name) for name in quipu.__all__ if name != "__version__"]
    reached: dict[str, _DefinedName] = {}
    while queue:
        module, name = queue.pop()
        found = _definition(module, name)
        if found is None or found.node in nouns or reached.get(name) == found:
            continue
        reached[name if name not in reached else f"{found.module}.{name}"] = found
        queue += [(found.module, each) for each in _inside(found)]
    return dict(sorted(reached.items(), key=lambda each: each[0].casefold()))


def _inside(found: _DefinedName) -> Iterator[str]:
    """The names that a definition is made of."""
    if isinstance(found.node, ast.ClassDef):
        if found.module not in _SETTINGS:
            for base in found.node.bases:
                yield from _names(base)
            for field in _fields(found.node):
                yield from _names(field.annotation)
    elif isinstance(found.node.value, ast.Name | ast.Subscript | ast.BinOp):
        yield from _names(found.node.value)


def _type_part(name: str, found: _DefinedName, *, brief: bool = False) -> str:
    node = found.node
    if not isinstance(node, ast.ClassDef):
        written = ast.unparse(node.value) if node.value else ""
        said = f"\n{_first(found.doc)}\n" if found.doc else ""
        return f"\n### {name}\n\n```python\n{name} = {written}\n```\n{said}"
    parts = [f"\n### {name}\n" + ("" if brief else f"\n{_first(found.doc)}\n")]
    if found.module in _SETTINGS:
        return "".join((*parts, "\nIts sections and keys: [configuration](configuration.md).\n"))
    members = [
        each for each in node.body if isinstance(each, ast.Assign) and "Enum" in _bases(node)
    ]
    if members:
        words = ", ".join(f"`{ast.unparse(each.value)}`" for each in members)
        parts.append(f"\nOne of {words}.\n")
    fields = [ast.unparse(_plain_field(field)) for field in _every_field(found)]
    if fields and name not in _in_json():
        parts.append("\n```python\n" + "\n".join(fields) + "\n```\n")
    methods = list(_methods(node))
    if "Protocol" in _bases(node):
        parts.append(f"\nIt has {', '.join(f'`{each.name}`' for each in methods)}.\n")
    elif methods and not brief:
        parts.append("\n" + "".join(map(_method_line, methods)))
    return "".join(parts)


@cache
def _in_json() -> frozenset[str]:
    """The types whose fields the page on JSON tells."""
    return frozenset(shape.__name__ for shape in described())


def _method_line(function: ast.FunctionDef) -> str:
    named = "property" in _marks(function)
    shown = f".{function.name}" if named else _signature(function, "")
    return f"- `{' '.join(shown.split())}`: {_first(_doc(function))}\n"


def _plain_field(field: ast.AnnAssign) -> ast.AnnAssign:
    """The field with its plain type and its default."""
    return ast.AnnAssign(field.target, _type(field.annotation), field.value, field.simple)


def _bases(node: ast.ClassDef) -> str:
    return " ".join(ast.unparse(base) for base in node.bases)


def _every_field(found: _DefinedName) -> Iterator[ast.AnnAssign]:
    """The fields of a class, those of what it is derived from first."""
    assert isinstance(found.node, ast.ClassDef)
    for base in found.node.bases:
        above = _definition(found.module, ast.unparse(base))
        if above is not None and isinstance(above.node, ast.ClassDef):
            yield from _every_field(above)
    yield from _fields(found.node)


def reference() -> str:
    """The whole page."""
    parts = [_HEAD, *_rows()]
    for noun, found in _nouns():
        assert isinstance(found.node, ast.ClassDef)
        title = f"memory.{noun}" if noun else "Memory"
        parts += [f"\n## {title}\n\n{_first(_doc(found.node))}\n", *_calls(noun, found.node)]
    reached = _reached()
    public = set(quipu.__all__)
    parts.append("\n## Types\n")
    parts += [_type_part(n, f) for n, f in reached.items() if n in public]
    parts.append("\n## Parts of types\n")
    parts += [
        _type_part(n, f, brief=True) for n, f in reached.items() if n not in public | _in_json()
    ]
    errors = _tree("quipu.errors")
    assert errors is not None
    tree = inspect.cleandoc(ast.get_docstring(errors) or "")
    parts.append(f"\n## Errors\n\n```text\n{tree}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    click.echo(reference(), nl=False)

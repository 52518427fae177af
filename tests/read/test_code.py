"""Every language gives its definitions, calls and imports."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

CASES = tomllib.loads((Path(__file__).parent / "data/definitions.toml").read_text("utf-8"))
"""What a file of each language defines, uses and imports, among other things."""


@pytest.mark.parametrize("path", sorted(CASES))
def test_definitions_uses_and_imports(path: str, read: Read) -> None:
    case = CASES[path]
    document = read(path, case["text"])
    defined = {(d.kind, d.qualified) for d in document.definitions}
    assert set(map(tuple, case["definitions"])) <= defined
    assert set(case["uses"]) <= {u.name for u in document.uses}
    assert set(case["imports"]) <= {i.module for i in document.imports}
    assert (document.type, document.family) == ("code", "code")


def test_lines_parameters_and_docs_of_a_definition(read: Read) -> None:
    text = '@wraps\ndef f(a, *, b=2):\n    """Does f.\n\n    At length.\n    """\n    return a\n'
    (f,) = read("a.py", text).definitions
    assert (f.start_line, f.line, f.end_line, f.parameters) == (1, 2, 7, "(a, *, b=2)")
    assert f.doc == "Does f.\n\nAt length."


def test_the_comment_above_is_the_doc_where_there_are_no_docstrings(read: Read) -> None:
    (f,) = read("a.go", "package p\n\n// F does it.\n// Well.\nfunc F() {}\n").definitions
    assert (f.doc, f.start_line) == ("F does it.\nWell.", 3)


ASSIGNED = """
const fs = require('fs');
var compile = require('./utils').compile, { a, b: c } = require('./other');
var methods = ['get'];

/**
 * Handles a request.
 */

app.handle = function handle(req) { compile(req); this.set(c()); };
app.set = (key) => key;
View.prototype.lookup = function (name) { function inner() {} app.inner = () => 1; };
exports.weak = generate({ weak: true });
module.exports.strong = async function (x) {};
module.exports = function createApp() {};
defineGetter(req, 'ip', function ip() {});
exports.Other = class extends Foo { bar = x => x; #secret = 1; };
const Named = class {};
methods.forEach(function (each) { app[each] = function () {}; });
registry['x'].y = function () {};
"""


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx"])
def test_what_javascript_assigns_is_defined(path: str, read: Read) -> None:
    document = read(path, ASSIGNED)
    assert {(d.kind, d.qualified) for d in document.definitions} == {
        ("variable", "methods"),
        ("method", "app.handle"),
        ("method", "app.set"),
        ("method", "View.lookup"),
        ("variable", "weak"),
        ("function", "strong"),
        ("function", "createApp"),
        ("function", "ip"),
        ("class", "Other"),
        ("method", "Other.bar"),
        ("class", "Named"),
    }
    handle = next(d for d in document.definitions if d.name == "handle")
    assert (handle.doc, handle.start_line, handle.line) == ("Handles a request.", 6, 10)
    assert {(u.name, u.within) for u in document.uses} >= {
        ("compile", "app.handle"),
        ("this.set", "app.handle"),
        ("generate", "weak"),
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "(" * 200_000),
        ("a.js", "{" * 60_000),
        ("a.py", "def f(:\n  ]]]\nclass\n"),
        ("a.c", "\ufffd\ufffd{{"),
        ("a.rs", "fn " * 20_000),
    ],
)
def test_code_that_cannot_be_parsed_is_still_text(path: str, text: str, read: Read) -> None:
    assert read(path, text).text == text


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("a.py", "A = 1\nB: int = -2\nC = [\n  1,\n]\n", {"A": "1", "B": "-2", "C": ""}),
        ("a.js", "const A = 'x'\nexport const B = 2\n", {"A": "'x'", "B": "2"}),
        (
            "a.go",
            (
                'package p\n\nvar (\n\t// ErrA is so.\n\tErrA = errors.New("x")\n\tB   int\n)\n'
                "const (\n\tC = 3\n\tD\n)\n"
            ),
            {"ErrA": 'errors.New("x")', "B": "", "C": "3", "D": ""},
        ),
        ("a.rs", "const A: usize = 5;\nstatic B: i32 = -1;\n", {"A": "5", "B": "-1"}),
        ("a.c", "#define A 7\n", {"A": "7"}),
        ("a.rb", "A = 'x'\n", {"A": "'x'"}),
        ("a.sh", "A=1\n", {"A": "1"}),
        ("a.py", f"A = '{'x' * 200}'\n", {"A": ""}),
    ],
)
def test_what_a_variable_is_set_to_is_known_where_it_is_short(
    read: Read, name: str, text: str, values: dict[str, str]
) -> None:
    found = {each.name: each.value for each in read(name, text).definitions}
    assert found == values

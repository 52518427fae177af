"""Import statements of every form say what they bring in, and how it is called here."""

from collections.abc import Callable

import pytest

from quipu.records.document import Document, Import

Read = Callable[[str, str | bytes], Document]

CASES: list[tuple[str, str, list[Import]]] = [
    ("a.py", "from . import x", [Import("", 1, (("x", "x"),), level=1)]),
    ("a.py", "from .x import(a, b)", [Import("x", 1, (("a", "a"), ("b", "b")), level=1)]),
    ("a.py", "from..x import a", [Import("x", 1, (("a", "a"),), level=2)]),
    (
        "a.py",
        "from x.y import (  # why\n    a as b,\n    c,  # so\n)",
        [Import("x.y", 1, (("a", "b"), ("c", "c")))],
    ),
    ("a.py", "from x import a, \\\n    b", [Import("x", 1, (("a", "a"), ("b", "b")))]),
    (
        "a.py",
        "import a.b as c, \\\n    d",
        [Import("a.b", 1, alias="c"), Import("d", 1, alias="d")],
    ),
    ("a.py", "from\tx\timport\ta", [Import("x", 1, (("a", "a"),))]),
    ("a.rs", "use a::{b, c};", [Import("a", 1, (("b", "b"), ("c", "c")))]),
    (
        "a.rs",
        "use crate::a::{self, b::{C, d as e}, f::*};",
        [
            Import("crate::a", 1, (("self", "a"),)),
            Import("crate::a::b", 1, (("C", "C"), ("d", "e"))),
            Import("crate::a::f", 1, (("*", "*"),)),
        ],
    ),
    (
        "a.rs",
        "pub(crate) use {a::b, c::d};",
        [Import("a", 1, (("b", "b"),)), Import("c", 1, (("d", "d"),))],
    ),
    ("a.rs", "use super::x as y;", [Import("super", 1, (("x", "y"),))]),
    (
        "a.rs",
        "use ::a::{\n    b, // {c, d}\n    e,\n};",
        [Import("a", 1, (("b", "b"), ("e", "e")))],
    ),
    ("a.rs", "use serde;", [Import("serde", 1, (("serde", "serde"),))]),
    (
        "a.php",
        "<?php\nuse A\\{B, C as D, E\\F};",
        [
            Import("A.B", 2, (("B", "B"),)),
            Import("A.C", 2, (("C", "D"),)),
            Import("A.E.F", 2, (("F", "F"),)),
        ],
    ),
    (
        "a.php",
        "<?php\nuse function A\\{f, g as h};",
        [Import("A.f", 2, (("f", "f"),)), Import("A.g", 2, (("g", "h"),))],
    ),
    (
        "a.php",
        "<?php\nuse \\A\\B as C, D\\E;",
        [Import("A.B", 2, (("B", "C"),)), Import("D.E", 2, (("E", "E"),))],
    ),
    (
        "a.go",
        'package p\nimport "x.org/y/v2"',
        [Import("p", 0, level=-2), Import("x.org/y/v2", 2, alias="y")],
    ),
    (
        "a.go",
        'package p\nimport (\n\t. "x.org/y"\n\tz "x.org/w"\n)',
        [
            Import("p", 0, level=-2),
            Import("x.org/y", 3, alias="."),
            Import("x.org/w", 4, alias="z"),
        ],
    ),
    (
        "a.cs",
        ("using static A.B.C;\nusing D = E.F;\nglobal using G;\nnamespace N.M { namespace O {} }"),
        [
            Import("N.M", 0, level=-2),
            Import("N.M.O", 0, level=-2),
            Import("A.B.C", 1, (("C", "C"),)),
            Import("E.F", 2, (("F", "D"),)),
            Import("G", 3, (("G", "G"),)),
        ],
    ),
    ("a.cs", "namespace N.M;\nclass C {}", [Import("N.M", 0, level=-2)]),
    (
        "A.java",
        "package a.b;\nimport static c.D.e;\nimport f.*;",
        [Import("a.b", 0, level=-2), Import("c.D.e", 2, (("e", "e"),)), Import("f.*", 3)],
    ),
]


@pytest.mark.parametrize(("path", "text", "imports"), CASES, ids=[c[1][:30] for c in CASES])
def test_imports(path: str, text: str, imports: list[Import], read: Read) -> None:
    assert list(read(path, text + "\n").imports) == imports

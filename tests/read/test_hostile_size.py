"""Work grows with the length of what is read, whatever somebody wrote to make it grow faster."""

import time
from collections.abc import Callable

import pytest

from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]
Make = Callable[[int], str]

SIZE, TIMES = 50_000, 5
SLACK_S = 0.3

HOSTILE: list[tuple[str, str, Make]] = [
    ("a long word", "x.txt", lambda n: "_a. " + "a" * n),
    ("letters and digits", "x.txt", lambda n: "_a. " + "1a" * (n // 2)),
    ("humps", "x.txt", lambda n: "_a. " + "aB" * (n // 2) + "_"),
    ("a long path", "x.txt", lambda n: "a/" * (n // 2)),
    ("dots of a path", "x.txt", lambda n: "a/" + "b." * (n // 2)),
    ("an address of dots", "x.txt", lambda n: "http://" + "." * n),
    ("open brackets", "x.md", lambda n: "[" * n),
    ("open pictures", "x.md", lambda n: "![" * (n // 2)),
    ("stars", "x.md", lambda n: "*a_ " * (n // 4)),
    ("a heading of brackets", "x.md", lambda n: "# " + "[" * n),
    ("a heading of spaces", "x.md", lambda n: "# " + " " * n + "x"),
    ("links on one line", "x.md", lambda n: ("[a](b) " * 2_000 + "\n\n") * (n // 14_000)),
    (
        "links of reStructuredText",
        "x.rst",
        lambda n: "".join(f"`a{i} <b{i}.rst>`_ :doc:`c{i}`\n" for i in range(n // 30)),
    ),
    ("a word of dashes", "x.rst", lambda n: "a-" * (n // 2)),
    ("titles", "x.rst", lambda n: "a\n===\n\n" * (n // 21)),
    ("a tag without end", "x.html", lambda n: "<" + "a" * n),
    ("cells of one row", "x.html", lambda n: "<table><tr>" + "<td>a" * (n // 5)),
    ("pieces of one line", "x.html", lambda n: "<b>a</b>" * (n // 8)),
    ("headings in headings", "x.html", lambda n: "<h1><div>" * 1_000 + "a<br>" * (n // 5)),
    (
        "open formatting",
        "x.html",
        lambda n: "".join(f"<b a={i}>" for i in range(1_500)) + "<p>" * (n // 3),
    ),
    ("attributes", "x.html", lambda n: "<a " + "".join(f"b{i}=1 " for i in range(n // 9)) + ">"),
    (
        "dependencies",
        "package.json",
        lambda n: '{"dependencies": {' + ",".join(f'"k{i}":"1"' for i in range(n // 12)) + "}}",
    ),
    ("a go.mod of dots", "go.mod", lambda n: "a." * (n // 2)),
    ("a go.mod of lines", "go.mod", lambda n: "\n" * n),
    ("owners that are none", "CODEOWNERS", lambda n: "* " + "x " * (n // 2)),
    (
        "tools",
        "x.json",
        lambda n: (
            '{"tools": ['
            + ",".join(f'{{"name":"t{i}","inputSchema":1}}' for i in range(n // 32))
            + "]}"
        ),
    ),
    ("escapes", "x.json5", lambda n: '"' + '\\"' * (n // 2)),
    ("spaces in a string", "x.toml", lambda n: 'a = """\n[' + " " * n + '\n"""\n'),
    ("a chain of calls", "x.py", lambda n: "a" + ".b()" * (n // 4)),
    ("a comment of spaces", "x.py", lambda n: "# " + " " * n + "x\ndef f(): pass\n"),
    (
        "decorators between methods",
        "x.py",
        lambda n: "class A:\n" + "".join(f" def m{i}(self): pass\n @dd\n" for i in range(n // 27)),
    ),
    ("classes in classes", "x.js", lambda n: "class A{" * (n // 8)),
    ("namespaces", "x.cs", lambda n: "namespace A{" * (n // 12)),
    ("open uses", "x.rs", lambda n: "use a::{" * (n // 8)),
    ("private keys", "x.txt", lambda n: "-----BEGIN PRIVATE KEY-----\n" * (n // 28)),
    ("queries", "x.txt", lambda n: ("?" + "a" * 40) * (n // 41) + "token="),
]


@pytest.mark.parametrize(("path", "make"), [c[1:] for c in HOSTILE], ids=[c[0] for c in HOSTILE])
def test_work_grows_with_length(path: str, make: Make, read: Read) -> None:
    def spent(text: str) -> float:
        began = time.process_time()
        read(path, text)
        return time.process_time() - began

    read(path, make(1_000))
    bound = 3 * TIMES * spent(make(SIZE)) + SLACK_S
    large = make(SIZE * TIMES)
    # A square would take 25 times as long; what else the machine does is no reason to fail.
    assert spent(large) < bound or spent(large) < bound


@pytest.mark.parametrize(
    ("path", "text"),
    [("x.py", "a" + ".b()" * 100_000), ("x.js", "a" + ".b()" * 100_000), ("x.cpp", "a<" * 300_000)],
)
def test_code_that_no_one_wrote_is_only_text_and_says_so(path: str, text: str, read: Read) -> None:
    document = read(path, text)
    assert document.definitions == document.uses == ()
    assert "only its text was read" in document.problems[0].error

"""Whatever a file holds, it is read or refused as invalid; nothing else is ever raised."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.chunk import chunk
from quipu.errors import InvalidInput
from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

PATHS = """
a.md a.adoc a.org a.rst a.txt a.html a.ipynb a.py a.js a.ts a.tsx a.go a.java a.rs a.c a.cpp
a.cs a.rb a.php a.sh a.sql a.toml a.yaml a.json a.jsonc a.json5 a.jsonl CODEOWNERS
pyproject.toml go.mod package.json Cargo.toml pom.xml requirements.txt compose.yaml a.pdf a.docx
""".split()

PIECES = st.one_of(
    st.sampled_from(
        (
            "---\n~+++\n~# ~```~===\n~\r\n~\r~\u2028~\x0c~\x00~\ufeff~<h1>~</div>~<pre>~<td>~"
            "&#0;~&#xd800;~{~}~[~]~(~)~:~a: ~- ~? ~&a ~*a~<<: *a~!!set ~!!int ~'~\"~\\~\\ud800~"
            "def f():\n~class A:\n  ~import ~from . import (~use a::{~namespace N {~using A = ~"
            "package p\n~require x.y v1\n~* @a b\n~==1\n~services:\n  ~`a <b>`_~:doc:`~[a](b)~"
            "https://u:p4ssw0rd!@h/~dependencies = ~// ~/*"
        ).split("~")
    ),
    st.text(max_size=8),
)
FILES = st.one_of(
    st.lists(PIECES, max_size=25).map(lambda p: "".join(p).encode("utf-8", "surrogatepass")),
    st.binary(max_size=60),
    st.lists(PIECES, max_size=8).map(lambda p: "".join(p).encode("utf-16", "surrogatepass")),
)


@pytest.mark.parametrize("path", PATHS)
@settings(deadline=None, max_examples=15)
@given(data=FILES)
def test_any_bytes(path: str, read: Read, data: bytes) -> None:
    try:
        document = read(path, data)
    except InvalidInput:
        return
    document.text.encode()
    str(document).encode()
    last = document.text.count("\n") + 1
    for section in document.sections:
        assert 1 <= section.start_line <= section.end_line <= last
    for place in (*document.links, *document.uses, *document.relations, *document.things):
        assert 0 <= place.line <= last
    lines = document.text.split("\n")
    covered: set[int] = set()
    for each in chunk(document, episode_id="e", document_id="d"):
        assert 1 <= each.start_line <= each.end_line <= last
        covered |= set(range(each.start_line, each.end_line + 1))
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= covered
    assert read(path, data) == document

"""Lines are those of the file as an editor counts them, whatever ends them or looks like an end."""

from collections.abc import Callable

import pytest

from quipu.chunk import chunk
from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

FILES = {
    "x.md": "# One\n\ntext {0}here\n\n## Two\n\nmore `call_it()`\n",
    "x.rst": "One\n===\n\ntext {0}here\n\nTwo\n---\n\nmore call_it()\n",
    "x.txt": "text {0}here\n\n\n\nmore call_it()\n",
    "x.py": "# text {0}here\nx = 1\n\n\ndef call_it():\n    pass\n",
    "x.js": "// text {0}here\nlet x = 1\n\n\nfunction call_it() {}\n",
    "x.toml": 'a = "text {0}here"\n[b]\ncall_it = 1\n',
}


@pytest.mark.parametrize("mark", ["", "\u2028", "\u2029", "\x0c", "\x0b", "\x1c", "\x85", "\u3000"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("path", sorted(FILES))
def test_lines_do_not_move(path: str, end: str, mark: str, read: Read) -> None:
    plain = read(path, FILES[path].replace("{0}", ""))
    odd = read(path, FILES[path].replace("{0}", mark).replace("\n", end))
    assert odd.text.count("\n") == FILES[path].count("\n")
    assert [s.start_line for s in odd.sections] == [s.start_line for s in plain.sections]
    assert [(d.line, d.end_line) for d in odd.definitions] == [
        (d.line, d.end_line) for d in plain.definitions
    ]
    chunks = [chunk(d, episode_id="e", document_id="d") for d in (odd, plain)]
    assert [(c.start_line, c.end_line) for c in chunks[0]] == [
        (c.start_line, c.end_line) for c in chunks[1]
    ]
    lines = odd.text.split("\n")
    for each in chunks[0]:
        assert each.text == "\n".join(lines[each.start_line - 1 : each.end_line])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_with_a_mark_are_read(encoding: str, read: Read) -> None:
    text = "# Überschrift\r\n\r\nzwei"
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    document = read("x.md", (mark + text).encode(encoding))
    assert document.title == "Überschrift"
    assert document.text == "# Überschrift\n\nzwei"
    assert document.problems == ()


@pytest.mark.parametrize(
    "path", ["x.md", "x.py", "x.html", "x.rst", "x.txt", "x.sql", "CODEOWNERS"]
)
@pytest.mark.parametrize("text", ["", " ", "\n", "\ufeff", "\r\n\r\n"])
def test_nothing_is_read_as_nothing(path: str, text: str, read: Read) -> None:
    document = read(path, text)
    assert document.text.strip() == ""
    assert chunk(document, episode_id="e", document_id="d") == []


def test_a_long_text_keeps_its_headings(read: Read) -> None:
    text = (
        "=====\nTitle\n=====\n\nOne\n---\n\n" + "words and words\n\n" * 20_000 + "Two\n---\n\nx\n"
    )
    document = read("x.rst", text)
    assert [(s.path, s.start_line) for s in document.sections] == [
        (("Title",), 1),
        (("Title", "One"), 5),
        (("Title", "Two"), 40_008),
    ]


def test_markdown_of_another_encoding_keeps_its_headings(read: Read) -> None:
    document = read("x.md", "# Caf\xe9\n\n[l](a.md)\n".encode("cp1252"))
    assert document.title == "Caf\xe9"
    assert [link.target for link in document.links] == ["a.md"]
    assert "Windows-1252" in document.problems[0].error

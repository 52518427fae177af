"""AsciiDoc and Org: title, header, headings, blocks, tables and links."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]

DATA = Path(__file__).parent / "data"
ADOC, ORG = ((DATA / f"pump.{end}").read_text("utf-8") for end in ("adoc", "org"))


def titles(document: Document) -> list[tuple[str, ...]]:
    return [section.path for section in document.sections if section.path]


def test_asciidoc_is_read_by_its_markup(read: Read) -> None:
    document = read("docs/pump.adoc", ADOC)
    assert (document.title, document.text) == ("Pump Manual", ADOC)
    assert document.properties == {
        "author": "Jo Lindt",
        "version": "1.2",
        "date": "2024-01-02",
        "product": "Pump",
    }
    assert titles(document) == [
        ("Pump Manual",),
        ("Pump Manual", "Install"),
        ("Pump Manual", "Install", "Deep er"),
    ]
    assert [tuple(span) for span in document.spans] == [(12, 14), (23, 31)]
    assert {link.target for link in document.links} == {
        "a/b.adoc#x",
        "c.adoc",
        "https://example.org/pump",
    }
    assert {(r.type, r.target) for r in document.relations} == {("AUTHORED_BY", "Jo Lindt")}


def test_underlined_titles_of_asciidoc_are_headings(read: Read) -> None:
    text = (
        "git-foo(1)\n==========\n:a: b\n\nNAME\n----\ngit-foo\n\n----\ncode\n----\n\n"
        "Deep\n~~~~\nx\n"
    )
    document = read("git-foo.adoc", text)
    assert document.properties == {"a": "b"}
    assert titles(document) == [
        ("git-foo(1)",),
        ("git-foo(1)", "NAME"),
        ("git-foo(1)", "NAME", "Deep"),
    ]
    assert [tuple(span) for span in document.spans] == [(9, 11)]


def test_org_is_read_by_its_markup(read: Read) -> None:
    document = read("notes/pump.org", ORG)
    assert (document.title, document.text) == ("Pump notes", ORG)
    assert document.properties == {"title": "Pump notes", "author": "Lou Fox"}
    assert titles(document) == [("Decisions",), ("Decisions", "Use Kafka"), ("Prices",)]
    assert [tuple(span) for span in document.spans] == [(5, 7), (10, 12), (14, 17)]
    assert {link.target for link in document.links} == {"a.org", "https://example.org"}


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a.org", "* One\n* Two\n", "a.org"),
        ("a.org", "* One\n** Two\n", "One"),
        ("a.org", "#+BEGIN_SRC\n* One\n", "One"),
        ("a.adoc", "text\n", "a.adoc"),
        ("a.adoc", "----\n= One\n", "a.adoc"),
        ("a.adoc", "", "a.adoc"),
        ("a.adoc", "|===\n", "a.adoc"),
    ],
)
def test_a_page_that_is_not_whole_is_read(path: str, text: str, title: str, read: Read) -> None:
    document = read(path, text)
    assert (document.title, document.text, document.problems) == (title, text, ())

"""Every format other than code gives its text, headings, links and what it declares."""

import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen import canvas

from quipu.errors import InvalidInput
from quipu.records.document import Document

Read = Callable[[str, str | bytes], Document]


def headings(document: Document) -> list[tuple[tuple[str, ...], int, int]]:
    return [(s.path, s.start_line, s.end_line) for s in document.sections if s.path]


def relations(document: Document) -> set[tuple[str, str]]:
    return {(stated.type, stated.target) for stated in document.relations}


def warned(document: Document) -> str:
    return "; ".join(problem.error for problem in document.problems)


def pdf(*pages: str, title: str = "") -> bytes:
    buffer = io.BytesIO()
    drawing = canvas.Canvas(buffer, invariant=True)
    drawing.setTitle(title)
    for page in pages:
        drawing.drawString(72, 720, page)
        drawing.showPage()
    drawing.save()
    return buffer.getvalue()


def test_markdown_headings_fences_links_and_names(read: Read) -> None:
    text = (
        "# Guide\n\nSee [setup](docs/a.md#x) and `run_it()` in src/a/b.py.\n\n"
        "```py\nx = 1\n\ny = 2\n```\n\n## Deep `er` *a_b*\n\nAt https://example.org/x.\n"
    )
    document = read("g.md", text)
    assert document.title == "Guide"
    assert headings(document) == [(("Guide",), 1, 10), (("Guide", "Deep er a_b"), 11, 14)]
    assert [tuple(span) for span in document.spans] == [(5, 9)]
    assert [(li.target, li.line) for li in document.links] == [
        ("docs/a.md#x", 3),
        ("https://example.org/x", 13),
    ]
    assert {("run_it", "name"), ("src/a/b.py", "path")} <= {(u.name, u.kind) for u in document.uses}


def test_front_matter_gives_properties_and_relations(read: Read) -> None:
    text = (
        "---\ntitle: Retry\nid: ADR-7\nstatus: accepted\ndate: 2024-01-02\nowner: team-a\n"
        "supersedes: [old.md, ADR-1]\nimplements: plan.md\nrelations:\n  blocks: other\n---\nBody\n"
    )
    document = read("x.md", text)
    assert document.title == "Retry"
    assert document.properties["date"] == "2024-01-02"
    assert relations(document) == {
        ("OWNED_BY", "team-a"),
        ("SUPERSEDES", "old.md"),
        ("SUPERSEDES", "ADR-1"),
        ("IMPLEMENTS", "plan.md"),
        ("BLOCKS", "other"),
    }
    assert {stated.line for stated in document.relations if stated.type == "SUPERSEDES"} == {7}


@pytest.mark.parametrize(
    ("path", "type_"),
    [
        ("docs/adr/0001-use-x.md", "adr"),
        ("docs/adr/README.md", "doc"),
        ("policies/data.md", "policy"),
        ("docs/a.md", "doc"),
    ],
)
def test_the_path_says_what_a_document_is(path: str, type_: str, read: Read) -> None:
    assert read(path, "# T\n").type == type_


def test_restructuredtext_sections_links_and_no_files(read: Read) -> None:
    text = (
        "=====\nTitle\n=====\n\nSee `there <x.rst>`_ and :doc:`other`.\n\n"
        ".. include:: /etc/passwd\n\nSub\n---\n\ncode::\n\n   a\n\n   b\n\nend\n"
    )
    document = read("x.rst", text)
    assert headings(document) == [(("Title",), 1, 8), (("Title", "Sub"), 9, 19)]
    assert {li.target for li in document.links} == {"x.rst", "other"}
    assert document.text == text


def test_restructuredtext_objects_are_sections_of_their_names(read: Read) -> None:
    text = (
        "Settings\n========\n\nAll of them.\n\n.. py:data:: DEBUG\n\n   On or off.\n\n"
        ".. class:: Store(path, *, mode)\n\n   It keeps.\n\n   .. method:: close()\n\n"
        "      Ends it.\n\n   It ends.\n\n.. note:: No object.\n\nAfterwards.\n\nShown::\n\n"
        "   .. data:: QUOTED\n\n      Not one.\n"
    )
    assert headings(read("x.rst", text)) == [
        (("Settings",), 1, 5),
        (("Settings", "DEBUG"), 6, 9),
        (("Settings", "Store"), 10, 13),
        (("Settings", "Store", "close"), 14, 17),
        (("Settings", "Store"), 18, 19),
        (("Settings",), 20, 29),
    ]


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("CHANGES.rst", "Version 2.1.0\n------\n\n- a\n\nVersion 2.0.3\n------\n", "CHANGES.rst"),
        ("History.md", "5.1.0 / 2025-03-31\n====\n\n* a\n\n5.0.1 / 2024-10-08\n====\n", "History"),
        ("NEWS.md", "## [Unreleased]\n\n- a\n\n## [1.2.0] - 2026-01-02\n\n- b\n", "NEWS"),
        ("CHANGELOG.md", "# Changelog\n\n## 2.0\n\n- a\n\n## 1.0\n\n- b\n", "Changelog"),
        ("notes.md", "# 3.1 and what it brings\n\nMuch.\n", "3.1 and what it brings"),
        ("guide.md", "# Setup\n\nOne.\n\n# Usage\n\nTwo.\n", "Setup"),
    ],
)
def test_a_list_of_releases_is_not_called_after_the_first(
    path: str, text: str, title: str, read: Read
) -> None:
    document = read(path, text)
    assert document.title == title


def test_html_gives_visible_text_and_links(read: Read) -> None:
    text = (
        "<html><head><title>T</title><script>bad()</script></head><body><h1>Head</h1>"
        '<p>Hello <b>w</b>orld <a href="x.html">l</a></p><pre>a\n  b</pre>'
        "<table><tr><td>1<td>2</tr></table></body></html>"
    )
    document = read("x.html", text)
    assert document.title == "T"
    assert "bad()" not in document.text
    assert "Hello world l" in document.text.split("\n")
    assert "a\n  b" in document.text
    assert "1 | 2" in document.text
    assert [li.target for li in document.links] == ["x.html"]
    assert headings(document)[0][0] == ("Head",)


def test_pdf_pages_are_sections(read: Read) -> None:
    document = read("x.pdf", pdf("First words", "Second words", title="My PDF"))
    assert document.title == "My PDF"
    assert document.text == "First words\n\nSecond words"
    assert headings(document) == [(("page 1",), 1, 2), (("page 2",), 3, 3)]


@pytest.mark.parametrize("data", [pdf("x")[:300], b"hello", b"%PDF-1.7\n", b""])
def test_a_pdf_that_is_not_whole_is_invalid(data: bytes, read: Read) -> None:
    with pytest.raises(InvalidInput, match="PDF"):
        read("x.pdf", data)


def test_word_headings_lists_and_tables(read: Read) -> None:
    document = docx.Document()
    document.add_heading("Top", 0)
    document.add_heading("One", 1)
    document.add_paragraph("Some text.")
    document.add_paragraph("item", style="List Bullet")
    document.add_table(1, 2).cell(0, 0).text = "cell"
    buffer = io.BytesIO()
    document.save(buffer)
    result = read("x.docx", buffer.getvalue())
    assert result.text.split("\n\n")[:4] == ["# Top", "# One", "Some text.", "- item"]
    assert "| cell |" in result.text
    with pytest.raises(InvalidInput, match="Word"):
        read("x.docx", buffer.getvalue()[:1000])


def test_notebooks_become_markdown(read: Read) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# NB\n", "text"]},
        {"cell_type": "code", "source": "x = 1\n\nprint(x)", "outputs": [{"text": "1"}]},
    ]
    whole = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    document = read("x.ipynb", whole)
    code, output = "```python\nx = 1\n\nprint(x)\n```\n", "```output\n1\n```\n"
    assert document.text == f"# NB\ntext\n\n{code}\n{output}"
    assert document.title == "NB"
    cut = read("x.ipynb", whole[:40])
    assert cut.text == whole[:40]
    assert "notebook" in warned(cut)


def outputs_of(read: Read, *outputs: object) -> str:
    cell = {"cell_type": "code", "source": "run()", "outputs": outputs}
    text = read("x.ipynb", json.dumps({"cells": [cell], "nbformat": 4})).text
    return text.removeprefix("```python\nrun()\n```\n").strip()


@pytest.mark.parametrize(
    ("output", "read_as"),
    [
        ({"output_type": "stream", "text": ["loss=0.1\n", "done\n"]}, "loss=0.1\ndone"),
        ({"output_type": "execute_result", "data": {"text/plain": "   a\n0  1"}}, "   a\n0  1"),
        ({"output_type": "pyout", "text": ["42"]}, "42"),
        ({"output_type": "error", "ename": "KeyError", "evalue": "'x'"}, "KeyError: 'x'"),
        ({"output_type": "stream", "text": "\x1b[31mred\x1b[0m"}, "red"),
        ({"output_type": "stream", "text": " 10%\r 50%\r100% done"}, "100% done"),
    ],
)
def test_what_a_cell_gives_out_is_read(output: object, read_as: str, read: Read) -> None:
    assert outputs_of(read, output) == f"```output\n{read_as}\n```"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("x.json", '{"a": [1'),
        ("x.yaml", "a: [1\nb: }"),
        ("x.toml", "a = "),
        ("x.json", "[" * 100_000),
        ("x.yaml", "[" * 5_000),
        ("x.toml", "a = " + "[" * 5_000),
        ("pyproject.toml", "[project"),
        ("pom.xml", "<project>"),
        ("pom.xml", '<!DOCTYPE x [<!ENTITY a "b">]><project/>'),
        ("docker-compose.yml", "services: ["),
    ],
)
def test_data_that_is_not_whole_is_text_with_a_warning(path: str, text: str, read: Read) -> None:
    document = read(path, text)
    assert document.text == text
    assert warned(document)
    assert not document.things


def test_aliases_do_not_make_a_file_grow(read: Read) -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert not read("x.yaml", "\n".join(rows)).problems


MANIFESTS = tomllib.loads((Path(__file__).parent / "data" / "manifests.toml").read_text("utf-8"))


@pytest.mark.parametrize("path", sorted(MANIFESTS))
def test_manifests_declare_a_package_and_its_dependencies(path: str, read: Read) -> None:
    package = MANIFESTS[path]["package"]
    document = read(path, MANIFESTS[path]["text"])
    assert document.type == "manifest"
    assert not document.problems
    assert [t.name for t in document.things] == ([package] if package else [])
    assert relations(document) == {("DEPENDS_ON", name) for name in MANIFESTS[path]["dependencies"]}
    assert {t.source for t in document.relations} == {("Package", package) if package else None}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"name": "p", "bin": [[]], "dependencies": {"": "1", "a/b": "2"}}'),
        ("composer.json", '{"name": "p", "bin": [{}], "require": {"": "1", "a/b": "2"}}'),
    ],
)
def test_what_a_manifest_gives_no_name_is_left_out(path: str, text: str, read: Read) -> None:
    document = read(path, text)
    assert document.properties["declares"] == {"dependencies": ["a/b 2"]}
    assert relations(document) == {("DEPENDS_ON", "a/b")}


def test_codeowners_rules_in_order(read: Read) -> None:
    document = read(
        ".github/CODEOWNERS", "* @org/all # c\n\n/docs/ @d bob@x.org\n/free/\nq nobody\n"
    )
    assert [(r.pattern, r.owners, r.line) for r in document.owner_rules] == [
        ("*", ("@org/all",), 1),
        ("/docs/", ("@d", "bob@x.org"), 3),
        ("/free/", (), 4),
        ("q", (), 5),
    ]
    assert "'nobody'" in warned(document)


def test_compose_services_and_what_they_depend_on(read: Read) -> None:
    text = (
        "x-base: &base\n  depends_on: [db]\nservices:\n  web:\n    <<: *base\n    image: nginx\n"
        "  api:\n    depends_on:\n      web:\n        condition: healthy\n  db: {}\n"
    )
    document = read("docker-compose.yml", text)
    assert [(t.name, t.line) for t in document.things] == [("web", 4), ("api", 7), ("db", 11)]
    assert {(t.source, t.target) for t in document.relations} == {
        (("Service", "web"), "db"),
        (("Service", "api"), "web"),
    }


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({"tools": [{"name": "search", "inputSchema": {"properties": {"q": {}}}}]}, ["search"]),
        ({"result": {"tools": [{"name": "get", "inputSchema": {}}]}}, ["get"]),
        ({"mcpServers": {"git": {"command": "uvx", "env": {"KEY": "hidden"}}}}, ["git"]),
        ({"tools": ["black"], "servers": ["a"]}, []),
    ],
)
def test_mcp_metadata_gives_tools(data: object, names: list[str], read: Read) -> None:
    document = read("x.json", json.dumps(data, indent=1))
    assert [t.name for t in document.things] == names
    assert document.type == ("tool" if names else "data")
    assert not any("hidden" in str(t.properties) for t in document.things)


def test_secrets_are_gone_from_every_part_of_a_document(read: Read) -> None:
    key = "ghp_" + "a1B2" * 9
    for path, text in {
        "x.md": f"---\nnote: {key}\n---\n# Use {key}\n\n[l](https://x.org/{key})\n",
        "x.py": f'"""Doc {key}."""\nK = "{key}"\n',
        "x.json": json.dumps({"mcpServers": {"a": {"command": "c", "args": [key]}}}),
        "x.html": f"<h1>{key}</h1>",
        "x.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": key}]}),
    }.items():
        document = read(path, text)
        assert key not in str(document)
        assert document.redactions["github-token"] >= 1
    assert key not in str(read("x.pdf", pdf(key)))

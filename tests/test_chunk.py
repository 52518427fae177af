"""Chunks cover a document once, in order, and show its lines as they are."""

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.chunk import CODE_TOKENS, chunk
from quipu.limits import LONGEST_LINE
from quipu.read import SourceFile, content_hash, read_document
from quipu.records.document import Document
from quipu.records.record import Chunk


def document(path: str, text: str) -> Document:
    data = text.encode()
    hashed = content_hash(data)
    return read_document(SourceFile(path, data, hashed, hashed, "2024-01-01T00:00:00.000Z"))


def cut(path: str, text: str) -> list[Chunk]:
    return chunk(document(path, text), episode_id="ep_1", document_id="en_1")


def uncovered(path: str, text: str) -> list[int]:
    """Lines that are not blank and not in exactly one chunk; checks each chunk's text too."""
    read = document(path, text)
    chunks = chunk(read, episode_id="ep_1", document_id="en_1")
    lines = read.text.split("\n")
    times = [0] * (len(lines) + 1)
    end = 0
    for each in chunks:
        assert each.start_line > end
        end = each.end_line
        assert each.text == "\n".join(lines[each.start_line - 1 : each.end_line])
        for number in range(each.start_line, each.end_line + 1):
            times[number] += 1
    return [n for n, line in enumerate(lines, 1) if line.strip() and times[n] != 1]


MARKDOWN_LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three",
        "Some words stand here.",
        "",
        "",
        "- item",
        "  - inner",
        "```py",
        "```",
        "    indented",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "> quoted",
        "Title",
        "====",
        "---",
        "<div>",
        "</div>",
        "word " * 80,
        "[x](y.md)",
        "* * *",
        "1. first",
    ]
)
PYTHON_LINES = st.sampled_from(
    [
        "def f(a, b):",
        "    return a",
        "class A:",
        "    x = 1",
        "    def m(self):",
        "        pass",
        '    """Doc."""',
        "",
        "",
        "# comment",
        "@decorated",
        "    @property",
        "x = 1",
        "import os",
        "        if x:",
        "            y = call(1)",
        "(",
        ")",
        "async def g():",
        '"""',
        "y = 'é' * 200",
    ]
)


@settings(deadline=None)
@given(st.lists(MARKDOWN_LINES, max_size=120))
def test_markdown_lines_are_covered_once_in_order(lines: list[str]) -> None:
    assert uncovered("a.md", "\n".join(lines)) == []


@settings(deadline=None)
@given(st.lists(PYTHON_LINES, max_size=160))
def test_code_lines_are_covered_once_in_order(lines: list[str]) -> None:
    assert uncovered("a.py", "\n".join(lines)) == []


@pytest.mark.parametrize("path", ["a.js", "a.rs", "a.yaml", "a.rst", "a.txt", "a.sql", "a.toml"])
@settings(deadline=None)
@given(text=st.text(alphabet="ab{}()[]:=-'\"\n #<>/*.;,é", max_size=300))
def test_any_text_is_covered_once_in_order(path: str, text: str) -> None:
    assert uncovered(path, text) == []


def test_chunks_stay_under_one_heading_and_name_it() -> None:
    chunks = cut("g.md", "# Guide\n\nHello.\n\n## Install\n\nRun it.\n\n## Use\n\nAsk it.\n")
    assert [(c.title, c.heading_path) for c in chunks] == [
        ("Guide", ("Guide",)),
        ("Guide › Install", ("Guide", "Install")),
        ("Guide › Use", ("Guide", "Use")),
    ]


def test_paragraphs_are_packed_until_the_model_would_not_see_more() -> None:
    text = "\n\n".join("one two three four five six seven eight nine ten" for _ in range(60))
    chunks = cut("a.md", text)
    assert len(chunks) > 1
    assert all(60 < len(c.text.split()) <= 170 for c in chunks[:-1])


def test_a_code_fence_is_never_split() -> None:
    fence = "```\n" + "\n\n".join(f"line {n} of the code" for n in range(200)) + "\n```"
    chunks = cut("a.md", f"# T\n\nBefore.\n\n{fence}\n\nAfter.\n")
    assert [c for c in chunks if fence in c.text]


def test_a_small_function_is_one_chunk_with_its_comment_and_decorator() -> None:
    text = "import os\n\n# Why.\n@cached\ndef f(a):\n    x = a\n\n    return x\n\n\nf(1)\n"
    assert [(c.symbol, c.start_line, c.end_line) for c in cut("a.py", text)] == [
        (None, 1, 1),
        ("f", 3, 8),
        (None, 11, 11),
    ]


def test_a_large_function_is_cut_at_blank_lines_and_keeps_its_signature_in_the_title() -> None:
    block = "    value = compute(value, other, third)\n" * 12
    text = "def long_one(value, other):\n" + "\n".join(block for _ in range(12))
    chunks = cut("a.py", text)
    assert len(chunks) > 2
    assert {c.title for c in chunks} == {"a.py › long_one(value, other)"}
    lines = text.split("\n")
    assert all(not lines[c.start_line - 2].strip() for c in chunks[1:])
    assert all(len(c.text) < CODE_TOKENS * 4 for c in chunks)


def test_a_large_class_is_its_head_and_its_methods() -> None:
    methods = "\n".join(
        f"    def m{n}(self):\n" + "        work_on_something(self)\n" * 8 for n in range(4)
    )
    text = f'class A:\n    """About A."""\n\n    x = 1\n\n{methods}'
    assert [c.symbol for c in cut("a.py", text)] == ["A", "A.m0", "A.m1", "A.m2", "A.m3"]


@pytest.mark.parametrize("unit", ["word ", "x", "é", "👩‍👩‍👧", "e\u0301", "👍🏽"])
def test_an_enormous_line_is_cut_between_characters(unit: str) -> None:
    line = unit * (12_000 // len(unit))
    chunks = cut("a.txt", line)
    assert all(len(c.text) <= LONGEST_LINE for c in chunks)
    whole = normalize("NFC", line)  # as every text is read
    assert "".join(c.text.replace(" ", "") for c in chunks) == whole.replace(" ", "")
    assert not any(c.text[0] in "\u200d\u0301\U0001f3fd" for c in chunks)

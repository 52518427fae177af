"""Markdown by markdown-it: headings, fences, tables, links and code spans, with their lines; and
Jupyter notebooks turned into it: prose as it is, code and the text of outputs in fences.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from quipu.errors import InvalidInput
from quipu.limits import LONGEST_NAME, LONGEST_PASSAGE
from quipu.read.front_matter import split_front_matter
from quipu.read.keys import items_of, table_of
from quipu.read.prose import bare_urls, mentions, sections_of, title_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Span
from quipu.records.wiki import plain_links

_MARKUP = re.compile(
    r"[*`]+|(?<!\w)_+|_+(?!\w)|!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|\s*\{#[^}]*\}\s*$|\s\^[\w-]+\s*$"
)
_MAX_BRACKETS = 50
_BRACKET = re.compile(r"[\[\]]")
_SUPERSEDES = (
    (re.compile(r"(?i)\bsuperseded[ -]by\b"), "SUPERSEDED_BY"),
    (re.compile(r"(?i)\bsupersedes\b|\breplaces\b"), "SUPERSEDES"),
    (re.compile(r"(?i)\bdecided[ -]by\b|\bdecision:"), "DECIDED_BY"),
)
_ATOMIC = frozenset({"fence", "code_block", "table_open", "html_block"})

_BACKTICKS = re.compile(r"`{3,}")
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MOST_OUTPUTS, _MOST_OUTPUT_LINES, _LONGEST_OUTPUT = 20, 60, 4_000
"""What is read of what a cell gives out: so many outputs, of each so many lines and characters."""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 40}).enable("table")
    parser.core.ruler.at("inline", _parse_inlines)
    return parser


def _parse_inlines(state: StateCore) -> None:
    """What markdown-it does, except to passages that only a machine would write, and to those that
    cannot hold a link: nothing else is asked of what stands in a line."""
    for token in state.tokens:
        if token.type != "inline" or token.children is None:
            continue
        content = token.content
        if ("[" in content or "<" in content) and _is_written(content):
            state.md.inline.parse(content, state.md, state.env, token.children)


def _is_written(content: str) -> bool:
    """Whether a passage can be parsed in bearable time: each bracket that is left open is looked
    at again from every place after it."""
    depth = 0
    for mark in _BRACKET.findall(content):
        depth = depth + 1 if mark == "[" else max(depth - 1, 0)
        if depth > _MAX_BRACKETS:
            return False
    return len(content) <= LONGEST_PASSAGE


def read_markdown(text: str) -> Reading:
    """The Markdown in `text`; broken front matter is a warning."""
    properties, skipped, warnings = split_front_matter(text)
    lines = text.split("\n")
    body = "\n" * skipped + "\n".join(lines[skipped:]) if skipped else text
    reading = Reading(text, properties=properties, warnings=[*warnings])
    headings: list[tuple[int, int, str]] = []
    if skipped:
        reading.spans.append(Span(1, skipped))
    tokens = _parser().parse(body)
    for at, token in enumerate(tokens):
        if token.map is None:
            continue
        first, last = token.map[0] + 1, max(token.map[1], token.map[0] + 1)
        if token.type == "heading_open" and token.level == 0:
            title = _plain(tokens[at + 1].content)
            if title:
                headings.append((first, int(token.tag[1:]), title))
        elif token.type in _ATOMIC:
            reading.spans.append(Span(first, last))
        elif token.type == "inline" and token.children:
            reading.links += _links(token, lines)
    reading.headings = headings
    reading.sections = sections_of(headings, len(lines))
    reading.title = title_of(headings)
    reading.uses = mentions(body)
    known = {link.target for link in reading.links}
    reading.links += [link for link in bare_urls(body) if link.target not in known]
    return reading


def _plain(content: str) -> str:
    shown = plain_links(content[:LONGEST_NAME])
    return " ".join(_MARKUP.sub(lambda m: m[1] or "", shown).split())


def _links(inline: Token, lines: list[str]) -> list[Link]:
    found: list[Link] = []
    said: dict[int, str] = {}
    assert inline.map is not None
    line = inline.map[0] + 1
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
        target = child.attrGet("href") if child.type == "link_open" else None
        if isinstance(target, str) and target:
            if line not in said:
                said[line] = relation_said(lines[line - 1] if line <= len(lines) else "")
            found.append(Link(target, line, said[line]))
    return found


def relation_said(content: str) -> str:
    """What a line says of the links in it."""
    for pattern, relation in _SUPERSEDES:
        if pattern.search(content):
            return relation
    return "LINKS_TO"


def notebook_as_markdown(text: str) -> str:
    """The cells of a notebook with what they gave out. Raises InvalidInput for what is none, or not
    whole."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"is no whole notebook: {error}") from error
    notebook = table_of(data)
    # before version 4 cells stood in worksheets
    sheets = [table_of(each) for each in items_of(notebook, "worksheets")]
    holders = [notebook] if "cells" in notebook else sheets
    every = [each.get("cells") for each in holders]
    if not every or not all(isinstance(cells, list) for cells in every):
        raise InvalidInput("is no notebook: it has no cells")
    cells = [cell for each in every for cell in cast("list[object]", each)]
    language = _language(table_of(notebook.get("metadata")))
    return "\n\n".join(_cells(cells, language)) + "\n"


def _language(metadata: Mapping[str, Any]) -> str:
    for key, inner in (("language_info", "name"), ("kernelspec", "language")):
        name = table_of(metadata.get(key)).get(inner)
        if isinstance(name, str) and name:
            return name
    return "python"


def _cells(cells: list[object], language: str) -> Iterator[str]:
    for cell in map(table_of, cells):
        source = _text_of(cell.get("source", cell.get("input")))
        if cell.get("cell_type") == "code":
            if source:
                yield _fenced(source, language)
            outputs = [text for each in items_of(cell, "outputs") if (text := _output(each))]
            for shown in outputs[:_MOST_OUTPUTS]:
                yield _fenced(shown, "output")
        elif source:
            level = cell.get("level") if cell.get("cell_type") == "heading" else None
            marks = "#" * min(max(level, 1), 6) if isinstance(level, int) else ""
            yield f"{marks} {source}" if marks else source


def _text_of(value: object) -> str:
    """A text, or the lines of one, without empty lines around it; "" for anything else."""
    value = "".join(map(str, cast("list[object]", value))) if isinstance(value, list) else value
    return value.strip("\n") if isinstance(value, str) and value.strip() else ""


def _fenced(text: str, language: str) -> str:
    marks = max((len(run) for run in _BACKTICKS.findall(text)), default=2) + 1
    fence = "`" * max(marks, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _output(output: object) -> str:
    """The text that a cell gave out, its beginning if that is long; "" for an image."""
    table = table_of(output)
    data = table_of(table.get("data")) or table
    said = [_text_of(table.get(key)) for key in ("ename", "evalue")]
    error = ": ".join(each for each in said if each)
    image = any(key.startswith("image/") or key in ("png", "jpeg", "svg") for key in data)
    text = error or _text_of(data.get("text/plain", data.get("text")))
    if not text or (image and text.startswith("<")):
        return ""
    lines = [line.rpartition("\r")[2] for line in _ESCAPE.sub("", text).split("\n")]
    kept, whole = "\n".join(lines), len(lines) <= _MOST_OUTPUT_LINES
    shown = "\n".join(lines[:_MOST_OUTPUT_LINES])[:_LONGEST_OUTPUT]
    return shown if whole and len(kept) <= _LONGEST_OUTPUT else f"{shown}\n…"

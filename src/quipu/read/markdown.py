"""Markdown by markdown-it: headings, fences, tables, links and code spans, with their lines; and
Jupyter notebooks turned into it: prose as it is, code in fences, outputs left out.
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
from quipu.read.front_matter import split_front_matter
from quipu.read.prose import bare_urls, mentions, sections_of, title_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Span
from quipu.records.wiki import plain_links

_MARKUP = re.compile(
    r"[*`]+|(?<!\w)_+|_+(?!\w)|!?\[([^\]]*)\]\([^)]*\)|<[^>]+>|\s*\{#[^}]*\}\s*$|\s\^[\w-]+\s*$"
)
_LONGEST_HEADING = 1_000
_LONGEST_PASSAGE = 20_000
_MAX_BRACKETS = 50
_BRACKET = re.compile(r"[\[\]]")
_SUPERSEDES = (
    (re.compile(r"(?i)\bsuperseded[ -]by\b"), "SUPERSEDED_BY"),
    (re.compile(r"(?i)\bsupersedes\b|\breplaces\b"), "SUPERSEDES"),
    (re.compile(r"(?i)\bdecided[ -]by\b|\bdecision:"), "DECIDED_BY"),
)
_ATOMIC = frozenset({"fence", "code_block", "table_open", "html_block"})

_BACKTICKS = re.compile(r"`{3,}")


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
    return len(content) <= _LONGEST_PASSAGE


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
    shown = plain_links(content[:_LONGEST_HEADING])
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
    """The cells of a notebook. Raises InvalidInput for what is none, or not whole."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"is no whole notebook: {error}") from error
    notebook = _table_of(data)
    cells = notebook.get("cells")
    if cells is None:  # before version 4 they stood in worksheets
        sheets = notebook.get("worksheets")
        listed = cast("list[object]", sheets) if isinstance(sheets, list) else []
        cells = _table_of(listed[0] if listed else None).get("cells")
    if not isinstance(cells, list):
        raise InvalidInput("is no notebook: it has no cells")
    language = _language(_table_of(notebook.get("metadata")))
    return "\n\n".join(_cells(cast("list[object]", cells), language)) + "\n"


def _table_of(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _language(metadata: Mapping[str, Any]) -> str:
    for key, inner in (("language_info", "name"), ("kernelspec", "language")):
        name = _table_of(metadata.get(key)).get(inner)
        if isinstance(name, str) and name:
            return name
    return "python"


def _cells(cells: list[object], language: str) -> Iterator[str]:
    for cell in cells:
        table = _table_of(cell)
        source = table.get("source", table.get("input", ""))
        if isinstance(source, list):
            source = "".join(str(line) for line in cast("list[object]", source))
        if not isinstance(source, str) or not source.strip():
            continue
        source = source.strip("\n")
        if table.get("cell_type") == "code":
            marks = max((len(run) for run in _BACKTICKS.findall(source)), default=2) + 1
            fence = "`" * max(marks, 3)
            yield f"{fence}{language}\n{source}\n{fence}"
        else:
            yield source

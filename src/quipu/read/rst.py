"""reStructuredText by docutils, which may neither read files nor pass raw HTML on."""

import io
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, cast

from docutils import nodes
from docutils.core import publish_doctree  # pyright: ignore[reportUnknownVariableType]

from quipu.read.prose import bare_urls, mentions, sections_of, title_of
from quipu.read.reading import Reading
from quipu.records.document import Link, Section, Span

_LARGEST = 300_000  # docutils takes up to 15 s a megabyte
_LONGEST_NAME = 500
# What docutils may take for a name, from each place in it on: time with the square of its length.
_LONG_NAME = re.compile(rf"[\w.+:-]{{{_LONGEST_NAME}}}")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.<>_!$%&(),/;?@\[\\\]{|}])\1{2,}\s*$")
_WORD = re.compile(r"[^\s<>`]+")
_REFERENCE = re.compile(r":(?:doc|download):`(?:[^`<]*<)?([^`<>]+)>?`")
# What Sphinx describes objects with, in whatever domain ("py:data", "c:function").
_OBJECT = re.compile(
    r"\s*\.\. (?:[a-z][\w-]*:)?(?:attribute|class|classmethod|cmdoption|command|concept|confval"
    r"|data|decorator|decoratormethod|describe|enum|enumerator|envvar|exception|function|macro"
    r"|member|method|object|option|property|setting|staticmethod|struct|type|union|var)"
    r"::[ \t]+(\S.*)"
)
_SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "embed_stylesheet": False,
    "report_level": 5,
    "halt_level": 5,
    "_disable_config": True,
    "line_length_limit": 100_000,
}


def read_rst(text: str) -> Reading:
    """The sections, literal blocks and links of reStructuredText."""
    reading = Reading(text)
    lines = text.split("\n")
    reading.uses = mentions(text.replace("``", "`"))
    reading.links = bare_urls(text)
    headings: list[tuple[int, int, str]] = []
    try:
        if len(text) > _LARGEST:
            raise ValueError(f"longer than {_LARGEST} characters")
        if _LONG_NAME.search(text):
            raise ValueError(f"a word of it is longer than {_LONGEST_NAME} characters")
        tree = _parsed(text)
    except Exception as error:  # noqa: BLE001 - docutils raises anything on hostile input
        reading.warnings.append((f"is not whole reStructuredText: {str(error)[:200]}", 0))
        tree = None
    if tree is not None:
        headings = list(_headings(tree, lines))
        reading.links += _links(tree, text)
    else:
        headings = list(_underlined(lines))
    reading.spans = list(_literal_blocks(lines))
    literal = {n for span in reading.spans for n in range(span.start_line, span.end_line + 1)}
    reading.sections = [
        each
        for section in sections_of(headings, len(lines))
        for each in _described(section, lines, literal)
    ]
    reading.title = title_of(headings)
    return reading


def _parsed(text: str) -> nodes.document:
    publish = cast("Callable[..., nodes.document]", publish_doctree)  # untyped stub
    return publish(text, settings_overrides={**_SETTINGS, "warning_stream": io.StringIO()})


def _headings(tree: nodes.document, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Titles in order with their lines: docutils says what is one, the text where it is."""
    at = 0
    for title in tree.findall(nodes.title):
        level = 1
        parent = title.parent
        while parent is not None and parent.parent is not None:
            level += isinstance(parent, nodes.section)
            parent = parent.parent
        if not isinstance(title.parent, nodes.section | nodes.document):
            continue
        line = _title_line(lines, at)
        if not line:
            return
        yield line, level, " ".join(title.astext().split())
        at = line + 1


def _underlined(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """What looks like a title where docutils could not say; a new style is one level deeper."""
    levels: dict[tuple[str, bool], int] = {}
    at = 0
    while line := _title_line(lines, at):
        over = _UNDERLINE.match(lines[line - 1]) is not None
        written = line + 1 if over else line  # counted from 1
        style = (lines[written][0], over)
        level = levels.setdefault(style, len(levels) + 1)
        yield line, level, " ".join(lines[written - 1].split())
        at = written + 1


def _described(section: Section, lines: list[str], literal: set[int]) -> Iterator[Section]:
    """`section`, cut where it describes objects: each of them with what is indented below it is a
    section that is called by its name."""
    begun, path = section.start_line, section.path
    around: list[tuple[int, str]] = []
    for number in range(section.start_line, section.end_line + 1):
        line = lines[number - 1]
        if not line.strip() or number in literal:
            continue
        indent = len(line) - len(line.lstrip())
        while around and indent <= around[-1][0]:
            around.pop()
        if described := _OBJECT.fullmatch(line):
            name = " ".join(described[1].partition("(")[0].split())[:_LONGEST_NAME]
            around.append((indent, name))
        here = (*section.path, *(name for _, name in around))
        if here != path:
            if number > begun:
                yield Section(path, begun, number - 1)
            begun, path = number, here
    yield Section(path, begun, section.end_line)


def _title_line(lines: list[str], start: int) -> int:
    """The first line from index `start` on that is underlined as a title, with its overline."""
    for index in range(start, len(lines) - 1):
        written = lines[index].strip()
        if not written or _UNDERLINE.match(written) or not _UNDERLINE.match(lines[index + 1]):
            continue
        if len(lines[index + 1].rstrip()) >= min(len(lines[index].rstrip()), 4):
            over = index > 0 and _UNDERLINE.match(lines[index - 1]) is not None
            return index if over else index + 1
    return 0


def _links(tree: nodes.document, text: str) -> Iterator[Link]:
    seen: set[str] = set()
    breaks = [at for at, character in enumerate(text) if character == "\n"]
    offsets: dict[str, int] = {}
    for match in _WORD.finditer(text):
        offsets.setdefault(match[0], match.start())
    for reference in tree.findall(nodes.reference):
        target = reference.get("refuri")
        if isinstance(target, str) and target and target not in seen and "://" not in target:
            seen.add(target)
            yield Link(target, bisect_left(breaks, offsets.get(target, 0)) + 1)
    for match in _REFERENCE.finditer(text):
        yield Link(match[1].strip(), bisect_left(breaks, match.start()) + 1)


def _literal_blocks(lines: list[str]) -> Iterator[Span]:
    """Indented lines below `::` or a directive that holds code."""
    number = 0
    while number < len(lines):
        line = lines[number]
        opens = line.rstrip().endswith("::") or re.match(r"\s*\.\. (?:code|sourcecode)", line)
        number += 1
        if not opens:
            continue
        indent = len(line) - len(line.lstrip())
        end = number
        while end < len(lines) and (
            not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
        ):
            end += 1
        while end > number and not lines[end - 1].strip():
            end -= 1
        if end > number:
            yield Span(number, end)
            number = end

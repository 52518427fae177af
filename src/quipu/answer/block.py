"""Blocks: the lines of a passage that may be quoted, as they stand there.

A block is a run of whole lines below one heading, at most `MOST` and, but for one long line, at
most `_WINDOW` characters; one begins at every line that is neither blank nor a heading. Each line
of front matter is a block of its own.
"""

import re
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

from quipu.answer.quote import CONTROL, code_span, end_of_front, fence_for, holds_order, plain
from quipu.limits import LONGEST_PASSAGE
from quipu.text import sentences

__all__ = [
    "Block",
    "blocks",
    "in_fence",
    "leading",
    "reference",
    "units_in",
    "with_what_follows",
]

MOST = 15
_WINDOW = 300  # characters of a block that is compared with the question
_SHOWN = 500  # and with the lines after it, as it is printed
_LONGEST_LINE = 400
_FENCE = re.compile(r"\s*(?:```|~~~)")
_KEY = re.compile(r"([\w-]+):\s+\S")
_ROW, _RULE = re.compile(r"\s*\|"), re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$")
_MARKED = re.compile(r"(?:#{1,6}|={1,6})\s+\S")
_UNDERLINE = re.compile(r"([-=~^\"*+])\1{2,}\s*$")
_LEAD = re.compile(r".*:\s*$")
_BEFORE_ITEM = re.compile(r"(\n(?=\s*(?:[-*+•|#]|\d{1,3}[.)]|$)))")
_TELLING, _OTHER = "> ", "  "


class Block(NamedTuple):
    """Lines `first` to `last` of a passage, counted from 0, their text as it stands, and where that
    begins in the passage, in characters; `key` is what a line of front matter is called."""

    first: int
    last: int
    text: str
    start: int
    key: str = ""

    @property
    def end(self) -> int:
        """Where it ends in the passage."""
        return self.start + len(self.text)


def blocks(text: str, *, code: bool = False) -> list[Block]:
    """The blocks of a passage, in the order of their first lines; none that holds an order to its
    reader."""
    lines = text[:LONGEST_PASSAGE].split("\n")
    begin = text.count("\n", 0, end_of_front(text))
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    found = [
        Block(at, at, line, starts[at], key[1])
        for at, line in enumerate(lines[:begin])
        if (key := _KEY.match(line)) and not holds_order(line)
    ]
    ends = _ends(lines, code=code)
    before = -1
    for first in range(begin, len(lines)):
        last = _last(lines, first, _WINDOW, ends)
        if lines[first].strip() and first not in ends and last != before:
            found.append(Block(first, last, "\n".join(lines[first : last + 1]), starts[first]))
            before = last
    return [each for each in found if any(map(str.isalnum, each.text))]


def _ends(lines: Sequence[str], *, code: bool) -> set[int]:
    """The lines that no block holds: headings, which its title says, and orders to its reader."""
    found, fenced = set[int](), code
    for at, line in enumerate(lines):
        fenced ^= not code and _FENCE.match(line) is not None
        if holds_order(line) or (not fenced and _is_heading(lines, at)):
            found.add(at)
    return found


def _last(lines: Sequence[str], first: int, most: int, ends: Collection[int]) -> int:
    """The last line of a block that begins at `first` and has at most `most` characters."""
    last, length = first, len(lines[first])
    for at in range(first + 1, min(first + MOST, len(lines))):
        length += 1 + len(lines[at])
        if length > most or at in ends:
            break
        if lines[at].strip():
            last = at
    return last


def _is_heading(lines: Sequence[str], at: int) -> bool:
    following = lines[at + 1] if at + 1 < len(lines) else ""
    line = lines[at]
    return bool(line.strip()) and any(
        (_MARKED.match(line), _UNDERLINE.match(line), _UNDERLINE.match(following))
    )


def with_what_follows(passage: str, block: Block, *, code: bool = False) -> Block:
    """The block with the lines after it for which there is room."""
    if block.key:
        return block
    lines = passage[:LONGEST_PASSAGE].split("\n")
    last = max(block.last, _last(lines, block.first, _SHOWN, _ends(lines, code=code)))
    return block._replace(last=last, text="\n".join(lines[block.first : last + 1]))


def units_in(block: Block, *, code: bool = False) -> list[tuple[int, int]]:
    """Where the sentences of a block begin and end in it, or its lines, where these are rows, items
    or code."""
    found: list[tuple[int, int]] = []
    at = 0
    for part in re.split(r"(\n)" if code else _BEFORE_ITEM, block.text):
        if part.strip():
            found += [(at + first, at + last) for first, last in sentences(part)]
        at += len(part)
    return found or [(0, len(block.text))]


def in_fence(passage: str, block: Block, telling: tuple[int, int]) -> str:
    """A block in a fence, the lines that tell behind `> `; of a long line what stands around them.
    Rows of a table come below their header, and what a sentence leads to below it."""
    at, rows = 0, list[tuple[bool, str]]()
    for line in block.text.split("\n"):
        tells = at < telling[1] and telling[0] <= at + len(line)
        said = _around(line, telling[0] - at, telling[1] - at) if tells else _around(line, 0, 0)
        rows.append((tells, said))
        at += len(line) + 1
    rows = [*((False, line) for line in leading(passage, block)), *rows][: MOST + 2]
    clean = [(tells, CONTROL.sub("", line).rstrip()) for tells, line in rows]
    fence = fence_for(line for _, line in clean)
    told = [f"{_TELLING if tells else _OTHER}{line}".rstrip() for tells, line in clean]
    return "\n".join([fence, *told, fence])


def leading(passage: str, block: Block) -> list[str]:
    """The lines that lead to a block: the header of a table that it is cut out of, the sentence
    before a list or an example."""
    before = passage[: block.start].rstrip("\n").split("\n") if block.start else []
    if _ROW.match(block.text):
        table = [at for at, line in enumerate(before) if not _ROW.match(line)]
        header = before[table[-1] + 1 if table else 0 :][:2]
        return header if len(header) > 1 and _RULE.match(header[1]) else []
    last = before[-1] if before else ""
    return [last] if _LEAD.match(last) and len(last) <= _LONGEST_LINE else []


def _around(line: str, first: int, last: int) -> str:
    """A line, or of a long one the sentence from `first` to `last` with what there is room for;
    `…` stands for what was left out."""
    if len(line) <= _LONGEST_LINE:
        return line
    first = max(first, 0)
    room = max(_LONGEST_LINE - (min(last, len(line)) - first), 0) // 2
    begin, end = max(first - room, 0), min(max(last, first) + room, len(line))
    begin = line.rfind(" ", 0, begin) + 1 if begin else 0
    end = len(line) if end == len(line) or " " not in line[end:] else line.index(" ", end)
    return f"{'… ' if begin else ''}{line[begin:end]}{' …' if end < len(line) else ''}"


def reference(path: str, first: int, last: int, title: str) -> str:
    """Where something stands, on one line: `docs/till.md:3-9` · Till › Coins."""
    lines = f"{first}-{last}" if last > first else f"{first}"
    heading = plain(title.removeprefix(path).lstrip(" ›"), limit=90)
    return f"{code_span(f'{path}:{lines}')}{f' · {heading}' if heading else ''}"

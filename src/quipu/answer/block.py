"""Blocks: the lines of a passage that may be quoted, as they stand there.

A block is at most `MOST` consecutive lines: a paragraph with what follows it, a list with the
sentence that leads to it, rows of a table below their header, a piece of code. What is longer is
cut into blocks that overlap by half. Each line of front matter is a block of its own.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from quipu.answer.quote import CONTROL, code_span, end_of_front, fence_for, holds_order, plain
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
_MOST_CHARACTERS = 1000
_LOOKED_AT = 20_000
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
    lines = text[:_LOOKED_AT].split("\n")
    begin = text.count("\n", 0, end_of_front(text))
    paragraphs = _paragraphs(lines, begin)
    spans = {span for each in paragraphs for span in _cut(*each)}
    for at, (first, _) in enumerate(paragraphs):
        ends = (last for _, last in paragraphs[at:])
        spans.update((first, last) for last in ends if _fits(lines, first, last))
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    if not code:
        below = {(_below_heading(lines, *span), span[1]) for span in spans}
        spans = {(first, last) for first, last in below if first <= last}
    found = (Block(a, b, "\n".join(lines[a : b + 1]), starts[a]) for a, b in sorted(spans))
    front = (
        Block(at, at, line, starts[at], key[1])
        for at, line in enumerate(lines[:begin])
        if (key := _KEY.match(line))
    )
    every = [*front, *found]
    return [b for b in every if any(map(str.isalnum, b.text)) and not holds_order(b.text)]


def _below_heading(lines: Sequence[str], first: int, last: int) -> int:
    """Where a block begins below its own headings, which its title says; behind it where it holds
    nothing else."""
    while first <= last and (not lines[first].strip() or _is_heading(lines, first)):
        first += 1
    return first


def _is_heading(lines: Sequence[str], at: int) -> bool:
    following = lines[at + 1] if at + 1 < len(lines) else ""
    line = lines[at]
    return bool(line.strip()) and any(
        (_MARKED.match(line), _UNDERLINE.match(line), _UNDERLINE.match(following))
    )


def _fits(lines: Sequence[str], first: int, last: int) -> bool:
    return last - first < MOST and sum(map(len, lines[first : last + 1])) <= _MOST_CHARACTERS


def _paragraphs(lines: Sequence[str], begin: int) -> list[tuple[int, int]]:
    """The runs of lines without a blank one, from line `begin` on; a fence holds its blank ones."""
    found: list[tuple[int, int]] = []
    start, fenced = None, False
    for at, line in enumerate([*lines[begin:], ""], begin):
        fenced ^= _FENCE.match(line) is not None
        if start is None and line.strip():
            start = at
        elif start is not None and not line.strip() and not (fenced and at - start < MOST):
            found.append((start, at - 1))
            start, fenced = None, False
    return found


def _cut(first: int, last: int) -> list[tuple[int, int]]:
    """A paragraph as it is, or its parts of `MOST` lines, each half over the one before."""
    if last - first < MOST:
        return [(first, last)]
    starts = [*range(first, last - MOST + 1, MOST // 2), last - MOST + 1]
    return [(start, start + MOST - 1) for start in starts]


def with_what_follows(passage: str, block: Block) -> Block:
    """The block with the lines after it for which there is room."""
    if block.key:
        return block
    lines = passage[:_LOOKED_AT].split("\n")
    last = block.last
    for at in range(block.last + 1, len(lines)):
        if not _fits(lines, block.first, at) or _is_heading(lines, at):
            break
        if lines[at].strip():
            last = at
    text = "\n".join(lines[block.first : last + 1])
    return block if holds_order(text) else block._replace(last=last, text=text)


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

"""Windows: the runs of lines of a passage that may be quoted as they stand.

A window is what a reader would copy: a paragraph, a list with the sentence that leads to it, a
block of code, at most `MOST` lines, `MOST_OF_LIST` where a list is asked for, and
`MOST_OF_FUNCTION` where it is asked what a function does. What is longer is
cut into windows that overlap by half, of a list between its items; short blocks are also taken
together with those after them (a heading with its paragraph, a signature with what follows it).
"""

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from quipu.answer.quote import CONTROL, Unit, end_of_front, fence_for, units

__all__ = [
    "MOST",
    "MOST_OF_FUNCTION",
    "MOST_OF_LIST",
    "Window",
    "fenced",
    "quoted",
    "telling",
    "windows",
]

MOST = 6
MOST_OF_LIST = 20
MOST_OF_FUNCTION = 12
_LOOKED_AT = 20_000
_WINDOWS = 60
_WIDEST = 100
_LONGEST_LINE = 240
_ITEM = re.compile(r"\s*(?:(?://[/!]?|#|\*|--)\s*)?(?:[-*+•]|\d{1,3}[.)])\s+\S")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
# A line that brings something in, or goes on with such a line: names, commas, brackets.
_IMPORT = re.compile(
    r"\s*(?:import|from|use|using|require(?:_once|_relative)?|include|#\s*include|package|export \*"
    r"|(?:pub )?(?:extern )?crate|(?:const|let|var) [\w${}, :]+ = require)\b"
)
_GOES_ON = re.compile(r"\s*(?:[\w.*$, {}\"'/@-]*[,({]?|[)}\]][\w\s\"'./@;-]*)$")
# A blank line of a comment stands between its paragraphs.
_BLANK = re.compile(r"\s*(?:///?!?|#|\*|--|;;?)?\s*$")
_NOTICE = re.compile(
    r"\s*(?:#!.*\n)?\s*(?:///?|#|/?\*+|<!--|--|;;?)"
    r"(?=(?:.*\n){0,4}?.*\b(?:copyright|SPDX-License-Identifier|all rights reserved)\b)",
    re.IGNORECASE,
)


class Window(NamedTuple):
    """Lines `first` to `last` of a passage, counted from 0, and their text as it stands."""

    first: int
    last: int
    text: str


def windows(text: str, *, code: bool = False, most: int = MOST) -> list[Window]:
    """The windows of a passage below its front matter, of at most `most` lines, in the order of
    their first lines. Those of code begin and end outside of its imports and of the
    notice that a file begins with."""
    lines = text[:_LOOKED_AT].split("\n")
    begin = text.count("\n", 0, end_of_front(text))
    blocks = _blocks(telling(lines) if code else lines, begin)
    spans = {span for block in blocks for span in _cut(lines, *block, most)}
    spans.update(_joined(blocks, most))
    found = [Window(a, b, "\n".join(lines[a : b + 1])) for a, b in sorted(spans)]
    widest = _WIDEST * most
    return [w for w in found if len(w.text) <= widest and any(map(str.isalnum, w.text))][:_WINDOWS]


def telling(lines: Sequence[str]) -> list[str]:
    """The lines of code, with blank ones where something is brought in, where the file begins with
    a notice of whose it is, and between the paragraphs of a comment."""
    inside, kept = False, list[str]()
    notice = _of_notice(lines)
    for line in lines[notice:]:
        inside = bool(_IMPORT.match(line) or (inside and line and _GOES_ON.fullmatch(line)))
        kept.append("" if inside or _BLANK.match(line) else line)
    return [""] * notice + kept


def _of_notice(lines: Sequence[str]) -> int:
    """How many of the first lines are a comment that says who holds the rights."""
    end = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
    return end if _NOTICE.match("\n".join(lines[:end])) else 0


def _joined(blocks: Sequence[tuple[int, int]], most: int) -> Iterator[tuple[int, int]]:
    """Blocks with the one after them, and with as many as make a window."""
    for at, (first, _) in enumerate(blocks):
        fitting = [last for _, last in blocks[at + 1 : at + most] if last - first <= most]
        if fitting:
            yield first, fitting[0]
        if len(fitting) > 1 and most > MOST:
            yield first, fitting[-1]


def _blocks(lines: list[str], begin: int) -> list[tuple[int, int]]:
    """The runs of lines without a blank one, from line `begin` on."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for at, line in enumerate([*lines[begin:], ""], begin):
        if line.strip() and start is None:
            start = at
        elif not line.strip() and start is not None:
            found.append((start, at - 1))
            start = None
    return found


def _cut(lines: Sequence[str], first: int, last: int, most: int) -> list[tuple[int, int]]:
    """A block as it is, or its windows of `most` lines, each half over the one before; of a list
    as many whole items as `most` lines hold."""
    if last - first < most:
        return [(first, last)]
    items = [at for at in range(first + 1, last + 1) if _ITEM.match(lines[at])]
    if items:
        return _items([first, *items, last + 1], most)
    starts = [*range(first, last - most + 1, most // 2), last - most + 1]
    return [(start, start + most - 1) for start in starts]


def _items(begins: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Windows of whole items, which begin at `begins` (the last is where the list ends); of an item
    that is longer the first lines."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(begins) - 1:
        start = begins[at]
        whole = [end for end in begins[at + 1 :] if end - start <= most]
        found.append((start, (whole[-1] if whole else start + most) - 1))
        if whole and whole[-1] == begins[-1]:
            break
        later = [i for i in range(at + 1, len(begins) - 1) if begins[i] - start >= most // 2]
        at = later[0] if later else len(begins)
    return found


def quoted(passage: str, window: Window, *, code: bool, title: str = "") -> str:
    """A window as an answer quotes it: sentences on one line, items and settings a line each, code
    in a fenced block. Headings lead to what follows, unless `title` says the same; alone they say
    nothing, and give ""."""
    if code:
        return fenced(window.text.split("\n"))
    before = passage.split("\n")[: window.first]
    parts: list[str] = []
    inside = len([line for line in before if _FENCE.match(line)]) % 2 == 1
    for is_code, lines in _runs(window.text.split("\n"), inside=inside):
        said = fenced(lines) if is_code else _prose(units("\n".join(lines)), title)
        if said:
            parts.append(said)
    return "\n".join(parts)


def _runs(lines: list[str], *, inside: bool) -> list[tuple[bool, list[str]]]:
    """The lines in turns of prose and code: what stands between fences, or is indented below a
    line that ends with `::`."""
    found: list[tuple[bool, list[str]]] = []
    margin = None
    for line in lines:
        if _FENCE.match(line):
            inside = not inside
            continue
        indent = len(line) - len(line.lstrip())
        if margin is not None and line.strip() and indent <= margin:
            margin = None
        is_code = inside or margin is not None
        if not found or found[-1][0] != is_code:
            found.append((is_code, []))
        found[-1][1].append(line)
        if not is_code and line.rstrip().endswith("::"):
            margin = indent
    return found


def _prose(read: list[Unit], title: str) -> str:
    """Units put together: a heading before a colon, sentences after one another, others in lines
    of their own; headings alone say nothing."""
    if all(unit.kind == "heading" for unit in read):
        return ""
    said = ""
    for unit in read:
        if unit.kind == "heading":
            said += "" if unit.text in title else f"{unit.text.rstrip(': ')}: "
        elif unit.kind == "sentence" and not unit.item:
            said += f"{unit.text} "
        else:
            text = f"- {unit.text}" if unit.item else unit.text
            said = f"{said.rstrip()}\n{text}\n" if said.strip() else f"{text}\n"
    return said.strip()


def fenced(lines: list[str]) -> str:
    """Lines of code as a fenced block, to the letter but for control characters, less the
    indentation that all of them share; `…` ends a line that was cut."""
    clean = dedent("\n".join(CONTROL.sub("", line).rstrip() for line in lines)).split("\n")
    if not any(clean):
        return ""
    shown = [
        line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…" for line in clean
    ]
    fence = fence_for(shown)
    return "\n".join([fence, *shown, fence])

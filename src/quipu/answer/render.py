"""A reply as a person reads it: the answer, the evidence whose place it does not name itself, and
in one line when it was given, what is not known and what to do next."""

import textwrap

from quipu.answer.contract import PLACE
from quipu.answer.limitations import below
from quipu.records.reply import Citation, Reply

__all__ = ["reference", "render"]

_WIDTH = 96
_BOLD, _RED, _YELLOW, _GREEN, _END = (
    "\x1b[1m",
    "\x1b[31m",
    "\x1b[33m",
    "\x1b[32m",
    "\x1b[0m",
)
_SURE, _LIKELY = 0.70, 0.40
_FENCE = 3
_KEPT = "\t\u200c\u200d"
"""Tabs of code, and what joins letters and parts of an emoji."""


def render(reply: Reply, *, colour: bool = False, width: int = _WIDTH) -> str:
    """The parts in the order of the contract; every line safe for a terminal.

    `colour` adds ANSI styles of our own; nothing from the content can.
    """
    contract = reply.contract
    value = reply.confidence.value
    shown = below(value, _SURE)[0] if value < _SURE else f"{value:.0%}"
    sure = _shaded(f"confidence {shown}", value, colour)
    parts = [(f"Answer ({sure})", _wrapped(contract.answer, width))]
    named = _placed(contract.answer)
    evidence = [each for each in reply.citations if each.n not in named]
    if evidence:
        lines = [_shaded(reference(each), each.match, colour) for each in evidence]
        parts.append(("Evidence", lines))
    blocks = [
        "\n".join((_styled(title, _BOLD, colour), *(f"  {line}".rstrip() for line in lines)))
        for title, lines in parts
    ]
    last = (contract.timestamp, contract.limitations, contract.next_step)
    return "\n\n".join([*blocks, _safe(" · ".join(filter(None, last)))])


def _placed(answer: str) -> set[int]:
    """The numbers of the evidence whose place the answer itself names."""
    return {int(place["n"]) for place in PLACE.finditer(answer)}


def reference(citation: Citation) -> str:
    """`[1] src/db/client.py:45-52 (95% match)`."""
    lines = str(citation.start_line)
    if citation.end_line != citation.start_line:
        lines = f"{citation.start_line}-{citation.end_line}"
    path = _escaped(citation.path)
    return f"[{citation.n}] {path}:{lines} ({citation.match:.0%} match)"


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text; those of a fenced block are code and stay as they are."""
    shown: list[str] = []
    fence = ""
    for line in text.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        shown += [_safe(line)] if fence else _broken(line, max(width - 2, 20))
        if fence:
            fence = "" if line == fence else fence
        elif len(ticks) >= _FENCE:
            fence = ticks
    return shown


def _broken(line: str, width: int) -> list[str]:
    return textwrap.wrap(_safe(line), width, break_long_words=False, break_on_hyphens=False) or [""]


def _safe(text: str) -> str:
    """`text` without control characters; the marks are our own and stay."""
    return "".join(c for c in text if c.isprintable() or c in _KEPT)


def _escaped(text: str) -> str:
    """`text` with control characters written as escapes: a path that still tells which file."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )


def _shaded(text: str, value: float, colour: bool) -> str:
    shade = _GREEN if value >= _SURE else _YELLOW if value >= _LIKELY else _RED
    return _styled(text, shade, colour)


def _styled(text: str, style: str, colour: bool) -> str:
    return f"{style}{text}{_END}" if colour else text

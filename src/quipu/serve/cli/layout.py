"""Text that fits a terminal: cells, not characters, are what a line is made of."""

import shutil
import textwrap
import unicodedata

from quipu.serve.cli.terminal import safe
from quipu.text import stems

__all__ = ["cells", "counted", "cut", "snippet", "width", "wrapped"]

_SNIPPET_LINES = 6


def width() -> int:
    """How many cells a line has: the terminal's, between 40 and 100; 100 without one."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, 40), 100)


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 passage`, `1,200 passages`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def cells(text: str) -> int:
    """How many cells `text` takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def cut(text: str, limit: int) -> str:
    """`text` in at most `limit` cells, with an ellipsis where it was cut."""
    return text if cells(text) <= limit else _fitting(text, limit - 1).rstrip() + "…"


def _fitting(text: str, room: int) -> str:
    used = 0
    for at, character in enumerate(text):
        used += cells(character)
        if used > room:
            return text[:at]
    return text


def wrapped(text: str, *, indent: str = "", limit: int | None = None) -> list[str]:
    """`text` as lines of at most `limit` cells, each behind `indent`; no text, no line."""
    room = (limit or width()) - cells(indent)
    lines: list[str] = []
    present = ""
    for word in safe(text, line=True).split():
        for piece in _pieces(word, room):
            joined = f"{present} {piece}" if present else piece
            if cells(joined) > room and present:
                lines.append(indent + present)
                present = piece
            else:
                present = joined
    return [*lines, indent + present] if present else lines


def _pieces(word: str, room: int) -> list[str]:
    """A word in parts that fit: text without spaces (Chinese, a long path) is cut anywhere."""
    pieces: list[str] = []
    while cells(word) > room:
        taken = _fitting(word, room) or word[0]
        pieces.append(taken)
        word = word[len(taken) :]
    return [*pieces, word]


def snippet(text: str, question: str, *, indent: str = "") -> list[str]:
    """Return a few lines of a passage, around the one that shares most words with a question."""
    room = width() - cells(indent)
    lines: list[str] = []
    for line in textwrap.dedent(text.expandtabs(4)).splitlines():
        shown = safe(line).rstrip()
        lines += [shown] if shown and cells(shown) <= room else wrapped(line, limit=room)
    terms = set(stems(question))
    shared = [len(terms & set(stems(line))) for line in lines]
    first = max(shared.index(max(shared)) - 1, 0) if lines else 0
    return [indent + line for line in lines[first : first + _SNIPPET_LINES]]

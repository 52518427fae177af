"""What is printed, and how it fits: text for people, one JSON document for programs.

Whatever came from a document is data: a control character in it never reaches a terminal as such.
"""

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import IO, Any

import click

from quipu.patterns import late

__all__ = [
    "colours",
    "counted",
    "emit",
    "note",
    "safe",
    "say",
    "snippet",
    "style",
    "width",
    "wrapped",
]

# C0 without tab and newline, DEL, C1, the characters that reorder text, and lone surrogates
_ALWAYS_UNSAFE = "\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNSAFE = late(f"[\x00-\x08\x0b-\x1f{_ALWAYS_UNSAFE}]")
_UNSAFE_JSON = late(f"[{_ALWAYS_UNSAFE}]")  # json.dumps escapes the others


def safe(text: str, *, line: bool = False) -> str:
    r"""`text` with control characters written as escapes (`\x1b`), on one `line` if asked for."""
    shown = _UNSAFE.sub(_escaped, text)
    return re.sub(r"\s*\n\s*", " ", shown).expandtabs(1) if line else shown


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def colours(stream: IO[Any] | None = None) -> bool:
    """Whether `stream` (default: standard output) is a terminal that shall be coloured."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return (stream or sys.stdout).isatty()


def style(text: str, **how: Any) -> str:
    """`text`, made safe, in a colour when standard output is a terminal (`click.style`)."""
    shown = safe(text)
    return click.style(shown, **how) if colours() else shown


def say(lines: str | Iterable[str]) -> None:
    """Print lines for people on standard output; they are safe already."""
    for line in [lines] if isinstance(lines, str) else lines:
        click.echo(line, color=colours())


def note(text: str, *, fg: str | None = None) -> None:
    """Print one line for people on standard error, whatever standard output carries."""
    shown = safe(text)
    paint = fg is not None and colours(sys.stderr)
    click.echo(click.style(shown, fg=fg) if paint else shown, err=True, color=paint)


def emit(document: Any) -> None:
    """Print the one JSON document of a command: plain data, UTF-8, two spaces of indentation."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    click.echo(_UNSAFE_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text))


_SNIPPET_LINES = 6


def width() -> int:
    """How many characters a line has: the terminal's, between 40 and 100; 100 without one."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, 40), 100)


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 passage`, `1,200 passages`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def wrapped(text: str, *, indent: str = "", limit: int | None = None) -> list[str]:
    """`text` as lines of at most `limit` characters, each behind `indent`; no text, no line."""
    return textwrap.wrap(
        " ".join(safe(text, line=True).split()),
        limit or width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def snippet(text: str, question: str, *, indent: str = "") -> list[str]:
    """Return a few lines of a passage, around the one that shares most words with a question."""
    from quipu.text import stems  # dear to import

    room = width() - len(indent)
    lines: list[str] = []
    for line in textwrap.dedent(text.expandtabs(4)).splitlines():
        shown = safe(line).rstrip()
        lines += [shown] if shown and len(shown) <= room else wrapped(line, limit=room)
    terms = set(stems(question))
    shared = [len(terms & set(stems(line))) for line in lines]
    first = max(shared.index(max(shared)) - 1, 0) if lines else 0
    return [indent + line for line in lines[first : first + _SNIPPET_LINES]]

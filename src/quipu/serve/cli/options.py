"""Options and arguments that several commands share, and what they become."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quipu.errors import InvalidInput, UnknownRecord
from quipu.facts.keys import USER
from quipu.records.record import Properties

if TYPE_CHECKING:  # pragma: no cover
    from quipu.memory import Memory
    from quipu.serve.cli.invocation import Invocation

__all__ = [
    "DATE",
    "DAY",
    "confirm",
    "note_unknown",
    "properties",
    "read_question",
    "read_standard_bytes",
    "read_standard_input",
    "read_text",
    "remembered",
    "whom",
]


class _Date(click.ParamType[str]):
    """A date as it was written; what is asked or stated with it reads it. A blank one is no date,
    for what was left out means something else: now, or no bound."""

    name = "date"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value.strip():
            self.fail(
                f"{value!r} is not a date: write it as 2026-01-31, or leave it out", param, ctx
            )
        return value


class _Day(_Date):
    """A date, or words that are told from the present: "yesterday" is where that day begins. What
    is stored takes none: the rest of "yesterday at 10:30" would be lost in silence."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        value = super().convert(value, param, ctx)
        if value[:4].isdigit():
            return value
        from quipu.handle.dates import read_window
        from quipu.when.instants import system_clock

        try:
            return read_window(value, system_clock).after or value
        except InvalidInput:
            return value


DATE = _Date()
DAY = _Day()


def whom(name: str) -> str:
    """What is asked about, as statements call it: "me" is the user."""
    return USER if name.strip().casefold() == "me" else name


_LINES = re.compile(r"(?:(?::|#L)\d+(?:-L?\d+)?)?\Z")


def read_question(words: tuple[str, ...]) -> str:
    """The question: the words of the command line, or standard input for `-` or no words."""
    if words in ((), ("-",)):
        if not words and sys.stdin.isatty():
            raise InvalidInput("no question was given: write it after the command, or pipe it in")
        return read_standard_input()
    text = " ".join(words)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_standard_input() -> str:
    """All of standard input; bytes that are not UTF-8 become U+FFFD."""
    return read_standard_bytes().decode("utf-8", "replace")


def read_standard_bytes() -> bytes:
    """All of standard input."""
    return sys.stdin.buffer.read()


def read_text(text: str | None, file: Path | None) -> str:
    """A text that was written, or that stands in a file or on standard input. Raises InvalidInput
    for what is no text."""
    if file is not None:
        if text is not None:
            raise InvalidInput("a text and --file were both given: choose one")
        return _decoded(file.read_bytes(), repr(str(file)))
    if text is None and sys.stdin.isatty():
        raise InvalidInput("no text was given: write it after the command, or name a --file")
    return _decoded(read_standard_bytes(), "standard input") if text in (None, "-") else str(text)


def _decoded(data: bytes, name: str) -> str:
    from quipu.read.decode import decode, is_binary
    from quipu.serve.cli.invocation import invocation

    if is_binary(data):
        raise InvalidInput(
            f"{name} is binary (it holds NUL bytes): save it as UTF-8; `quipu index` reads "
            "documents of other formats"
        )
    text, warning = decode(data)
    if warning:
        invocation().note(f"{name} {warning}")
    return text


def confirm(what: str, *, agreed: bool) -> None:
    """Ask a person whether `what` shall be erased, unless that was agreed. Raises InvalidInput
    where there is nobody to ask."""
    if agreed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(
            f"there is no terminal to ask whether {what} shall be erased for good: give --yes"
        )
    click.confirm(f"Erase {what} for good?", abort=True, err=True)


def properties(pairs: tuple[str, ...]) -> Properties:
    """`KEY=VALUE` pairs as properties; every value is text."""
    found: Properties = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"{pair!r} is not a property: write it as key=value")
        found[key.strip()] = value
    return found


def remembered(memory: "Memory", ref: str) -> str:
    """`ref` as the memory has it: the path of a file that exists, seen from the present folder,
    becomes the path from the memory's home; anything else stays as it is."""
    lines = _LINES.search(ref)
    suffix = lines.group() if lines else ""
    path = Path(ref.removesuffix(suffix) if suffix else ref)
    try:
        if not path.is_file():
            return ref
        return path.resolve().relative_to(memory.home.folder.resolve()).as_posix() + suffix
    except (OSError, ValueError):  # not a name a file can have; outside the home
        return ref


def note_unknown(run: "Invocation", memory: "Memory", name: str) -> None:
    """Say what `get` says where nothing is known as `name`: the nearest names."""
    try:
        memory.get(remembered(memory, name))
    except UnknownRecord as error:
        run.note(str(error))

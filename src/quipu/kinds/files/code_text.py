"""The text of code as far as all languages agree: strings, comments, brackets, words.

It reads lines as they were stored, without the grammar of a language, so that what was indexed
before can be read as well, and a piece of a file as well as a whole one. What it cannot read, as a
bracket that is never closed, gives nothing.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from quipu.records.record import Chunk

__all__ = [
    "CodeLines",
    "CodeToken",
    "closing",
    "closings",
    "indent_of",
    "is_comment",
    "lines_of",
    "tokens_of",
]

TokenKind: TypeAlias = Literal["string", "comment", "open", "close", "word", "sign", "newline"]

_HASH = frozenset("py pyi rb sh bash zsh yaml yml toml r pl ex exs jl cfg ini conf".split())
_DASH = frozenset("sql lua hs elm".split())
_MARKED = frozenset({"rs"})
"""Where a single quote need not be closed."""
_LINES_IN_STRINGS = frozenset("rs rb php sh bash zsh sql".split())
_LONGEST = 20_000
_MOST_LINES = 100_000
_COMMENTS = {
    "hash": r"\#[^\n]*",
    "dash": r"--[^\n]*|/\*[\s\S]*?\*/",
    "slash": r"//[^\n]*|/\*[\s\S]*?\*/",
    "php": r"\#(?!\[)[^\n]*|//[^\n]*|/\*[\s\S]*?\*/",
}
_LONG = r"(?P<long>[rRbBuUfF]{0,2}(?:\"\"\"[\s\S]*?(?<!\\)\"\"\"|'''[\s\S]*?(?<!\\)'''))"
_DOUBLE = r"[rRbBuUfF]{0,2}\"(?:\\[\s\S]|[^\"\\\n])*+\""
_OVER_LINES = r"b?\"(?:\\[\s\S]|[^\"\\])*+\""
_RAW = r"|r#+\"[\s\S]*?\"#+|`(?:\\[\s\S]|[^`\\])*+`"
_SINGLE = r"|[rRbBuUfF]{0,2}'(?:\\[\s\S]|[^'\\\n])*+'"
_CHARACTER = r"|'(?:\\[^\n]{1,8}?|[^'\\\n])'"
_REST = (
    r"(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<newline>\n)|(?P<word>[@$]{0,2}\w+)"
    r"|(?P<sign>=>|->|::|:=|==|!=|<=|>=|&&|\|\||\.\.\.|\\[\"'`]|[^\s\w])"
)
_KINDS: dict[str, TokenKind] = {
    "long": "string",
    "string": "string",
    "comment": "comment",
    "open": "open",
    "close": "close",
    "word": "word",
    "newline": "newline",
    "sign": "sign",
}
_COMMENT_LINE = re.compile(r"\s*(?://|#(?!\[)|/?\*|--|;;|<!--)")


class CodeToken(NamedTuple):
    """A piece of code: its kind, its text, where it begins, and the lines that it begins and ends
    in, counted from 0."""

    kind: TokenKind
    text: str
    start: int
    line: int
    last: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class CodeLines(NamedTuple):
    """Lines of a file, the number of the first, and the passage that each stands in: what lies
    between two passages is an empty line of none."""

    path: str
    first: int
    lines: tuple[str, ...]
    chunks: tuple[Chunk | None, ...]

    def part(self, first: int, last: int) -> "CodeLines":
        """Lines `first` to `last`, as far as there are any."""
        start, end = max(first - self.first, 0), max(last - self.first + 1, 0)
        return CodeLines(
            self.path, max(first, self.first), self.lines[start:end], self.chunks[start:end]
        )

    def line(self, number: int) -> str:
        """A line by its number; empty where there is none."""
        at = number - self.first
        return self.lines[at] if 0 <= at < len(self.lines) else ""

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


def lines_of(path: str, chunks: Sequence[Chunk]) -> CodeLines:
    """The lines that the passages of a file hold, put together."""
    rows: dict[int, tuple[str, Chunk]] = {}
    for chunk in chunks:
        for at, line in enumerate(chunk.text.split("\n"), chunk.start_line):
            if at <= chunk.end_line:
                rows.setdefault(at, (line, chunk))
    if not rows:
        return CodeLines(path, 1, (), ())
    first, last = min(rows), max(rows)
    if last - first > _MOST_LINES:
        return CodeLines(path, 1, (), ())
    every = [rows.get(at) for at in range(first, last + 1)]
    return CodeLines(
        path,
        first,
        tuple(row[0] if row else "" for row in every),
        tuple(row[1] if row else None for row in every),
    )


def tokens_of(path: str, text: str) -> list[CodeToken]:
    """The tokens of a piece of a file, without blanks; of its first 20,000 characters."""
    found: list[CodeToken] = []
    line = 0
    for match in _pattern(path.rpartition(".")[2].lower()).finditer(text[:_LONGEST]):
        last = line + match.group().count("\n")
        found.append(CodeToken(_KINDS[match.lastgroup or ""], match[0], match.start(), line, last))
        line = last
    return found


@cache
def _pattern(ending: str) -> re.Pattern[str]:
    family = "hash" if ending in _HASH else "dash" if ending in _DASH else "slash"
    comments = _COMMENTS["php" if ending == "php" else family]
    double = _OVER_LINES if ending in _LINES_IN_STRINGS else _DOUBLE
    single = _CHARACTER if ending in _MARKED else _SINGLE
    long = f"{_LONG}|" if family == "hash" else ""
    string = f"{double}{_RAW}{single}"
    return re.compile(f"{long}(?P<comment>{comments})|(?P<string>{string})|{_REST}")


def closing(tokens: Sequence[CodeToken], at: int) -> int | None:
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].kind == "open":
            depth += 1
        elif tokens[i].kind == "close":
            depth -= 1
            if depth == 0:
                return i
    return None


def closings(tokens: Sequence[CodeToken]) -> dict[int, int]:
    """The places of all brackets that are closed, each with that of what closes it."""
    found: dict[int, int] = {}
    open_: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == "open":
            open_.append(at)
        elif token.kind == "close" and open_:
            found[open_.pop()] = at
    return found


def indent_of(line: str) -> int:
    """How far a line is set in."""
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def is_comment(line: str) -> bool:
    """Whether a line is nothing but a comment, or a part of one."""
    return _COMMENT_LINE.match(line) is not None

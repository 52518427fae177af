"""Which reader a file gets: one that a kind of source brings, else by the file's name, after the
one table of endings and special names, `rules/formats.toml`. Passages that come without a path are
code or prose by what stands in them; minified code is known by what it looks like.
"""

import re
from abc import ABC, abstractmethod
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

import msgspec

from quipu.kind import installed, parts
from quipu.limits import HEAD
from quipu.patterns import late
from quipu.read.decode import decode
from quipu.read.reading import Reading
from quipu.tables import read_table

__all__ = [
    "FileReader",
    "Format",
    "Reader",
    "code_languages",
    "format_of",
    "formats",
    "language_of",
    "profile_of",
    "reader_of",
    "require_formats",
    "shape_of",
]

Reader: TypeAlias = Literal[
    "markdown",
    "rst",
    "asciidoc",
    "org",
    "text",
    "html",
    "pdf",
    "docx",
    "notebook",
    "code",
    "data",
    "manifest",
    "codeowners",
    "compose",
    "workflow",
]


class _Name(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row `[[name]]` of the file, whose head says what each key means."""

    reader: Reader
    language: str
    names: tuple[str, ...]


class _Formats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: dict[str, dict[str, Any]]
    data: dict[str, tuple[str, ...]]
    text: dict[Reader, tuple[str, ...]]
    name: tuple[_Name, ...]


@cache
def _formats() -> _Formats:
    return msgspec.convert(read_table("quipu.read", "rules", "formats.toml"), _Formats)


def code_languages() -> dict[str, dict[str, Any]]:
    """What is known of each language of code besides how names of its files end."""
    known = _formats().language.items()
    return {name: {k: v for k, v in each.items() if k != "files"} for name, each in known}


@cache
def _by_ending() -> dict[str, tuple[Reader, str]]:
    known = _formats()
    found: dict[str, tuple[Reader, str]] = {}
    for language, table in known.language.items():
        found |= dict.fromkeys(table["files"], ("code", language))
    for language, endings in known.data.items():
        found |= dict.fromkeys(endings, ("data", language))
    for reader, endings in known.text.items():
        found |= dict.fromkeys(endings, (reader, reader))
    return found


@cache
def _named() -> re.Pattern[str]:
    """What the path of a file with a known name is, in groups by the place of its row."""
    rows = (
        "|".join(re.escape(name).replace(r"\*", "[^/]*") for name in row.names)
        for row in _formats().name
    )
    return re.compile(f"(?:.*/)?(?:{'|'.join(f'({row})' for row in rows)})")


_LEAST_BEGUN, _LEAST_DEFINED, _LEAST_OF_CODE = 0.1, 0.33, 0.67
"""The least share of code lines where a definition begins the text, stands in it, or does not."""
_FENCE = late(r"^\s*```", re.MULTILINE)
_DEFINES = late(
    r"^\s*(?:@[\w.]+\s*(?:\(.*)?$|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[(:{<]"
    r"|(?:export\s+|pub(?:\(\w+\))?\s+|static\s+|async\s+|default\s+)*"
    r"(?:function\*?|func|fn|fun|interface|struct|enum|impl|trait|namespace|module)\s+[\w$(*&]"
    r"[^.]*[({<:;]|#include\s*[<\"]|#!\s*/|package\s+[\w.]+;?$|import\s+[\w.{}*, ]+(?:;|from\b|$)"
    r"|from\s+[\w.]+\s+import\s|<\?php|(?:public|private|protected)\s+[\w<>\[\], ]+\("
    r"|(?i:create\s+(?:or\s+replace\s+)?(?:table|view|function|index)|insert\s+into)\s+[\w.\"`]+"
    r"|(?i:select\s.+\sfrom)\s+[\w.\"`]+)",
    re.MULTILINE,
)
_CODE_LINE = late(
    r"[;{}]\s*(?://.*|#.*|/\*.*)?$|^\s*[\w.$\[\]'\"]+\s*(?:[-+*/|&%:]?=|:=)\s*\S|^\s*(?:#|//|/?\*)"
    r"|^\s*(?:return|if|elif|else|for|while|try|except|raise|with|yield|assert|case|switch|const"
    r"|let|var|del|pass|break|continue|finally|catch|throw|end)\b.*(?:[:;{}()]|==|$)"
    r"|\w\(.*\)\s*[:;,)\]}]?$|^\s*[)\]}]+[,;:]?$|^\s*[\"']{3}|->|=>|::",
)


@lru_cache(maxsize=4096)
def reader_of(path: str) -> tuple[Reader, str]:
    """The reader and language for `path`; plain text for a name that says nothing."""
    lowered = path.lower()
    if (known := _named().fullmatch(lowered)) and known.lastindex:
        row = _formats().name[known.lastindex - 1]
        return row.reader, row.language
    stem, _, ending = lowered.rpartition("/")[2].rpartition(".")
    return _by_ending().get(ending, ("text", "text")) if stem else ("text", "text")


def language_of(path: str) -> str:
    """The language of a file by its name, in small letters: python, markdown, yaml …"""
    return reader_of(path)[1]


class Format(ABC):
    """Files of one format, which a kind of source brings; `name` is the language of its documents.

    They are read in a process of their own, as what stalls or fails there costs that file only.
    """

    name: str

    @abstractmethod
    def claims(self, path: str, data: bytes) -> bool:
        """Whether a file is of this format, by its name and what it begins with."""

    def text(self, data: bytes) -> tuple[str, str | None]:
        """The file as text, and a warning if there is one. Raises InvalidInput for what is none,
        and the file is left out."""
        return decode(data)


class FileReader(Format):
    """A format with a reader of its own."""

    @abstractmethod
    def read(self, text: str) -> Reading:
        """What stands in a file, given its text without secrets. Raises InvalidInput for a broken
        one, which is then read as plain text with a warning."""


def formats() -> tuple[Format, ...]:
    """The formats that kinds of source bring."""
    return parts("read", Format)


def require_formats() -> None:
    """Load the formats that other packages bring. Raises BrokenKind, before any file is read: else
    each would be left out for it."""
    parts("read", Format, installed)


def format_of(path: str, data: bytes) -> Format | None:
    """The first format of a kind that claims a file."""
    return next((each for each in formats() if each.claims(path, data)), None)


_STYLE_SHEETS = (".css", ".scss", ".less")
_STATEMENTS_IN_DATA = {"sql", "bash"}  # an INSERT or a here-document may be one long line
_SMALLEST_MINIFIED = 4_000
_SMALLEST_ONE_LINE_JSON = 100_000
_LEAST_MEAN_OF_JSON_LINES = 5_000
_LONG_LINE = 300
_LEAST_SHARE_IN_LONG_LINES = 0.6
_MOST_SHARE_OF_SPACES = 0.1
_LEAST_SHARE_OF_MARKS = 0.04
"""In 71,800 files of installed packages those in long lines for the most part had at least 4 % of
marks of code in them where they were minified; tables and messages of protocols at most 1.6 %."""


def shape_of(path: str, data: bytes) -> str:
    """What a file of this name and content is that a program wrote, whatever it is called:
    `minified code` or `JSON on one line`; "" for any other. An export that a kind of source reads
    is none."""
    reader, language = reader_of(path)
    is_style = path.lower().endswith(_STYLE_SHEETS)
    found = ""
    if is_style or (reader == "code" and language not in _STATEMENTS_IN_DATA):
        found = "minified code" if _is_minified(data, b"{}:;" if is_style else b"();=") else ""
    elif language in {"json", "jsonc"} and len(data) >= _SMALLEST_ONE_LINE_JSON:
        lines = data.strip().count(b"\n") + 1
        found = "JSON on one line" if len(data) >= lines * _LEAST_MEAN_OF_JSON_LINES else ""
    return found if found and format_of(path, data) is None else ""


def _is_minified(data: bytes, marks: bytes) -> bool:
    """Whether code stands in long lines that hold few spaces and many `marks`: tables of numbers
    or texts have lines as long, without the marks."""
    if len(data) < _SMALLEST_MINIFIED:
        return False
    lines = data.split(b"\n") if b"\n" in data else data.split(b"\r")
    long = b"".join(line for line in lines if len(line) >= _LONG_LINE)
    spaces, marked = (len(long) - len(long.translate(None, each)) for each in (b" \t", marks))
    return (
        len(long) >= len(data) * _LEAST_SHARE_IN_LONG_LINES
        and spaces <= len(long) * _MOST_SHARE_OF_SPACES
        and marked >= len(long) * _LEAST_SHARE_OF_MARKS
    )


def profile_of(text: str) -> Literal["prose", "code"]:
    """Which ranking profile fits `text`: code has mostly lines of code, fewer where something is
    defined in it, fewest where it begins so. Markdown that holds fenced code is prose."""
    lines = [line for line in text[:HEAD].splitlines() if line.strip()]
    defines = [bool(_DEFINES.match(line)) for line in lines]
    begins = defines[:1] == [True]
    if not lines or (_FENCE.search(text[:HEAD]) and not begins):
        return "prose"
    code = sum(1 for line in lines if _CODE_LINE.search(line))
    if len(lines) == 1:
        is_closed = lines[0].rstrip().endswith((";", "{", "}", ":"))
        return "code" if begins and code and is_closed else "prose"
    least = _LEAST_BEGUN if begins else _LEAST_DEFINED if any(defines) else _LEAST_OF_CODE
    return "code" if code >= len(lines) * least else "prose"

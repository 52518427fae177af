"""Which reader a file gets: one that a kind of source brings, else by the file's name, after the
one table of extensions and special names. Passages that come without a path are code or prose by
what stands in them; minified code is known by what it looks like.
"""

import re
from abc import ABC, abstractmethod
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from quipu.kind import installed, parts
from quipu.patterns import late
from quipu.read.decode import decode
from quipu.read.reading import Reading

__all__ = [
    "FileReader",
    "Format",
    "Reader",
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

_CODE = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "java": "java",
    "rust": "rs",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh",
    "csharp": "cs",
    "ruby": "rb rake gemspec",
    "php": "php",
    "bash": "sh bash zsh ksh bats",
    "sql": "sql ddl",
}
_OTHER: dict[Reader, str] = {
    "markdown": "md markdown mdown mkd mdx",
    "rst": "rst",
    "asciidoc": "adoc asciidoc",
    "org": "org",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "docx": "docx",
    "notebook": "ipynb",
}
_DATA = {
    "toml": "toml",
    "yaml": "yaml yml",
    "json": "json webmanifest",
    "jsonc": "jsonc code-workspace",
    "json5": "json5",
    "jsonl": "jsonl ndjson",
    "terraform": "tf",
}
_WITH_COMMENTS = ("tsconfig", "jsconfig", "devcontainer", ".devcontainer")

_BY_EXTENSION: dict[str, tuple[Reader, str]] = {
    **{e: ("code", language) for language, all_ in _CODE.items() for e in all_.split()},
    **{e: (reader, reader) for reader, all_ in _OTHER.items() for e in all_.split()},
    **{e: ("data", language) for language, all_ in _DATA.items() for e in all_.split()},
}
_BY_NAME: dict[str, tuple[Reader, str]] = {
    "codeowners": ("codeowners", "codeowners"),
    "pyproject.toml": ("manifest", "toml"),
    "setup.cfg": ("manifest", "setup.cfg"),
    "package.json": ("manifest", "json"),
    "composer.json": ("manifest", "json"),
    "cargo.toml": ("manifest", "toml"),
    "go.mod": ("manifest", "go.mod"),
    "pom.xml": ("manifest", "xml"),
    "gemfile": ("code", "ruby"),
    "rakefile": ("code", "ruby"),
    "docker-compose.yml": ("compose", "yaml"),
    "docker-compose.yaml": ("compose", "yaml"),
    "compose.yml": ("compose", "yaml"),
    "compose.yaml": ("compose", "yaml"),
}

_PIPELINE_FOLDERS = (".github/workflows", ".gitea/workflows", ".forgejo/workflows", ".circleci")
_PIPELINE_FILES = late(
    r"(?:\.?gitlab-ci|azure-pipelines|bitbucket-pipelines|\.drone|\.woodpecker|\.travis"
    r"|appveyor|cloudbuild|buildspec)(?:[.-][\w.-]+)?\.ya?ml"
)

_SNIFFED = 4000
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


def _holds_comments(place: PurePosixPath, stem: str) -> bool:
    """Whether the program that a JSON file is for lets it hold comments."""
    return stem.startswith(_WITH_COMMENTS) or place.parent.name == ".vscode"


def reader_of(path: str) -> tuple[Reader, str]:
    """The reader and language for `path`; plain text for a name that says nothing."""
    place = PurePosixPath(path)
    name = place.name.lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if _is_workflow(path):
        return "workflow", "yaml"
    stem, _, extension = name.rpartition(".")
    if extension == "txt" and stem.startswith(("requirements", "constraints")):
        return "manifest", "requirements"
    if extension in {"yml", "yaml"} and stem.startswith(("docker-compose", "compose.")):
        return "compose", "yaml"
    if extension == "json" and _holds_comments(place, stem):
        return "data", "jsonc"
    return _BY_EXTENSION.get(extension, ("text", "text")) if stem else ("text", "text")


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


def _is_workflow(path: str) -> bool:
    """Whether a file is a CI pipeline, by where it lies and how it is called."""
    place = PurePosixPath(path.lower())
    if place.suffix not in {".yml", ".yaml"}:
        return False
    folder = place.parent.as_posix()
    return bool(_PIPELINE_FILES.fullmatch(place.name)) or any(
        folder == each or folder.endswith(f"/{each}") for each in _PIPELINE_FOLDERS
    )


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
    lines = [line for line in text[:_SNIFFED].splitlines() if line.strip()]
    defines = [bool(_DEFINES.match(line)) for line in lines]
    begins = defines[:1] == [True]
    if not lines or (_FENCE.search(text[:_SNIFFED]) and not begins):
        return "prose"
    code = sum(1 for line in lines if _CODE_LINE.search(line))
    if len(lines) == 1:
        is_closed = lines[0].rstrip().endswith((";", "{", "}", ":"))
        return "code" if begins and code and is_closed else "prose"
    least = _LEAST_BEGUN if begins else _LEAST_DEFINED if any(defines) else _LEAST_OF_CODE
    return "code" if code >= len(lines) * least else "prose"

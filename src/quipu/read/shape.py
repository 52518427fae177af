"""Which files a program wrote, by what they look like and whatever they are called: minified code,
compiled code with its source map, encoded data, source maps, lock files, large JSON on one line.

Only code, style sheets, JSON, YAML and TOML can look so; prose, tables and SQL never do. In 71,800
files of installed packages (Python, Node, a compiler's handbook) no file that people wrote did: of
those that stand in long lines for the most part, minified ones had at least 4 % of marks of code in
them, tables and messages of protocols at most 1.6 %.
"""

import re
from pathlib import PurePosixPath

from quipu.read.kinds import format_of, reader_of

__all__ = ["shape_of"]

_STYLE_SHEETS = {".css", ".scss", ".less"}
_STATEMENTS_IN_DATA = {"sql", "bash"}  # an INSERT or a here-document may be one long line
_JSON = {"json", "jsonc"}
_LOCKED = {*_JSON, "yaml", "toml"}

_SMALLEST_MINIFIED = 4_000
_SMALLEST_LOCK = 8_000
_SMALLEST_ONE_LINE_JSON = 100_000
_LONG_LINE = 300
_LEAST_SHARE_IN_LONG_LINES = 0.6
_MOST_SHARE_OF_SPACES = 0.1
_LEAST_SHARE_OF_MARKS = 0.04
_LEAST_SHARE_OF_ENCODED = 0.95
_LEAST_SHARE_OF_CHECKSUMS = 0.2
_LEAST_MEAN_OF_JSON_LINES = 5_000

_ENCODED = re.compile(rb"[0-9A-Za-z+/=_-]{1000,}")
_RUN = re.compile(rb"[0-9A-Za-z+/]{32,128}={0,2}")
_CHECKSUM = re.compile(
    rb"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}"
    rb"|[0-9A-Za-z+/]{43}=|[0-9A-Za-z+/]{64}|[0-9A-Za-z+/]{86}=="
)
_MAP_WITHIN = re.compile(rb"[#@] ?sourceMappingURL=data:application/json[\w;=-]*;base64,")
_MAP_KEYS = tuple(
    re.compile(rb'"%s"\s*:\s*%s' % each)
    for each in ((b"version", b"3"), (b"mappings", b'"'), (b"sources", rb"\["))
)


def shape_of(path: str, data: bytes) -> str:
    """What a file of this name and content is that a program wrote; "" for any other.

    A format that a kind of source reads, an export of conversations for example, is none.
    """
    reader, language = reader_of(path)
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _STYLE_SHEETS:
        found = _code_shape(data, marks=b"{}:;")
    elif reader == "code" and language not in _STATEMENTS_IN_DATA:
        found = _code_shape(data, marks=b"();=")
    elif reader == "data" and language in _LOCKED:
        found = _data_shape(data, is_json=language in _JSON)
    else:
        return ""
    return found if found and format_of(path, data) is None else ""


def _code_shape(data: bytes, *, marks: bytes) -> str:
    """What code is by its lines. Minified code stands in long ones that hold few spaces and many
    `marks`: tables of numbers or texts have lines as long, without the marks."""
    if _MAP_WITHIN.search(data):
        return "code with its source map"
    if len(data) < _SMALLEST_MINIFIED:
        return ""
    if sum(map(len, _ENCODED.findall(data))) >= len(data) * _LEAST_SHARE_OF_ENCODED:
        return "encoded data"
    long = b"".join(line for line in _lines(data) if len(line) >= _LONG_LINE)
    is_minified = (
        len(long) >= len(data) * _LEAST_SHARE_IN_LONG_LINES
        and _count(long, b" \t") <= len(long) * _MOST_SHARE_OF_SPACES
        and _count(long, marks) >= len(long) * _LEAST_SHARE_OF_MARKS
    )
    return "minified code" if is_minified else ""


def _data_shape(data: bytes, *, is_json: bool) -> str:
    if is_json and all(key.search(data) for key in _MAP_KEYS):
        return "source map"
    if len(data) >= _SMALLEST_LOCK:
        checksums = sum(len(run) for run in _RUN.findall(data) if _CHECKSUM.fullmatch(run))
        if checksums >= len(data) * _LEAST_SHARE_OF_CHECKSUMS:
            return "lock file"
    is_large = is_json and len(data) >= _SMALLEST_ONE_LINE_JSON
    if is_large and len(data) >= len(_lines(data.strip())) * _LEAST_MEAN_OF_JSON_LINES:
        return "JSON on one line"
    return ""


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n") if b"\n" in data else data.split(b"\r")


def _count(data: bytes, characters: bytes) -> int:
    return len(data) - len(data.translate(None, characters))

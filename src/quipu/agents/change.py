"""A change as it is written: the files and lines that a diff or a list of paths names.

Of a hunk the added lines count, and the line before what is only taken away; lines of context do
not. Where a hunk claims more lines than it has, as a model writes them, the next file ends it.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from quipu.text import composed

__all__ = ["Lines", "read_change"]

Lines: TypeAlias = tuple[int, int]
"""The first and the last of some lines."""

_LONGEST = 8_192
"""Characters of a line that may be the head of a file: two paths are matched with each other."""
_NOWHERE = "/dev/null"
_NO_LINE: Lines = (0, 0)
_GIT = re.compile(
    r"diff --git \"?(?:a|b|c|i|o|w|1|2)/(?P<name>.+?)\"? \"?(?:a|b|c|i|o|w|1|2)/(?P=name)\"?"
    r"|diff --git (?P<bare>.+) (?P=bare)|diff --(?:cc|combined) (?P<merged>.+)|diff --git .+"
)
_MOVED = re.compile(r"(?:rename (?:from|to)|copy to) (.+)")
_HUNK = re.compile(r"(@@+)((?: -\d{1,9}(?:,\d{1,9})?)+) \+(\d{1,9})(?:,(\d{1,9}))? @@")
_COUNT = re.compile(r"-\d+(?:,(\d+))?")
_PREFIXES = frozenset(("ab", "ba", "iw", "wi", "ci", "ic", "cw", "wc", "ow", "wo", "12", "21"))
"""The letters that git puts before the two paths, by default and with `diff.mnemonicPrefix`."""
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f"}
_ESCAPES[b"r"] = b"\r"
_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?", re.DOTALL)


def read_change(
    change: str, *, is_path: Callable[[str], bool] = lambda _: False
) -> dict[str, list[Lines]]:
    """Return the lines that a diff changes as they are afterwards, by path; none: the whole file.

    What moves counts under both its names. What is no diff is a list of paths, with or without
    lines; blanks part them where what is around the blank is not one path (`is_path`).
    """
    lines = [line.removesuffix("\r") for line in change.split("\n")]
    found = _read_diff(lines)
    return _read_paths(lines, is_path) if found is None else found


def _read_diff(lines: list[str]) -> dict[str, list[Lines]] | None:
    """None for what is no diff."""
    found: dict[str, list[Lines]] | None = None
    path, at = "", 0
    gone: set[str] = set()
    while at < len(lines):
        line = lines[at]
        at += 1
        if len(line) <= _LONGEST and (git := _GIT.fullmatch(line)):
            found = {} if found is None else found
            path = _name(git["name"] or git["bare"] or git["merged"] or "", of_pair=True)
            found.setdefault(path, [])
        elif _is_head(lines, at - 1):
            found = {} if found is None else found
            before, after = _sides(line[4:], lines[at][4:])
            path = before if after == _NOWHERE else after
            gone |= {path} if after == _NOWHERE else set()
            found.setdefault(path, [])
            at += 1
        elif found is not None and (moved := _MOVED.fullmatch(line)):
            found.setdefault(_name(moved[1]), [])
        elif found is not None and path and line.startswith("new mode "):
            found[path].append(_NO_LINE)
        elif found is not None and (hunk := _HUNK.match(line)):
            changed, at = _read_hunk(lines, at, hunk)
            found[path] += changed
    for each in gone & (found or {}).keys():
        (found or {})[each] = []
    for nothing in ("", _NOWHERE):
        (found or {}).pop(nothing, None)
    return found


def _is_head(lines: list[str], at: int) -> bool:
    """Whether `---` and `+++` stand there."""
    here = lines[at : at + 2]
    return len(here) == 2 and here[0].startswith("--- ") and here[1].startswith("+++ ")


def _read_hunk(lines: list[str], at: int, head: re.Match[str]) -> tuple[list[Lines], int]:
    """The changed lines of a hunk, as they are afterwards, and where its text ends."""
    sides = len(head[1]) - 1
    before = max(int(count or 1) for count in _COUNT.findall(head[2]))
    line, after = int(head[3]), int(head[4] or 1)
    if not after:  # the hunk names the line before
        line += 1
    begin, found, was = at, list[Lines](), line
    taken = False
    while at < len(lines) and (before > 0 or after > 0):
        text = lines[at]
        marks = text[:sides]
        if not text.startswith("\\"):  # no line: "\ No newline at end of file"
            if marks.strip(" +-") or _ends_file(lines, at, (before, after)):
                break
            if "-" in marks:
                before, taken = before - 1, True
            elif "+" in marks:
                after, line = after - 1, line + 1
            else:
                _add(found, was, line, taken=taken)
                before, after, line, taken = before - 1, after - 1, line + 1, False
                was = line
        at += 1
    _add(found, was, line, taken=taken)
    return (found if at > begin else [(was, was + max(after, 1) - 1)]), at


def _add(found: list[Lines], was: int, line: int, *, taken: bool) -> None:
    """What changes from `was` up to before `line`; the line before where something only goes."""
    if line > was:
        found.append((was, line - 1))
    elif taken:
        found.append((max(was - 1, 1), max(was - 1, 1)))


def _ends_file(lines: list[str], at: int, left: tuple[int, int]) -> bool:
    """Whether the next file begins there, though lines of the hunk are left."""
    if not _is_head(lines, at) or left == (1, 1):
        return False
    return at + 2 < len(lines) and _HUNK.match(lines[at + 2]) is not None


def _sides(before: str, after: str) -> tuple[str, str]:
    """Both paths, without what git puts before them."""
    one, other = (_name(side.partition("\t")[0].strip()) for side in (before, after))
    letters = "".join(
        each[0] if each != _NOWHERE and each[1:2] == "/" else "" for each in (one, other)
    )
    if letters in _PREFIXES or (_NOWHERE in (one, other) and letters in ("a", "b", *"ciow12")):
        one, other = (each if each == _NOWHERE else each[2:] for each in (one, other))
    return one, other


def _name(written: str, *, of_pair: bool = False) -> str:
    """A name that git puts in quotes where it has marks, or bytes beyond ASCII, which it writes as
    octal numbers. Of a pair the quotes are taken away already."""
    if len(written) > 1 and written[0] == written[-1] == '"':
        written = written[1:-1]
    elif not of_pair or "\\" not in written:
        return composed(written)
    return composed(_ESCAPE.sub(_byte, written.encode()).decode("utf-8", "replace"))


def _byte(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes((int(code, 8) & 255,)) if code.isdigit() else _ESCAPES.get(code, code)


def _read_paths(lines: list[str], is_path: Callable[[str], bool]) -> dict[str, list[Lines]]:
    found: dict[str, list[Lines]] = {}
    for line in map(str.strip, lines):
        whole = _PLACE.fullmatch(line)
        is_one = line.startswith('"') or (whole is not None and is_path(_path(whole)))
        for each in [line] if is_one else line.split():
            if match := _PLACE.fullmatch(each):
                held = found.setdefault(_path(match), [])
                if match["first"]:
                    held.append((int(match["first"]), int(match["last"] or match["first"])))
    return found


def _path(place: re.Match[str]) -> str:
    return _name(place["path"]).removeprefix("./")

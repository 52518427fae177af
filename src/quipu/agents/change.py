"""A change as it is written: the files and lines that a diff or a list of paths names.

Of a hunk the added lines count, and the line before what is only taken away; lines of context do
not. Where a hunk claims more lines than it has, as a model writes them, the next file ends it. A
merge with two parents (`diff --cc`) names its files alone.
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from quipu.limits import LONGEST_VALUE
from quipu.text import composed

__all__ = ["Lines", "read_change"]

Lines: TypeAlias = tuple[int, int]
"""The first and the last of some lines."""

_NOWHERE = "/dev/null"
_PREFIXES = "abciow12"
"""The letters that git puts before the two paths, by default and with `diff.mnemonicPrefix`."""
_GIT = re.compile(rf"diff --git \"?[{_PREFIXES}]/(?P<name>.+?)\"? \"?[{_PREFIXES}]/(?P=name)\"?")
_MOVED = re.compile(r"(?:rename (?:from|to)|copy to) (.+)")
_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
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
    found: dict[str, list[Lines]] = {}
    is_diff, path, at = False, "", 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("diff --"):
            is_diff, path = True, _named_by_git(line)
            found.setdefault(path, [])
        elif _is_head(lines, at - 1):
            is_diff, path = True, _changed_path(line[4:], lines[at][4:])
            found.setdefault(path, [])
            at += 1
        elif is_diff and (moved := _MOVED.fullmatch(line)):
            found.setdefault(_name(moved[1]), [])
        elif path and line.startswith("new mode "):
            found[path].append((0, 0))
        elif path and (hunk := _HUNK.match(line)):
            changed, at = _read_hunk(lines, at, hunk)
            if hunk[3] != "0" or hunk[2] != "0":  # else the file is gone
                found[path] += changed
    for nothing in ("", _NOWHERE):
        found.pop(nothing, None)
    return found if is_diff else None


def _named_by_git(line: str) -> str:
    """The file of a line `diff --git`; "" where the next lines name it."""
    match = _GIT.fullmatch(line) if len(line) <= 2 * LONGEST_VALUE else None
    if match is None:
        return ""
    return _name(f'"{match["name"]}"' if line.endswith('"') else match["name"])


def _is_head(lines: list[str], at: int) -> bool:
    """Whether `---` and `+++` stand there."""
    here = lines[at : at + 2]
    return len(here) == 2 and here[0].startswith("--- ") and here[1].startswith("+++ ")


def _read_hunk(lines: list[str], at: int, head: re.Match[str]) -> tuple[list[Lines], int]:
    """The changed lines of a hunk, as they are afterwards, and where its text ends."""
    before, line, after = int(head[1] or 1), int(head[2]), int(head[3] or 1)
    if not after:  # the hunk names the line before
        line += 1
    begin, first, changed, taken = at, line, list[int](), False
    while at < len(lines) and (before > 0 or after > 0):
        mark = lines[at][:1]
        if mark not in ("", " ", "+", "-", "\\") or _ends_file(lines, at, (before, after)):
            break
        at += 1
        if mark == "-":
            before, taken = before - 1, True
        elif mark == "+":
            changed.append(line)
            after, line, taken = after - 1, line + 1, False
        elif mark != "\\":  # "\ No newline at end of file"
            changed += [max(line - 1, 1)] if taken else []
            before, after, line, taken = before - 1, after - 1, line + 1, False
    changed += [max(line - 1, 1)] if taken else []
    return (_runs(changed) if at > begin else [(first, first + max(after, 1) - 1)]), at


def _runs(numbers: Sequence[int]) -> list[Lines]:
    """Ascending numbers as lines that follow each other."""
    found: list[Lines] = []
    for number in numbers:
        if found and number <= found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def _ends_file(lines: list[str], at: int, left: tuple[int, int]) -> bool:
    """Whether the next file begins there, though lines of the hunk are left."""
    if not _is_head(lines, at) or left == (1, 1):
        return False
    return at + 2 < len(lines) and _HUNK.match(lines[at + 2]) is not None


def _changed_path(before: str, after: str) -> str:
    """The path of the two that is there, without what git puts before it."""
    one, other = (_name(side.partition("\t")[0].strip()) for side in (before, after))
    path, beside = (one, other) if other == _NOWHERE else (other, one)
    if path[:1] in _PREFIXES and path[1:2] == "/" and path[:2] != beside[:2]:
        return path[2:]
    return path


def _name(written: str) -> str:
    """A name that git puts in quotes where it has marks, or bytes beyond ASCII, which it writes as
    octal numbers."""
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            plain = written[1:-1].encode().decode("unicode_escape")
            written = plain.encode("latin-1").decode("utf-8", "replace")
        except UnicodeError:
            written = written[1:-1]
    return composed(written)


def _read_paths(lines: list[str], is_path: Callable[[str], bool]) -> dict[str, list[Lines]]:
    found: dict[str, list[Lines]] = {}
    for line in map(str.strip, lines):
        whole = _PLACE.fullmatch(line)
        is_one = line.startswith('"') or (whole is not None and is_path(_path(whole)))
        for written in [line] if is_one else line.split():
            if match := _PLACE.fullmatch(written):
                held = found.setdefault(_path(match), [])
                if match["first"]:
                    held.append((int(match["first"]), int(match["last"] or match["first"])))
    return found


def _path(place: re.Match[str]) -> str:
    return _name(place["path"]).removeprefix("./")

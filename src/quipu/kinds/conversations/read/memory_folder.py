"""Folders of Markdown that agents keep as their memory: `MEMORY.md`, `memory/2026-02-04.md`.

Each point of a list and each paragraph is a note. Its caption is the path of headings above it,
its time the last date in the headings, else the date in the file's name.
"""

import re
from pathlib import PurePosixPath

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector, Content
from quipu.kinds.conversations.read.times import read_time
from quipu.read.decode import decode
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["NAME", "is_memory_file", "read_memory_file"]

NAME = "memory-folder"
_FILES = frozenset({"memory.md", "memories.md"})
_FOLDERS = frozenset({"memory", "memories"})
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_POINT = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def is_memory_file(path: str) -> bool:
    """Whether `path` is where agents keep notes: `MEMORY.md`, or Markdown in `memory/`."""
    place = PurePosixPath(path.lower())
    if place.suffix not in {".md", ".markdown"}:
        return False
    return place.name in _FILES or any(part in _FOLDERS for part in place.parts[:-1])


def read_memory_file(path: str, data: bytes) -> Sessions:
    """One file of notes as one session whose id is its path. Raises InvalidInput for binary."""
    collector = Collector(path, path)
    text, warning = decode(data)
    if warning:
        collector.problem(warning, warning=True)
    notes = _Notes(collector, _date_in(PurePosixPath(path).name))
    for number, line in enumerate(text.split("\n"), 1):
        notes.take(number, line)
    notes.end()
    collector.open(path, title=notes.title or PurePosixPath(path).stem)
    return collector.sessions(NAME)


class _Notes:
    """The note that is being read, and the headings it stands under."""

    def __init__(self, collector: Collector, time: str) -> None:
        self._collector, self._time = collector, time
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._fenced = self._front = False
        self.title = ""

    def take(self, number: int, line: str) -> None:
        if line.strip() == "---" and (number == 1 or self._front):
            self._front = number == 1
            return
        if self._front:
            return
        if _FENCE.match(line):
            self._fenced = not self._fenced
        heading = None if self._fenced else _HEADING.match(line)
        point = None if self._fenced else _POINT.match(line)
        if heading:
            self.end()
            self._under(len(heading[1]), heading[2].rstrip().rstrip("#").rstrip())
        elif not line.strip() and not self._fenced:
            self.end()
        else:
            if point and not (point[1] and self._lines):
                self.end()
                line = line[point.end() :]
            if not self._lines:
                self._collector.line = number
            self._lines.append(line)

    def end(self) -> None:
        """Give the note that was being read to the collector."""
        dated = [t for _, h in self._headings if (t := _date_in(h)) != UNKNOWN_TIME]
        if self._lines:
            self._collector.message(
                self._collector.session,
                Content(["\n".join(self._lines)], [" > ".join(h for _, h in self._headings)]),
                role="note",
                time=dated[-1] if dated else self._time,
            )
        self._lines = []

    def _under(self, level: int, heading: str) -> None:
        self.title = self.title or heading
        self._headings = [h for h in self._headings if h[0] < level] + [(level, heading)]


def _date_in(text: str) -> str:
    match = _DATE.search(text)
    try:
        return read_time(match.group()) if match else UNKNOWN_TIME
    except InvalidInput:
        return UNKNOWN_TIME

"""Live transcripts: what was added to them since they were last looked at.

A log that is being written may end in the middle of a line; that line waits for its end. Turns
keep their offsets while a transcript grows, so only those after the last known ones are given on.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions, Transcript
from quipu.kinds.conversations.read import is_memory_file, read_sessions
from quipu.read.calling import Calling, here
from quipu.read.folder import files_in
from quipu.read.source import escaped, read_stable
from quipu.records.document import Problem

__all__ = ["Follower", "transcript_files"]

_LINES = frozenset({".jsonl", ".ndjson"})
_SUFFIXES = _LINES | {".json", ".md", ".markdown"}
_LARGEST = 512_000_000
_AGAIN = 4
"""So many of the last known turns are given again: the last ones may still have grown."""


def transcript_files(paths: Iterable[Path]) -> list[Path]:
    """The files among `paths` and in folders among them that may be transcripts by their names."""
    found: dict[Path, None] = {}
    for path in paths:
        for file in files_in(path, _SUFFIXES)[0]:
            markdown = file.suffix.lower() in {".md", ".markdown"}
            if file.suffix.lower() in _SUFFIXES and file.is_file():
                if markdown and path.is_dir() and not is_memory_file(file.as_posix()):
                    continue
                found[file] = None
    return list(found)


class Follower:
    """Looks at transcripts again and again."""

    def __init__(self, paths: Sequence[Path], *, call: Calling = here) -> None:
        self._call = call
        self._paths = tuple(paths)
        self._seen: dict[Path, tuple[int, int]] = {}
        self._last: dict[tuple[Path, str], int] = {}
        self._said: set[tuple[str, int, str]] = set()

    def look(self) -> Iterator[Transcript | Problem]:
        """What is new in the files that changed, and each thing wrong with them once."""
        for file in transcript_files(self._paths):
            try:
                status = file.stat()
            except OSError:
                continue  # gone since it was listed
            mark = status.st_size, status.st_mtime_ns
            if self._seen.get(file) == mark:
                continue
            read = _read(file, self._call)
            if read is None:
                continue  # it is being written: the next change brings it
            self._seen[file] = mark
            for problem in read.problems:
                key = (problem.path, problem.line, problem.error)
                if key not in self._said:
                    self._said.add(key)
                    yield problem
            for transcript in read.transcripts:
                yield from self._new(file, transcript)

    def _new(self, file: Path, transcript: Transcript) -> Iterator[Transcript]:
        if not transcript.turns:
            return
        key = file, transcript.session_id
        last = self._last.get(key, 0) - _AGAIN
        self._last[key] = max(turn.offset for turn in transcript.turns)
        turns = tuple(turn for turn in transcript.turns if turn.offset > last)
        yield dataclasses.replace(transcript, turns=turns, events=())


def _read(file: Path, call: Calling) -> Sessions | None:
    """The file's sessions, as far as they are whole; None when it cannot be read yet."""
    shown = escaped(file.as_posix() if is_memory_file(file.as_posix()) else file.name)
    data = read_stable(file.resolve(), shown=shown, max_bytes=_LARGEST)
    if isinstance(data, Problem):
        too_large = file.stat().st_size > _LARGEST
        return Sessions(format="", transcripts=(), problems=(data,)) if too_large else None
    if file.suffix.lower() in _LINES:
        data = data[: data.rfind(b"\n") + 1]
    if not data.strip():
        return None
    try:
        return call(read_sessions, shown, data)
    except InvalidInput as error:
        return Sessions(
            format="", transcripts=(), problems=(Problem(shown, str(error), "warning"),)
        )

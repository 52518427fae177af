"""Live transcripts: what was added to them since they were last looked at.

A log that is being written may end in the middle of a line; that line waits for its end. Turns
keep their offsets while a transcript grows, so only those after the last known ones are given on.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from quipu.kinds.conversations.model import Transcript
from quipu.kinds.conversations.read import is_memory_file
from quipu.kinds.conversations.read.files import SUFFIXES, may_be_transcript, sessions_in
from quipu.read.reading import Calling, here
from quipu.read.source import escaped, files_in
from quipu.records.document import Problem

__all__ = ["Follower"]

_AGAIN = 4
"""So many of the last known turns are given again: the last ones may still have grown."""


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
        for file in self._files():
            try:
                status = file.stat()
                mark = status.st_size, status.st_mtime_ns
                if self._seen.get(file) == mark:
                    continue
                shown = file.as_posix() if is_memory_file(file.as_posix()) else file.name
                read = sessions_in(file, escaped(shown), self._call, growing=True)
            except OSError:
                continue  # gone since it was listed
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
        yield dataclasses.replace(transcript, turns=turns)

    def _files(self) -> Iterator[Path]:
        """The files that may be transcripts, each once."""
        found: dict[Path, None] = {}
        for path in self._paths:
            for file in files_in(path, SUFFIXES)[0]:
                if not path.is_dir() or may_be_transcript(file, file.as_posix()):
                    found[file] = None
        yield from found

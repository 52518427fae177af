"""Transcript files and folders of them, one at a time, and again while they grow.

A log that is being written may end in the middle of a line; that line waits for its end. Turns
keep their offsets while a transcript grows, so only those after the last known ones are given on.
"""

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions, Transcript
from quipu.kinds.conversations.read import is_memory_file, read_sessions
from quipu.limits import LARGEST_EXPORT
from quipu.read.reading import Calling, here
from quipu.read.source import escaped, files_in, read_stable
from quipu.records.document import Problem

__all__ = ["Follower", "read_session_files"]

_LINES, _MARKDOWN = frozenset({".jsonl", ".ndjson"}), frozenset({".md", ".markdown"})
_SUFFIXES = _LINES | _MARKDOWN | {".json"}
_AGAIN = 4
"""So many of the last known turns are given again: the last ones may still have grown."""


def read_session_files(
    paths: Sequence[Path], *, skip: Collection[Path] = (), call: Calling = here
) -> Iterator[Transcript | Problem]:
    """The transcripts in files, and in every file of folders by path; and what was wrong.

    In a folder only files are looked at that may be transcripts by their name; none of `skip`,
    which were read as something else. A folder with nothing to be read in it is a problem. The
    name of a folder that is given counts for what its files are, and so does that of a file's.
    Raises InvalidInput for a path that is not there, before anything is read.
    """
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no {str(path)!r}: name a transcript or a folder")
    return (each for path in paths for each in _read_all(path, skip, call))


def _read_all(path: Path, skip: Collection[Path], call: Calling) -> Iterator[Transcript | Problem]:
    any_there = False
    files, closed = files_in(path, _SUFFIXES)
    yield from closed
    for file in files:
        if file in skip:
            any_there = True
            continue
        for each in _read(file, path, call):
            any_there = True
            yield each
    if path.is_dir() and not any_there:
        yield Problem(
            escaped(path.name or str(path)),
            "holds nothing that can be read here: give a folder with transcripts, notes in "
            "`memory/`, goals or tasks; `quipu index` reads documents",
        )


def _shown(file: Path, root: Path) -> str:
    """How a file is called: by its place in the folder given; with the folder's own name where
    that makes notes of it."""
    folder = root if root.is_dir() else root.parent
    inside = file.relative_to(folder).as_posix()
    if is_memory_file(inside):
        return inside
    within = f"{folder.absolute().name}/{inside}"
    return within if is_memory_file(within) else inside


def _read(file: Path, root: Path, call: Calling) -> Iterator[Transcript | Problem]:
    shown = escaped(_shown(file, root))
    if root.is_dir() and not _may_be_transcript(file, shown):
        return
    sessions = _sessions_in(file, shown, call, of_folder=root.is_dir())
    yield from sessions.problems
    yield from sessions.transcripts


def _may_be_transcript(file: Path, shown: str) -> bool:
    """Whether a file of a folder is one by its name, `shown`: of Markdown only notes are."""
    suffix = file.suffix.lower()
    return is_memory_file(shown) if suffix in _MARKDOWN else suffix in _SUFFIXES


def _sessions_in(
    file: Path, shown: str, call: Calling, *, of_folder: bool = False, growing: bool = False
) -> Sessions:
    """The sessions in a file, which problems call `shown`, and what is wrong with it. A file that
    is none is a warning where it is one of a folder. Of a `growing` one the last line, if it is
    cut, and what cannot be read yet wait for the next look."""
    if file.stat().st_size > LARGEST_EXPORT:
        return _unread(
            Problem(shown, f"is larger than {LARGEST_EXPORT} bytes and was left out: split it")
        )
    data = read_stable(file.resolve(), shown=shown, max_bytes=LARGEST_EXPORT)
    if growing and not isinstance(data, Problem) and file.suffix.lower() in _LINES:
        data = data[: data.rfind(b"\n") + 1]
    if growing and (isinstance(data, Problem) or not data.strip()):
        return Sessions(format="", transcripts=())
    if isinstance(data, Problem):
        return _unread(data)
    try:
        return call(read_sessions, shown, data)
    except InvalidInput as error:
        return _unread(Problem(shown, str(error), "warning" if of_folder or growing else "error"))


def _unread(problem: Problem) -> Sessions:
    return Sessions(format="", transcripts=(), problems=(problem,))


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
                read = _sessions_in(file, escaped(shown), self._call, growing=True)
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
            for file in files_in(path, _SUFFIXES)[0]:
                if not path.is_dir() or _may_be_transcript(file, file.as_posix()):
                    found[file] = None
        yield from found

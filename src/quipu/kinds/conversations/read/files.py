"""Transcript files and folders of them, one at a time."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions, Transcript
from quipu.kinds.conversations.read import is_memory_file, read_sessions
from quipu.read.reading import Calling, here
from quipu.read.source import escaped, files_in, read_stable
from quipu.records.document import Problem

__all__ = ["SUFFIXES", "may_be_transcript", "read_session_files", "sessions_in"]

_LINES, _MARKDOWN = frozenset({".jsonl", ".ndjson"}), frozenset({".md", ".markdown"})
SUFFIXES = _LINES | _MARKDOWN | {".json"}
_LARGEST = 512_000_000


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
    files, closed = files_in(path, SUFFIXES)
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
    if root.is_dir() and not may_be_transcript(file, shown):
        return
    sessions = sessions_in(file, shown, call, of_folder=root.is_dir())
    yield from sessions.problems
    yield from sessions.transcripts


def may_be_transcript(file: Path, shown: str) -> bool:
    """Whether a file of a folder is one by its name, `shown`: of Markdown only notes are."""
    suffix = file.suffix.lower()
    return is_memory_file(shown) if suffix in _MARKDOWN else suffix in SUFFIXES


def sessions_in(
    file: Path, shown: str, call: Calling, *, of_folder: bool = False, growing: bool = False
) -> Sessions:
    """The sessions in a file, which problems call `shown`, and what is wrong with it. A file that
    is none is a warning where it is one of a folder. Of a `growing` one the last line, if it is
    cut, and what cannot be read yet wait for the next look."""
    if file.stat().st_size > _LARGEST:
        return _unread(
            Problem(shown, f"is larger than {_LARGEST} bytes and was left out: split it")
        )
    data = read_stable(file.resolve(), shown=shown, max_bytes=_LARGEST)
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

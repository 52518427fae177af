"""Files of goals and tasks among those that are given."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from quipu.errors import InvalidInput
from quipu.kinds.work.model import WorkKind
from quipu.kinds.work.read import WorkRead, is_work, read_work
from quipu.read.calling import Calling, here
from quipu.read.source import escaped, read_stable
from quipu.records.document import Problem
from quipu.when.instants import from_epoch

__all__ = ["WorkFile", "find_work_files", "read_work_file"]

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".md", ".markdown"})
_LARGEST = 50_000_000


class WorkFile:
    """A file of goals and tasks, and how it is called in what is told of it."""

    def __init__(self, path: Path, shown: str) -> None:
        self.path = path
        self.shown = shown

    @property
    def seen(self) -> str:
        """When the file was last changed: an instant."""
        return from_epoch(self.path.stat().st_mtime)


def find_work_files(
    paths: Sequence[Path], kind: WorkKind | None = None, *, call: Calling = here
) -> list[WorkFile]:
    """The files that hold goals and tasks, in files and folders, by path; with `kind` all that
    may. Raises InvalidInput for a path that is not there."""
    found: list[WorkFile] = []
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no {str(path)!r}: name a file or a folder")
        for file in _files(path):
            shown = escaped(file.relative_to(path).as_posix() if path.is_dir() else file.name)
            if kind is not None or _is_work(file, shown, call, sought=not path.is_dir()):
                found.append(WorkFile(file, shown))
    return found


def read_work_file(
    file: WorkFile, kind: WorkKind | None = None, *, call: Calling = here
) -> WorkRead:
    """What a file holds; a file that cannot be read is a problem."""
    data = read_stable(file.path.resolve(), shown=file.shown, max_bytes=_LARGEST)
    if isinstance(data, Problem):
        return WorkRead(problems=(data,))
    try:
        return call(read_work, file.shown, data, seen=file.seen, kind=kind)
    except InvalidInput as error:
        return WorkRead(problems=(Problem(file.shown, str(error)),))


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for file in sorted(path.rglob("*")):
        plain = file.is_file() and not file.is_symlink()
        if plain and file.suffix.lower() in _SUFFIXES:
            yield file


def _is_work(file: Path, shown: str, call: Calling, *, sought: bool) -> bool:
    if file.suffix.lower() not in _SUFFIXES or file.stat().st_size > _LARGEST:
        return False
    data = read_stable(file.resolve(), shown=shown, max_bytes=_LARGEST)
    if isinstance(data, Problem):
        return False
    try:
        return call(is_work, shown, data, sought=sought)
    except InvalidInput:  # it could not be let finish: whoever reads it next says so
        return False

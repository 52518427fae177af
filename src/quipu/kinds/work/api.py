"""Goals and tasks: what is offered for files and records of them."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quipu.handle.handle import Handle
from quipu.kinds.work.model import WorkKind
from quipu.records.document import Problem
from quipu.records.progress import Progress
from quipu.write.report import IndexReport

if TYPE_CHECKING:
    from quipu.kinds.work.read import WorkRead
    from quipu.kinds.work.write import GivenWork

__all__ = ["GivenFiles", "Works"]


class GivenFiles(msgspec.Struct, frozen=True):
    """Paths to be remembered, as a job holds them; `kind` is what their records are that do not
    say so themselves."""

    paths: tuple[str, ...]
    kind: WorkKind | None = None


class Works:
    """How goals and tasks are written to a memory."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def add_files(
        self, given: GivenFiles, *, embed: bool = True, progress: Progress | None = None
    ) -> tuple[IndexReport | None, frozenset[Path] | None]:
        """Remember the goals and tasks in files, or in all files of folders: the report, None where
        no file holds any, and the files that were read; None for these when all were."""
        from quipu.kinds.work.read import find_work_files, read_work_file

        paths = [Path(path) for path in given.paths]
        with self._handle.guard() as call:
            files = find_work_files(paths, given.kind, call=call)
            if not files:
                return None, frozenset()
            read = (
                each
                for file in files
                for each in _given(read_work_file(file, given.kind, call=call), file.seen)
            )
            report = self._add(read, embed=embed, progress=progress)
        work_files = frozenset(file.path for file in files)
        whole = given.kind is not None or work_files.issuperset(paths)
        return report, None if whole else work_files

    def add_records(
        self, records: Sequence[dict[str, object]], *, seen: str, embed: bool = True
    ) -> IndexReport:
        """Remember records of goals and tasks (docs/how-to/goals.md); those that name no date
        hold from the instant `seen`."""
        from quipu.kinds.work.read import WorkRead, read_record

        read = WorkRead.of(
            read_record(dict(record), at=f"#{n}", seen=seen) for n, record in enumerate(records, 1)
        )
        return self._add(_given(read, seen), embed=embed, progress=None)

    def _add(
        self, given: "Iterable[GivenWork | Problem]", *, embed: bool, progress: Progress | None
    ) -> IndexReport:
        from quipu.kinds.work.write import add_work

        fill = partial(add_work, given, self._handle.store, clock=self._handle.clock)
        with self._handle.writing:
            return self._handle.indexer().added(fill, embed, progress)


def _given(read: "WorkRead", seen: str) -> "list[GivenWork | Problem]":
    from quipu.kinds.work.write import GivenWork

    return [*read.problems, GivenWork(read.items, seen)]

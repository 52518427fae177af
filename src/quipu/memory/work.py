"""Goals and tasks: what `Memory` offers for files and records of them."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quipu.domain.document import Problem
from quipu.domain.progress import Progress
from quipu.domain.work import WorkKind
from quipu.ingest.report import IndexReport, joined
from quipu.memory.sessions import Conversations

if TYPE_CHECKING:
    from quipu.ingest.work import GivenWork
    from quipu.read.work import WorkRead

__all__ = ["GivenFiles", "Works"]


class GivenFiles(msgspec.Struct, frozen=True):
    """Paths to be remembered, as a job holds them; `kind` is what their records are that do not
    say so themselves."""

    paths: tuple[str, ...]
    kind: WorkKind | None = None


class Works(Conversations):
    """A memory that also keeps what is to be done."""

    def add_files(
        self, given: GivenFiles, *, embed: bool = True, progress: Progress | None = None
    ) -> IndexReport:
        """Remember what is in files, or in all files of folders: goals and tasks where a file
        holds them, transcripts elsewhere."""
        from quipu.read.work.files import find_work_files, read_work_file

        paths = [Path(path) for path in given.paths]
        with self._guard() as call:
            files = find_work_files(paths, given.kind, call=call)
            if not files:
                return self.add_transcripts(paths, embed=embed, progress=progress)
            read = (
                each
                for file in files
                for each in _given(read_work_file(file, given.kind, call=call), file.seen)
            )
            report = self.add_work(read, embed=embed, progress=progress)
        held = frozenset(file.path for file in files)
        if given.kind is not None or held.issuperset(paths):
            return report
        rest = self.add_transcripts(paths, skip=held, embed=embed, progress=progress)
        return joined(report, rest)

    def add_records(
        self, records: Sequence[dict[str, object]], *, seen: str, embed: bool = True
    ) -> IndexReport:
        """Remember records of goals and tasks (docs/how-to/goals.md); those that name no date
        hold from the instant `seen`."""
        from quipu.read.work import read_record, united

        read = united(
            read_record(dict(record), at=f"#{n}", seen=seen) for n, record in enumerate(records, 1)
        )
        return self.add_work(_given(read, seen), embed=embed)

    def add_work(
        self,
        given: "Iterable[GivenWork | Problem]",
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Remember goals and tasks that were read already."""
        from quipu.ingest.work import add_work

        fill = partial(add_work, given, self.store, clock=self._clock)
        with self._writing:
            return self._indexer().added(fill, embed, progress)


def _given(read: "WorkRead", seen: str) -> "list[GivenWork | Problem]":
    from quipu.ingest.work import GivenWork

    return [*read.problems, GivenWork(read.items, seen)]

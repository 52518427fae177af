"""Conversations into memory: what is offered for transcripts and messages."""

from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quipu.errors import InvalidInput
from quipu.handle.handle import Handle
from quipu.kinds.conversations.model import Transcript
from quipu.ledger import LEDGER, Ledger
from quipu.ports import Progress
from quipu.records.document import Problem

if TYPE_CHECKING:
    from quipu.kinds.conversations.write import Seen
    from quipu.write.report import IndexReport

__all__ = ["Conversations", "transcripts_of"]


def transcripts_of(
    messages: Sequence[dict[str, object]], session_id: str
) -> list[Transcript | Problem]:
    """What a list of `{"role", "content"}` messages comes to, as the session `session_id`."""
    from quipu.kinds.conversations.read import read_list

    if not session_id.strip():
        raise InvalidInput("the session has no id: give one, for example 'planning-1'")
    read = read_list(session_id, list(messages))
    return [*read.problems, *read.transcripts]


class Conversations:
    """How conversations are written to a memory."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def add_sessions(
        self,
        transcripts: Iterable[Transcript | Problem],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "IndexReport":
        """As `Memory.add_sessions`."""
        from quipu.kinds.conversations.write import add_sessions

        kept = self._handle.config.sessions
        with self._handle.writing:
            indexer = self._handle.indexer()
            with self._seen() as seen:
                fill = partial(
                    add_sessions,
                    transcripts,
                    self._handle.store,
                    clock=self._handle.clock,
                    keep=kept.preview_characters if kept.store == "preview" else None,
                    options=indexer.options,
                    seen=seen,
                    progress=progress,
                )
                return indexer.added(fill, embed, progress)

    def add_transcripts(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        skip: Collection[Path] = (),
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "IndexReport":
        """As `Memory.add_transcripts`."""
        from quipu.kinds.conversations.read.files import read_session_files

        chosen = (paths,) if isinstance(paths, str | Path) else tuple(paths)
        with self._handle.guard() as call:
            found = read_session_files([Path(path) for path in chosen], skip=skip, call=call)
            return self.add_sessions(found, embed=embed, progress=progress)

    @contextmanager
    def _seen(self) -> "Generator[Seen]":
        from quipu.kinds.conversations.write import Seen

        state = self._handle.home.state
        with Ledger(state / LEDGER) if state else nullcontext() as ledger:
            yield Seen(self._handle.store, ledger)

"""Facts read by a language model: of one source when it is asked to, or, with `ingest.extract =
"model"`, of what is given, after it was written.

Passage by passage, each written at once. How far what was given is read stands in the ledger as a
place in the change log, so a model that fails, a budget that is spent or a kill leaves the rest to
the next write, or to `quipu extract`; what was written stays.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.errors import InvalidInput, Unavailable, UnknownRecord
from quipu.handle.lookup import chunks_of
from quipu.ledger import LEDGER, Ledger
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Chat, Progress
from quipu.records.batch import Batch
from quipu.records.record import Chunk, Episode
from quipu.resolve import Authority, authorised
from quipu.write.lock import WriteLock

if TYPE_CHECKING:
    from quipu.handle.handle import Handle
    from quipu.memory.memory import Memory

__all__ = ["Extracted", "ExtractionProgress", "extract_facts"]

_PROFILES = frozenset({"prose", "conversation"})
_GIVEN = frozenset({"session", "manual_ingest", "memory_file", "crawl"})
_FEWEST_WORDS = 3
_KIND, _LOCK = "read-by-model", "reading.lock"
_NO_MODEL = "no language model is configured: set chat.model in quipu.toml"


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """`passages` were read and `facts` written; `skipped` says what was not, and why. `stopped`
    says why the rest waits, if it does."""

    model: Annotated[str, "the model that read"]
    passages: Annotated[int, "how many passages it read"]
    facts: Annotated[int, "how many facts were written"]
    skipped: Annotated[tuple[str, ...], "what was refused, and why"] = ()
    stopped: Annotated[str, "why the rest waits; empty when nothing does"] = ""


def extract_facts(memory: "Memory", ref: str, *, progress: Progress | None = None) -> Extracted:
    """Let the configured model read the facts of one source's passages; again changes nothing
    that it reads again. A run that ends half-way keeps what it wrote.

    Raises InvalidInput without a model, UnknownRecord for an unknown source, ModelUnavailable
    and OverBudget when the model stops.
    """
    chat = memory.chat
    if chat is None:
        raise InvalidInput(_NO_MODEL)
    found = memory.get(ref)
    document_id = getattr(found, "document_id", None) or getattr(found, "entity_id", "")
    chunks = [found] if isinstance(found, Chunk) else chunks_of(memory.store, document_id)
    chosen = [chunk for chunk in chunks if chunk.profile in _PROFILES]
    read: list[_Read] = []
    for done, chunk in enumerate(chosen, 1):
        read.append(_read(memory, chat, chunk))
        if progress:
            progress("extract", done, len(chosen))
    return _extracted(chat, read)


class ExtractionProgress:
    """How far a model has read what was given to one memory."""

    def __init__(self, memory: "Handle") -> None:
        self._memory = memory
        home = memory.home
        state = None if home.url == "memory:" else home.state
        self._ledger = Ledger(state / LEDGER if state else ":memory:")
        self._turns = WriteLock(state, _LOCK)
        self._key = f"{home.shown}\0{memory.store.namespace}"

    def begin(self) -> None:
        """Everything that is written from now on is to be read; said once for a memory."""
        start = str(self._memory.store.sequence()).encode()
        self._ledger.put_if(_KIND, self._key, 0, start)

    def go_on(self, *, progress: Progress | None = None) -> Extracted:
        """Read what is not read yet. A model that fails is no error here: `stopped` says so."""
        with self._turns.at_once() as free:
            if not free:
                return _nothing("another process reads facts now")
            try:
                chat = self._memory.chat
                return _nothing(_NO_MODEL) if chat is None else self._rest(chat, progress)
            except Unavailable as error:
                return _nothing(str(error))

    def close(self) -> None:
        """Let go of the ledger."""
        self._ledger.close()

    def _rest(self, chat: Chat, progress: Progress | None) -> Extracted:
        read: list[_Read] = []
        stopped = ""
        try:
            for sequence, chunk in self._unread():
                if chunk is not None:
                    read.append(_read(self._memory, chat, chunk))
                    if progress:
                        progress("extract", len(read), len(read))
                self._reached(sequence)
        except Unavailable as error:
            stopped = f"not all facts were read: {error}; `quipu extract` goes on"
        return _extracted(chat, read, stopped)

    def _unread(self) -> Iterator[tuple[int, Chunk | None]]:
        """Passages written after the place that was reached, each with its place; the end of each
        page of the change log with None."""
        entry = self._ledger.get(_KIND, self._key)
        store = self._memory.store
        after = int(entry.value) if entry else store.sequence()
        while changes := store.changes(after, limit=ROWS_AT_ONCE):
            put = {c.record_id: c.sequence for c in changes if c.operation == "put"}
            records = store.get([c.record_id for c in changes if c.kind == "chunk"])
            chunks = [r for r in records.values() if isinstance(r, Chunk) and self._is_given(r)]
            for chunk in sorted(chunks, key=lambda c: put.get(c.chunk_id, after)):
                yield put.get(chunk.chunk_id, after), chunk
            after = changes[-1].sequence
            yield after, None

    def _is_given(self, chunk: Chunk) -> bool:
        """Whether a model may read facts from it: said or given, and not a mere word or two."""
        if chunk.profile not in _PROFILES or len(chunk.text.split()) < _FEWEST_WORDS:
            return False
        episode = self._memory.store.get([chunk.episode_id]).get(chunk.episode_id)
        return isinstance(episode, Episode) and episode.source_type in _GIVEN

    def _reached(self, sequence: int) -> None:
        entry = self._ledger.get(_KIND, self._key)
        if entry is not None and int(entry.value) < sequence:
            self._ledger.put_if(_KIND, self._key, entry.version, str(sequence).encode())


_Read = tuple[int, list[str]]
"""How many facts of one passage were written, and what was skipped."""


def _extracted(chat: Chat, read: Sequence[_Read], stopped: str = "") -> Extracted:
    return Extracted(
        model=chat.name,
        passages=len(read),
        facts=sum(made for made, _ in read),
        skipped=tuple(why for _, skipped in read for why in skipped),
        stopped=stopped,
    )


def _read(memory: "Handle", chat: Chat, chunk: Chunk) -> _Read:
    from quipu.extract.by_model import facts_by_model

    store = memory.store
    episode = store.get([chunk.episode_id]).get(chunk.episode_id)
    if not isinstance(episode, Episode):
        return 0, []
    found = facts_by_model(chat, chunk, episode, namespace=store.namespace)
    sources = memory.config.sources
    rules = Authority.of(sources.vendored, sources.may_assert)
    claims = tuple(authorised(found.claims, episode, rules))
    if claims:
        try:
            store.write(Batch(recorded_at=memory.clock(), claims=claims))
        except UnknownRecord:  # what was read is forgotten, or replaced, by now
            return 0, []
    skipped = list(found.skipped)
    if left := len(found.claims) - len(claims):
        skipped.append(f"{left} of its facts such a source may not assert")
    return len(claims), [f"{episode.source_ref}:{chunk.start_line}: {why}" for why in skipped]


def _nothing(why: str) -> Extracted:
    return Extracted(model="", passages=0, facts=0, stopped=why)

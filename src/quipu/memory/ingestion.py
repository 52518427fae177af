"""Items from outside into memory: what an agent hands over in one call, of any kind.

`message` and `turn` items become turns of the session, `goal` and `task` items records of work;
everything else is a text of its own. What is there already is not written again, so handing over
the same batch twice changes nothing.
"""

import hashlib
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.dates import first_instant
from quipu.handle.lookup import chunks_of
from quipu.kinds.conversations.model import ROLES, Role, Transcript, Turn
from quipu.kinds.conversations.read.times import read_time
from quipu.kinds.work.model import KINDS, work_ref
from quipu.kinds.work.read import read_record
from quipu.limits import ERRORS_LISTED
from quipu.memory.payloads import given_records, given_text, given_transcripts
from quipu.ports import Progress
from quipu.read import redact
from quipu.records.ids import document_entity_id
from quipu.records.record import Episode, Properties
from quipu.records.refs import FILE, session_ref
from quipu.when.instants import expiry_instant, observed_instant, parse_instant
from quipu.write.jobs import STAGES, Given, Stage
from quipu.write.lock import WriteLock
from quipu.write.texts import TextInput, episode_of, settled

if TYPE_CHECKING:
    from quipu.memory.memory import Memory
    from quipu.write.jobs import Job

__all__ = ["Ingest", "IngestItem", "ingest_items", "text_job"]

_TURNS = frozenset({"message", "turn"})
_MOST_ITEMS = 10_000
_MOST_CHARACTERS = 20_000_000
_DAY = len("2026-01-01")


class IngestItem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing to remember."""

    id: Annotated[str, "names it; the same id again replaces the text"] = ""
    kind: Annotated[
        str,
        "message or turn (of a session), goal or task (metadata holds their fields), or any word",
    ] = "text"
    text: Annotated[str, "what is to be remembered"]
    metadata: Annotated[
        dict[str, Any],
        "of a turn: role, speaker, time; of a text: title, time and what else counts",
    ] = {}


class StageResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one stage did its work for everything that was accepted."""

    stage: Annotated[Stage, "its name"]
    ok: Annotated[bool, "it did its work for all that was accepted"]


class IngestContract(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The stages of the write way, and how each ended for this batch."""

    stages: Annotated[tuple[str, ...], "their names"] = STAGES
    stage_results: Annotated[tuple[StageResult, ...], "whether each did its work"]
    started_at: Annotated[str, "when the batch began"]
    completed_at: Annotated[str, "when it was done"]


class Ingest(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_ingest`."""

    ok: Annotated[bool, "nothing went wrong"]
    tool: Annotated[Literal["memory_ingest"], "this tool"] = "memory_ingest"
    run_id: Annotated[str, "the job that did it"] = msgspec.field(name="runId")
    batch_id: Annotated[str, "a hash of the batch"] = msgspec.field(name="batchId")
    trace_id: Annotated[str, "as it was given"] = msgspec.field(name="traceId", default="")
    accepted: Annotated[int, "items that are stored"]
    unchanged: Annotated[int, "items that were there already"]
    source_refs: Annotated[tuple[str, ...], "what a person opens"]
    refused: Annotated[dict[str, int], "junk (echoes, tool noise, boot text), by rule"]
    warnings: Annotated[tuple[str, ...], "items that cannot be used, and why"]
    contract: Annotated[IngestContract, "what was done"]


class _Batch:
    """What the items of one call come to: texts, turns and records of work that are to be written,
    and what is known of the others."""

    def __init__(self, memory: "Memory", source: str, session: str) -> None:
        self._source, self._session, self._namespace = source, session, memory.store.namespace
        self.seen = memory.clock()
        self.texts: list[tuple[int, TextInput]] = []
        self.records: list[dict[str, object]] = []
        self.record_refs: list[str] = []
        self.turns: list[Turn] = []
        self.known_refs: list[str] = []
        self.warnings: list[str] = []
        self._said: dict[tuple[str, str], dict[str, str]] = {}
        self._last = 0
        if session:
            self._read_session(memory)

    def _read_session(self, memory: "Memory") -> None:
        """The turns the session has, by speaker and words and then time, and the last one."""
        document_id = document_entity_id(self._namespace, session_ref(self._session))
        for chunk in chunks_of(memory.store, document_id):
            _, speaker, seen = (*chunk.heading_path, "", "", "")[:3]
            ref = session_ref(self._session, chunk.position)
            self._said.setdefault((speaker, chunk.text), {})[seen] = ref
            self._last = max(self._last, chunk.position)

    def take(self, number: int, item: IngestItem | str) -> None:
        """Take one item as what it is; one that cannot be used is a warning."""
        try:
            if isinstance(item, str):
                raise InvalidInput(item)
            if item.kind in _TURNS:
                self._take_turn(item)
            elif item.kind in KINDS:
                self._take_work(number, item)
            else:
                self.texts.append((number, settled(self._text(item), self.seen)))
        except InvalidInput as error:
            self.warnings.append(f"item {number}: {error}")

    def _text(self, item: IngestItem) -> TextInput:
        said = {**item.metadata}
        title, when = said.pop("title", ""), said.pop("time", None) or said.pop("timestamp", None)
        return TextInput(
            text=item.text,
            source_ref=f"manual:{item.id.strip() or _digest(item.kind, item.text)[:16]}",
            title=title if isinstance(title, str) else "",
            group=self._source,
            observed_at=_instant(when) or "",
            properties=cast("Properties", {**said, "kind": item.kind}),
        )

    def _take_work(self, number: int, item: IngestItem) -> None:
        """A goal or a task: the text is its title, the metadata the fields of a record."""
        own: dict[str, object] = {"kind": item.kind, "id": item.id}
        record = {"title": item.text, **item.metadata, **own}
        read = read_record(record, at=f"item {number}", seen=self.seen)
        self.warnings += [f"{each.path}: {redact(each.error)[0]}" for each in read.problems]
        if read.items:
            self.record_refs.append(work_ref(read.items[0].kind, read.items[0].id))
            self.records.append(record)

    def _take_turn(self, item: IngestItem) -> None:
        """A turn at the end of its session; one that is there already, word for word, by the same
        speaker (and at the same time, if it is given), is left."""
        if not self._session:
            raise InvalidInput("a turn belongs to a session: give sessionKey")
        if not item.text.strip():
            raise InvalidInput("the turn is blank")
        said = item.metadata
        role = str(said.get("role") or "other")
        role = role if role in ROLES else "other"
        speaker = str(said.get("speaker") or said.get("name") or role)
        text = redact(item.text.strip())[0]
        time = _instant(said.get("time") or said.get("timestamp"))
        at = self._said.setdefault((speaker, text), {})
        known = at.get(time) if time else next(iter(at.values()), None)
        if known is not None:
            self.known_refs.append(known)
            return
        turn = Turn(
            session_id=self._session,
            offset=self._last + len(self.turns) + 1,
            speaker=speaker,
            role=cast("Role", role),
            text=text,
            time=time or self.seen,
        )
        at[turn.time] = session_ref(self._session, turn.offset)
        self.turns.append(turn)

    def given(self) -> list[Given]:
        """Each text as a job, in order, then the new turns and the records of work."""
        given = [given_text(text, self._namespace) for _, text in self.texts]
        if self.turns:
            session, turns = self._session, tuple(self.turns)
            given.append(
                given_transcripts([Transcript(session_id=session, group=session, turns=turns)])
            )
        return [*given, *([given_records(self.records, self.seen)] if self.records else ())]


def ingest_items(
    memory: "Memory",
    items: Sequence[IngestItem | str],
    *,
    source: str = "",
    session_key: str = "",
    progress: Progress | None = None,
) -> Ingest:
    """Remember `items`, all of them accepted at once: what a kill leaves undone is made good by the
    next process that writes. A bad one is a warning, never the end of the others, and in place of
    one that could not even be read stands why; `source` is kept as the group of texts,
    `session_key` names the session of turns. Raises InvalidInput for a batch that is too large or
    empty."""
    read = [item for item in items if isinstance(item, IngestItem)]
    _check(read, len(items))
    source = source.strip()
    session = session_key.strip() or (f"ingest-{source}" if source else "")
    store, before = memory.store, memory.store.sequence()
    has_turns = any(item.kind in _TURNS for item in read)
    lock = WriteLock(memory.home.state, "sessions.lock").taken() if has_turns else nullcontext()
    done: list[Job] = []
    text_refs: list[str] = []
    with lock:  # nobody appends to the session until its turns are written
        batch = _Batch(memory, source, session if has_turns else "")
        for number, item in enumerate(items, 1):
            batch.take(number, item)
        jobs = memory.jobs.accept(batch.given())
        worked = memory.jobs.work_on(jobs, embed=False)
        for at, (job, error) in enumerate(worked):
            if progress:
                progress("write", at + 1, len(jobs))
            of_text = batch.texts[at] if at < len(batch.texts) else None
            if error is not None:
                batch.warnings.append(f"item {of_text[0]}: {error}" if of_text else str(error))
                continue
            done.append(job)
            text_refs += [of_text[1].source_ref] if of_text else []
    new_refs = [session_ref(session, turn.offset) for turn in batch.turns]
    stored = {row.source_ref for row in store.sources(refs=new_refs)} if new_refs else set[str]()
    turn_refs = [ref for ref in new_refs if ref in stored]  # junk was refused
    lacking = memory.indexer().embed_since(before, progress=progress)
    refs = [*batch.record_refs, *text_refs, *batch.known_refs, *turn_refs]
    of_session = next((job for job in done if job.kind == "sessions"), None)
    said = (f"{row.path}: {row.error}" for row in of_session.errors) if of_session else ()
    warnings = (*batch.warnings, *said)
    return Ingest(
        ok=not warnings,
        run_id=done[-1].job_id if done else "",
        batch_id=_digest(*(f"{i.kind}\0{i.id}\0{i.text}" for i in read), source, session_key),
        accepted=len(refs),
        unchanged=len(batch.known_refs)
        + sum(job.unchanged for job in done if job is not of_session),
        source_refs=tuple(dict.fromkeys(refs))[:ERRORS_LISTED],
        refused=of_session.refused if of_session else {},
        warnings=warnings[:ERRORS_LISTED],
        contract=IngestContract(
            stage_results=tuple(
                StageResult(stage=stage, ok=bool(refs) and not (stage == "embed" and lacking))
                for stage in STAGES
            ),
            started_at=batch.seen,
            completed_at=memory.clock(),
        ),
    )


def text_job(
    memory: "Memory",
    text: str,
    *,
    source_ref: str | None,
    title: str,
    group: str,
    observed_at: str | None,
    expires: str | None,
    source_type: str = "manual_ingest",
    properties: Properties | None = None,
) -> Given:
    """Return what writes a text as `Memory.add` takes it. Raises InvalidInput."""
    now = memory.clock()
    kept = dict(properties or {})
    if expires is not None:
        kept["expires"] = expiry_instant(first_instant(expires), now)
    given = TextInput(
        text=text,
        source_ref=source_ref or "",
        title=title,
        source_type=source_type,
        group=group,
        observed_at="" if observed_at is None else observed_instant(observed_at, now),
        properties=kept,
    )
    return given_text(_settled(memory, given), memory.store.namespace)


def _settled(memory: "Memory", given: TextInput) -> TextInput:
    """The text as it is to be written: without its secrets, with its time and its reference. One
    that names none has that of its day where the same was said on an earlier one and is told
    again: with a date, or after what it stated had ended. Raises InvalidInput."""
    text = settled(given, memory.clock())
    _require_no_file(memory, text)
    known_id = episode_of(text, memory.store.namespace)
    known, day = memory.store.get([known_id]).get(known_id), text.observed_at[:_DAY]
    if given.source_ref or not isinstance(known, Episode) or day <= known.observed_at[:_DAY]:
        return text
    if given.observed_at or memory.facts.is_over(known_id):
        return msgspec.structs.replace(text, source_ref=f"{text.source_ref}@{day}")
    return text


def _require_no_file(memory: "Memory", text: "TextInput") -> None:
    """InvalidInput where a file has that reference: each would end the other without a word."""
    known = memory.store.sources(refs=[text.source_ref]) if text.source_ref else []
    if text.source_type != FILE and any(source.source_type == FILE for source in known):
        raise InvalidInput(
            f"{text.source_ref!r} is a file that was read, and its next reading would drop this "
            "text: name another reference, or none (`quipu index` reads files)"
        )


def _check(items: Sequence[IngestItem], count: int) -> None:
    if not count:
        raise InvalidInput("there are no items to ingest: give at least one")
    if count > _MOST_ITEMS:
        raise InvalidInput(f"{count:,} items are too many: at most {_MOST_ITEMS:,} a call")
    size = sum(len(item.text) for item in items)
    if size > _MOST_CHARACTERS:
        raise InvalidInput(
            f"the items have {size:,} characters, a call at most {_MOST_CHARACTERS:,}: split them"
        )


def _instant(value: object) -> str | None:
    if value is None or value == "":
        return None
    return parse_instant(value) if isinstance(value, str) else read_time(value)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]

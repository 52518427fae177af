"""Items from outside into memory: what an agent hands over in one call, of any kind.

`message` and `turn` items become turns of the session, `goal` and `task` items records of work;
everything else is a text of its own. What is there already is not written again, so handing over
the same batch twice changes nothing.
"""

import dataclasses
import hashlib
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.lookup import chunks_of
from quipu.kinds.conversations.model import ROLES, Role, Transcript, Turn
from quipu.kinds.conversations.read.times import read_time
from quipu.kinds.work.model import KINDS, work_ref
from quipu.kinds.work.read import read_record
from quipu.read import redact
from quipu.records.naming import document_entity_id
from quipu.records.progress import Progress
from quipu.records.record import Episode, Properties
from quipu.records.refs import FILE, session_ref
from quipu.when.instants import UNKNOWN_TIME, parse_instant
from quipu.write.jobs import STAGES, Stage
from quipu.write.lock import WriteLock

if TYPE_CHECKING:
    from quipu.memory.memory import Memory
    from quipu.write.jobs import Job
    from quipu.write.texts import TextInput

__all__ = ["IngestItem", "StageResult", "ingest_items", "settle_text"]

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


class Ingested(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a batch: `accepted` items are stored, `unchanged` were there already;
    `warnings` names each item that cannot be used, and why, `refused` counts junk by rule.
    `run_id` is the last job of the batch (`Memory.job`)."""

    run_id: str
    batch_id: str
    accepted: int
    unchanged: int
    source_refs: tuple[str, ...]
    stages: tuple[StageResult, ...]
    refused: dict[str, int]
    warnings: tuple[str, ...]


class _ToWrite(msgspec.Struct, frozen=True):
    """What turns, or goals and tasks, come to: what is to be written, the references of that, and
    of what is there already."""

    transcript: Transcript | None = None
    records: tuple[dict[str, object], ...] = ()
    refs: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def ingest_items(
    memory: "Memory",
    items: Sequence[IngestItem | str],
    *,
    source: str = "",
    session_key: str = "",
    progress: Progress | None = None,
) -> Ingested:
    """Remember `items`, all of them accepted at once: what a kill leaves undone is made good by the
    next process that writes. A bad one is a warning, never the end of the others, and in place of
    one that could not even be read stands why; `source` is kept as the group of texts,
    `session_key` names the session of turns. Raises InvalidInput for a batch that is too large or
    empty."""
    numbered = [(n, item) for n, item in enumerate(items, 1) if isinstance(item, IngestItem)]
    unread = [f"item {n}: {why}" for n, why in enumerate(items, 1) if isinstance(why, str)]
    _check([item for _, item in numbered], len(items))
    turns = [(n, item) for n, item in numbered if item.kind in _TURNS]
    work = [(n, item) for n, item in numbered if item.kind in KINDS]
    texts = [(n, i) for n, i in numbered if i.kind not in _TURNS and i.kind not in KINDS]
    session = session_key.strip() or (f"ingest-{source.strip()}" if source.strip() else "")
    seen = memory.clock()
    before = memory.store.sequence()
    turns_taken = WriteLock(memory.home.state, "sessions.lock").taken() if turns else nullcontext()
    with turns_taken:  # nobody appends to the session until its turns are written
        worked = _read_work(work, seen)
        turned = _read_turns(memory, session, turns)
        given, warned = _settled(texts, source, seen)
        jobs = memory.give(
            [text for _, text in given],
            transcript=turned.transcript,
            records=worked.records,
            seen=seen,
        )
        done, failed = _worked(memory, jobs, [number for number, _ in given], progress)
        stored = _stored(memory, session, turned)
    lacking = memory.handle.indexer().embed_since(before, progress=progress)
    wrote = [g.source_ref for (_, g), job in zip(given, jobs, strict=False) if job.job_id in done]
    refs = [*worked.refs, *wrote, *turned.known, *stored]
    last = list(done.values())
    return Ingested(
        run_id=last[-1].job_id if last else "",
        batch_id=_digest(
            *(f"{i.kind}\0{i.id}\0{i.text}" for _, i in numbered), source, session_key
        ),
        accepted=len(refs),
        unchanged=len(turned.known) + sum(job.unchanged for job in last if job.kind != "sessions"),
        source_refs=tuple(dict.fromkeys(refs)),
        stages=tuple(
            StageResult(stage=stage, ok=bool(refs) and not (stage == "embed" and lacking))
            for stage in STAGES
        ),
        refused=next((job.refused for job in last if job.kind == "sessions"), dict[str, int]()),
        warnings=(
            *unread,
            *worked.warnings,
            *warned,
            *failed,
            *turned.warnings,
            *_turn_errors(last),
        ),
    )


def _worked(
    memory: "Memory", jobs: "Sequence[Job]", numbers: Sequence[int], progress: Progress | None
) -> "tuple[dict[str, Job], list[str]]":
    """The jobs that were done, by id, and what is to be said of those that failed: the first are
    those of the texts with these numbers."""
    done: dict[str, Job] = {}
    failed: list[str] = []
    for at, (job, error) in enumerate(memory.work_on(jobs, embed=False)):
        if progress:
            progress("write", at + 1, len(jobs))
        if error is None:
            done[job.job_id] = job
        else:
            failed.append(f"item {numbers[at]}: {error}" if at < len(numbers) else str(error))
    return done, failed


def _turn_errors(jobs: "Sequence[Job]") -> list[str]:
    """What went wrong with single turns."""
    return [f"{r.path}: {r.error}" for job in jobs if job.kind == "sessions" for r in job.errors]


def settle_text(memory: "Memory", given: "TextInput") -> "TextInput":
    """The text as it is to be written: without its secrets, with its time and its reference. One
    that names none has that of its day where the same was said on an earlier one and is told
    again: with a date, or after what it stated had ended. Raises InvalidInput."""
    from quipu.write.texts import episode_of, settled

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


def _settled(
    texts: Sequence[tuple[int, IngestItem]], source: str, now: str
) -> "tuple[list[tuple[int, TextInput]], list[str]]":
    """The texts as they are to be written, with their items' numbers, and what cannot be used."""
    from quipu.write.texts import settled

    given: list[tuple[int, TextInput]] = []
    warnings: list[str] = []
    for number, item in texts:
        try:
            given.append((number, settled(_text(item, source), now)))
        except InvalidInput as error:
            warnings.append(f"item {number}: {error}")
    return given, warnings


def _text(item: IngestItem, source: str) -> "TextInput":
    from quipu.write.texts import TextInput

    said = {**item.metadata}
    title, when = said.pop("title", ""), said.pop("time", None) or said.pop("timestamp", None)
    return TextInput(
        text=item.text,
        source_ref=f"manual:{item.id.strip() or _digest(item.kind, item.text)[:16]}",
        title=title if isinstance(title, str) else "",
        group=source.strip(),
        observed_at=_instant(when) or "",
        properties=cast("Properties", {**said, "kind": item.kind}),
    )


def _read_work(work: Sequence[tuple[int, IngestItem]], seen: str) -> _ToWrite:
    """Goals and tasks: an item's text is the title, its metadata the fields of a record."""
    refs: list[str] = []
    warnings: list[str] = []
    records: list[dict[str, object]] = []
    for number, item in work:
        record: dict[str, object] = {
            "title": item.text,
            **item.metadata,
            "kind": item.kind,
            "id": item.id,
        }
        read = read_record(record, at=f"item {number}", seen=seen)
        warnings += [f"{problem.path}: {redact(problem.error)[0]}" for problem in read.problems]
        if read.items:
            refs.append(work_ref(read.items[0].kind, read.items[0].id))
            records.append(record)
    return _ToWrite(records=tuple(records), refs=tuple(refs), warnings=tuple(warnings))


def _read_turns(
    memory: "Memory", session: str, turns: Sequence[tuple[int, IngestItem]]
) -> _ToWrite:
    """Turns at the end of their session; those that are there already, word for word, by the same
    speaker (and at the same time, if it is given), are left."""
    if not session:
        said = "a turn belongs to a session: give sessionKey"
        return _ToWrite(warnings=tuple(f"item {number}: {said}" for number, _ in turns))
    warnings: list[str] = []
    now = memory.clock()
    known, last = _stored_turns(memory, session)
    new: list[Turn] = []
    unchanged: list[str] = []
    for number, item in turns:
        try:
            turn = _turn(session, last + len(new) + 1, item)
        except InvalidInput as error:
            warnings.append(f"item {number}: {error}")
            continue
        at = known.setdefault((turn.speaker, turn.text), {})
        ref = at.get(turn.time) if turn.time != UNKNOWN_TIME else next(iter(at.values()), None)
        if ref is not None:
            unchanged.append(ref)
            continue
        if turn.time == UNKNOWN_TIME:
            turn = dataclasses.replace(turn, time=now)
        at[turn.time] = session_ref(session, turn.offset)
        new.append(turn)
    spoken = Transcript(session_id=session, group=session, turns=tuple(new)) if new else None
    return _ToWrite(transcript=spoken, known=tuple(unchanged), warnings=tuple(warnings))


def _stored(memory: "Memory", session: str, read: _ToWrite) -> list[str]:
    """Which of the new turns are in the store now: junk was refused."""
    if read.transcript is None:
        return []
    stored = {ref for times in _stored_turns(memory, session)[0].values() for ref in times.values()}
    refs = [session_ref(session, turn.offset) for turn in read.transcript.turns]
    return [ref for ref in refs if ref in stored]


def _stored_turns(
    memory: "Memory", session: str
) -> tuple[dict[tuple[str, str], dict[str, str]], int]:
    """The turns a session has, by speaker and words and then time, and the last one's number."""
    store = memory.store
    chunks = chunks_of(store, document_entity_id(store.namespace, session_ref(session)))
    known: dict[tuple[str, str], dict[str, str]] = {}
    for chunk in chunks:
        _, speaker, seen = (*chunk.heading_path, "", "", "")[:3]
        known.setdefault((speaker, chunk.text), {})[seen] = session_ref(session, chunk.position)
    return known, max((chunk.position for chunk in chunks), default=0)


def _turn(session: str, offset: int, item: IngestItem) -> Turn:
    if not item.text.strip():
        raise InvalidInput("the turn is blank")
    role = str(item.metadata.get("role") or "other")
    if role not in ROLES:
        role = "other"
    when = item.metadata.get("time") or item.metadata.get("timestamp")
    return Turn(
        session_id=session,
        offset=offset,
        speaker=str(item.metadata.get("speaker") or item.metadata.get("name") or role),
        role=cast("Role", role),
        text=redact(item.text.strip())[0],
        time=_instant(when) or UNKNOWN_TIME,
    )


def _instant(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return parse_instant(value)
    return read_time(value)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]

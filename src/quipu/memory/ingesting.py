"""Items from outside into memory: what an agent hands over in one call, of any kind.

`message` and `turn` items become turns of the session, `goal` and `task` items records of work;
everything else is a text of its own. What
is there already is not written again, so handing over the same batch twice changes nothing.
"""

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

import msgspec

from quipu.domain.instants import UNKNOWN_TIME, parse_instant
from quipu.domain.naming import document_entity_id
from quipu.domain.records import Chunk, Properties
from quipu.domain.session import Role, Transcript, Turn, session_ref
from quipu.domain.work import KINDS, work_ref
from quipu.errors import InvalidInput
from quipu.ingest.turns import Turns
from quipu.read import redact
from quipu.read.sessions.times import read_time
from quipu.read.work import read_record

if TYPE_CHECKING:
    from quipu.memory.handle import Memory

__all__ = ["STAGES", "Ingested", "Item", "Stage", "StageResult", "ingest_items"]

Stage: TypeAlias = Literal["normalize", "extract", "enrich", "embed", "graph", "index", "audit"]
STAGES: Final[tuple[Stage, ...]] = (
    "normalize", "extract", "enrich", "embed", "graph", "index", "audit",
)  # fmt: skip

_TURNS = frozenset({"message", "turn"})
_ROLES: frozenset[str] = frozenset({"user", "assistant", "system", "note", "other"})
_MOST_ITEMS = 10_000
_MOST_CHARACTERS = 20_000_000


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to remember. `metadata` of a turn may say `role`, `speaker` and `time`; of a
    text `title`, `time` and whatever is worth keeping."""

    text: str
    id: str = ""
    kind: str = "text"
    metadata: dict[str, object] = {}


class StageResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one stage did its work for everything that was accepted."""

    stage: Stage
    ok: bool


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


class _Turned(msgspec.Struct, frozen=True):
    """What became of the turns, or of the goals and tasks, of a batch."""

    refs: list[str] = []
    unchanged: int = 0
    refused: dict[str, int] = {}
    warnings: list[str] = []
    job_id: str = ""


def ingest_items(
    memory: "Memory", items: Sequence[Item | str], *, source: str = "", session_key: str = ""
) -> Ingested:
    """Remember `items`, through jobs that survive a kill. A bad one is a warning, never the end of
    the others, and in place of one that could not even be read stands why; `source` is kept as the
    group of texts, `session_key` names the session of turns. Raises InvalidInput for a batch that
    is too large or empty."""
    numbered = [(n, item) for n, item in enumerate(items, 1) if isinstance(item, Item)]
    _check([item for _, item in numbered], len(items))
    turns = [(n, item) for n, item in numbered if item.kind in _TURNS]
    work = [(n, item) for n, item in numbered if item.kind in KINDS]
    texts = [(n, i) for n, i in numbered if i.kind not in _TURNS and i.kind not in KINDS]
    worked = _add_work(memory, work) if work else _Turned()
    unread = [f"item {n}: {why}" for n, why in enumerate(items, 1) if isinstance(why, str)]
    warnings: list[str] = [*unread, *worked.warnings]
    refs: list[str] = [*worked.refs]
    unchanged = worked.unchanged
    episode = ""
    for number, item in texts:
        try:
            ref, episode, new = _add_text(memory, item, source)
        except InvalidInput as error:
            warnings.append(f"item {number}: {error}")
            continue
        refs.append(ref)
        unchanged += not new
    turned = _Turned()
    if turns:
        session = session_key.strip() or (f"ingest-{source.strip()}" if source.strip() else "")
        turned = _add_turns(memory, session, turns) if session else _homeless(turns)
    lacking = _embed(memory)
    refs += turned.refs
    return Ingested(
        run_id=turned.job_id or _job_of(memory, episode) or worked.job_id,
        batch_id=_digest(
            *(f"{i.kind}\0{i.id}\0{i.text}" for _, i in numbered), source, session_key
        ),
        accepted=len(refs),
        unchanged=unchanged + turned.unchanged,
        source_refs=tuple(dict.fromkeys(refs)),
        stages=tuple(
            StageResult(stage=stage, ok=bool(refs) and not (stage == "embed" and lacking))
            for stage in STAGES
        ),
        refused=turned.refused,
        warnings=(*warnings, *turned.warnings),
    )


def _homeless(turns: Sequence[tuple[int, Item]]) -> _Turned:
    said = "a turn belongs to a session: give sessionKey"
    return _Turned(warnings=[f"item {number}: {said}" for number, _ in turns])


def _job_of(memory: "Memory", episode_id: str) -> str:
    jobs = memory.jobs() if episode_id else []
    return next((job.job_id for job in jobs if job.result == episode_id), "")


def _check(items: Sequence[Item], count: int) -> None:
    if not count:
        raise InvalidInput("there are no items to ingest: give at least one")
    if count > _MOST_ITEMS:
        raise InvalidInput(f"{count:,} items are too many: at most {_MOST_ITEMS:,} a call")
    size = sum(len(item.text) for item in items)
    if size > _MOST_CHARACTERS:
        raise InvalidInput(
            f"the items have {size:,} characters, a call at most {_MOST_CHARACTERS:,}: split them"
        )


def _add_text(memory: "Memory", item: Item, source: str) -> tuple[str, str, bool]:
    """The source, the episode, and whether it was written now."""
    said = {**item.metadata}
    title, when = said.pop("title", ""), said.pop("time", None) or said.pop("timestamp", None)
    ref = f"manual:{item.id.strip() or _digest(item.kind, item.text)[:16]}"
    properties = cast("Properties", {**said, "kind": item.kind})
    before = memory.store.sequence()
    episode_id = memory.add(
        item.text,
        source_ref=ref,
        title=title if isinstance(title, str) else "",
        group=source.strip(),
        observed_at=_instant(when),
        properties=properties,
        embed=False,
    )
    return ref, episode_id, memory.store.sequence() != before


def _add_work(memory: "Memory", work: Sequence[tuple[int, Item]]) -> _Turned:
    """Goals and tasks: an item's text is the title, its metadata the fields of a record."""
    seen = memory.clock()
    refs: list[str] = []
    warnings: list[str] = []
    records: list[dict[str, object]] = []
    for number, item in work:
        record = {"title": item.text, **item.metadata, "kind": item.kind, "id": item.id}
        read = read_record(record, at=f"item {number}", seen=seen)
        warnings += [f"{problem.path}: {redact(problem.error)[0]}" for problem in read.problems]
        if read.items:
            refs.append(work_ref(read.items[0].kind, read.items[0].id))
            records.append(record)
    if not records:
        return _Turned(warnings=warnings)
    job = memory.ingest_work(records, observed_at=seen, embed=False)
    return _Turned(refs, job.unchanged, {}, warnings, job.job_id)


def _add_turns(memory: "Memory", session: str, turns: Sequence[tuple[int, Item]]) -> _Turned:
    """Append turns to their session, whoever else appends to it; those that are there already,
    word for word, by the same speaker (and at the same time, if it is given), are left."""
    warnings: list[str] = []
    now = memory.clock()
    with Turns(memory.home.state, "sessions.lock").taken():
        known, last = _held(memory, session)
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
        if not new:
            return _Turned(unchanged, len(unchanged), {}, warnings)
        job = memory.ingest_sessions(
            [Transcript(session_id=session, group=session, turns=tuple(new))], embed=False
        )
        warnings += [f"{row.path}: {row.error}" for row in job.errors]
        stored = {ref for times in _held(memory, session)[0].values() for ref in times.values()}
    refs = [ref for turn in new if (ref := session_ref(session, turn.offset)) in stored]
    return _Turned([*unchanged, *refs], len(unchanged), job.refused, warnings, job.job_id)


def _held(memory: "Memory", session: str) -> tuple[dict[tuple[str, str], dict[str, str]], int]:
    """The turns a session has, by speaker and words and then time, and the last one's number."""
    store = memory.store
    document_id = document_entity_id(store.namespace, session_ref(session))
    chunks: list[Chunk] = store.chunks(store.numbers_in([document_id])[document_id])
    known: dict[tuple[str, str], dict[str, str]] = {}
    for chunk in chunks:
        _, speaker, seen = (*chunk.heading_path, "", "", "")[:3]
        known.setdefault((speaker, chunk.text), {})[seen] = session_ref(session, chunk.position)
    return known, max((chunk.position for chunk in chunks), default=0)


def _turn(session: str, offset: int, item: Item) -> Turn:
    if not item.text.strip():
        raise InvalidInput("the turn is blank")
    role = str(item.metadata.get("role") or "other")
    if role not in _ROLES:
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


def _embed(memory: "Memory") -> int:
    """Give what was just written its vectors; how many passages have none."""
    return memory.add_documents([]).unembedded


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:24]

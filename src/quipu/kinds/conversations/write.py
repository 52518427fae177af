"""Transcripts into memory: a turn is an episode and a passage, its session their document.

A turn that is there already is not written again, so a transcript that grows costs only what is
new. Speakers are entities; what a person asks for from now on is a fact,
what else is said asserts nothing.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import msgspec

from quipu.extract import asked_facts
from quipu.kinds.conversations.junk import Seen, noise
from quipu.kinds.conversations.model import Transcript, Turn
from quipu.kinds.conversations.profile import stating
from quipu.limits import LONGEST_ENTRY, PREVIEW, TEXTS_AT_ONCE
from quipu.ports import Progress, Store
from quipu.profiles import profile
from quipu.read import redact
from quipu.read.redact import Redactor
from quipu.records.document import Problem
from quipu.records.ids import episode_id_of, make_id, named_entity_id
from quipu.records.passage import MACHINES, SPOKEN
from quipu.records.record import Entity, Fact
from quipu.records.refs import session_ref
from quipu.resolve import resolve
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME, Clock, is_ahead
from quipu.write.batches import BatchWriter
from quipu.write.options import IndexOptions
from quipu.write.passages import PassageTally
from quipu.write.prepare import Prepared

__all__ = ["SESSION", "add_sessions", "redacted_transcript"]

SESSION = "session"
_LONGEST = 2_000_000
_TOO_LONG = (
    "has {:,} characters, a turn at most {:,}: remember it as a text (`quipu add --file`), "
    "which is cut into passages"
)
_REDACTED_ID = (
    "stands for an id that holds a secret: conversations whose ids differ in it alone become one; "
    "give the session another id"
)
_AHEAD = "is dated {}, ahead of the clock ({}): it was kept; see to the clock that dated it"


class _Rules(NamedTuple):
    """What is kept of a turn: how much (None: all), whether its instructions are read, and what was
    said before (None: junk is kept)."""

    keep: int | None
    extract: bool
    seen: Seen | None


def add_sessions(
    transcripts: Iterable[Transcript | Problem],
    store: Store,
    writer: BatchWriter,
    *,
    clock: Clock,
    keep: int | None,
    options: IndexOptions,
    seen: Seen,
    progress: Progress | None,
) -> PassageTally:
    """Write the turns that are not there yet and no junk; of each, at most `keep` characters
    stay."""
    tally = PassageTally()
    rules = _Rules(keep, options.extract, seen if options.refuse_junk else None)
    for given in transcripts:
        if isinstance(given, Problem):
            tally.problems.append(given.at_line())
            continue
        transcript, redactions = _redacted(given)
        writer.redacted.update(redactions)
        if "[redacted:" in transcript.session_id:
            tally.problems.append(Problem(transcript.session_id, _REDACTED_ID, "warning"))
        turns = iter(transcript.turns)
        while page := list(islice(turns, TEXTS_AT_ONCE)):
            _add_page(transcript, page, store, writer, tally, now=clock(), rules=rules)
            if progress:
                progress("read", tally.documents, 0)
    writer.flush()
    return tally


def redacted_transcript(transcript: Transcript) -> Transcript:
    """The transcript without any secret and without what is no speech, fit to be kept until it is
    written."""
    common, _ = _redacted(transcript)
    turns = tuple(
        replace(
            turn,
            session_id=common.session_id,
            speaker=redact(turn.speaker)[0],
            text=redact(turn.text)[0],
            caption=redact(turn.caption)[0],
        )
        for turn in transcript.turns
    )
    return replace(common, turns=turns)


def _redacted(transcript: Transcript) -> tuple[Transcript, Mapping[str, int]]:
    """The transcript with what its turns have in common redacted; each turn's own comes when it
    is written."""
    redactor = Redactor()
    common = replace(
        transcript,
        session_id=redactor.line(transcript.session_id),
        group=redactor.line(transcript.group),
        title=redactor.line(transcript.title),
    )
    return common, redactor.counts


def _ref(turn: Turn) -> str:
    return redact(session_ref(turn.session_id, turn.offset))[0]


def _add_page(
    transcript: Transcript,
    page: Sequence[Turn],
    store: Store,
    writer: BatchWriter,
    tally: PassageTally,
    *,
    now: str,
    rules: _Rules,
) -> None:
    space = store.namespace
    chosen, again = tally.last_of_each(page, _ref)
    hashes = {ref: turn_hash(turn) for ref, turn in chosen.items()}
    ids = {ref: episode_id_of(space, SESSION, ref, hashed) for ref, hashed in hashes.items()}
    live = store.get([episode_id for ref, episode_id in ids.items() if ref not in again])
    tally.unchanged += len(live)
    ready: list[Prepared] = []
    for ref, turn in chosen.items():
        if ids[ref] in live:
            continue
        if not turn.text.strip() and not turn.caption.strip():
            tally.problems.append(Problem(ref, "the turn is blank"))
            continue
        if len(turn.text) > _LONGEST:
            tally.problems.append(Problem(ref, _TOO_LONG.format(len(turn.text), _LONGEST)))
            continue
        junk = rules.seen and (noise(turn) or rules.seen.repeated(turn, ids[ref]))
        if junk:
            tally.refused[junk] += 1
            continue
        prepared = _prepared(transcript, turn, hashes[ref], space, now=now, rules=rules)
        tally.added[ref] = None
        if is_ahead(turn.time, now):
            tally.problems.append(Problem(ref, _AHEAD.format(turn.time, now), "warning"))
        ready.append(prepared)
    if rules.seen:
        rules.seen.keep()  # before the turns: after a kill they would not be seen again
    for each in ready:
        writer.add(each)


def turn_hash(turn: Turn) -> str:
    """The SHA-256 over all that a turn says, its line in the file aside."""
    said = (
        turn.session_id,
        turn.offset,
        turn.speaker,
        turn.role,
        turn.time,
        turn.text,
        turn.caption,
    )
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()


def _prepared(
    transcript: Transcript,
    turn: Turn,
    hashed: str,
    namespace: str,
    *,
    now: str,
    rules: _Rules,
) -> Prepared:
    redactor = Redactor()
    ref = _ref(turn)
    text = _text(turn, redactor, rules.keep)
    seen = turn.time if turn.time != UNKNOWN_TIME else transcript.started_at
    session = session_ref(transcript.session_id)
    draft = Draft(
        namespace=namespace,
        type=SESSION,
        ref=ref,
        sha=hashed,
        seen=seen,
        document=session,
        group=transcript.group,
    )
    episode = draft.episode(now, preview=excerpt(text[:LONGEST_ENTRY], limit=PREVIEW))
    speaker = redactor.line(turn.speaker)
    day = "" if seen == UNKNOWN_TIME else f", {seen[:10]}"
    chunk = draft.passage(
        text,
        profile=SPOKEN,
        title=f"{speaker}{day}",
        position=turn.offset,
        heading_path=(turn.role, speaker, seen),
    )
    entities = (
        draft.document_entity(SESSION, transcript.title or session, ref=session),
        _speaker(transcript, turn, speaker, namespace, hashed, seen),
    )
    claims = [*draft.claims(entities, chunk)]
    if rules.extract and turn.role not in MACHINES:
        claims += asked_facts(text, [chunk], episode, namespace=namespace, speaker=speaker)
    stated = [c.record.predicate for c in claims if isinstance(c.record, Fact)]
    return Prepared(
        ref=ref,
        problems=(),
        episode=episode,
        chunks=(stating(profile(SPOKEN).index_chunk(chunk), stated),),
        claims=tuple(resolve(claims)),
        replaces=(ref,),
        redactions=dict(redactor.counts),
    )


def _text(turn: Turn, redactor: Redactor, keep: int | None) -> str:
    """What is kept of what was said and shown: all, or `keep` characters of it; redacted."""
    said = f"{turn.text}\n[{turn.caption}]" if turn.caption else turn.text
    text = redactor.text(said.strip())
    return text if keep is None else excerpt(text[:LONGEST_ENTRY], limit=keep)


def _speaker(
    transcript: Transcript, turn: Turn, speaker: str, namespace: str, hashed: str, seen: str
) -> Entity:
    """The speaker. Who is known only as a role is somebody else in every conversation."""
    anonymous = speaker == turn.role
    entity_id = (
        make_id("entity", namespace, "person", transcript.group, speaker)
        if anonymous
        else named_entity_id(namespace, "person", speaker)
    )
    return Entity(
        entity_id=entity_id, type="person", name=speaker, updated_at=seen, source_sha=hashed
    )

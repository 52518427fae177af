"""Transcripts into memory: a turn is an episode and a passage, its session their document.

A turn that is there already is not written again, so a transcript that grows costs only what is
new. Speakers are entities; what a person asks for from now on is a fact,
what else is said asserts nothing.

What nobody said to be remembered is refused by rule, and counted:

* tool noise: text that is nothing but a program's own marks (`<system-reminder>…`, command output);
* boot text: what a system prompt or a note of the program repeats from session to session;
* an echo: a block of recalled passages, as Quipu writes it for a model, and nothing else;
* a repetition: a long text that the same speaker has put into the same session before, word for
  word. Short ones ("Thanks!") are speech and stay.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from quipu.extract import asked_facts
from quipu.kinds.conversations.model import Transcript, Turn
from quipu.kinds.conversations.profile import stating
from quipu.kinds.conversations.read.collect import without_marks
from quipu.ledger import Ledger
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
from quipu.text import excerpt, name_key
from quipu.when.instants import UNKNOWN_TIME, Clock, is_ahead
from quipu.write.batches import BatchWriter
from quipu.write.options import IndexOptions
from quipu.write.passages import PassageTally
from quipu.write.prepare import Prepared

__all__ = [
    "SESSION",
    "Junk",
    "Seen",
    "add_sessions",
    "noise",
    "redacted_transcript",
]

Junk: TypeAlias = Literal["tool noise", "boot text", "echo", "repetition"]

_LONG = 200
_SEEN = "seen"
_SOURCE = re.compile(r"\[\d{1,3}\] [^\n]{1,300} \(confidence: \d{1,3}%\)")
_CITE = "cite specific sources using [n]"
_ANSWERED = re.compile(r'\s*\{\s*"results"\s*:\s*\[')


def noise(turn: Turn) -> Junk | None:
    """What kind of junk a turn is by itself; None for speech."""
    text = turn.text.strip()
    if turn.caption.strip() or not text:
        return None
    if not without_marks(text).strip():
        return "tool noise"
    if _is_echo(text):
        return "echo"
    return None


def _is_echo(text: str) -> bool:
    if _ANSWERED.match(text) and '"citations"' in text and '"provider"' in text:
        return True
    if not text.startswith("Context:") or not _SOURCE.search(text[:2_000]):
        return False
    _, rule, rest = text.rpartition("\n---")
    said = "\n".join(line for line in rest.splitlines() if _CITE not in line)
    return bool(rule) and not said.strip(" -\n")


class Seen:
    """Which long texts were kept before: boot text anywhere in the memory, speech in its session.

    A hint in the local state that is never trusted: what is called repeated is still there.
    Without a ledger it is one run's own.
    """

    def __init__(self, store: Store, ledger: Ledger | None) -> None:
        self._store = store
        self._ledger = ledger
        self._run: dict[str, str] = {}
        self._new: dict[str, bytes] = {}

    def repeated(self, turn: Turn, episode_id: str) -> Junk | None:
        """What a turn repeats; what it is the first to say, it has said from now on."""
        if len(turn.text) < _LONG:
            return None
        boot = turn.role in {"system", "note"}
        where = "" if boot else f"{turn.session_id}\0{turn.speaker}"
        said = f"{self._store.namespace}\0{where}\0{name_key(turn.text)}"
        key = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]
        if self._first(key, episode_id) == episode_id:
            return None
        return "boot text" if boot else "repetition"

    def _first(self, key: str, episode_id: str) -> str:
        """The episode that said it first and is still there; `episode_id` if there is none."""
        known = self._run.get(key)
        if known is None and self._ledger is not None:
            entry = self._ledger.get(_SEEN, key)
            recorded = entry.value.decode() if entry else ""
            known = recorded if recorded and self._store.get([recorded]) else None
            if known is None:
                self._new[key] = episode_id.encode()
        return self._run.setdefault(key, known or episode_id)

    def keep(self) -> None:
        """Write down what was said first since the last call, for those who come later."""
        if self._ledger is not None and self._new:
            seen = {(_SEEN, key): value for key, value in self._new.items()}
            self._ledger.change(put=seen)
            self._new = {}


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

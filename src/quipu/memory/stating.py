"""Facts that are stated: written together or not at all, each filed under the key that is known."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import msgspec
import numpy as np

from quipu.answer.dated_facts import said
from quipu.errors import InvalidInput, UnknownRecord
from quipu.facts.candidates import content_stems
from quipu.facts.chains import FactStanding, as_it_stands, standings
from quipu.facts.keys import (
    NAMELESS,
    STATED,
    is_end,
    is_of_user,
    is_stated,
    only_proposes,
    plain_key,
    stated_key,
    typed,
    value_key,
)
from quipu.handle.dates import asked_moment
from quipu.handle.handle import Handle
from quipu.index.sets import distinct
from quipu.limits import LONGEST_KEY, LONGEST_VALUE, NAMED
from quipu.memory.facts import STATEMENT
from quipu.ports import Planner
from quipu.profiles import profile
from quipu.read.redact import Redactor
from quipu.records.batch import Batch, Claim, IndexedChunk
from quipu.records.ids import make_id
from quipu.records.record import Episode, Fact, Properties
from quipu.records.scope import Scope
from quipu.records.stated import (
    PROPOSING,
    Done,
    KnownKey,
    ProposedStatement,
    Stated,
    StatedValue,
    StatementInput,
    trust_of,
)
from quipu.source import Draft
from quipu.text import name_key
from quipu.when.instants import observed_instant, parse_instant

__all__ = ["decide", "proposals", "state"]

_PROPOSED = "proposed"
"""How the references of statements begin that wait to be decided on."""

_DAY = len("2026-01-01")


@dataclass(frozen=True, kw_only=True)
class _Filed:
    """A statement as it is filed; without a draft nothing of it is to be written. `proposed` is
    what waits to be decided on instead."""

    done: Done
    fact: Fact
    draft: Draft | None = None
    withdrawn: Fact | None = None
    proposed: StatementInput | None = None


def state(handle: Handle, statements: Sequence[StatementInput], *, embed: bool) -> list[Stated]:
    """Write statements in one batch and tell what became of each. Raises InvalidInput and
    UnknownRecord before anything is written."""
    return _stated(handle, statements, embed=embed)


def proposals(handle: Handle) -> list[ProposedStatement]:
    """What pages and tools stated against what a user did, the oldest first."""
    ids = [source.episode_id for source in handle.graph.sources(prefix=f"{_PROPOSED}:")]
    episodes = [e for e in handle.graph.get(ids).values() if isinstance(e, Episode)]
    found: list[ProposedStatement] = []
    for episode in sorted(episodes, key=lambda e: (e.observed_at, e.source_ref)):
        given = msgspec.convert(episode.properties["statement"], StatementInput)
        found.append(
            ProposedStatement(
                id=episode.source_ref,
                statement=given,
                trust=trust_of(given.source),
                observed_at=episode.observed_at,
            )
        )
    return found


def decide(
    handle: Handle, accepted: Collection[str], refused: Collection[str], *, embed: bool
) -> list[Stated]:
    """State what was proposed and is accepted, as the user's word from now on, and drop what is
    refused. Raises InvalidInput for what is both, UnknownRecord, before anything is written."""
    if both := sorted({*accepted} & {*refused}):
        raise InvalidInput(f"{both[0]!r} is accepted and refused: say one of them")
    waiting = _waiting(handle, (*accepted, *refused))
    gone = tuple(waiting)
    if given := [waiting[each].statement for each in dict.fromkeys(accepted)]:
        return _stated(handle, given, decided=gone, embed=embed)
    if gone:
        with handle.writing:
            handle.store.write(Batch(recorded_at=handle.clock(), replaces=gone))
    return []


def _waiting(handle: Handle, ids: Collection[str]) -> dict[str, ProposedStatement]:
    known = {each.id: each for each in proposals(handle)}
    for missing in (each for each in ids if each not in known):
        raise UnknownRecord(f"no proposal {missing!r} waits: `quipu proposals` shows those that do")
    return {each: known[each] for each in ids}


def _stated(
    handle: Handle,
    statements: Sequence[StatementInput],
    *,
    decided: tuple[str, ...] = (),
    embed: bool,
) -> list[Stated]:
    now = handle.clock()
    before = handle.store.sequence()
    with handle.writing:
        filing = _Filing(handle, now, accepted=bool(decided))
        made = [filing.filed(each) for each in statements]
        batch = _batch(made, now, handle.store.namespace)
        handle.store.write(replace(batch, replaces=(*batch.replaces, *decided)))
    if embed:
        handle.indexer().embed_since(before)
    return answered(handle, [(each.done, each.fact) for each in made], now)


class _Filing:
    """Statements on their way in, seen from `now`."""

    def __init__(self, handle: Handle, now: str, *, accepted: bool) -> None:
        self._namespace, self._now, self._accepted = handle.store.namespace, now, accepted
        self._graph, self._table = handle.graph, handle.attributes

    def filed(self, given: StatementInput) -> _Filed:
        """A statement under the key that is known for it, or what is proposed of it."""
        given = _redacted(given)
        made = self._filed(given)
        if made.done == "unchanged" or not self._is_against_user(given, made.fact):
            return made
        return _Filed(done="proposed", fact=made.fact, proposed=given)

    def _is_against_user(self, given: StatementInput, fact: Fact) -> bool:
        """Whether a page or a tool states it against what a user did."""
        if self._accepted or trust_of(given.source) not in PROPOSING:
            return False
        named = [self._fact(i)[0] for i in (given.retracts, given.corrects, given.replaces) if i]
        if given.retracts or any(map(is_of_user, named)):
            return any(map(is_of_user, named))
        every = standings(self._graph.facts(fact.subject), table=self._table)
        known = [each for each in every if stated_key(each.fact) == stated_key(fact)]
        return any(_is_users(each.fact) and _is_against(each, fact) for each in known)

    def _filed(self, given: StatementInput) -> _Filed:
        if given.retracts:
            fact, live = self._fact(given.retracts)
            done = "retracted" if live else "unchanged"
            return _Filed(done=done, fact=fact, withdrawn=fact if live else None)
        if given.corrects:
            fact, live = self._fact(given.corrects)
            made = self._new(_corrected(given, fact), "corrected")
            return replace(made, withdrawn=fact if live else None)
        key = given.subject, given.attribute
        if given.replaces:
            old, _ = self._fact(given.replaces)
            key = old.subject, old.predicate if is_stated(old) or not key[1] else key[1]
        else:
            key = self._known_key(*key)
        named = msgspec.structs.replace(given, subject=key[0], attribute=key[1])
        made = self._new(named, "ended" if given.ends else "stated")
        if given.replaces and given.attribute:
            made.fact.provenance["other_name"] = [key[0], given.attribute]
        return made

    def _fact(self, fact_id: str) -> tuple[Fact, bool]:
        """The fact of an id, and whether it is asserted still. Raises UnknownRecord."""
        rows = self._graph.support([fact_id]).get(fact_id, [])
        live = any(row.known_until is None for row in rows)
        at = None if live or not rows else rows[-1].recorded_at
        fact = self._graph.get([fact_id], known_at=at).get(fact_id)
        if not isinstance(fact, Fact):
            raise UnknownRecord(f"there is no fact {fact_id!r}: `quipu facts --json` shows the ids")
        return fact, live

    def _known_key(self, subject: str, attribute: str) -> tuple[str, str]:
        """The key in the spelling, or under the name, that is known for it."""
        subject = known_subject(self._graph, subject)
        named = plain_key(subject), plain_key(attribute)
        stated = [fact for fact in self._graph.facts(subject) if is_stated(fact)]
        own = [fact for fact in stated if stated_key(fact) == named]
        other = [f for f in stated if _other_name(f) == named and not only_proposes(f)]
        return subject, next((fact.predicate for fact in (*own, *other)), attribute)

    def _of_key(self, subject: str, attribute: str) -> list[FactStanding]:
        key = plain_key(subject), plain_key(attribute)
        every = standings(self._graph.facts(subject), table=self._table)
        return [each for each in every if is_stated(each.fact) and stated_key(each.fact) == key]

    def _new(self, given: StatementInput, done: Done) -> _Filed:
        """A statement as it is written; the fact that says so already, where one does."""
        given = _checked(given)
        seen = observed_instant(given.said_at or None, self._now)
        known = self._of_key(given.subject, given.attribute)
        if not (given.said_at or given.since or given.until or given.replaces):
            again = [each for each in known if holds(each, self._now)]
            if given.ends and not again:
                raise InvalidInput(
                    f"nothing is stated of {given.subject!r}, {given.attribute!r}, that could end "
                    "now: give `until` to say when it ended"
                )
            own = self._accepted or trust_of(given.source) not in PROPOSING
            said = [e.fact for e in again if not own or is_of_user(e.fact)]
            same = [fact for fact in said if _says(fact, given)]
            if same:
                return _Filed(done="unchanged", fact=same[0])
            return self._drafted(given, done, seen, seen)
        made = self._drafted(given, done, seen, given.said_at and seen)
        assert made.draft is not None
        if made.draft.episode_id not in self._graph.get([made.draft.episode_id]):
            return made
        by_id = {each.fact.fact_id: each for each in known}
        standing = by_id.get(made.fact.fact_id)
        over = by_id.get(standing.superseded_by or "") if standing else None
        settled = given.said_at or given.replaces or given.corrects
        if over and not settled and (over.valid_from or "") <= (made.fact.valid_from or ""):
            return self._drafted(given, done, seen, seen)  # it is said anew
        return replace(made, done="unchanged", draft=None)

    def _drafted(self, given: StatementInput, done: Done, seen: str, said_at: str) -> _Filed:
        """A statement with its fact and what is written of it; one of the same content and the
        same `said_at` (empty: whenever) has the same ids."""
        subject, attribute = plain_key(given.subject), plain_key(given.attribute)
        text, kind = typed(given.value)
        content = {
            **msgspec.to_builtins(given),
            "subject": subject,
            "attribute": attribute,
            "value": kind,
            "said_at": said_at,
            **({"accepted": True} if self._accepted else {}),
        }
        sha = hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()
        ref = f"{STATED}:{subject}/{attribute}@{sha[:8]}"
        draft = Draft(
            namespace=self._namespace, type=STATEMENT, ref=ref, sha=sha, seen=seen, document=ref
        )
        begin = (given.until if given.ends else given.since) or seen[:_DAY]
        until = begin if given.ends else given.until or None
        marks = {
            "dated": bool(given.until if given.ends else given.since),
            "ends": given.ends,
            "speaker": given.source,
            "replaces": given.replaces,
            "corrects": given.corrects,
            "accepted": self._accepted,
        }
        provenance: Properties = {
            "rule": STATED,
            "document_id": draft.document_id,
            "path": draft.ref,
            "text": f"{given.subject} {given.attribute} = {'ended' if given.ends else text}",
            "value": given.value,  # type: ignore[dict-item]  # JSON, as it was given
            "typed": kind,
            **{mark: value for mark, value in marks.items() if value},
        }
        fact = Fact(
            fact_id=make_id("fact", self._namespace, STATED, sha),
            subject=given.subject,
            predicate=given.attribute,
            object="ended" if given.ends else text,
            updated_at=seen,
            source_sha=sha,
            valid_from=begin,
            valid_to=until,
            provenance=provenance,
        )
        return _Filed(done=done, fact=fact, draft=draft)


def _redacted(given: StatementInput) -> StatementInput:
    plain = Redactor().properties(msgspec.to_builtins(given))
    value = Redactor().properties({str(plain["attribute"]): plain["value"]})
    return msgspec.convert({**plain, "value": next(iter(value.values()))}, StatementInput)


def _corrected(given: StatementInput, fact: Fact) -> StatementInput:
    """A statement of what was so instead of `fact`: what is left out is as it was."""
    value = fact.provenance.get("value", fact.object)
    return msgspec.structs.replace(
        given,
        subject=fact.subject,
        attribute=fact.predicate,
        value=msgspec.convert(value, StatedValue) if given.value == "" else given.value,
        since=given.since or fact.valid_from or "",
        until=given.until or fact.valid_to or "",
    )


def _checked(given: StatementInput) -> StatementInput:
    """A statement with its dates as they are kept. Raises InvalidInput for what states nothing."""
    for name, text in (("subject", given.subject), ("attribute", given.attribute)):
        if not plain_key(text) or len(text) > LONGEST_KEY:
            raise InvalidInput(f"{name} {text[:40]!r} names nothing: give 1 to 300 characters")
    text, _ = typed(given.value)
    if given.ends and (text or given.since):
        raise InvalidInput("what ends has no value and no `since`: give `until` to say when")
    if not given.ends and not text.strip():
        raise InvalidInput(
            f"{given.subject!r} is given no {given.attribute!r}: write SUBJECT ATTRIBUTE = VALUE, "
            "or say that it `ends`"
        )
    if len(text) > LONGEST_VALUE:
        raise InvalidInput(
            f"{given.attribute!r} has a value of {len(text):,} characters: give at most "
            f"{LONGEST_VALUE:,}; prose is added as a text"
        )
    since, until = _date(given.since), _date(given.until)
    if since and until and until[: len(since)] < since[: len(until)]:
        raise InvalidInput(f"until {until!r} lies before since {since!r}: swap them")
    return msgspec.structs.replace(given, since=since, until=until)


def _date(text: str) -> str:
    written = text.strip()
    if written:
        asked_moment(written)
    return parse_instant(written) if len(written) > _DAY else written


def _other_name(fact: Fact) -> tuple[str, ...]:
    """The key under which a fact was given, where it replaced one that is known by another."""
    name = fact.provenance.get("other_name")
    return tuple(plain_key(str(part)) for part in name) if isinstance(name, list) else ()


def _says(fact: Fact, given: StatementInput) -> bool:
    """Whether a fact says what is given, by the same source where that names one."""
    said_by = given.source in ("", fact.provenance.get("speaker"))
    return said_by and fact.provenance.get("typed") == typed(given.value)[1]


def _is_users(fact: Fact) -> bool:
    """Whether a user stated it, or said it of the user or of the group in passing."""
    of_whom = name_key(fact.subject) in NAMELESS
    return is_of_user(fact) or (of_whom and not only_proposes(fact))


def _is_against(standing: FactStanding, fact: Fact) -> bool:
    """Whether a fact changes until when another holds that stands so, or says another value."""
    if standing.superseded_by:
        return (fact.valid_from or "") < (standing.valid_to or "")
    return value_key(standing.fact) != value_key(fact) or bool(fact.valid_to)


def _proposal(given: StatementInput, fact: Fact, now: str, namespace: str) -> Episode:
    sha = hashlib.sha256(msgspec.json.encode(given)).hexdigest()
    ref = f"{_PROPOSED}:{plain_key(fact.subject)}/{plain_key(fact.predicate)}@{sha[:8]}"
    draft = Draft(namespace=namespace, type="proposal", ref=ref, sha=sha, seen=now, document="")
    kept: Properties = msgspec.to_builtins(given)
    return draft.episode(now, preview=said(fact), properties={"statement": kept})


def _batch(made: Sequence[_Filed], now: str, namespace: str) -> Batch:
    drafts = {each.draft.episode_id: (each.draft, each) for each in made if each.draft}
    episodes, chunks, claims = list[Episode](), list[IndexedChunk](), list[Claim]()
    for draft, each in drafts.values():
        text = said(each.fact)
        passage = draft.passage(text, profile="prose", title=each.fact.subject)
        episodes.append(draft.episode(now, preview=text))
        chunks.append(profile("prose").index_chunk(passage))
        document = draft.document_entity(STATEMENT, each.fact.subject, name=draft.ref)
        claims += draft.claims([document, each.fact], passage)
    waiting = {
        proposal.episode_id: proposal
        for each in made
        if each.proposed
        for proposal in [_proposal(each.proposed, each.fact, now, namespace)]
    }
    episodes += waiting.values()
    withdrawn = [each.withdrawn for each in made if each.withdrawn]
    return Batch(
        recorded_at=now,
        episodes=tuple(episodes),
        chunks=tuple(chunks),
        claims=tuple(claims),
        replaces=tuple(str(fact.provenance["path"]) for fact in withdrawn if is_stated(fact)),
        ends=tuple(fact.fact_id for fact in withdrawn),
    )


_STATEMENTS = Scope(source_types=frozenset({STATEMENT}))
_MOST_OTHERS, _MOST_LOOKED_AT = 50, 40
_NEAR_IN_MEANING = 0.4
"""Least cosine of a fact as it is said with one under a key that is near: what they say of a like
value counts (`python -m bench stated`: 66 of 66 changes are handed back; from .5 on 59)."""
_NEAR_IN_SPELLING = 0.8
"""Least share of letters that two keys have in common, in order, to be near."""


def known_subject(graph: Planner, subject: str) -> str:
    """A subject as it was spelled when it was stated first; as it is written, if it never was."""
    stated = graph.sources(prefix=f"{STATED}:{plain_key(subject)}/")
    claims = graph.claims([source.episode_id for source in stated[:1]]).values()
    facts = (claim.record for listed in claims for claim in listed)
    return next((fact.subject for fact in facts if isinstance(fact, Fact)), subject)


def holds(standing: FactStanding, now: str) -> bool:
    """Whether a fact holds at the instant `now`."""
    until, begin = standing.valid_to, standing.valid_from or ""
    over = until is not None and until <= now[: len(until)]
    return not (over or is_end(standing.fact)) and begin <= now[: len(begin)]


def answered(handle: Handle, made: Sequence[tuple[Done, Fact]], now: str) -> list[Stated]:
    """What became of each statement that was written, or was known."""
    near = _near(handle, [fact for _, fact in made])
    subjects = {fact.subject for _, fact in made} | {s for keys in near for s in keys.values()}
    known = standings(handle.graph.facts(subjects), table=handle.attributes)
    by_id = {standing.fact.fact_id: standing for standing in known}
    standing_under = {stated_key(s.fact): s for s in known if not s.superseded_by}
    found: list[Stated] = []
    for (done, fact), keys in zip(made, near, strict=True):
        own = by_id.get(fact.fact_id)
        by = by_id.get(own.superseded_by or "") if own else None
        others = {
            stated_key(s.fact): s
            for s in known
            if s.fact.subject == fact.subject
            and stated_key(s.fact) != stated_key(fact)
            and holds(s, now)
        }
        against = (by_id[i] for i in (own.contradicted_by if own else ()))
        if done == "proposed":
            key = stated_key(fact)
            against = (s for s in known if stated_key(s.fact) == key and holds(s, now))
        stated = Stated(
            done=done,
            fact=as_it_stands(own) if own else fact,
            replaced=_keys(s for s in known if s.superseded_by == fact.fact_id),
            replaced_by=_keys([by])[0] if by else None,
            contradicts=_keys(against),
            other_keys=_keys(others.values())[:_MOST_OTHERS],
            near_keys=_keys(standing_under[k] for k in keys if k in standing_under)[:NAMED],
        )
        found.append(stated)
    return found


def _keys(standings: Iterable[FactStanding]) -> tuple[KnownKey, ...]:
    return tuple(
        KnownKey(
            fact_id=standing.fact.fact_id,
            subject=standing.fact.subject,
            attribute=standing.fact.predicate,
            value=standing.fact.object,
            since=standing.valid_from,
            until=standing.valid_to,
        )
        for standing in standings
    )


def _near(handle: Handle, facts: Sequence[Fact]) -> list[dict[tuple[str, str], str]]:
    """For each fact the stated keys that are near its own, the nearest first, each with the
    subject that it is kept under."""
    graph = handle.graph
    texts = [said(fact) for fact in facts]
    embedder = handle.models.for_passage("prose", " ".join(texts), graph)
    space = embedder.space if embedder and embedder.space in graph.spaces() else ""
    vectors = embedder.embed(texts) if embedder and space else np.zeros((len(texts), 0), np.float32)
    found: list[dict[tuple[str, str], str]] = []
    for fact, text, vector in zip(facts, texts, vectors, strict=True):
        terms = dict.fromkeys(content_stems(text), 1.0)
        numbers = graph.match_text("prose", terms, scope=_STATEMENTS, limit=_MOST_LOOKED_AT).numbers
        cosines = np.zeros(len(numbers))
        if space:
            near = graph.match_vector(vector, space=space, scope=_STATEMENTS, limit=_MOST_LOOKED_AT)
            numbers = distinct(np.concatenate([numbers, near.numbers]))
            cosines = graph.vectors(numbers, space) @ vector
        chunks = graph.chunks(numbers)
        claims = graph.claims([chunk.episode_id for chunk in chunks])
        own, scores = stated_key(fact), dict[tuple[str, str], tuple[float, str]]()
        for chunk, cosine in zip(chunks, cosines.tolist(), strict=True):
            for other in (claim.record for claim in claims[chunk.episode_id]):
                if not isinstance(other, Fact) or (key := stated_key(other)) == own:
                    continue
                spelling = SequenceMatcher(None, "".join(own), "".join(key)).ratio()
                if cosine >= _NEAR_IN_MEANING or spelling >= _NEAR_IN_SPELLING:
                    best = max(cosine, spelling, scores.get(key, (0.0, ""))[0])
                    scores[key] = best, other.subject
        nearest = sorted(scores, key=lambda key: (-scores[key][0], key))
        found.append({key: scores[key][1] for key in nearest})
    return found

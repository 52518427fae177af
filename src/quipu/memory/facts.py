"""Dated facts: what `Memory.facts` offers, and what they add to a search."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from quipu.errors import InvalidInput
from quipu.facts.chains import FactStanding, as_it_stands, holding, standings
from quipu.facts.context import (
    below_newer,
    retold_contexts,
    standing_of,
    superseded_contexts,
    temporal_contexts,
)
from quipu.handle.dates import asked_moment, first_instant, holds_in
from quipu.handle.filters import known_scope
from quipu.handle.handle import Handle
from quipu.memory.freshness import Freshness
from quipu.ports import Embedder, Planner
from quipu.question import Question, read_question
from quipu.records.authority import CONVERSATIONS
from quipu.records.mentions import names_in
from quipu.records.record import Fact
from quipu.records.scope import EVERYTHING, Scope
from quipu.records.stated import ProposedStatement, Stated, StatementInput
from quipu.text import STOP_WORDS, stems

if TYPE_CHECKING:
    from quipu.facts.find import FactsFound
    from quipu.facts.history import History
    from quipu.plan import Known
    from quipu.records.plan import Plan
    from quipu.records.reply import Retrieved

DISAGREES = 0.9
STATEMENT = "statement"
"""The kind of source that a stated fact is."""

__all__ = ["DISAGREES", "STATEMENT", "Facts", "StatedFacts", "fact_passages", "with_dates"]

_PERSONAL = CONVERSATIONS | {STATEMENT}
_OURS = frozenset({"we", "our", "us"})
_MINE = frozenset({"i", "my", "me", "mine", "im", "ive"})
_USER, _OWN = "user", ("my", "mine")
_OF = re.compile(r"\b((?:[\w-]+ ){1,2})of (?:the )?([\w-]+)")
"""What is told behind whose it is as well: "deploy day of payments", "payments deploy day"."""
_FIRST_PERSON = re.compile(r"\b(?:I|me|[Mm]y|mine)\b")


class StatedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that were read of a source, and those of others whose place they took."""

    stated: tuple[Fact, ...]
    replaced: tuple[Fact, ...]


class Facts:
    """The dated statements of one memory. Called, it gives those of a subject or a predicate."""

    def __init__(self, handle: Handle, freshness: Freshness) -> None:
        self._handle = handle
        self._freshness = freshness

    def __call__(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
        live: bool = False,
    ) -> list[Fact]:
        """Dated statements, of one subject or predicate or all.

        `as_of` keeps what held then: at some moment of it where it is a year or a month, else at
        that instant (a day's is its midnight); what another had taken the place of did not.
        `known_at` keeps what was known then, at its beginning, and judges by that. `live` keeps
        those that nothing took the place of. Each has the end that another statement gave it ("no
        longer", another value), told of the same under another name too. `supersedes_fact_id` names
        the fact whose place one took. Raises InvalidInput for what is no date.
        """
        asked = None if as_of is None else asked_moment(as_of)
        known = None if known_at is None else first_instant(known_at)
        instant = asked if isinstance(asked, str) else None
        table = self._handle.attributes
        planner, _ = self._handle.graph_of(subject or "", known)
        asked_of = None if subject is None else self._spellings(planner, subject)
        found = planner.facts(asked_of, predicate, as_of=instant, known_at=known)
        every = planner.facts(asked_of, known_at=known)
        if subject is None:
            standing = {row.fact.fact_id: row for row in standings(every, table=table)}
        else:
            standing = standing_of(every, planner, table=table, known_at=known)
        current = {s.fact.fact_id for s in holding(standing.values(), table=table)}
        now = self._handle.clock()
        return [
            as_it_stands(standing[fact.fact_id])
            for fact in found
            if (asked is None and not live)
            or (
                fact.fact_id in current
                and not (live and _is_replaced(standing[fact.fact_id], now))
                and (asked is None or holds_in(fact, asked, until=standing[fact.fact_id].valid_to))
            )
        ]

    def state(
        self, statements: Sequence[StatementInput] | StatementInput, *, embed: bool = True
    ) -> list[Stated]:
        """State facts, all or none of them, and learn what each replaced and which keys there are.

        A key is a subject and an attribute in any spelling, and has one value at a time: that of
        the statement that begins last, then of the one that was said last, in whatever order they
        come. The same again changes nothing. Values keep their type. What is near a key is told and
        never merged, unless a statement `replaces` it. Raises InvalidInput, UnknownRecord before
        anything is written. Written at once.
        """
        from quipu.memory.stating import state

        given = [statements] if isinstance(statements, StatementInput) else list(statements)
        return state(self._handle, given, embed=embed) if given else []

    def proposals(self) -> list[ProposedStatement]:
        """What pages and tools (by `source`) stated against what a user did: it waits, and is not
        asserted; the oldest first."""
        from quipu.memory.stating import proposals

        return proposals(self._handle)

    def accept(
        self, ids: Sequence[str], *, refuse: Sequence[str] = (), embed: bool = True
    ) -> list[Stated]:
        """State what was proposed, as the user's word, and drop the proposals `refuse`, all or
        none. Raises InvalidInput, UnknownRecord before anything is written. Written at once."""
        from quipu.memory.stating import decide

        return decide(self._handle, ids, refuse, embed=embed)

    def refuse(self, ids: Sequence[str]) -> None:
        """Drop what was proposed. Raises UnknownRecord. Written at once."""
        self.accept((), refuse=ids)

    def stated_by(self, episode_id: str) -> StatedFacts:
        """What was read of an episode and what that took the place of, in the order of their
        sentences; nothing of an episode that is not there."""
        own, standing = self._read_of(episode_id)
        replaced = tuple(
            row.fact
            for row in standing.values()
            if row.superseded_by in own and row.fact.fact_id not in own
        )
        stated = sorted(own.values(), key=lambda f: (f.provenance.get("start") or 0, f.fact_id))
        return StatedFacts(stated=tuple(stated), replaced=replaced)

    def is_over(self, episode_id: str) -> bool:
        """Whether something that was read of an episode holds no more."""
        own, standing = self._read_of(episode_id)
        return any(standing[i].superseded_by or standing[i].valid_to for i in own if i in standing)

    def _read_of(self, episode_id: str) -> tuple[dict[str, Fact], dict[str, FactStanding]]:
        """The facts of an episode, and how they and those beside them stand."""
        claims = self._handle.graph.claims([episode_id]).get(episode_id, [])
        own = {c.record.fact_id: c.record for c in claims if isinstance(c.record, Fact)}
        table = self._handle.attributes
        return own, standing_of(own.values(), self._handle.graph, table=table)

    def find(
        self, question: str, *, scope: Scope = EVERYTHING, limit: int = 10, now: str | None = None
    ) -> "FactsFound":
        """The facts that answer `question`, best first; its date is read from its text.

        "last spring" is seen from `now`, by default the clock. `known` tells whether the first
        one answers at all: never where its file has changed since it was read, and cannot be read
        again. Raises InvalidInput for an empty question or a limit below 1.
        """
        handle = self._handle
        found, changes = self._freshness.resting(
            lambda: _matching(handle, read_question(question), scope=scope, limit=limit, now=now),
            lambda found: (match.source_ref for match in found.matches),
        )
        if found.matches and found.matches[0].source_ref in changes:
            return msgspec.structs.replace(found, known=False)
        return found

    def history(
        self, subject: str, *, as_of: str | None = None, known_at: str | None = None
    ) -> "History":
        """All that was ever said of `subject`: who said it, when it was true, when it was known.

        `as_of` (any ISO date) keeps what held then, `known_at` what was known then. Raises
        InvalidInput for a blank subject or what is no date.
        """
        if not subject.strip():
            raise InvalidInput("the subject is empty: name what the history is of")
        found, _ = self._freshness.resting(
            lambda: self._history(subject, as_of, known_at),
            lambda found: (e.source_ref for e in found.entries if e.known_until is None),
        )
        return found

    def _spellings(self, planner: Planner, subject: str) -> set[str]:
        """What facts call a subject: as it is written, and as it was first stated."""
        from quipu.memory.stating import known_subject

        return {subject, known_subject(planner, subject)}

    def _history(self, subject: str, as_of: str | None, known_at: str | None) -> "History":
        from quipu.facts.history import history

        if as_of is not None:
            asked_moment(as_of)
        known = None if known_at is None else first_instant(known_at)
        graph, name = self._handle.graph_of(subject, known)
        found = history(graph, name, as_of=as_of, known_at=known, table=self._handle.attributes)
        return msgspec.structs.replace(found, subject=subject)


def _is_replaced(standing: FactStanding, now: str) -> bool:
    """Whether another fact has taken the place of one by the instant `now`."""
    until = standing.valid_to or ""
    return bool(standing.superseded_by) and until <= now[: len(until)]


def _matching(
    handle: Handle,
    question: Question,
    *,
    scope: Scope,
    limit: int = 10,
    now: str | None = None,
) -> "FactsFound":
    """As `find`, whatever has become of the files that the facts were read from."""
    known_scope(scope, handle.store)
    from quipu.facts.find import find_facts

    if not question.text.strip():
        raise InvalidInput("the question is empty: ask, for example, 'who led X in 2003?'")
    if limit < 1:
        raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")

    graph, asked = handle.asked_of(_of_user(handle, question))

    def found(embedder: Embedder | None, _: tuple[str, ...]) -> "FactsFound":
        return find_facts(
            asked,
            handle.models.reading(graph, embedder.space if embedder else None),
            embedder,
            now=now or handle.clock(),
            scope=scope,
            table=handle.attributes,
            limit=limit,
        )

    return handle.models.tried(question.text, handle.store, found)


def fact_passages(handle: Handle, question: Question, scope: Scope) -> "dict[str, Known]":
    """The passages of the fact that answers, and of those that disagree with it."""
    from quipu.facts.find import disagreeing, in_turn
    from quipu.plan import Known

    if not _facts_may_answer(handle, question):
        return {}
    found = _matching(handle, question, scope=scope)
    if not found.known:
        return {}
    passages: dict[str, Known] = {}
    then = (found.matches[0], *in_turn(found))
    against = (match for match in disagreeing(found) if match not in then)
    near = [*((match, 1.0) for match in then), *((match, DISAGREES) for match in against)]
    for match, nearness in near:
        for chunk_id in match.chunk_ids:
            fact_ids = (match.standing.fact.fact_id,)
            passages.setdefault(chunk_id, Known(nearness, fact_ids, dated=True))
    return passages


def _facts_may_answer(handle: Handle, question: Question) -> bool:
    """Whether facts can answer at all: the question names a time or what one of them is
    about. Most questions are spared the search through them."""
    if question.time(handle.clock()).kind != "none":
        return True
    text = question.text
    names = {text[found.start : found.end] for found in question.mentions}
    names |= set(names_in(text))
    if _OURS & question.words:
        names.add("we")
    if _MINE & question.words:
        names.add(_USER)
    names |= {re.sub(r"['’]s$", "", name) for name in names}
    names.update(_plain_names(read_question(_OF.sub(r"\2 \1", text))))
    with handle.store.moment():  # a store on a server is asked once, not once a name
        graph = handle.graph
        return bool(graph.facts(names.union(_plain_names(question))))


def with_dates(handle: Handle, plan: "Plan", found: "Retrieved") -> "Retrieved":
    """The same hits, with when it is true where a fact of the plan says so, and with what took
    its place where a fact that a hit states, or tells after it was stated, holds no more. What was
    stated, or tells what was, stands below what took its place, but for a question of another time;
    a text from which a fact was read says more than that one."""
    table = handle.attributes
    question = read_question(plan.question)
    graph = handle.graph
    contexts = temporal_contexts(plan, graph, table=table)
    personal = [hit for hit in found.hits if hit.source_type in _PERSONAL]
    ids = [hit.id for hit in personal if hit.id not in contexts]
    marks = superseded_contexts(ids, graph, table=table, scope=plan.scope, now=handle.clock())
    stated = {hit.id: hit.title for hit in personal if hit.source_type == STATEMENT}
    told = [hit for hit in personal if hit.id not in stated] if stated else []
    retold = retold_contexts(told, set(stated.values()), graph, table=table) if told else {}
    dated = {**marks, **contexts, **retold}
    if not dated:
        return found
    hits = tuple(
        msgspec.structs.replace(hit, temporal_context=dated.get(hit.id)) for hit in found.hits
    )
    if not question.of_past and question.time(handle.clock()).kind == "none":
        hits = below_newer(hits, stated.keys() | retold.keys(), graph, table=table)
    texts = [f"{hit.title} {hit.text}" for hit in hits if hit.id in contexts]
    signals = {**found.signals, **_accounted(question, texts)}
    return msgspec.structs.replace(found, hits=hits, signals=signals)


def _of_user(handle: Handle, question: Question) -> Question:
    """The question with the one who asks called as facts call them, where they do."""
    if not _MINE & question.words or not handle.graph.facts(_USER):
        return question
    said = _FIRST_PERSON.sub(
        lambda m: f"{_USER}'s" if m.group().lower() in _OWN else _USER, question.text
    )
    return read_question(said)


def _plain_names(question: Question) -> Iterator[str]:
    """What may be a name of up to three words without capitals: "ledger service"."""
    words = [token.word for token in question.tokens]
    for length in (1, 2, 3):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if STOP_WORDS.isdisjoint(run):
                yield " ".join(run)


def _accounted(question: Question, texts: Sequence[str]) -> dict[str, float]:
    """The signals that a question's date would spoil: no passage says "2012", and none has to
    when a fact that held then answers. Every name is known, or the fact would not be; no word is
    missed when the passage says all the others."""
    if not texts:
        return {}
    present = {stem for text in texts for stem in stems(text)}
    rest = read_question(question.time().base).stem_set
    return {"nfound": 1.0, "miss": 0.0} if rest <= present else {"nfound": 1.0}

"""The audit: what holds at a moment, what took whose place, who disagrees, and who said so when.

With a subject it is one query over all that was ever said of it, and one printable timeline.
Without one it is the state of the memory as a whole: what disagrees in it and what has expired.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.answer.dated_facts import said
from quipu.facts.chains import FactStanding, holding, standings
from quipu.facts.history import HistoryEntry
from quipu.facts.keys import predicate_key
from quipu.handle.expiry import expired_sources
from quipu.limits import SHOWN_LINE
from quipu.records.record import Fact
from quipu.text import name_key
from quipu.when.instants import UNKNOWN_TIME

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Audit", "FactPair", "Overview", "audit", "overview", "timeline"]


class HeldFact(msgspec.Struct, frozen=True, kw_only=True):
    """What holds: a statement, when it does, and the sources that say so."""

    fact_id: Annotated[str, "the statement's id"]
    subject: Annotated[str, "whom or what it is about"]
    predicate: Annotated[str, "how"]
    object: Annotated[str, "what"]
    valid_from: Annotated[str | None, "from when it holds, or null"]
    valid_to: Annotated[str | None, "until when it holds; excluded; or null"]
    source_refs: Annotated[tuple[str, ...], "the sources that say so, or that say when it ended"]


class FactPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two statements: the second took the first one's place, or disagrees with it."""

    earlier: Annotated[str, "the one statement, in words"]
    later: Annotated[str, "the one that took its place, or disagrees"]
    earlier_id: Annotated[str, "its id"]
    later_id: Annotated[str, "the other's id"]


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What holds of a subject at a moment, and all that was ever said of it."""

    subject: Annotated[str, "the name that was asked for"]
    as_of: Annotated[str, "the date whose state is asked"]
    known_at: Annotated[str | None, "the instant by whose knowledge it is judged; null: now"]
    state: Annotated[tuple[HeldFact, ...], "what held then, by predicate and begin"]
    supersessions: Annotated[tuple[FactPair, ...], "what took whose place"]
    contradictions: Annotated[tuple[FactPair, ...], "what disagrees, both sides"]
    entries: Annotated[
        tuple[HistoryEntry, ...], "what was ever said, in the order of what happened"
    ]
    left_out: Annotated[int, "how many entries are beyond the limit"]
    text: Annotated[str, "all of it as one page"]


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """The memory as a whole."""

    facts: Annotated[int, "how many statements there are"]
    superseded: Annotated[int, "how many of them another took the place of"]
    contradictions: Annotated[tuple[FactPair, ...], "pairs that disagree, the first of them"]
    contradiction_count: Annotated[int, "how many pairs disagree"]
    expired: Annotated[tuple[str, ...], "what is no longer recalled and still stored"]


def audit(
    memory: "Memory",
    subject: str,
    *,
    as_of: str | None = None,
    known_at: str | None = None,
    limit: int = 100,
) -> Audit:
    """All that was said of `subject`; `as_of` (default: now) asks what holds then, `known_at`
    judges by what was known then. Raises InvalidInput for what is no date."""
    moment = as_of or memory.clock()[:10]
    whole = memory.facts.history(subject, known_at=known_at)
    then = memory.facts.history(subject, as_of=moment, known_at=known_at)
    found = Audit(
        subject=subject,
        as_of=moment,
        known_at=known_at,
        state=tuple(_state(then.entries, whole.entries)),
        supersessions=tuple(_superseded(whole.entries)),
        contradictions=tuple(_disagreeing(whole.entries)),
        entries=whole.entries[:limit],
        left_out=max(len(whole.entries) - limit, 0),
        text="",
    )
    return msgspec.structs.replace(found, text="\n".join(_printed(found)))


def overview(memory: "Memory", *, limit: int = 20) -> Overview:
    """The state of everything; reads every fact once."""
    standing = standings(memory.graph.facts(), table=memory.attributes)
    pairs = _disagreeing(standing)
    return Overview(
        facts=len(standing),
        superseded=sum(1 for s in standing if s.superseded_by),
        contradictions=tuple(pairs[:limit]),
        contradiction_count=len(pairs),
        expired=tuple(expired_sources(memory.store, memory.clock())[:limit]),
    )


def _printed(found: Audit) -> Iterator[str]:
    """What holds then, what disagrees, and the timeline."""
    if not found.entries:
        yield f"Nothing was said of {found.subject!r}."
        return
    known = f"was known at {found.known_at}" if found.known_at else "is known now"
    yield f"{found.subject}, as of {found.as_of}, by what {known}"
    yield from ("", "Holds then", *(map(_holding, found.state) if found.state else ["  nothing"]))
    if found.contradictions:
        yield from ("", "Disagree")
        yield from (f"  {link.earlier} / {link.later}" for link in found.contradictions)
    yield from ("", "Timeline")
    yield from (f"  {line}" for line in timeline(found.entries))
    if found.left_out:
        yield f"  … and {found.left_out} more"


def _holding(fact: HeldFact) -> str:
    when = ""
    if fact.valid_from or fact.valid_to:
        when = f", {fact.valid_from or '…'} → {fact.valid_to or '…'}"
    return f"  {fact.predicate}: {fact.object}{when} ({', '.join(fact.source_refs)})"


def timeline(entries: Sequence[HistoryEntry]) -> Iterator[str]:
    """When, what, who and since when it is known, and its standing."""
    names = {entry.fact.fact_id: said(entry.fact) for entry in entries}
    for entry in entries:
        mark = "  (no longer asserted)" if entry.known_until else ""
        fact = entry.fact
        words = f"{fact.subject} — {fact.predicate} — {fact.object}"
        yield f"{entry.valid_from or '…'} → {entry.valid_to or '…'}  {words}{mark}"
        yield f"    {_source(entry)}"
        if entry.superseded_by:
            yield f"    superseded by: {names.get(entry.superseded_by, entry.superseded_by)}"
        for other in entry.contradicted_by:
            yield f"    contradicted by: {names.get(other, other)}"


def _state(then: Sequence[HistoryEntry], whole: Sequence[HistoryEntry]) -> list[HeldFact]:
    """A row a statement, by predicate and begin. One that only says when something ended is a
    source of what it ended, and says nothing of a time before that began."""
    holds = {entry.fact.fact_id for entry in holding(whole)}
    rows = {e.fact.fact_id: e for e in reversed(then) if e.fact.fact_id in holds}
    facts = [
        HeldFact(
            fact_id=entry.fact.fact_id,
            subject=entry.fact.subject,
            predicate=entry.fact.predicate,
            object=entry.fact.object,
            valid_from=entry.valid_from,
            valid_to=entry.valid_to,
            source_refs=tuple(dict.fromkeys(_sources_of(entry, then))),
        )
        for entry in rows.values()
    ]
    return sorted(facts, key=lambda h: (h.predicate, h.valid_from or "", h.object, h.fact_id))


def _sources_of(entry: HistoryEntry, then: Sequence[HistoryEntry]) -> Iterator[str]:
    same = _statement(entry.fact)
    for other in then:
        ends = other.fact.valid_from is None and other.fact.valid_to == entry.valid_to is not None
        if other.fact.fact_id == entry.fact.fact_id or (ends and _statement(other.fact) == same):
            yield other.source_ref


def _statement(fact: Fact) -> tuple[str, str, str]:
    return name_key(fact.subject), predicate_key(fact.predicate), name_key(fact.object)


def _superseded(entries: Sequence[HistoryEntry]) -> list[FactPair]:
    pairs = ((entry.fact.fact_id, entry.superseded_by) for entry in entries)
    return _pairs(entries, ((earlier, later) for earlier, later in pairs if later))


def _disagreeing(rows: Sequence[HistoryEntry | FactStanding]) -> list[FactPair]:
    """Each pair of statements that contradict each other, once."""
    pairs = ((row.fact.fact_id, other) for row in rows for other in row.contradicted_by)
    return _pairs(rows, ((min(pair), max(pair)) for pair in pairs))


def _pairs(
    rows: Sequence[HistoryEntry | FactStanding], ids: Iterable[tuple[str, str]]
) -> list[FactPair]:
    words = {row.fact.fact_id: said(row.fact) for row in rows}
    return [
        FactPair(
            earlier=words.get(earlier, earlier),
            later=words.get(later, later),
            earlier_id=earlier,
            later_id=later,
        )
        for earlier, later in dict.fromkeys(ids)
    ]


def _source(entry: HistoryEntry) -> str:
    who = f"{entry.speaker}, " if entry.speaker else ""
    on = "" if entry.observed_at == UNKNOWN_TIME else f" on {entry.observed_at[:10]}"
    until = f" until {entry.known_until[:10]}" if entry.known_until else ""
    quoted = f": “{entry.said[:SHOWN_LINE]}”" if entry.said else ""
    return f"{who}{entry.source_ref}{on}, known since {entry.recorded_at[:10]}{until}{quoted}"

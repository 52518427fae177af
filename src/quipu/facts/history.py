"""The audit: all that was ever said of a subject, by whom, when it was true, when it was known.

One query, read-only. What is no longer asserted is in it, with when that ended; only what was
forgotten is gone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

import msgspec

from quipu.facts.attributes import SHIPPED, Attributes
from quipu.facts.chains import FactStanding, effective, fit, standings
from quipu.ports import Graph, changes_after
from quipu.records.record import Episode, Fact, Support
from quipu.text import name_key
from quipu.when.instants import UNKNOWN_TIME
from quipu.when.intervals import Interval, read_iso

__all__ = ["History", "HistoryEntry", "history"]


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """That one source stated one fact. Its validity is what holds after supersession."""

    fact: Annotated[Fact, "the statement"]
    valid_from: Annotated[str | None, "from when it holds, or null"]
    valid_to: Annotated[str | None, "until when it holds, excluded; or null"]
    superseded_by: Annotated[str | None, "the id of the fact that took its place, or null"]
    contradicted_by: Annotated[tuple[str, ...], "the ids of the facts that disagree with it"]
    source_ref: Annotated[str, "the source that said it"]
    speaker: Annotated[str, "who said it there, if known"]
    said: Annotated[str, "the words it was read from"]
    observed_at: Annotated[str, "when the source said it"]
    recorded_at: Annotated[str, "since when it is known here"]
    known_until: Annotated[str | None, "when the source ceased to say it, or null"]


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of one subject in the order of what happened: by begin of validity; what has
    none by its end, and what has neither by when it was said."""

    subject: Annotated[str, "the name that was asked for"]
    as_of: Annotated[str | None, "the date that was asked for, or null"]
    known_at: Annotated[str | None, "the instant that was asked for, or null"]
    entries: Annotated[
        tuple[HistoryEntry, ...], "what was said, by begin of validity, then by when"
    ]


def history(
    graph: Graph,
    subject: str,
    *,
    as_of: str | None = None,
    known_at: str | None = None,
    table: Attributes = SHIPPED,
) -> History:
    """All that was said of `subject`, or that names it as the object or the attribute; where
    nothing does, what names it by all of its words ("beta", of the public beta).

    `as_of` keeps what held then, `known_at` (an instant) what was known then, and judges it as it
    stood then.
    """
    key = name_key(subject)
    facts = _facts_of(graph, lambda fact: key in _names(fact))
    if not facts and key:
        words = frozenset(key.split())
        facts = _facts_of(graph, lambda fact: words <= set(" ".join(_names(fact)).split()))
    support = graph.support(list(facts))
    rows = {
        fact_id: [row for row in support.get(fact_id, []) if _known(row, known_at)]
        for fact_id in facts
    }
    current = [
        fact
        for fact_id, fact in facts.items()
        if any(known_at or row.known_until is None for row in rows[fact_id])
    ]
    standing = {s.fact.fact_id: s for s in standings(current, table=table)}
    episodes = graph.get(sorted({row.episode_id for supports in rows.values() for row in supports}))
    date = read_iso(as_of) if as_of else None
    asked = Interval(date, date) if date else None
    entries = [
        entry
        for fact_id, fact in facts.items()
        for entry in _entries(fact, standing.get(fact_id), rows[fact_id], episodes)
        if asked is None or _held(entry, standing.get(fact_id), asked)
    ]
    entries.sort(
        key=lambda e: (
            e.fact.valid_from or e.fact.valid_to or _said_on(e),
            e.fact.valid_from is not None,  # what ends comes before what begins
            e.observed_at,
            e.recorded_at,
            e.fact.fact_id,
            e.source_ref,
        )
    )
    return History(subject=subject, as_of=as_of, known_at=known_at, entries=tuple(entries))


def _said_on(entry: HistoryEntry) -> str:
    return entry.recorded_at if entry.observed_at == UNKNOWN_TIME else entry.observed_at


def _facts_of(graph: Graph, meant: Callable[[Fact], bool]) -> dict[str, Fact]:
    """Every fact that is meant, ended ones included, by id."""
    found = {fact.fact_id: fact for fact in graph.facts() if meant(fact)}
    for record_id in _ever(graph):
        if record_id in found:
            continue
        rows = graph.support([record_id]).get(record_id, [])
        if not rows or any(row.known_until is None for row in rows):
            continue
        fact = graph.get([record_id], known_at=rows[-1].recorded_at).get(record_id)
        if isinstance(fact, Fact) and meant(fact):
            found[record_id] = fact
    return dict(sorted(found.items()))


def _ever(graph: Graph) -> Iterable[str]:
    """The ids of facts that ended at some time, by the change log."""
    every = changes_after(graph, 0)
    return dict.fromkeys(c.record_id for c in every if (c.kind, c.operation) == ("fact", "end"))


def _names(fact: Fact) -> list[str]:
    """The keys of what a fact is said of, of its value and of what a noun calls that."""
    attribute = fact.predicate if fact.provenance.get("noun") else ""
    return [*map(name_key, (fact.subject, fact.object, attribute))]


def _known(row: Support, known_at: str | None) -> bool:
    if known_at is None:
        return True
    return row.recorded_at <= known_at and (row.known_until is None or known_at < row.known_until)


def _entries(
    fact: Fact,
    standing: FactStanding | None,
    rows: Sequence[Support],
    episodes: Mapping[str, object],
) -> Iterable[HistoryEntry]:
    for row in rows:
        episode = episodes.get(row.episode_id)
        known = episode if isinstance(episode, Episode) else None
        speaker, said = fact.provenance.get("speaker"), fact.provenance.get("text")
        path = fact.provenance.get("path")
        yield HistoryEntry(
            fact=fact,
            valid_from=standing.valid_from if standing else fact.valid_from,
            valid_to=standing.valid_to if standing else fact.valid_to,
            superseded_by=standing.superseded_by if standing else None,
            contradicted_by=standing.contradicted_by if standing else (),
            source_ref=known.source_ref if known else str(path or row.episode_id),
            speaker=speaker if isinstance(speaker, str) else "",
            said=said if isinstance(said, str) else "",
            observed_at=known.observed_at if known else fact.updated_at,
            recorded_at=row.recorded_at,
            known_until=row.known_until,
        )


def _held(entry: HistoryEntry, standing: FactStanding | None, asked: Interval) -> bool:
    if entry.known_until is not None and standing is None:
        return False
    return standing is not None and fit(effective(standing), asked) > 0

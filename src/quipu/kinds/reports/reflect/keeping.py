"""Reports in the store: what is new is written, what is the same stays, what is gone is erased."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated

import msgspec

from quipu.errors import StoreUnavailable
from quipu.kinds.reports.model import (
    REPORT,
    REPORTS,
    ReflectionBudget,
    ReflectionRecord,
    Report,
    read_report,
    report_text,
)
from quipu.ports import Graph, Store
from quipu.records.batch import Batch
from quipu.records.record import Episode, Properties
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME, Clock

__all__ = [
    "MOST_CHANGES",
    "Author",
    "Reflected",
    "changes_since",
    "keep",
    "quoting",
    "read_standing",
    "read_written",
]

Author = Callable[[Report], Report]
"""Gives a report with a summary, or as it was where it could make none."""

_REPORT = "report:"
_WRITTEN = f"{_REPORT}written-"
_PREVIEW = 500
_STILL_READ = (
    "The old reports are erased; while another process reads the memory, its log may still hold "
    "their text: the next `quipu reflect` or `quipu forget` empties it."
)
_COUNTED = frozenset({"chunk", "relation", "fact"})
MOST_CHANGES = 10_000


class Reflected(msgspec.Struct, frozen=True, kw_only=True):
    """What a reflection did; its reports are named by title where they stand."""

    made: Annotated[tuple[str, ...], "reports that were written now, by reference"]
    kept: Annotated[tuple[str, ...], "reports that came out as they were and were not touched"]
    retired: Annotated[tuple[str, ...], "reports whose communities are no more, or replaced"]
    communities: Annotated[int, "how many communities there are"]
    left_out: Annotated[int, "how many of them are beyond the budget"]
    characters: Annotated[int, "how long all reports are together"]
    budget: Annotated[ReflectionBudget, "what the run was allowed"]
    reports: Annotated[tuple[Report, ...], "the reports themselves, the largest first"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()


def keep(
    store: Store,
    reports: Sequence[Report],
    *,
    sequence: int,
    communities: int,
    budget: ReflectionBudget,
    clock: Clock,
    author: Author | None,
) -> Reflected:
    """Write what is new in one batch, then erase what it took the place of, and what rests on a
    source that was forgotten since the reports were made."""
    stored = {source.source_ref for source in store.sources(REPORTS, prefix=_REPORT)}
    known = read_reports(store)
    current = {report.ref: report for report in reports}
    fresh = [r for r in reports if r.ref not in known or (author and not known[r.ref].summary)]
    again = [r.ref for r in fresh if r.ref in known]
    notes: tuple[str, ...] = ()
    stale = sorted(stored - current.keys())
    retired = [ref for ref in stale if not ref.startswith(_WRITTEN)]
    written = ReflectionRecord(
        sequence=sequence, budget=budget, communities=communities, reports=len(reports)
    )
    before = read_written(store)
    changed = before is None or changes_since(store, before.sequence) > 0
    same_bounds = before is not None and before.budget == budget
    if fresh or retired or changed or not same_bounds:
        fresh = [author(report) for report in fresh] if author else fresh
        again = [r.ref for r in fresh if r.ref in again and r.summary]
        fresh = [r for r in fresh if r.ref not in known or r.summary]
        now = clock()
        episodes = [
            *(_episode(store.namespace, r, now) for r in fresh),
            _note(store.namespace, written, now),
        ]
        store.write(Batch(recorded_at=now, episodes=tuple(episodes), replaces=tuple(again)))
        own = episodes[-1].source_ref
        gone = [*(ref for ref in stale if ref != own), *_of_sources_gone(store, reports)]
        notes = _erase(store, gone)
    standing = read_reports(store)
    shown = tuple(standing.values())
    kept = (r.ref for r in reports if r.ref in known and r.ref not in again)
    return Reflected(
        made=tuple(r.ref for r in fresh if r.ref in standing),
        kept=tuple(ref for ref in kept if ref in standing),
        retired=tuple(retired),
        communities=communities,
        left_out=max(communities - budget.communities, 0),
        characters=sum(len(report_text(r)) for r in shown),
        budget=budget,
        reports=shown,
        notes=notes,
    )


def _erase(store: Store, refs: Sequence[str]) -> tuple[str, ...]:
    """Erase reports; what should be known about that. The reports that took their place are
    written, so that somebody still reads is no failure. Raises StoreUnavailable when the reports
    themselves could not be erased."""
    if not refs:
        return ()
    try:
        store.forget(refs)
    except StoreUnavailable as error:
        if store.sources(REPORTS, refs=refs):
            raise StoreUnavailable(
                f"the new reports are written, and the old ones could not be erased ({error}): run "
                "`quipu reflect` again"
            ) from error
        return (_STILL_READ,)
    return ()


def read_reports(graph: Graph) -> dict[str, Report]:
    """The reports that stand, by reference, the largest first."""
    return {ref: report for ref, (_, report) in read_standing(graph).items()}


def read_standing(graph: Graph) -> dict[str, tuple[str, Report]]:
    """The reports that stand, by reference and the largest first, each with its episode."""
    records = graph.get([source.episode_id for source in graph.sources(REPORTS, prefix=_REPORT)])
    found = [
        (e.episode_id, r)
        for e in records.values()
        if isinstance(e, Episode) and (r := read_report(e))
    ]
    found.sort(key=lambda each: (-each[1].passages, each[1].ref))
    return {report.ref: (episode_id, report) for episode_id, report in found}


def read_written(graph: Graph) -> ReflectionRecord | None:
    """When reports were last written, or None."""
    ids = [s.episode_id for s in graph.sources(REPORTS, prefix=_WRITTEN)]
    found: list[ReflectionRecord] = []
    for record in graph.get(ids).values():
        if isinstance(record, Episode):
            try:
                found.append(msgspec.convert(record.properties.get("written"), ReflectionRecord))
            except msgspec.ValidationError:
                continue
    return max(found, key=lambda w: w.sequence, default=None)


def changes_since(graph: Graph, sequence: int) -> int:
    """How many passages, relations and facts changed after `sequence`; no more than 10,000 lines
    of the log are looked at. Reports change none of these."""
    return sum(c.kind in _COUNTED for c in graph.changes(sequence, limit=MOST_CHANGES))


def quoting(graph: Graph, source_refs: Iterable[str]) -> list[str]:
    """The reports a line of which rests on one of the sources, by reference; a turn counts as its
    session."""
    given = frozenset(source_refs)
    sources = given | {ref.partition("#")[0] for ref in given}
    return [r.ref for r in read_reports(graph).values() if not sources.isdisjoint(r.source_refs)]


def _of_sources_gone(graph: Graph, reports: Sequence[Report]) -> list[str]:
    """Those of `reports` a line of which rests on a source that is no longer there, by reference;
    a session is there as long as a turn of it is."""
    refs = {source.source_ref for source in graph.sources()}
    refs |= {ref.partition("#")[0] for ref in refs}
    return [report.ref for report in reports if not refs.issuperset(report.source_refs)]


def _episode(namespace: str, report: Report, now: str) -> Episode:
    text = report_text(report)
    return _made(
        namespace,
        report.ref,
        {"report": msgspec.to_builtins(report)},
        now,
        observed_at=report.last_seen,
        summary=text,
    )


def _note(namespace: str, written: ReflectionRecord, now: str) -> Episode:
    ref = f"{_WRITTEN}{written.sequence}"
    return _made(namespace, ref, {"written": msgspec.to_builtins(written)}, now)


def _made(
    namespace: str,
    ref: str,
    properties: Mapping[str, object],
    now: str,
    *,
    observed_at: str = UNKNOWN_TIME,
    summary: str | None = None,
) -> Episode:
    kept: Properties = msgspec.to_builtins(properties)
    digest = hashlib.sha256(msgspec.json.encode(properties, order="deterministic")).hexdigest()
    draft = Draft(namespace=namespace, type=REPORT, ref=ref, sha=digest, seen=observed_at)
    preview = excerpt(summary or "", limit=_PREVIEW)
    return draft.episode(now, preview=preview, summary=summary, properties=kept)

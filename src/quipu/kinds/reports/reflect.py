"""Reflection: the graph in communities, and a report on each, made offline within a budget.

    network → communities → reports → store

It reads the store alone and asks no model. The same graph gives the same reports, byte for byte;
only those that come out different are written, in one atomic batch, and what they take the place
of is erased afterwards. A run that is killed leaves the old reports, or both, and the next mends
that.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Annotated

import msgspec

from quipu.errors import StoreUnavailable
from quipu.facts.attributes import Attributes
from quipu.kinds.reports.compose import Material, StatedFacts, report_on
from quipu.kinds.reports.model import (
    REPORT,
    REPORTS,
    ReflectionBudget,
    ReflectionRecord,
    Report,
    read_report,
    report_text,
)
from quipu.kinds.reports.network import (
    build_network,
    documents_of,
    find_communities,
    read_mentions,
)
from quipu.limits import PREVIEW
from quipu.ports import Graph, Planner, Progress, Store
from quipu.records.batch import Batch
from quipu.records.record import Entity, Episode, Properties
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME, Clock
from quipu.write.kinds import Upkeep

__all__ = [
    "MOST_CHANGES",
    "UPKEEP",
    "Reflected",
    "changes_since",
    "quoting",
    "read_standing",
    "read_written",
    "reflect",
]

MOST_CHANGES = 10_000
_LEAST_PASSAGES = 2
_SESSION = "session"
_REPORT = "report:"
_WRITTEN = f"{_REPORT}written-"
_STILL_READ = (
    "The old reports are erased; while another process reads the memory, its log may still hold "
    "their text: the next `quipu reflect` or `quipu forget` empties it."
)
_COUNTED = frozenset({"chunk", "relation", "fact"})


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


def reflect(
    store: Store,
    *,
    budget: ReflectionBudget,
    table: Attributes,
    clock: Clock,
    progress: Progress | None = None,
) -> Reflected:
    """Bring the reports up to date with the store, and return what was done.

    Raises InvalidInput for a budget that allows nothing.
    """
    with store.moment():
        sequence = store.sequence()
        communities, reports = _reports(store, budget, table, progress)
    stored = {source.source_ref for source in store.sources(REPORTS, prefix=_REPORT)}
    known = read_standing(store)
    stale = sorted(stored - {report.ref for report in reports})
    retired = [ref for ref in stale if not ref.startswith(_WRITTEN)]
    before = read_written(store)
    fresh = [r for r in reports if r.ref not in known]
    as_before = (
        before is not None
        and before.budget == budget
        and not changes_since(store, before.sequence)
        and not (fresh or retired)
    )
    notes: tuple[str, ...] = ()
    if not as_before:
        written = ReflectionRecord(
            sequence=sequence, budget=budget, communities=communities, reports=len(reports)
        )
        own = _write(store, fresh, written, clock())
        gone = [*(ref for ref in stale if ref != own), *_of_sources_gone(store, reports)]
        notes = _erase(store, gone)
    standing = {ref: report for ref, (_, report) in read_standing(store).items()}
    made = [r.ref for r in fresh if r.ref in standing]
    return Reflected(
        made=tuple(made),
        kept=tuple(r.ref for r in reports if r.ref in standing.keys() - made),
        retired=tuple(retired),
        communities=communities,
        left_out=max(communities - budget.communities, 0),
        characters=sum(len(report_text(r)) for r in standing.values()),
        budget=budget,
        reports=tuple(standing.values()),
        notes=notes,
    )


def _reports(
    planner: Planner, budget: ReflectionBudget, table: Attributes, progress: Progress | None
) -> tuple[int, list[Report]]:
    """How many communities there are, and the reports on the largest of them."""
    sources = documents_of(planner.sources())
    sessions = frozenset(d for d, s in sources.items() if s.source_type == _SESSION)
    mentions = read_mentions(planner, sources, sessions)
    documents = planner.get(sorted(mentions.passages)).items()
    material = Material(
        planner=planner,
        mentions=mentions,
        documents={i: e for i, e in documents if isinstance(e, Entity)},
        refs={
            d: source.source_ref.partition("#")[0] if d in sessions else source.source_ref
            for d, source in sources.items()
        },
        sessions=sessions,
        facts=StatedFacts(planner, planner.facts(), table=table),
        budget=budget,
    )
    sized = [
        (sum(len(mentions.passages.get(node, ())) for node, _ in community.members), community)
        for community in find_communities(build_network(planner, mentions))
    ]
    large = [(size, community) for size, community in sized if size >= _LEAST_PASSAGES]
    large.sort(key=lambda item: (-item[0], item[1].hub))
    reports: list[Report] = []
    for done, (_, community) in enumerate(large[: budget.communities], 1):
        if report := report_on(community, material):
            reports.append(report)
        if progress:
            progress("reflect", done, min(len(large), budget.communities))
    return len(large), reports


def _write(store: Store, fresh: Sequence[Report], written: ReflectionRecord, now: str) -> str:
    """Write reports in one batch, with the note that they were written; return its reference."""
    space = store.namespace
    episodes = [
        _episode(space, r.ref, {"report": r}, now, seen=r.last_seen, text=report_text(r))
        for r in fresh
    ]
    own = f"{_WRITTEN}{written.sequence}"
    episodes.append(_episode(space, own, {"written": written}, now))
    store.write(Batch(recorded_at=now, episodes=tuple(episodes)))
    return own


def _episode(
    namespace: str,
    ref: str,
    properties: Mapping[str, object],
    now: str,
    *,
    seen: str = UNKNOWN_TIME,
    text: str | None = None,
) -> Episode:
    kept: Properties = msgspec.to_builtins(properties)
    digest = hashlib.sha256(msgspec.json.encode(properties, order="deterministic")).hexdigest()
    draft = Draft(namespace=namespace, type=REPORT, ref=ref, sha=digest, seen=seen)
    preview = excerpt(text or "", limit=PREVIEW)
    return draft.episode(now, preview=preview, summary=text, properties=kept)


def _erase(store: Store, refs: Sequence[str]) -> tuple[str, ...]:
    """Erase reports; what should be known about that. The reports that took their place are
    written, so that somebody still reads is no failure. Raises StoreUnavailable when the reports
    themselves could not be erased."""
    try:
        if refs:
            store.forget(refs)
    except StoreUnavailable as error:
        if store.sources(REPORTS, refs=refs):
            raise StoreUnavailable(
                f"the new reports are written, and the old ones could not be erased ({error}): run "
                "`quipu reflect` again"
            ) from error
        return (_STILL_READ,)
    return ()


def read_standing(graph: Graph) -> dict[str, tuple[str, Report]]:
    """Return the reports that stand, by reference and the largest first, each with the id of its
    episode."""
    found = [(e.episode_id, r) for e in _episodes(graph, _REPORT) if (r := read_report(e))]
    found.sort(key=lambda item: (-item[1].passages, item[1].ref))
    return {report.ref: (episode_id, report) for episode_id, report in found}


def _episodes(graph: Graph, prefix: str) -> list[Episode]:
    records = graph.get([s.episode_id for s in graph.sources(REPORTS, prefix=prefix)])
    return [record for record in records.values() if isinstance(record, Episode)]


def read_written(graph: Graph) -> ReflectionRecord | None:
    """Return when reports were last written, or None."""
    found: list[ReflectionRecord] = []
    for episode in _episodes(graph, _WRITTEN):
        with suppress(msgspec.ValidationError):
            found.append(msgspec.convert(episode.properties.get("written"), ReflectionRecord))
    return max(found, key=lambda w: w.sequence, default=None)


def changes_since(graph: Graph, sequence: int) -> int:
    """Return how many passages, relations and facts changed after `sequence`; no more than 10,000
    lines of the log are looked at. Reports change none of these."""
    return sum(c.kind in _COUNTED for c in graph.changes(sequence, limit=MOST_CHANGES))


def quoting(graph: Graph, source_refs: Iterable[str]) -> list[str]:
    """Return the reports that name one of the sources, in any field of any version, by reference; a
    turn counts as its session."""
    given = frozenset(source_refs)
    named = [msgspec.json.encode(r) for r in given | {r.partition("#")[0] for r in given}]
    return [
        episode.source_ref
        for episode in _episodes(graph, _REPORT)
        if (held := msgspec.json.encode(episode.properties)) and any(ref in held for ref in named)
    ]


def _of_sources_gone(graph: Graph, reports: Sequence[Report]) -> list[str]:
    """Those of `reports` a line of which rests on a source that is no longer there, by reference;
    a session is there as long as a turn of it is."""
    refs = {source.source_ref for source in graph.sources()}
    refs |= {ref.partition("#")[0] for ref in refs}
    return [report.ref for report in reports if not refs.issuperset(report.source_refs)]


class _Quoting(Upkeep):
    """What reports do when other sources go: they go with what they quote."""

    def resting_on(self, graph: Graph, source_refs: AbstractSet[str]) -> list[str]:
        """The reports a line of which rests on one of the sources."""
        return quoting(graph, source_refs)


UPKEEP = _Quoting()

"""Incidents into memory: a report is an episode with one passage; edges come with it.

Each report is one atomic write: the incident, its service and dependencies, its passage with its
vector, the edges the rules make to what is there already, and its outcomes. The same report again
changes nothing; another report of the same source takes the place of the first. What is worked
out (analysis, forecast, severity where none is stated) is worked out from all that the reports of
an incident measured together.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput, MissingExtra, ModelUnavailable, UnknownRecord
from quipu.kinds.incidents.case_base import edges_between
from quipu.kinds.incidents.claims import (
    incident_claims,
    incident_passage,
    link_claims,
    outcome_claims,
    outcome_draft,
    outcome_passage,
    report_draft,
)
from quipu.kinds.incidents.links import draw_causes
from quipu.kinds.incidents.model import (
    WINDOW_S,
    Incident,
    IncidentReport,
    Outcome,
    OutcomeReport,
    incident_id,
    outcome_id,
    unplaced_incident_id,
)
from quipu.kinds.incidents.records import description_text, incident_entity_id, incident_in
from quipu.kinds.incidents.similar import Dependencies, NewEdge, Timelines, link
from quipu.kinds.incidents.similar.recall import IncidentCandidate, recall
from quipu.kinds.incidents.views import Actions, cleaned, completed
from quipu.ports import Embedder, Store
from quipu.profiles import profile
from quipu.records.batch import Batch, Claim, Embedding
from quipu.records.document import Problem
from quipu.records.progress import Progress
from quipu.records.record import Asserted, Chunk, Episode
from quipu.records.schema import RelationType
from quipu.source import Draft
from quipu.when.instants import UNKNOWN_TIME, Clock, to_epoch

__all__ = ["GivenVector", "IncidentWriter"]

_FORECAST_S = 24 * 3600
_SKEW_S = 300


class GivenVector(NamedTuple):
    """A vector that came with a report, and the space it belongs to."""

    space: str
    vector: NDArray[np.float32]


class IncidentTally(NamedTuple):
    """What became of the reports."""

    added: list[str]
    unchanged: list[str]
    outcomes: list[str]
    edges: list[str]
    problems: list[Problem]


class _Part(NamedTuple):
    """One episode with everything it asserts."""

    draft: Draft
    episode: Episode
    chunk: Chunk
    claims: tuple[tuple[Asserted, tuple[str, ...]], ...]
    embedding: Embedding | None
    outcome_id: str = ""
    edges: tuple[str, ...] = ()


class IncidentWriter:
    """Writes reports and outcomes into one store."""

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None,
        clock: Clock,
        window_s: int = WINDOW_S,
        actions: Actions | None = None,
        linking: bool = True,
    ) -> None:
        """`actions` gives what the action policies advise for an incident's numbers. Without
        `linking` no edges between incidents are made: they come from elsewhere."""
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._window_s = window_s
        self._actions = actions
        self._linking = linking
        self._times = Timelines(store)
        self._needs = Dependencies(store)
        self._above: dict[str, None] = {}
        self.tally = IncidentTally([], [], [], [], [])

    def add(
        self,
        reports: Iterable[IncidentReport],
        outcomes: Iterable[tuple[str, OutcomeReport]] = (),
        *,
        vectors: Sequence[GivenVector | None] = (),
        progress: Progress | None = None,
    ) -> IncidentTally:
        """Write the reports, the earliest first, then the outcomes that name their incident.

        `vectors` stand beside the reports, for those that bring one. What cannot be written is a
        problem; the rest goes in.
        """
        ordered = list(enumerate(reports))
        ordered.sort(key=lambda pair: (pair[1].timestamp or UNKNOWN_TIME, pair[0]))
        for done, (at, report) in enumerate(ordered, 1):
            vector = vectors[at] if at < len(vectors) else None
            try:
                self._add(report, at, vector)
            except InvalidInput as error:
                self.tally.problems.append(Problem(report.source or report.component, str(error)))
            if progress:
                progress("read", done, len(ordered))
        draw_causes(self._store, self._above, self._needs, self._times, clock=self._clock)
        for named, outcome in outcomes:
            try:
                self.attempt(named, outcome)
            except (InvalidInput, UnknownRecord) as error:
                self.tally.problems.append(Problem(named, str(error)))
        return self.tally

    def attempt(self, named: str, report: OutcomeReport) -> Outcome:
        """Record one attempt at the incident `named` (its `incident_id`).

        Raises UnknownRecord when there is no such incident.
        """
        incident = self._incident(named)
        if incident is None:
            raise UnknownRecord(
                f"incident_id {named!r} is no incident here: `quipu incident add` it first, or "
                "look it up with `quipu incident similar`"
            )
        outcome = self._outcome(incident, cleaned(report))
        if report.recorded_at and incident.timestamp and report.recorded_at < incident.timestamp:
            self._warn(
                outcome.outcome_id,
                f"recorded_at {report.recorded_at!r} lies before the incident "
                f"({incident.timestamp!r}): the clocks disagree; both are kept as given",
            )
        self._write(self._new_attempts(incident, [outcome]))
        return outcome

    def _incident(self, named: str) -> Incident | None:
        key = incident_entity_id(self._store.namespace, named)
        return incident_in(self._store.get([key]).get(key))

    def _add(self, report: IncidentReport, position: int, placed: GivenVector | None) -> None:
        report = cleaned(report)
        named = self._identified(report, position)
        draft = report_draft(self._store.namespace, named, report)
        known = draft.episode_id in self._store.get([draft.episode_id])
        parts: list[_Part] = []
        if known:
            incident = self._incident(named)
        else:
            incident, part = self._prepared(report, named, draft, placed)
            parts.append(part)
        if incident is not None:
            attempts = [self._outcome(incident, each) for each in report.outcomes]
            parts += self._new_attempts(incident, attempts)
        above = self._needing(incident) if incident is not None and not known else ()
        self._write(parts)
        if above:
            self._needs.forget()
            self._above |= dict.fromkeys(above)
        (self.tally.unchanged if known else self.tally.added).append(named)
        if incident is not None and not known:
            self._times.add(incident)
            self._check_clock(report, named)

    def _needing(self, incident: Incident) -> list[str]:
        """The services whose incidents have more causes by what the report says of needs."""
        pairs = [(incident.component, each) for each in incident.upstream_deps]
        pairs += [(each, incident.component) for each in incident.downstream_deps]
        new = [service for service, _ in self._needs.tells_more(pairs)] if self._linking else []
        return [*new, *(above for service in new for above in self._needs.above(service, hops=1))]

    def _identified(self, report: IncidentReport, position: int) -> str:
        if "#" in report.incident_id:
            raise InvalidInput(
                f"incident_id {report.incident_id!r} holds a '#', which ends an id in a reference: "
                "use another id"
            )
        if report.incident_id:
            return report.incident_id
        if report.timestamp is None:
            text = f"{report.component}\n{report.title}\n{report.summary}\n{report.metrics}"
            return unplaced_incident_id(report.source, position, text)
        return incident_id(report.component, report.timestamp, window_s=self._window_s)

    def _prepared(
        self, report: IncidentReport, named: str, draft: Draft, placed: GivenVector | None
    ) -> tuple[Incident, _Part]:
        """The incident that a report makes, and all that is to be written of it."""
        earlier = self._incident(named)
        before = self._before(report)
        incident = completed(report, named, earlier, before, actions=self._actions)
        now = self._clock()
        episode, chunk = incident_passage(draft, incident, now)
        embedding = self._embedding(chunk, placed, description_text(incident))
        links = self._links(incident, embedding) if self._linking else []
        edges = tuple(f"{e.source.incident_id} {e.kind} {e.target.incident_id}" for e in links)
        claims = (
            *incident_claims(draft, incident, chunk),
            *link_claims(draft, links, now),
        )
        return incident, _Part(draft, episode, chunk, claims, embedding, edges=edges)

    def _write(self, parts: Sequence[_Part]) -> None:
        """Write the parts together: a report and its attempts are in or out."""
        if not parts:
            return
        self._store.write(
            Batch(
                recorded_at=self._clock(),
                episodes=tuple(part.episode for part in parts),
                chunks=tuple(profile(p.chunk.profile).index_chunk(p.chunk) for p in parts),
                claims=tuple(
                    Claim(record, part.draft.episode_id, chunk_ids)
                    for part in parts
                    for record, chunk_ids in part.claims
                ),
                embeddings=tuple(p.embedding for p in parts if p.embedding is not None),
                replaces=tuple(part.draft.ref for part in parts),
            )
        )
        for part in parts:
            self.tally.edges.extend(part.edges)
            if part.outcome_id:
                self.tally.outcomes.append(part.outcome_id)

    def _links(self, incident: Incident, embedding: Embedding | None) -> list[NewEdge]:
        found: list[IncidentCandidate] = []
        if embedding is not None:  # without a vector nothing is called similar
            vector = np.asarray(embedding.vector, dtype=np.float32)
            found = recall(self._store, incident, vector=vector, space=embedding.space)
            at = incident.timestamp
            if at is not None and any((e.incident.timestamp or "") > at for e in found):
                # it comes late: what is newer takes no place from what lies before it
                older = recall(
                    self._store, incident, vector=vector, space=embedding.space, before=at
                )
                known = {each.incident.incident_id for each in older}
                found = [*older, *(e for e in found if e.incident.incident_id not in known)]
        return link(incident, found, self._times, self._needs, self._likenesses)

    def _likenesses(self, incidents: Sequence[str]) -> dict[str, list[float]]:
        """The confidence of the SIMILAR_TO edges that leave these incidents."""
        found: dict[str, list[float]] = {}
        for edge in edges_between(self._store, incidents, kinds=(RelationType.SIMILAR_TO,)):
            found.setdefault(edge.source_id, []).append(edge.confidence)
        return found

    def _before(self, report: IncidentReport) -> list[Incident]:
        """The component's incidents of the day before: what a forecast is made from."""
        if report.timestamp is None:
            return []
        at = to_epoch(report.timestamp)
        return self._times.between(report.component, at - _FORECAST_S, at)

    def _embedding(
        self, chunk: Chunk, placed: GivenVector | None = None, description: str = ""
    ) -> Embedding | None:
        """The vectors of a passage; with `description`, that of the whole is of this text."""
        if placed is not None:
            none = np.zeros((0, len(placed.vector)), dtype=np.float32)
            return Embedding(chunk.chunk_id, placed.space, placed.vector, none)
        if self._embedder is None:
            return None
        try:
            made = self._embedder.embed_parts(*profile(chunk.profile).embedding_text(chunk))
            vector = self._embedder.embed([description])[0] if description else made.vector
        except (ModelUnavailable, MissingExtra):
            return None  # it lacks a vector, which the next `quipu index` makes
        return Embedding(chunk.chunk_id, self._embedder.space, vector, made.parts)

    def _outcome(self, incident: Incident, report: OutcomeReport) -> Outcome:
        told = msgspec.structs.asdict(report)
        told["blast_radius"] = report.blast_radius or incident.blast_radius
        named = outcome_id(incident.incident_id, report)
        return Outcome(outcome_id=named, incident_id=incident.incident_id, **told)

    def _new_attempts(self, incident: Incident, attempts: Sequence[Outcome]) -> list[_Part]:
        """What is to be written of those attempts that are not there yet."""
        space = self._store.namespace
        given = {
            (draft := outcome_draft(space, each)).episode_id: (draft, each) for each in attempts
        }
        live = self._store.get(list(given))
        parts: list[_Part] = []
        for episode_id, (draft, outcome) in given.items():
            if episode_id in live:
                continue
            now = self._clock()
            episode, chunk = outcome_passage(draft, incident, outcome, now)
            claims = tuple(outcome_claims(draft, incident, outcome, chunk, now))
            embedding = self._embedding(chunk)
            named = outcome.outcome_id
            parts.append(_Part(draft, episode, chunk, claims, embedding, outcome_id=named))
        return parts

    def _check_clock(self, report: IncidentReport, named: str) -> None:
        """Say when a report comes from the future: its clock, or ours, is wrong."""
        if report.timestamp is None:
            self._warn(named, "timestamp: unknown; it is kept, and left out where time matters")
            return
        ahead = to_epoch(report.timestamp) - to_epoch(self._clock())
        if ahead > _SKEW_S:
            self._warn(
                named,
                f"timestamp {report.timestamp!r} is {ahead / 3600:.1f} hours ahead of this "
                "machine's clock: one of the clocks is wrong; it is kept as given",
            )

    def _warn(self, at: str, text: str) -> None:
        self.tally.problems.append(Problem(at, text, "warning"))

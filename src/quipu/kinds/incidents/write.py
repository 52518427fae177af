"""Incidents into memory: a report is an episode with one passage; edges come with it.

Each report is one atomic write: the incident, its service and dependencies, its passage with its
vector, its SIMILAR_TO edges and its outcomes; the edges that follow from times and dependencies are
drawn after it (`links.py`). The same report again changes nothing; another report of the same
source takes the place of the first. What is worked out (analysis, severity where none is stated) is
worked out from all that the reports of an incident measured together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput, MissingExtra, ModelUnavailable, UnknownRecord
from quipu.kinds.incidents.links import (
    NewEdge,
    draw,
    link_relation,
    recall,
    services_around,
    similar_links,
)
from quipu.kinds.incidents.model import (
    WINDOW_S,
    BlastRadius,
    Incident,
    IncidentReport,
    Metrics,
    Outcome,
    OutcomeReport,
    agent_analysis,
    embedding_number,
    incident_id,
    outcome_id,
    severity_by_rule,
    unplaced_incident_id,
)
from quipu.kinds.incidents.read import numbers_an_incident
from quipu.kinds.incidents.records import (
    description_text,
    incident_claims,
    incident_entity_id,
    incident_in,
    incident_passage,
    incident_ref,
    outcome_claims,
    outcome_draft,
    outcome_passage,
    report_draft,
)
from quipu.ports import Embedder, Progress, Store
from quipu.profiles import profile
from quipu.read.redact import Redactor
from quipu.records.batch import Batch, Claim, Embedding
from quipu.records.document import Problem
from quipu.records.record import Chunk, Episode
from quipu.when.instants import UNKNOWN_TIME, Clock

__all__ = [
    "GivenVector",
    "IncidentTally",
    "IncidentWriter",
    "cleaned",
    "completed",
]

Report = TypeVar("Report", IncidentReport, OutcomeReport)


class GivenVector(NamedTuple):
    """A vector that came with a report, and the space it belongs to."""

    space: str
    vector: NDArray[np.float32]


@dataclass
class IncidentTally:
    """What became of the reports: ids of incidents and outcomes, how many edges were made."""

    added: list[str] = field(default_factory=list[str])
    unchanged: list[str] = field(default_factory=list[str])
    outcomes: list[str] = field(default_factory=list[str])
    edges: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])


class _Part(NamedTuple):
    """One episode with everything it asserts."""

    episode: Episode
    chunk: Chunk
    claims: tuple[Claim, ...]
    embedding: Embedding | None


class IncidentWriter:
    """Writes reports and outcomes into one store."""

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None,
        clock: Clock,
        window_s: int = WINDOW_S,
        linking: bool = True,
    ) -> None:
        """Without `linking` no edges between incidents are made: they come from elsewhere."""
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._window_s = window_s
        self._linking = linking
        self.tally = IncidentTally()

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
        if self._linking:
            services = {report.component for _, report in ordered}
            needing = [services_around(self._store, each, above=True) for each in sorted(services)]
            _, new = draw(self._store, services.union(*needing), clock=self._clock)
            self.tally.edges += new
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
        told = cleaned(report)
        self._write(self._attempts(incident, [told]))
        return _outcome(incident, told)

    def _incident(self, named: str) -> Incident | None:
        key = incident_entity_id(self._store.namespace, named)
        return incident_in(self._store.get([key]).get(key))

    def _add(self, report: IncidentReport, position: int, placed: GivenVector | None) -> None:
        report = cleaned(report)
        named = self._identified(report, position)
        draft = report_draft(self._store.namespace, named, report)
        earlier = self._incident(named)
        if draft.episode_id in self._store.get([draft.episode_id]):
            if earlier is not None:
                self._write(self._attempts(earlier, report.outcomes))
            self.tally.unchanged.append(named)
            return
        incident = completed(report, named, earlier)
        now = self._clock()
        episode, chunk = incident_passage(draft, incident, now)
        embedding = self._embedding(chunk, placed, description_text(incident))
        links = self._similar(incident, embedding)
        claims = (
            *draft.claims(incident_claims(draft, incident), chunk),
            *draft.claims(link_relation(draft, each, now) for each in links),
        )
        part = _Part(episode, chunk, claims, embedding)
        self._write([part, *self._attempts(incident, report.outcomes)])
        self.tally.added.append(named)
        self.tally.edges += len(links)
        if report.timestamp is None:
            unknown = "timestamp: unknown; it is kept, and left out where time matters"
            self.tally.problems.append(Problem(named, unknown, "warning"))

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
        founding = incident_id(report.component, report.timestamp, window_s=self._window_s)
        if not numbers_an_incident(report.source):
            return founding
        if self._store.sources(refs=[incident_ref(founding, report.source)]):
            return founding  # as it was named before such an id counted
        return incident_id(
            report.component, report.timestamp, own=report.source, window_s=self._window_s
        )

    def _write(self, parts: Sequence[_Part]) -> None:
        """Write the parts together: a report and its attempts are in or out."""
        if parts:
            self._store.write(
                Batch(
                    recorded_at=self._clock(),
                    episodes=tuple(part.episode for part in parts),
                    chunks=tuple(profile(p.chunk.profile).index_chunk(p.chunk) for p in parts),
                    claims=tuple(claim for part in parts for claim in part.claims),
                    embeddings=tuple(p.embedding for p in parts if p.embedding is not None),
                    replaces=tuple(part.episode.source_ref for part in parts),
                )
            )

    def _similar(self, incident: Incident, embedding: Embedding | None) -> list[NewEdge]:
        if embedding is None or not self._linking:  # without a vector nothing is called similar
            return []
        vector = np.asarray(embedding.vector, dtype=np.float32)
        found = recall(self._store, incident, vector=vector, space=embedding.space)
        return list(similar_links(incident, found))

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

    def _attempts(self, incident: Incident, told: Iterable[OutcomeReport]) -> list[_Part]:
        """What is to be written of those attempts that are not there yet."""
        outcomes = [_outcome(incident, report) for report in told]
        drafts = [outcome_draft(self._store.namespace, outcome) for outcome in outcomes]
        given = {d.episode_id: (d, o) for d, o in zip(drafts, outcomes, strict=True)}
        live = self._store.get(list(given))
        parts: list[_Part] = []
        for episode_id, (draft, outcome) in given.items():
            if episode_id not in live:
                now = self._clock()
                episode, chunk = outcome_passage(draft, incident, outcome, now)
                claims = draft.claims(outcome_claims(draft, incident, outcome, now), chunk)
                parts.append(_Part(episode, chunk, claims, self._embedding(chunk)))
                self.tally.outcomes.append(outcome.outcome_id)
        return parts


def _outcome(incident: Incident, report: OutcomeReport) -> Outcome:
    told = msgspec.structs.asdict(report)
    told["blast_radius"] = report.blast_radius or incident.blast_radius
    named = outcome_id(incident.incident_id, report)
    return Outcome(outcome_id=named, incident_id=incident.incident_id, **told)


def cleaned(report: Report) -> Report:
    """Return the report or attempt without secrets, in every text it has."""
    try:
        plain = msgspec.json.decode(msgspec.json.encode(report))
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{error.object[:40]!r} is no valid text (half of a surrogate pair): mend it at its "
            "source"
        ) from error
    return msgspec.convert(Redactor().properties(plain), type(report))


def completed(report: IncidentReport, named: str, earlier: Incident | None = None) -> Incident:
    """Return the incident that a report makes, together with what other reports of it said
    (`earlier`).

    A stated severity counts; without one it is the graver of the rule's and the one known.
    """
    metrics, felt, times = report.metrics, report.affected_services, [report.timestamp]
    if earlier is not None:
        metrics = Metrics(**{**earlier.metrics.known(), **metrics.known()})
        felt = (*felt, *earlier.affected_services)
        times.append(earlier.timestamp)
    grades = [severity_by_rule(metrics), *([earlier.severity] if earlier else [])]
    severity = report.severity or max(grades, key=lambda grade: grade.rank)
    reach = BlastRadius.MULTI if set(felt) - {report.component} else BlastRadius.SINGLE
    told = {
        name: value
        for name, value in msgspec.structs.asdict(report).items()
        if name in Incident.__struct_fields__ and value is not None
    }
    worked_out: dict[str, Any] = {
        "agent_analysis": agent_analysis(metrics, severity, stated_cause=report.root_cause),
        "embedding_id": earlier.embedding_id if earlier else embedding_number(named),
        "predictive_insights": earlier.predictive_insights if earlier else {},
    }
    together: dict[str, Any] = {
        "incident_id": named,
        "severity": severity,
        "timestamp": min(filter(None, times), default=None),
        "metrics": metrics,
        "affected_services": tuple(dict.fromkeys(felt)),
        "blast_radius": report.blast_radius or reach,
    }
    return Incident(**{**worked_out, **told, **together})

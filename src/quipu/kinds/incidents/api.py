"""Incidents: what `Memory.incidents` offers. Vectors recall, the graph advises."""

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.handle.handle import Handle
from quipu.handle.models import EmbedderSource
from quipu.index.asked import spaces_of
from quipu.kinds.incidents.advice import (
    Comparison,
    Recommendation,
    Replay,
    advise,
    compare,
    replay,
    static_advice,
)
from quipu.kinds.incidents.case_base import (
    Case,
    CaseBase,
    IncidentDetail,
    IncidentList,
    IncidentRow,
    IncidentSummary,
    edges_between,
    read_cases,
    service_record,
)
from quipu.kinds.incidents.exchange import (
    read_incident_graph,
    write_edges,
    write_incident_graph,
)
from quipu.kinds.incidents.links import SimilarIncidents, draw_all, similar
from quipu.kinds.incidents.migrate import Migration, migrate_arf, write_summary
from quipu.kinds.incidents.model import (
    Incident,
    IncidentReport,
    Outcome,
)
from quipu.kinds.incidents.policies import (
    SHIPPED,
    ActionPolicy,
    read_policies,
)
from quipu.kinds.incidents.read import (
    IncidentsRead,
    outcome,
    read_incident_files,
    read_incidents,
    read_rows,
)
from quipu.kinds.incidents.records import (
    description_text,
    incident_entity_id,
    incident_of,
    incident_text,
)
from quipu.kinds.incidents.write import IncidentWriter, cleaned, completed
from quipu.ports import Progress
from quipu.read.fields import Fields
from quipu.records.record import Entity
from quipu.when.instants import parse_instant, to_epoch
from quipu.write.report import ProblemRow, rows

__all__ = ["Incidents", "IncidentsAdded", "IncidentsMoved", "Policies"]

_LIKE = 30
"""How many like incidents advice may rest on."""

Retrieval: TypeAlias = Literal["off", "shadow", "on"]
"""`shadow`, of earlier versions, is `off`: `replay` shows what the past would have changed."""
Subject: TypeAlias = str | dict[str, Any] | IncidentReport
"""An `incident_id` that is here, or a new incident: a record or a report."""

_ASIDE = (
    "past outcomes take no part, since `incidents.retrieval` is not on: `--retrieval on`, or "
    '`retrieval = "on"` under [incidents], lets them'
)

_LOG = logging.getLogger(__name__)


class IncidentsAdded(msgspec.Struct, frozen=True, kw_only=True):
    """What became of reports."""

    added: Annotated[tuple[str, ...], "ids of the incidents that were written"]
    unchanged: Annotated[tuple[str, ...], "ids of those that were there as they are"]
    outcomes: Annotated[tuple[str, ...], "ids of the outcomes that were written"]
    edges: Annotated[int, "how many edges between incidents were made"]
    errors: Annotated[tuple[ProblemRow, ...], "what was left out"]
    warnings: Annotated[tuple[ProblemRow, ...], "what went in without a field, or with a doubt"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()


class IncidentsMoved(msgspec.Struct, frozen=True, kw_only=True):
    """What an export or import of the incident graph moved."""

    incidents: Annotated[int, "how many incidents"]
    outcomes: Annotated[int, "how many outcomes"]
    edges: Annotated[int, "how many edges"]
    errors: Annotated[tuple[ProblemRow, ...], "what was left out"] = ()


class Policies(msgspec.Struct, frozen=True, kw_only=True):
    """The action policies in force, and what was wrong with others of the file."""

    policies: Annotated[tuple[ActionPolicy, ...], "the action policies that are used"]
    errors: Annotated[tuple[ProblemRow, ...], "those that cannot be used, and why"]


class Incidents:
    """The incident memory of one store."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._config = handle.config.incidents
        self._policies: tuple[ActionPolicy, ...] | None = None
        self._read: tuple[int, CaseBase] = (-1, CaseBase())

    def policies(self) -> tuple[ActionPolicy, ...]:
        """The action policies in force: the configured file's, else the shipped ones.

        A policy that cannot be used is logged and left out; InvalidInput when none can.
        """
        if self._policies is None:
            found = self.check_policies()
            for each in found.errors:
                _LOG.warning("%s: %s; the other policies are used", each.path, each.error)
            if not found.policies:
                why = "; ".join(each.error for each in found.errors) or "it is empty"
                raise InvalidInput(f"no policy in {self._config.policies!r} can be used: {why}")
            self._policies = found.policies
        return self._policies

    def check_policies(self, path: str | Path | None = None) -> Policies:
        """The policies in a file (default: the configured one, else the shipped), and what is
        wrong in it. Raises InvalidInput when it is no file of policies."""
        named = path or self._config.policies
        if not named:
            return Policies(policies=SHIPPED, errors=())
        place = Path(named).expanduser()
        if path is None:
            place = self._handle.home.folder / place
        with self._handle.guard() as call:
            found, problems = read_policies(place, call=call)
        return Policies(policies=found, errors=rows(problems, "error"))

    def add(
        self,
        reports: Sequence[IncidentReport | dict[str, Any]] | IncidentReport | dict[str, Any],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IncidentsAdded:
        """Remember incidents: reports, or records of any system that is understood
        (docs/how-to/incidents.md). The same one again changes nothing; what cannot be used is a
        row of `errors`. Written at once."""
        given = [reports] if isinstance(reports, IncidentReport | dict) else list(reports)
        read = read_rows((f"#{n}", each) for n, each in enumerate(given, 1))
        return self._add(read, embed=embed, progress=progress)

    def add_files(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        component: str | None = None,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IncidentsAdded:
        """Remember the incidents in files, or in the files of folders; `component` is what a
        post-mortem was about that names no service. Written at once."""
        files = [Path(path) for path in ((paths,) if isinstance(paths, str | Path) else paths)]
        with self._handle.guard() as call:
            read = read_incident_files(files, component=component or "", call=call)
        return self._add(read, embed=embed, progress=progress)

    def add_text(
        self, text: str, *, path: str = "-", component: str | None = None, embed: bool = True
    ) -> IncidentsAdded:
        """Remember the incidents in a text: JSON, JSON lines or a post-mortem, about `component`
        where it names no service. Written at once."""
        with self._handle.guard() as call:
            read = call(read_incidents, text, path=path, component=component or "")
        return self._add(read, embed=embed)

    def _add(
        self, read: IncidentsRead, *, embed: bool, progress: Progress | None = None
    ) -> IncidentsAdded:
        with self._handle.writing:
            writer = self._writer(embed=embed)
            tally = writer.add(read.reports, read.outcomes, progress=progress)
        every = [*read.problems, *tally.problems]
        unlinked = embed and self._model().get() is None and bool(tally.added)
        return IncidentsAdded(
            added=tuple(tally.added),
            unchanged=tuple(tally.unchanged),
            outcomes=tuple(tally.outcomes),
            edges=tally.edges,
            errors=rows(every, "error"),
            warnings=rows(every, "warning"),
            notes=("there is no model: no SIMILAR_TO edges were made",) if unlinked else (),
        )

    def outcome(
        self,
        incident_id: str,
        actions_taken: Sequence[str] | str,
        *,
        success: bool,
        resolution_time_minutes: float | None = None,
        lessons_learned: str = "",
        blast_radius: str | None = None,
        recorded_at: str | None = None,
    ) -> Outcome:
        """Record one attempt at an incident, by default as of now.

        Raises UnknownRecord for an incident that is not here, InvalidInput naming the field.
        Written at once.
        """
        actions = [actions_taken] if isinstance(actions_taken, str) else [*actions_taken]
        told = {
            "actions_taken": actions,
            "success": success,
            "resolution_time_minutes": resolution_time_minutes,
            "lessons_learned": lessons_learned,
            "blast_radius": blast_radius,
            "recorded_at": recorded_at or self._handle.clock(),
        }
        fields = Fields(told)
        report = outcome(fields)
        if fields.problems:
            raise InvalidInput("; ".join(fields.problems))
        with self._handle.writing:
            return self._writer(embed=True).attempt(incident_id, report)

    def resolve(
        self,
        incident_id: str,
        actions_taken: Sequence[str] | str,
        *,
        lessons_learned: str = "",
        recorded_at: str | None = None,
    ) -> Outcome:
        """Record that these actions ended an incident, by default now: the time to repair is from
        its beginning, where that is known, to then.

        Raises UnknownRecord for an incident that is not here, InvalidInput where it is resolved
        already or ended before it began. Written at once.
        """
        case = self._case(incident_id)
        if case.ending is not None:
            raise InvalidInput(
                f"incident {incident_id!r} is resolved already: record a further attempt with "
                "`quipu incident outcome`"
            )
        at = parse_instant(recorded_at) if recorded_at else self._handle.clock()
        began = case.incident.timestamp
        minutes = None if began is None else round((to_epoch(at) - to_epoch(began)) / 60, 1)
        if minutes is not None and minutes < 0:
            raise InvalidInput(f"recorded_at {at!r} lies before the incident began ({began!r})")
        return self.outcome(
            incident_id,
            actions_taken,
            success=True,
            resolution_time_minutes=minutes,
            lessons_learned=lessons_learned,
            recorded_at=at,
        )

    def list(
        self,
        *,
        component: str | None = None,
        state: Literal["open", "resolved"] | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 50,
    ) -> IncidentList:
        """Incidents, the latest first: of one component, open or resolved, begun within dates; with
        dates only those whose time is known."""
        if limit < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        first, last = (parse_instant(each) if each else None for each in (since, until))
        listed = [
            IncidentRow(
                **case.incident.head,
                state=case.state,
                minutes=case.minutes,
                attempts=len(case.outcomes),
            )
            for case in reversed(self._case_base().cases)
            if component in (None, case.incident.component)
            and state in (None, case.state)
            and (first is None or (case.incident.timestamp or "") >= first)
            and (last is None or (case.incident.timestamp or "~") <= last)
        ]
        return IncidentList(incidents=tuple(listed[:limit]), total=len(listed))

    def show(self, incident_id: str) -> IncidentDetail:
        """An incident with its attempts and edges.
        Raises UnknownRecord."""
        case = self._case(incident_id)
        return IncidentDetail(
            incident=case.incident,
            state=case.state,
            minutes=case.minutes,
            outcomes=case.outcomes,
            edges=tuple(edges_between(self._handle.store, [case.name])),
        )

    def timeline(self, incident_id: str) -> IncidentDetail:
        """What `show` gives; goes with the next version."""
        said = "incidents.timeline gives what incidents.show does, and goes with the next version"
        warnings.warn(said, DeprecationWarning, stacklevel=2)
        return self.show(incident_id)

    def summary(self) -> IncidentSummary:
        """Counts and time to repair by service."""
        case_base = self._case_base()
        names = {case.incident.component for case in case_base.cases}
        services = [service_record(name, case_base.of(name)) for name in names]
        services.sort(key=lambda each: (-each.incidents, each.component))
        return IncidentSummary(
            incidents=len(case_base.cases),
            open=sum(each.open for each in services),
            services=tuple(services),
        )

    def _case(self, incident_id: str) -> Case:
        found = (case for case in self._case_base().cases if case.name == incident_id)
        if (case := next(found, None)) is None:
            raise UnknownRecord(
                f"{incident_id!r} is no incident here: `quipu incident list` shows those that are"
            )
        return case

    def link(self) -> int:
        """Tie the incidents by what is known of dependencies now; how many CAUSED_BY and
        ESCALATED_FROM edges stand. A report ties its own service, and `Memory.index` calls this.
        Written at once."""
        with self._handle.writing:
            stand, _ = draw_all(self._handle.store, clock=self._handle.clock)
        return stand

    def export(self, path: str | Path, *, overwrite: bool = False) -> IncidentsMoved:
        """Write incidents, outcomes and edges to a JSON file in the exchange form, over a file that
        is there only with `overwrite`."""
        written = write_incident_graph(self._handle.store, Path(path), overwrite=overwrite)
        return IncidentsMoved(
            incidents=len(written.incidents),
            outcomes=len(written.outcomes),
            edges=len(written.edges),
        )

    def import_(self, path: str | Path, *, progress: Progress | None = None) -> IncidentsMoved:
        """Take in what `export` wrote; again changes nothing. Written at once."""
        read, edges = read_incident_graph(Path(path))
        with self._handle.writing:
            writer = self._writer(embed=True, linking=False)
            tally = writer.add(read.reports, read.outcomes, progress=progress)
            stand, unusable = write_edges(self._handle.store, edges, clock=self._handle.clock)
        every = [*read.problems, *tally.problems, *unusable]
        return IncidentsMoved(
            incidents=len(tally.added) + len(tally.unchanged),
            outcomes=len(read.outcomes),
            edges=stand,
            errors=rows(every, "error"),
        )

    def import_arf(self, folder: str | Path, *, progress: Progress | None = None) -> Migration:
        """Take in a v2 store (a FAISS index and its texts) with the vectors it has.

        Raises InvalidInput when a file is missing, cut or foreign. Written at once.
        """
        with self._handle.writing:
            done = migrate_arf(
                self._handle.store,
                Path(folder),
                embedder=self._model().get(),
                clock=self._handle.clock,
                progress=progress,
            )
            write_summary(done, self._handle.home.state)
        return done

    def _model(self) -> EmbedderSource:
        return self._handle.models.of("prose")

    def _writer(self, *, embed: bool, linking: bool = True) -> IncidentWriter:
        return IncidentWriter(
            self._handle.store,
            embedder=self._model().get() if embed else None,
            clock=self._handle.clock,
            window_s=self._config.window_seconds,
            linking=linking,
        )

    def similar(
        self, subject: Subject, *, as_of: str | None = None, limit: int = 10
    ) -> SimilarIncidents:
        """The incidents most like `subject`, with what was done and what came of it.

        `as_of` (any ISO date) ranks only what was known then. Raises UnknownRecord, InvalidInput.
        """
        if limit < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        incident, stored = self._subject(subject)
        asked = description_text(incident) or incident_text(incident)
        embedder, _ = self._model().answering(asked, spaces_of(self._handle.store)[0])
        return similar(
            self._handle.store,
            incident,
            vector=embedder.embed([asked])[0] if embedder else None,
            space=embedder.space if embedder else "",
            stored=stored,
            as_of=parse_instant(as_of) if as_of else None,
            limit=limit,
        )

    def recommend(
        self,
        subject: Subject,
        *,
        as_of: str | None = None,
        retrieval: Retrieval | None = None,
    ) -> Recommendation:
        """What to try against `subject`, from the action policies and, where `retrieval` (by
        default `incidents.retrieval`) is `on`, from past incidents. Nothing is ever run.
        """
        mode = retrieval or self._config.retrieval
        incident, _ = self._subject(subject)
        at, case_base = self._cases_at(as_of)
        if mode == "on":
            like = self._like(subject, as_of)
            return advise(incident, case_base, self.policies(), at=at, context=like)
        static = static_advice(incident, case_base, self.policies(), at=at)
        if retrieval is None and any(case.outcomes for case in case_base.cases):
            static = msgspec.structs.replace(static, notes=(*static.notes, _ASIDE))
        return static

    def compare(
        self, subject: Subject, first: str, second: str, *, as_of: str | None = None
    ) -> Comparison:
        """Two actions side by side: for an incident (its id or a description), with the numbers
        that `recommend` gives for it; or for a component, over everything that befell it."""
        at, case_base = self._cases_at(as_of)
        if isinstance(subject, str) and subject not in {case.name for case in case_base.cases}:
            return compare(case_base, subject, first, second, at=at)
        incident, _ = self._subject(subject)
        like = self._like(subject, as_of)
        return compare(case_base, incident.component, first, second, at=at, context=like)

    def _like(self, subject: Subject, as_of: str | None) -> dict[str, float]:
        """What advice may rest on: how like each incident is, by `incident_id`."""
        return self.similar(subject, as_of=as_of, limit=_LIKE).weights

    def replay(self, *, known: Literal["told"] | None = None) -> Replay:
        """The policies over history, each incident with what was known at its moment by the
        records' own times. `known` counts for nothing and goes with the next version."""
        if known is not None:
            warnings.warn(
                "known counts for nothing: leave it out", DeprecationWarning, stacklevel=2
            )
        return replay(self._handle.store, self.policies())

    def _case_base(self) -> CaseBase:
        """Every case; read anew only when the store has changed."""
        with self._handle.writing:
            now = self._handle.store.sequence()
            if self._read[0] != now:
                self._read = now, read_cases(self._handle.store)
        return self._read[1]

    def _cases_at(self, as_of: str | None) -> tuple[str, CaseBase]:
        """The moment that advice speaks of, and the cases as they stood then."""
        if as_of is None:
            return self._handle.clock(), self._case_base()
        at = parse_instant(as_of)
        return at, self._case_base().before(at)

    def _subject(self, subject: Subject) -> tuple[Incident, bool]:
        """The incident that is meant, and whether it is in the memory."""
        if isinstance(subject, str):
            key = incident_entity_id(self._handle.store.namespace, subject)
            found = self._handle.store.get([key]).get(key)
            if not isinstance(found, Entity):
                raise UnknownRecord(
                    f"{subject!r} is no incident here: give an incident_id, or describe a new "
                    "incident with its component and numbers"
                )
            return incident_of(found), True
        read = read_rows([("the incident", subject)])
        if read.problems or len(read.reports) != 1:
            detail = "; ".join(p.error for p in read.problems) or "it is not one incident"
            raise InvalidInput(f"the incident cannot be used: {detail}")
        report = cleaned(read.reports[0])
        return completed(report, report.incident_id), False

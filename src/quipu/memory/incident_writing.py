"""Incidents written, exported and taken in: what `Memory.incidents` offers for that."""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from quipu.config import Config
from quipu.domain.action_policies import SHIPPED, ActionPolicy, actions_of, evaluate
from quipu.domain.document import Problem
from quipu.domain.incident_nodes import outcome_report, report_of
from quipu.domain.incidents import IncidentReport, Metrics, Outcome, OutcomeReport
from quipu.domain.instants import Clock
from quipu.domain.progress import Progress
from quipu.errors import InvalidInput
from quipu.ingest.report import ProblemRow
from quipu.memory.home import Home
from quipu.memory.migrating import Migration, migrate_arf, write_summary
from quipu.memory.model import Model
from quipu.ports import Store

if TYPE_CHECKING:
    from quipu.casebook import Casebook, Cases
    from quipu.ingest.guard import Guard
    from quipu.ingest.incidents import IncidentWriter
    from quipu.learn.attempts import Attempts

__all__ = ["IncidentsAdded", "IncidentsMoved", "IncidentsWritten", "Policies"]

Node = TypeVar("Node")
Made = TypeVar("Made")
_LOG = logging.getLogger(__name__)


class IncidentsAdded(msgspec.Struct, frozen=True, kw_only=True):
    """What became of reports: ids of incidents and outcomes, how many edges were made.

    `errors` were left out; `warnings` went in without a field, or with a doubt.
    """

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    outcomes: tuple[str, ...]
    edges: int
    errors: tuple[ProblemRow, ...]
    warnings: tuple[ProblemRow, ...]
    notes: tuple[str, ...] = ()


class IncidentsMoved(msgspec.Struct, frozen=True, kw_only=True):
    """What an export or import of the incident graph moved."""

    incidents: int
    outcomes: int
    edges: int
    errors: tuple[ProblemRow, ...] = ()


class Policies(msgspec.Struct, frozen=True, kw_only=True):
    """The action policies in force, and what was wrong with others of the file."""

    policies: tuple[ActionPolicy, ...]
    errors: tuple[ProblemRow, ...]


class IncidentsWritten:
    """The incident memory of one store, written to."""

    def __init__(
        self,
        store: Store,
        *,
        home: Home,
        config: Config,
        model: Model,
        clock: Clock,
        writing: threading.RLock,
    ) -> None:
        """Shares its parts with the `Memory` it belongs to."""
        self._store = store
        self._home = home
        self._config = config.incidents
        self._index = config.index
        self._model = model
        self._clock = clock
        self._writing = writing
        self._policies: tuple[ActionPolicy, ...] | None = None
        self._cases: Cases | None = None
        self._columns: tuple[Casebook, Attempts] | None = None

    def policies(self) -> tuple[ActionPolicy, ...]:
        """The action policies in force: the configured file's, else the shipped ones.

        A policy that cannot be used is logged and left out; InvalidInput when none can.
        """
        if self._policies is None:
            self._policies = self._read_policies()
        return self._policies

    def check_policies(self, path: str | Path | None = None) -> Policies:
        """The policies in a file (default: the configured one, else the shipped), and what is
        wrong in it. Raises InvalidInput when it is no file of policies."""
        from quipu.read.incidents.policies import read_policies

        named = path or self._config.policies
        if not named:
            return Policies(policies=SHIPPED, errors=())
        place = Path(named).expanduser()
        if path is None and not place.is_absolute():
            place = self._home.folder / place
        with self._guard() as call:
            found, problems = read_policies(place, call=call)
        return Policies(policies=found, errors=_rows(problems, "error"))

    def _read_policies(self) -> tuple[ActionPolicy, ...]:
        found = self.check_policies()
        for each in found.errors:
            _LOG.warning("%s: %s; the other policies are used", each.path, each.error)
        if not found.policies:
            raise InvalidInput(
                f"no policy in {self._config.policies!r} can be used: "
                + ("; ".join(each.error for each in found.errors) or "it is empty")
            )
        return found.policies

    def add(
        self,
        reports: Sequence[IncidentReport | dict[str, Any]] | IncidentReport | dict[str, Any],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IncidentsAdded:
        """Remember incidents: reports, or records of any system that is understood
        (docs/how-to/incidents.md). The same one again changes nothing; what cannot be used is a
        row of `errors`."""
        from quipu.read.incidents import read_record

        given = [reports] if isinstance(reports, IncidentReport | dict) else list(reports)
        kept: list[IncidentReport] = []
        outcomes: list[tuple[str, OutcomeReport]] = []
        problems: list[Problem] = []
        for at, each in enumerate(given):
            if isinstance(each, IncidentReport):
                kept.append(each)
                continue
            read = read_record(each)
            kept += read.reports
            outcomes += read.outcomes
            problems += [p._replace(path=f"#{at + 1}") for p in read.problems]
        return self._add(kept, outcomes, problems, embed=embed, progress=progress)

    def add_files(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IncidentsAdded:
        """Remember the incidents in files, or in the files of folders."""
        from quipu.read.incidents import read_incident_files

        chosen = (paths,) if isinstance(paths, str | Path) else tuple(paths)
        with self._guard() as call:
            read = read_incident_files([Path(path) for path in chosen], call=call)
        return self._add(read.reports, read.outcomes, read.problems, embed=embed, progress=progress)

    def add_text(self, text: str, *, path: str = "-", embed: bool = True) -> IncidentsAdded:
        """Remember the incidents in a text: JSON, JSON lines or a post-mortem."""
        from quipu.read.incidents import read_incidents

        with self._guard() as call:
            read = call(read_incidents, text, path=path)
        return self._add(read.reports, read.outcomes, read.problems, embed=embed, progress=None)

    def _add(
        self,
        reports: Sequence[IncidentReport],
        outcomes: Sequence[tuple[str, OutcomeReport]],
        problems: Sequence[Problem],
        *,
        embed: bool,
        progress: Progress | None,
    ) -> IncidentsAdded:
        from quipu.ingest.action_policies import record_policies  # brings the readers with it

        with self._writing:
            writer = self._writer(embed=embed)
            tally = writer.add(reports, outcomes, progress=progress)
            if tally.added or tally.unchanged:
                record_policies(self._store, self.policies(), clock=self._clock)
        every = [*problems, *tally.problems]
        unlinked = embed and self._model.get() is None and bool(tally.added)
        return IncidentsAdded(
            added=tuple(tally.added),
            unchanged=tuple(tally.unchanged),
            outcomes=tuple(tally.outcomes),
            edges=len(tally.edges),
            errors=_rows(every, "error"),
            warnings=_rows(every, "warning"),
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
        """
        from quipu.read.incidents.fields import Fields
        from quipu.read.incidents.native import outcome

        actions = [actions_taken] if isinstance(actions_taken, str) else list(actions_taken)
        fields = Fields(
            {
                "actions_taken": actions,
                "success": success,
                "resolution_time_minutes": resolution_time_minutes,
                "lessons_learned": lessons_learned,
                "blast_radius": blast_radius,
                "recorded_at": recorded_at or self._clock(),
            }
        )
        report = outcome(fields)
        if fields.problems:
            raise InvalidInput("; ".join(fields.problems))
        with self._writing:
            return self._writer(embed=True).attempt(incident_id, report)

    def link(self) -> int:
        """Tie the incidents by what is known of dependencies now; how many CAUSED_BY edges stand
        that no report made itself. A report ties its own incident, and `Memory.index` calls this;
        it reads only the services whose needs have changed."""
        from quipu.ingest.incident_links import draw_all_causes

        with self._writing:
            return draw_all_causes(self._store, clock=self._clock)

    def export(self, path: str | Path) -> IncidentsMoved:
        """Write incidents, outcomes and edges to a JSON file in the exchange form."""
        from quipu.move.incident_graph import incident_nodes, write_incident_nodes

        nodes = incident_nodes(self._store)
        write_incident_nodes(nodes, Path(path))
        return IncidentsMoved(
            incidents=len(nodes.incidents), outcomes=len(nodes.outcomes), edges=len(nodes.edges)
        )

    def import_(self, path: str | Path, *, progress: Progress | None = None) -> IncidentsMoved:
        """Take in what `export` wrote; again changes nothing."""
        from quipu.move.incident_graph import read_incident_nodes, write_edges

        nodes = read_incident_nodes(Path(path))
        problems: list[Problem] = []
        reports = _usable(nodes.incidents, report_of, lambda n: n.incident_id, problems)
        outcomes = _usable(
            nodes.outcomes,
            lambda n: (n.incident_id, outcome_report(n)),
            lambda n: n.incident_id,
            problems,
        )
        with self._writing:
            tally = self._writer(embed=True, linking=False).add(
                reports, outcomes, progress=progress
            )
            edges, unusable = write_edges(self._store, nodes.edges, clock=self._clock)
        every = [*problems, *tally.problems, *unusable]
        return IncidentsMoved(
            incidents=len(tally.added) + len(tally.unchanged),
            outcomes=len(outcomes),
            edges=edges,
            errors=_rows(every, "error"),
        )

    def import_arf(self, folder: str | Path, *, progress: Progress | None = None) -> Migration:
        """Take in a v2 store (a FAISS index and its texts) with the vectors it has.

        Raises InvalidInput when a file is missing, cut or foreign.
        """
        with self._writing:
            done = migrate_arf(
                self._store,
                Path(folder),
                embedder=self._model.get(),
                clock=self._clock,
                progress=progress,
            )
            write_summary(done, self._home.state)
        return done

    def _guard(self) -> "Guard":
        from quipu.memory.writing import reading_guard

        return reading_guard(self._index)

    def _writer(self, *, embed: bool, linking: bool = True) -> "IncidentWriter":
        from quipu.ingest.incidents import IncidentWriter

        return IncidentWriter(
            self._store,
            embedder=self._model.get() if embed else None,
            clock=self._clock,
            window_s=self._config.window_seconds,
            actions=self._static_actions,
            linking=linking,
        )

    def _static_actions(self, component: str, metrics: Metrics) -> Sequence[str]:
        return [str(a) for a in actions_of(evaluate(self.policies(), component, metrics, at=None))]


def _usable(
    nodes: Iterable[Node],
    make: Callable[[Node], Made],
    name: Callable[[Node], str],
    problems: list[Problem],
) -> list[Made]:
    """What the nodes make; one that cannot be used becomes a problem."""
    made: list[Made] = []
    for node in nodes:
        try:
            made.append(make(node))
        except InvalidInput as error:
            problems.append(Problem(name(node), str(error)))
    return made


def _rows(problems: Iterable[Problem], severity: str) -> tuple[ProblemRow, ...]:
    from quipu.read import redact  # dear to import, and seldom needed

    rows = {(p.path, redact(p.error)[0]) for p in problems if p.severity == severity}
    return tuple(ProblemRow(path=path, error=error) for path, error in sorted(rows))

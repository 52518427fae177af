"""Incidents: what `Memory.incidents` offers. Vectors recall, the graph advises."""

import json
import logging
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from quipu.domain.action_policies import evaluate
from quipu.domain.incident_records import (
    incident_entity_id,
    incident_of,
    incident_text,
    incident_title,
)
from quipu.domain.incidents import HealingAction, Incident, IncidentReport
from quipu.domain.instants import parse_instant
from quipu.domain.records import Entity
from quipu.errors import InvalidInput, UnknownRecord
from quipu.files import private
from quipu.index.asked import spaces_of
from quipu.ingest.state_files import SHADOW_LOG
from quipu.memory.incident_writing import IncidentsWritten

if TYPE_CHECKING:
    from quipu.casebook import Casebook
    from quipu.incidents import SimilarIncidents
    from quipu.learn.advise import Recommendation
    from quipu.learn.attempts import Attempts
    from quipu.learn.compare import Comparison
    from quipu.learn.replay import Replay

__all__ = ["SHADOW_LOG", "Incidents", "Subject"]

Retrieval: TypeAlias = Literal["off", "shadow", "on"]
Subject: TypeAlias = str | dict[str, Any] | IncidentReport
"""An `incident_id` that is here, or a new incident: a record or a report."""

_LOG = logging.getLogger(__name__)


class Incidents(IncidentsWritten):
    """The incident memory of one store."""

    def similar(
        self, subject: Subject, *, as_of: str | None = None, limit: int = 10
    ) -> "SimilarIncidents":
        """The incidents most like `subject`, with what was done and what came of it.

        `as_of` (any ISO date) ranks only what was known then. Raises UnknownRecord, InvalidInput.
        """
        from quipu.incidents import similar

        if limit < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        incident, stored = self._subject(subject)
        asked = f"{incident_title(incident)}: {incident_text(incident)}"  # as it is stored
        embedder, _ = self._model.answering(asked, spaces_of(self._store)[0])
        return similar(
            self._store,
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
    ) -> "Recommendation":
        """What to try against `subject`, from the action policies and, where `retrieval` (by
        default `incidents.retrieval`) is `on`, from past incidents. Nothing is ever run.

        `shadow` gives what `off` gives and logs what would have changed.
        """
        from quipu.learn.advise import advise, executions, static_advice

        mode = retrieval or self._config.retrieval
        incident, _ = self._subject(subject)
        at = parse_instant(as_of) if as_of else self._clock()
        book = self._book(as_of and at)
        policies = self.policies()
        matches = evaluate(
            policies,
            incident.component,
            incident.metrics,
            at=at,
            executions=executions(book, policies, incident.component),
        )
        static = static_advice(matches, incident.component, at)
        if mode == "off":
            return static
        context = self.similar(subject, as_of=as_of).weights
        attempts = None if as_of else self._attempts(book)
        learned = advise(incident, book, policies, at=at, context=context, attempts=attempts)
        if mode == "on":
            return learned
        self._log_shadow(incident, static, learned)
        return static

    def _log_shadow(
        self, incident: Incident, static: "Recommendation", learned: "Recommendation"
    ) -> None:
        row: dict[str, Any] = {
            "at": self._clock(),
            "incident_id": incident.incident_id or None,
            "component": incident.component,
            "static": [str(each.action) for each in static.actions],
            "learned": [str(each.action) for each in learned.actions],
            "basis": learned.basis,
            "notes": list(learned.notes),
        }
        row["changed"] = row["static"] != row["learned"]
        _LOG.info("shadow: %s: %s -> %s", incident.component, row["static"], row["learned"])
        if self._home.state is not None:
            private.make_folder(self._home.state)
            private.touch(self._home.state / SHADOW_LOG)
            with (self._home.state / SHADOW_LOG).open("a", encoding="utf-8") as log:
                log.write(json.dumps(row, ensure_ascii=False) + "\n")

    def compare(
        self, component: str, first: str, second: str, *, as_of: str | None = None
    ) -> "Comparison":
        """Two healing actions on a component side by side."""
        from quipu.learn.compare import compare

        at = parse_instant(as_of) if as_of else self._clock()
        book = self._book(as_of and at)
        return compare(book, component, _action(first), _action(second), at=at)

    def replay(self, *, known: Literal["told", "stored"] = "told") -> "Replay":
        """The policies over history, each incident with what was known at its moment: by the
        records' own times (`told`) or by when this memory was told (`stored`)."""
        from quipu.learn.replay import replay

        return replay(self._store, self.policies(), known=known)

    def _book(self, as_of: str | None) -> "Casebook":
        """The cases as they stood; what was read before is only brought up to date."""
        from quipu.casebook import Cases

        with self._writing:
            if self._cases is None:
                self._cases = Cases(self._store)
            book = self._cases.book()
        return book.before(as_of) if as_of else book

    def _attempts(self, book: "Casebook") -> "Attempts":
        """The attempts of a book in columns, made once for it."""
        from quipu.learn.attempts import Attempts

        if self._columns is None or self._columns[0] is not book:
            self._columns = book, Attempts(book)
        return self._columns[1]

    def _subject(self, subject: Subject) -> tuple[Incident, bool]:
        """The incident that is meant, and whether it is in the memory."""
        from quipu.ingest.incident_views import cleaned, completed
        from quipu.read.incidents import read_record

        if isinstance(subject, str):
            key = incident_entity_id(self._store.namespace, subject)
            found = self._store.get([key]).get(key)
            if not isinstance(found, Entity):
                raise UnknownRecord(
                    f"{subject!r} is no incident here: give an incident_id, or describe a new "
                    "incident with its component and numbers"
                )
            return incident_of(found), True
        if isinstance(subject, dict):
            read = read_record(subject)
            if read.problems or len(read.reports) != 1:
                told = "; ".join(p.error for p in read.problems) or "it is not one incident"
                raise InvalidInput(f"the incident cannot be used: {told}")
            subject = read.reports[0]
        report = cleaned(subject)
        actions = self._static_actions
        return completed(report, report.incident_id, None, (), actions=actions), False


def _action(name: str) -> HealingAction:
    try:
        return HealingAction(name)
    except ValueError as error:
        raise InvalidInput(
            f"action {name!r} is unknown: use one of {', '.join(HealingAction)}"
        ) from error

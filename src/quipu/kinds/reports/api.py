"""The global mode: reports made offline, and questions about everything answered from them."""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from quipu.handle.expiry import has_expired
from quipu.handle.handle import Handle
from quipu.handle.status import age_notes
from quipu.kinds.reports.model import ReflectionBudget, Report, lines_of
from quipu.ports import Progress
from quipu.question import Question
from quipu.records.plan import Plan
from quipu.records.reply import Reply, Retrieved
from quipu.records.scope import Scope

if TYPE_CHECKING:
    from quipu.kinds.reports.reflect import Reflected

__all__ = ["Reports"]

_NONE = "There are no reports yet: run `quipu reflect`."


class _CurrentReports(NamedTuple):
    """The reports that stand, by reference, each with its episode, and what should be known
    of their age."""

    reports: dict[str, tuple[str, Report]]
    notes: tuple[str, ...]


class Reports:
    """How a memory reflects, and what its reports say."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._known: tuple[int, _CurrentReports] | None = None

    def reflect(
        self,
        *,
        communities: int = 60,
        characters: int = 4000,
        progress: Progress | None = None,
    ) -> "Reflected":
        """Divide the graph into communities and bring their reports up to date, within a budget:
        how many are reported on (the largest first), and how long a report may be.

        The same store gives the same reports; those that come out as they were are not touched.
        Raises InvalidInput for a budget that allows nothing. Written at once.
        """
        from quipu.kinds.reports.reflect import reflect

        budget = ReflectionBudget(communities=communities, characters=characters)
        with self._handle.writing:
            return reflect(
                self._handle.store,
                budget=budget,
                table=self._handle.attributes,
                clock=self._handle.clock,
                progress=progress,
            )

    def __call__(self) -> tuple[Report, ...]:
        """The reports that stand, the largest first."""
        return tuple(report for _, report in self._standing().reports.values())

    def _standing(self) -> _CurrentReports:
        """As they are now; read again only when the store has changed."""
        sequence = self._handle.store.sequence()
        if self._known is None or self._known[0] != sequence:
            self._known = sequence, self._read()
        return self._known[1]

    def _read(self) -> _CurrentReports:
        from quipu.kinds.reports.reflect import (
            MOST_CHANGES,
            changes_since,
            read_standing,
            read_written,
        )

        written = read_written(self._handle.store)
        if written is None:
            return _CurrentReports({}, (_NONE,))
        reports = read_standing(self._handle.store)
        changes = changes_since(self._handle.store, written.sequence)
        if not reports:
            return _CurrentReports({}, (f"{_NONE} The last run found no communities.",))
        if not changes:
            return _CurrentReports(reports, ())
        many = "more than 10,000" if changes >= MOST_CHANGES else f"{changes:,}"
        noun = "change" if changes == 1 else "changes"
        note = f"The reports are {many} {noun} behind: run `quipu reflect`."
        return _CurrentReports(reports, (note,))

    def plan(self, question: Question, scope: Scope) -> Plan:
        """Which reports may be used for a question about everything, and which of their lines."""
        from quipu.kinds.reports.plan import plan_reports

        standing = self._standing()
        reports = [report for _, report in standing.reports.values()]
        return plan_reports(
            question,
            reports,
            self._handle.store,
            scope=scope,
            without=self._expired(reports),
            notes=standing.notes,
        )

    def _expired(self, reports: list[Report]) -> frozenset[str]:
        ids = sorted({d for report in reports for d in lines_of(report).document_ids})
        now = self._handle.clock()
        found = self._handle.store.get(ids).items()
        return frozenset(i for i, record in found if has_expired(record, now))

    def retrieve(self, plan: Plan, limit: int) -> Retrieved:
        """The best reports of a plan."""
        from quipu.kinds.reports.plan import retrieve_reports

        found = retrieve_reports(plan, self._standing().reports, self._handle.store, limit=limit)
        aged = age_notes(self._handle)
        return msgspec.structs.replace(found, notes=(*found.notes, *aged)) if aged else found

    def answer(self, question: Question, found: Retrieved) -> Reply:
        """What the reports that were found say, cited."""
        from quipu.kinds.reports.answer import overview
        from quipu.kinds.reports.plan import allowed_reports

        standing = self._standing()
        reports = {ref: report for ref, (_, report) in standing.reports.items()}
        allowed = {
            p.ref: report for p, report in allowed_reports(found.plan, reports, self._handle.store)
        }
        return overview(
            question,
            found,
            allowed,
            self._handle.store,
            clock=self._handle.clock,
            floor=self._handle.config.answer.floor,
            assert_above=self._handle.config.answer.assert_above,
        )

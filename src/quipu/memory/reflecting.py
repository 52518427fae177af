"""The global mode: reports made offline, and questions about everything answered from them."""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from quipu.domain.plan import Plan
from quipu.domain.progress import Progress
from quipu.domain.records import Entity
from quipu.domain.reply import Reply, Retrieved
from quipu.domain.reports import Budget, Report, lines_of
from quipu.domain.scope import Scope
from quipu.errors import InvalidInput, ModelUnavailable
from quipu.memory.expiring import has_expired
from quipu.memory.sessions import Conversations
from quipu.memory.status import age_notes
from quipu.ports import Embedder

if TYPE_CHECKING:
    from quipu.reflect import Author, Reflected

__all__ = ["Reflecting"]

_NONE = "There are no reports yet: run `quipu reflect`."


class _Standing(NamedTuple):
    """The reports that stand, by reference, each with its episode; how many changes there were
    since they were written; and what should be known about that."""

    reports: dict[str, tuple[str, Report]]
    changes: int
    notes: tuple[str, ...]


class Reflecting(Conversations):
    """How a memory reflects, and what its reports say."""

    _known_reports: tuple[int, _Standing] | None = None

    def reflect(
        self,
        *,
        communities: int = 60,
        characters: int = 4000,
        write: bool = False,
        progress: Progress | None = None,
    ) -> "Reflected":
        """Divide the graph into communities and bring their reports up to date, within a budget:
        how many are reported on (the largest first), and how long a report may be.

        The same store gives the same reports; those that come out as they were are not touched.
        With `write` the configured language model puts a summary before each, held to its lines.
        Raises InvalidInput for a budget that allows nothing, and for `write` without a model.
        """
        from quipu.answer.told import said
        from quipu.memory.quotable import quotable
        from quipu.reflect import reflect

        budget = Budget(communities=communities, characters=characters)
        author = self._author() if write else None
        with self._writing:
            return reflect(
                self.store,
                budget=budget,
                quotable=quotable,
                say=said,
                functional=frozenset(self.config.facts.functional),
                clock=self._clock,
                author=author,
                progress=progress,
            )

    def reports(self) -> tuple[Report, ...]:
        """The reports that stand, the largest first."""
        return tuple(report for _, report in self._reports().reports.values())

    def _author(self) -> "Author":
        from quipu.answer.summary import summarised

        chat = self.chat
        if chat is None:
            raise InvalidInput("no language model is configured: set chat.model in quipu.toml")
        return lambda report: summarised(chat, report)

    def _reports(self) -> _Standing:
        """As they are now; read again only when the store has changed."""
        sequence = self.store.sequence()
        if self._known_reports is None or self._known_reports[0] != sequence:
            self._known_reports = sequence, self._read_reports()
        return self._known_reports[1]

    def _read_reports(self) -> _Standing:
        from quipu.reflect.keeping import MOST_CHANGES, changes_since, read_standing, read_written

        written = read_written(self.store)
        if written is None:
            return _Standing({}, 0, (_NONE,))
        reports = read_standing(self.store)
        changes = changes_since(self.store, written.sequence)
        if not reports:
            return _Standing({}, changes, (f"{_NONE} The last run found no communities.",))
        if not changes:
            return _Standing(reports, 0, ())
        many = "more than 10,000" if changes >= MOST_CHANGES else f"{changes:,}"
        noun = "change" if changes == 1 else "changes"
        note = f"The reports are {many} {noun} behind: run `quipu reflect`."
        return _Standing(reports, changes, (note,))

    def _plan_reports(self, question: str, scope: Scope) -> Plan:
        from quipu.plan.reports import plan_reports

        standing = self._reports()
        reports = [report for _, report in standing.reports.values()]
        expired = self._expired(reports)

        def planned(embedder: Embedder | None, notes: tuple[str, ...]) -> Plan:
            return plan_reports(
                question,
                reports,
                self._models.reading(self.store, embedder.space if embedder else None),
                embedder,
                scope=scope,
                without=expired,
                notes=(*notes, *standing.notes),
            )

        try:
            return self._models.tried(question, self.store, planned)
        except ModelUnavailable as error:
            return planned(None, (f"The embedding model failed ({error}); words rank alone.",))

    def _expired(self, reports: list[Report]) -> frozenset[str]:
        ids = sorted({d for report in reports for d in lines_of(report).document_ids})
        now = self._clock()
        found = self.store.get(ids).items()
        return frozenset(i for i, e in found if isinstance(e, Entity) and has_expired(e, now))

    def _retrieve_reports(self, plan: Plan, limit: int) -> Retrieved:
        from quipu.retrieve.reports import retrieve_reports

        found = retrieve_reports(plan, self._reports().reports, self.store, limit=limit)
        hours = self.config.index.stale_hours
        aged = age_notes(self.home.state, self._clock, stale_hours=hours)
        return msgspec.structs.replace(found, notes=(*found.notes, *aged)) if aged else found

    def _answered_reports(self, question: str, found: Retrieved) -> Reply:
        from quipu.answer.overview import overview
        from quipu.retrieve.reports import allowed_reports

        standing = self._reports()
        held = {ref: report for ref, (_, report) in standing.reports.items()}
        allowed = {p.ref: report for p, report in allowed_reports(found.plan, held, self.store)}
        return overview(
            question,
            found,
            allowed,
            self.store,
            clock=self._clock,
            changes=standing.changes,
            floor=self.config.answer.floor,
            assert_above=self.config.answer.assert_above,
        )

"""The reports of a plan as hits: each with the lines that the plan allows and that still count."""

from collections.abc import Mapping

from quipu.errors import InvalidInput
from quipu.kinds.reports.model import REPORT, Report, ReportBasis, report_text, trimmed
from quipu.ports import Planner
from quipu.records.plan import Plan, PlannedReport
from quipu.records.reply import Hit, Retrieved, WhyRanked
from quipu.records.scope import EVERYTHING

__all__ = ["allowed_reports", "retrieve_reports"]

_MOST_IDS = 40


def retrieve_reports(
    plan: Plan, reports: Mapping[str, tuple[str, Report]], planner: Planner, *, limit: int = 10
) -> Retrieved:
    """The best `limit` reports of `plan`, best first. `reports` are those that stand, by
    reference, each with its episode.

    Raises InvalidInput when the plan is of another namespace.
    """
    if plan.namespace != planner.namespace:
        raise InvalidInput(
            f"this plan is of namespace {plan.namespace!r}, the store of {planner.namespace!r}: "
            "plan again"
        )
    notes = list(plan.notes)
    if plan.sequence != planner.sequence():
        notes.append("The store has changed since this plan was made.")
    found = allowed_reports(plan, {ref: each for ref, (_, each) in reports.items()}, planner)
    hits = [_hit(planned, reports[planned.ref][0], report) for planned, report in found[:limit]]
    return Retrieved(plan=plan, hits=tuple(hits), notes=tuple(notes))


def allowed_reports(
    plan: Plan, reports: Mapping[str, Report], planner: Planner
) -> list[tuple[PlannedReport, Report]]:
    """The reports of the plan that still stand, with the lines that it allows and that are live."""
    chunk_ids = sorted({c for each in plan.reports for c in each.chunk_ids})
    numbers = planner.numbers(chunk_ids)
    live = frozenset(
        c for c, number in zip(chunk_ids, numbers.tolist(), strict=True) if number >= 0
    )
    found: list[tuple[PlannedReport, Report]] = []
    for planned in plan.reports:
        if planned.ref not in reports:
            continue
        allowed = ReportBasis(
            live & frozenset(planned.chunk_ids),
            frozenset(planned.document_ids),
            frozenset(planned.fact_ids),
        )
        report = trimmed(reports[planned.ref], allowed, keep_title=plan.scope == EVERYTHING)
        if report is not None:
            found.append((planned, report))
    return found


def _hit(planned: PlannedReport, episode_id: str, report: Report) -> Hit:
    text = report_text(report)
    return Hit(
        id=episode_id,
        score=planned.score,
        why_ranked=WhyRanked(profile=REPORT, parts=dict(planned.parts)),
        source_ref=report.ref,
        temporal_context=None,
        document_id="",
        path=report.ref,
        start_line=1,
        end_line=text.count("\n") + 1,
        title=report.title,
        text=text,
        graph_ids=_graph_ids(report),
        source_type=REPORT,
        updated_at=report.last_seen,
        source_sha=planned.ref.rpartition("-")[2],
    )


def _graph_ids(report: Report) -> tuple[str, ...]:
    """The records behind a report: its names and facts, then its documents."""
    named = [each.entity_id for each in report.names if each.entity_id]
    facts = [each.fact_id for each in report.stated]
    documents = [each.document_id for each in report.quotes]
    return tuple(dict.fromkeys((*named, *facts, *documents)))[:_MOST_IDS]

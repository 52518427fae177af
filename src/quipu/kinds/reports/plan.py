"""Planning and retrieval for questions about everything: which reports may be used, which of their
lines, and how near they are to the question.

No passage is searched. A line counts while the passage it was quoted from is live and, where there
is a scope, inside it.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from quipu.errors import InvalidInput
from quipu.kinds.reports.model import (
    REPORT,
    Report,
    ReportBasis,
    lines_of,
    report_text,
    trimmed,
)
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.plan import Constraints, Plan, PlannedReport
from quipu.records.reply import Hit, Retrieved, WhyRanked
from quipu.records.scope import EVERYTHING, Scope
from quipu.tables import read_table
from quipu.text import stem_words, stems, stems_in_parts

__all__ = [
    "WORDS",
    "Breadth",
    "allowed_reports",
    "plan_reports",
    "read_breadth",
    "retrieve_reports",
]

WORDS: dict[str, str] = read_table("quipu.kinds.reports", "words.toml")
_STEMS = {name: frozenset(stems(words)) for name, words in WORDS.items()}
"""The stems of a question by what they ask for: an `overview`, or the `status` of things."""
_WEIGHTS: Mapping[str, float] = {"lexical": 0.9, "size": 0.1}
"""score = Σ weight · part. Rounded by hand: no labelled set asks about everything."""
_ABOUT_ALL = 0.6
"""The score of the smallest report for a question about everything; that of the largest is 1."""
_MOST_REPORTS = 20
_MOST_IDS = 40
_LIMITS = Constraints(
    max_relationship_depth=0,
    traversal_enabled=False,
    seeds_per_index=0,
    bridge_seeds=0,
    bridge_reach=0,
    chunks_per_document=0,
    chunks=_MOST_REPORTS,
)


def plan_reports(
    question: Question,
    reports: Sequence[Report],
    planner: Planner,
    *,
    scope: Scope = EVERYTHING,
    without: Collection[str] = (),
    notes: Sequence[str] = (),
) -> Plan:
    """Return a plan in the mode `global`; the same store, reports and question give the same bytes.

    `without` are documents that may not be used (they have expired).
    """
    if not question.text.strip():
        raise InvalidInput("the question is empty: ask something, for example 'what is new?'")
    with planner.moment():
        seen = _seen(reports, planner, scope, without)
        sequence = planner.sequence()
    planned = _ranked(read_breadth(question), seen)
    return Plan(
        question=question.text,
        mode="global",
        use_graph=True,
        namespace=planner.namespace,
        sequence=sequence,
        space=None,
        constraints=_LIMITS,
        scope=scope,
        reports=tuple(planned[:_MOST_REPORTS]),
        notes=tuple(notes),
    )


def _seen(
    reports: Sequence[Report], planner: Planner, scope: Scope, without: Collection[str]
) -> list[Report]:
    """The reports with the lines that `scope` admits and that stand."""
    every = [lines_of(report) for report in reports]
    chunk_ids = sorted({c for lines in every for c in lines.chunk_ids})
    document_ids = sorted({d for lines in every for d in lines.document_ids})
    numbers = planner.numbers(chunk_ids)
    seen = numbers >= 0
    whole = scope == EVERYTHING
    if whole:
        documents = frozenset(planner.get(document_ids))
    else:
        seen[seen] = planner.admits(numbers[seen], scope)
        inside = planner.numbers_in(document_ids).items()
        documents = frozenset(d for d, own in inside if planner.admits(own, scope).any())
    allowed = ReportBasis(
        frozenset(c for c, kept in zip(chunk_ids, seen.tolist(), strict=True) if kept),
        documents.difference(without),
        frozenset(planner.get(sorted({f for lines in every for f in lines.fact_ids}))),
    )
    found = (trimmed(report, allowed, keep_title=whole) for report in reports)
    return [report for report in found if report is not None]


def _ranked(breadth: "Breadth", seen: Sequence[Report]) -> list[PlannedReport]:
    """The reports that say a word of the subject; all of them where there is none."""
    largest = max((report.passages for report in seen), default=1)
    subject = frozenset(breadth.subject)
    planned: list[PlannedReport] = []
    for report in seen:
        said = subject.intersection(stems_in_parts(report_text(report)))
        parts = {
            "lexical": round(len(said) / max(len(subject), 1), 6),
            "size": round(math.log1p(report.passages) / math.log1p(largest), 6),
        }
        score = math.fsum(weight * parts[name] for name, weight in _WEIGHTS.items())
        if breadth.is_about_all:
            score = _ABOUT_ALL + (1 - _ABOUT_ALL) * parts["size"]
        elif not said:
            continue
        lines = lines_of(report)
        planned.append(
            PlannedReport(
                ref=report.ref,
                title=report.title,
                score=round(min(score, 1.0), 6),
                parts=parts,
                chunk_ids=tuple(sorted(lines.chunk_ids)),
                document_ids=tuple(sorted(lines.document_ids)),
                fact_ids=tuple(sorted(lines.fact_ids)),
            )
        )
    return sorted(planned, key=lambda p: (-p.score, p.ref))


class Breadth(NamedTuple):
    """`subject` are the stems that name what is asked about, none where it is everything;
    `asks_status` is true where the question is how it stands or what changed."""

    subject: tuple[str, ...]
    asks_status: bool

    @property
    def is_about_all(self) -> bool:
        """Return whether no subject is named."""
        return not self.subject


def read_breadth(question: Question) -> Breadth:
    """Return how broad `question` is."""
    capital = (t.word for t in question.tokens[1:] if question.text[t.start].isupper())
    named = set(stem_words(list(capital)))
    generic = _STEMS["overview"] | _STEMS["status"]
    return Breadth(
        tuple(s for s in question.stems if s in named or s not in generic),
        asks_status=not _STEMS["status"].isdisjoint(question.stems),
    )


def retrieve_reports(
    plan: Plan, reports: Mapping[str, tuple[str, Report]], planner: Planner, *, limit: int = 10
) -> Retrieved:
    """Return the best `limit` reports of `plan`, best first. `reports` are those that stand, by
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
    """Return the reports of the plan that still stand, with the lines that it allows and that are
    live."""
    chunk_ids = sorted({c for each in plan.reports for c in each.chunk_ids})
    live = frozenset(chunk_ids[at] for at in np.flatnonzero(planner.numbers(chunk_ids) >= 0))
    found: list[tuple[PlannedReport, Report]] = []
    for planned in (each for each in plan.reports if each.ref in reports):
        allowed = ReportBasis(
            live.intersection(planned.chunk_ids),
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
    """The records behind a report: its names, the documents of its sentences, its facts."""
    named = [each.entity_id for each in report.names if each.entity_id]
    behind = [each.fact_id or each.document_id for each in report.lines]
    return tuple(dict.fromkeys((*named, *behind)))[:_MOST_IDS]

"""Answers to questions about everything, from reports: themes, or how one subject stands.

Every sentence is a line of a report and cites the passage that the report took it from; the
report itself is among the graph ids. The contract and its gate are those of any other answer.

How sure such an answer is has a formula of its own:

    value = 1 / (1 + e^-(intercept + Σ weight · input))

No labelled set asks about everything, so the weights are set by hand: a question about all of
the memory is answered by what it holds; one about a subject only where reports speak of it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from quipu.answer.confidence import FLOOR, citation_counts, match
from quipu.answer.formula import ConfidenceFormula, Inputs, Term
from quipu.answer.gate import AnswerDraft, Evidence, Gated, cited_ids, pass_gate, withhold
from quipu.answer.limitations import about_answer, about_nothing, below, missing_names
from quipu.answer.quote import plain
from quipu.answer.support import EvidencePool, chunks_of, from_chunk, support
from quipu.kinds.reports.model import (
    Changed,
    Quote,
    Report,
    ReportedFact,
    Sourced,
    changed_text,
)
from quipu.kinds.reports.plan import Breadth, read_breadth
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.record import Chunk, Entity, Fact
from quipu.records.reply import Citation, Confidence, Reply, Retrieved
from quipu.records.scope import Scope
from quipu.text import stems_in_parts
from quipu.when.instants import Clock

__all__ = ["FORMULA", "overview"]

INTERCEPT = -3.6
TABLE = (
    Term(
        "report1",
        4.0,
        0.0,
        "the best report's score; 1 for a question about everything",
        "no report is near the question",
    ),
    Term(
        "subject",
        2.6,
        1.0,
        "share of the words that the question is about in what is cited",
        "the cited lines do not hold all that the question is about",
    ),
    Term(
        "unknown_names",
        -3.0,
        0.0,
        "share of the question's names that nothing found knows",
        "the question names something that is not known here",
    ),
    Term(
        "behind",
        -1.0,
        0.0,
        "ln(1 + n) / ln(1,001), at most 1; n changes since the reports",
        "much has changed since the reports were written",
    ),
)


def _always(_: Inputs) -> bool:
    return True


FORMULA = ConfidenceFormula(INTERCEPT, TABLE, _always)
_THEMES = 7
"""How many reports an answer about everything tells of."""
_ABOUT, _NEAR_BEST = 2, 0.7
"""How many reports answer about one subject, and what share of the best one's score each needs."""
_SENTENCES, _FACTS, _CHANGES, _DISPUTED = 3, 4, 2, 2
_MANY_CHANGES = 1000
_WHY_NOTHING = "No report speaks of what is asked."
_WRITE = "Bring the reports up to date with `quipu reflect`."


class _CitedSentence(NamedTuple):
    """A sentence and what it cites."""

    text: str
    evidence: Evidence


class _ReportSource(NamedTuple):
    """A report, its hit's score, and the id of its episode."""

    report: Report
    score: float
    episode_id: str


def overview(
    question: Question,
    retrieved: Retrieved,
    reports: Mapping[str, Report],
    planner: Planner,
    *,
    clock: Clock,
    changes: int,
    floor: float | None,
    assert_above: float,
) -> Reply:
    """Return a reply that holds the contract, from the reports that were retrieved.

    `reports` are those of the hits, by reference, with the lines that may be used; `changes` is
    how far they are behind. Without a report the answer is `unknown`, and says what to do.
    """
    now = clock()
    least = FLOOR if floor is None else floor
    breadth = read_breadth(question)
    sources = [
        _ReportSource(reports[h.path], h.score, h.id) for h in retrieved.hits if h.path in reports
    ]
    draft = _Teller(breadth, planner, retrieved.plan.scope).draft(sources)
    missing = missing_names(question, retrieved.plan, planner, retrieved.hits)
    best = 1.0 if breadth.is_about_all else max((s.score for s in sources), default=0.0)
    inputs: dict[str, float | None] = {
        "report1": round(best, 6),
        "subject": None if draft is None or draft.subject is None else round(draft.subject, 6),
        "unknown_names": round(len(missing) / len(question.names), 6) if missing else 0.0,
        "behind": round(min(math.log1p(changes) / math.log1p(_MANY_CHANGES), 1.0), 6),
    }
    sure = Confidence(value=FORMULA.value_of(inputs) if draft else 0.0, inputs=inputs)
    if draft is None or sure.value < least:
        value, bound = below(sure.value, least)
        why = f"Confidence is {value}, below the floor of {bound}." if draft else _WHY_NOTHING
        doubt = about_nothing(
            planner, (), reason=" ".join([why, *retrieved.plan.notes]), missing=missing
        )
        step = _WRITE if not reports else f"Ask it without `--mode global`. {_WRITE}"
        gated = withhold(doubt._replace(next_step=step), now)
    else:
        doubt = about_answer(
            confidence=sure.value,
            assert_above=assert_above,
            reasons=FORMULA.weaknesses(inputs),
            disagreements=draft.disagreements,
            remarks=(*draft.remarks, *retrieved.plan.notes),
            missing=missing,
        )
        gated = pass_gate(
            draft,
            doubt,
            known_ids=cited_ids(planner, draft),
            confidence=sure.value,
            assert_above=assert_above,
            timestamp=now,
        )
    return Reply(
        contract=gated.contract,
        confidence=sure,
        citations=_citations(gated, planner, now),
        plan=retrieved.plan,
        hits=retrieved.hits,
        notes=(*retrieved.notes, *gated.notes),
    )


class _Teller:
    """Sentences of reports, as a question of some breadth asks for them."""

    def __init__(self, breadth: Breadth, planner: Planner, scope: Scope) -> None:
        self._breadth, self._planner, self._scope = breadth, planner, scope
        self._subject = set(breadth.subject)

    def draft(self, sources: Sequence[_ReportSource]) -> AnswerDraft | None:
        """Return what the reports say, the best first; None where they say nothing."""
        breadth = self._breadth
        near = sources[:_THEMES]
        if not breadth.is_about_all:
            near = [s for s in sources[:_ABOUT] if s.score >= _NEAR_BEST * sources[0].score]
        told = [sentence for source in near for sentence in self._told(source)]
        disagreements: list[str] = []
        if breadth.asks_status or not breadth.is_about_all:
            for source in sources[:_THEMES]:
                for one, other in self._disputed(source):
                    told += (one, other._replace(text=f"Another source says: {other.text}"))
                    disagreements.append(f"{one.text}, but {other.text}")
        evidence = list(dict.fromkeys(each.evidence for each in told))
        if not evidence:
            return None
        marked = (f"{t.text.rstrip('.;:, ')} [{evidence.index(t.evidence) + 1}]." for t in told)
        answer = " ".join(dict.fromkeys(marked))
        said = " ".join((answer, *(f"{e.title} {e.path} {e.text}" for e in evidence)))
        held = self._subject & set(stems_in_parts(said))
        return AnswerDraft(
            answer=answer,
            evidence=tuple(evidence),
            subject=len(held) / len(self._subject) if self._subject else None,
            disagreements=tuple(dict.fromkeys(disagreements[:_DISPUTED])),
        )

    def _told(self, source: _ReportSource) -> Iterator[_CitedSentence]:
        """The best line of a theme after its name and size, or the lines about the subject; where
        the question is how things stand, facts first, and then what changed last."""
        report, status = source.report, self._breadth.asks_status
        if self._breadth.is_about_all:
            size = f"{report.documents:,} source{'s' * (report.documents != 1)}"
            lead = f"{plain(f'{report.title} ({size})')}: "
            facts, quotes = report.facts[:1], report.quotes[:1]
            lines: Sequence[Sourced] = (facts or quotes) if status else (quotes or facts)
            changes = report.changes[:1]
        else:
            lead = ""
            quotes = self._about(report.quotes) or report.quotes[:1]
            stated = self._about(report.facts)[: _FACTS if status else 1]
            lines = [*stated, *quotes[:_SENTENCES]]
            changes = report.changes[:_CHANGES]
        for line in lines:
            if evidence := self._evidence(line, source):
                yield _CitedSentence(f"{lead}{plain(line.text)}", evidence)
        for change in changes if status else ():
            if evidence := self._evidence(change, source):
                said = plain(f"Changed on {change.updated_at[:10]}: {changed_text(change)}")
                yield _CitedSentence(said, evidence)

    def _about(self, lines: Sequence[Sourced]) -> list[Sourced]:
        """The lines that hold most of the subject, in their order; none where none holds any."""
        held = [
            len(self._subject & set(stems_in_parts(f"{line.text} {line.source_ref}")))
            for line in lines
        ]
        ranked = sorted(range(len(lines)), key=lambda at: (-held[at], at))
        return [lines[at] for at in ranked if held[at]]

    def _disputed(self, source: _ReportSource) -> Iterator[tuple[_CitedSentence, _CitedSentence]]:
        """Both sides of what disagrees about the subject."""
        for each in source.report.disagreements:
            sides = (each.one, each.other)
            said = {s for side in sides for s in stems_in_parts(side.text)}
            if self._subject and self._subject.isdisjoint(said):
                continue
            one, other = (self._evidence(side, source) for side in sides)
            if one and other:
                yield (
                    _CitedSentence(plain(each.one.text), one),
                    _CitedSentence(plain(each.other.text), other),
                )

    def _evidence(self, line: Sourced | Changed, source: _ReportSource) -> Evidence | None:
        """What a line rests on, its graph ids led by the report's: the passage it stands in; the
        first one of what changed; the source of a fact that was asserted by hand."""
        planner = self._planner
        own = line.graph_ids if isinstance(line, Quote) else ()
        if isinstance(line, ReportedFact):
            own = (line.fact_id,)
        place: dict[str, int] = {}
        if isinstance(line, Sourced):
            place = {"start_line": line.start_line, "end_line": line.end_line}
            chunk = planner.get([line.chunk_id]).get(line.chunk_id)
        else:
            chunk = next(iter(chunks_of(line.document_id, planner, self._scope)), None)
        records = planner.get(sorted({*own, line.document_id} - {""}))
        ids, document = (source.episode_id, *own), records.get(line.document_id)
        if isinstance(chunk, Chunk) and isinstance(document, Entity):
            found = from_chunk(chunk, planner, (*ids, document.entity_id), document)
            return found._replace(path=line.source_ref, score=source.score, **place)
        for fact in (r for r in records.values() if isinstance(r, Fact) and not line.document_id):
            for each in support(planner, fact.fact_id, EvidencePool(scope=self._scope), fact)[1]:
                return each._replace(graph_ids=ids, score=source.score)
        return None


def _citations(gated: Gated, planner: Planner, now: str) -> tuple[Citation, ...]:
    counts = citation_counts(planner, gated.evidence)
    return tuple(
        Citation(
            n=n,
            path=each.path,
            start_line=each.start_line,
            end_line=each.end_line,
            match=match(each, now=now, citations=counts.get(each.document_id, 0)),
            graph_ids=item.graph_ids,
        )
        for n, (each, item) in enumerate(
            zip(gated.evidence, gated.contract.evidence, strict=True), 1
        )
    )

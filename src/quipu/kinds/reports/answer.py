"""Answers to questions about everything, from reports: themes, or how one subject stands.

Every sentence is a line of a report and cites the passage that the report took it from; the
report itself is among the graph ids. The contract and its gate are those of any other answer.

How sure such an answer is has a formula of its own, set by hand: a question about all of
the memory is answered by what it holds; one about a subject only where reports speak of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from quipu.answer.confidence import FLOOR, citation_counts, citations_of
from quipu.answer.formula import Inputs, named_formula
from quipu.answer.gate import AnswerDraft, Evidence, cited_ids, pass_gate, withhold
from quipu.answer.limitations import about_answer, about_nothing, below, missing_names
from quipu.answer.quote import plain
from quipu.answer.support import EvidencePool, from_chunk, support
from quipu.kinds.reports.model import Report, ReportLine
from quipu.kinds.reports.plan import Breadth, read_breadth
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.record import Chunk, Entity, Fact
from quipu.records.reply import Confidence, Reply, Retrieved
from quipu.text import stems_in_parts
from quipu.when.instants import Clock

__all__ = ["FORMULA", "overview"]


def _always(_: Inputs) -> bool:
    return True


FORMULA = named_formula("reports", _always)
_THEMES = 7
"""How many reports an answer about everything tells of."""
_ABOUT, _NEAR_BEST = 2, 0.7
"""How many reports answer about one subject, and what share of the best one's score each needs."""
_SENTENCES, _FACTS, _DISPUTED = 3, 4, 2
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
    floor: float | None,
    assert_above: float,
) -> Reply:
    """Return a reply that holds the contract, from the reports that were retrieved.

    `reports` are those of the hits, by reference, with the lines that may be used. Without a
    report the answer is `unknown`, and says what to do.
    """
    now, plan = clock(), retrieved.plan
    least = FLOOR if floor is None else floor
    breadth = read_breadth(question)
    sources = [
        _ReportSource(reports[h.path], h.score, h.id) for h in retrieved.hits if h.path in reports
    ]
    draft = _Teller(breadth, retrieved, planner).draft(sources)
    missing = missing_names(question, plan, planner, retrieved.hits)
    best = 1.0 if breadth.is_about_all else max((s.score for s in sources), default=0.0)
    inputs: dict[str, float | None] = {
        "report1": round(best, 6),
        "subject": None if draft is None or draft.subject is None else round(draft.subject, 6),
        "unknown_names": round(len(missing) / len(question.names), 6) if missing else 0.0,
    }
    sure = Confidence(value=FORMULA.value_of(inputs) if draft else 0.0, inputs=inputs)
    if draft is None or sure.value < least:
        value, bound = below(sure.value, least)
        why = f"Confidence is {value}, below the floor of {bound}." if draft else _WHY_NOTHING
        doubt = about_nothing(planner, (), reason=" ".join([why, *plan.notes]), missing=missing)
        step = f"Ask it without `--mode global`. {_WRITE}" if reports else _WRITE
        gated = withhold(doubt._replace(next_step=step), now)
    else:
        doubt = about_answer(
            confidence=sure.value,
            assert_above=assert_above,
            reasons=FORMULA.weaknesses(inputs),
            disagreements=draft.disagreements,
            remarks=plan.notes,
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
        citations=citations_of(gated, citation_counts(planner, gated.evidence), now=now),
        plan=plan,
        hits=retrieved.hits,
        notes=(*retrieved.notes, *gated.notes),
    )


class _Teller:
    """Sentences of reports, as a question of some breadth asks for them."""

    def __init__(self, breadth: Breadth, retrieved: Retrieved, planner: Planner) -> None:
        self._breadth, self._planner, self._scope = breadth, planner, retrieved.plan.scope
        self._subject = set(breadth.subject)

    def draft(self, sources: Sequence[_ReportSource]) -> AnswerDraft | None:
        """Return what the reports say, the best first; None where they say nothing."""
        most = _THEMES if self._breadth.is_about_all else _ABOUT
        told = [line for source in sources[:most] for line in self._told(source, sources[0].score)]
        pairs = list(self._disputed(sources[:_THEMES]))
        for one, other in pairs:
            told += (one, other._replace(text=f"Another source says: {other.text}"))
        evidence = list(dict.fromkeys(each.evidence for each in told))
        if not evidence:
            return None
        marked = (f"{t.text.rstrip('.;:, ')} [{evidence.index(t.evidence) + 1}]." for t in told)
        answer = " ".join(dict.fromkeys(marked))
        said = " ".join((answer, *(f"{e.title} {e.path} {e.text}" for e in evidence)))
        held = self._subject & set(stems_in_parts(said))
        disagreements = (f"{one.text}, but {other.text}" for one, other in pairs[:_DISPUTED])
        return AnswerDraft(
            answer=answer,
            evidence=tuple(evidence),
            subject=len(held) / len(self._subject) if self._subject else None,
            disagreements=tuple(dict.fromkeys(disagreements)),
        )

    def _told(self, source: _ReportSource, best: float) -> Iterator[_CitedSentence]:
        """Of a theme its best line after its name and size; of a report about the subject the
        facts and sentences that hold most of it: more facts where its status is asked."""
        report = source.report
        if self._breadth.is_about_all:
            size = f"{report.documents:,} source{'s' * (report.documents != 1)}"
            lines = (*report.quotes, *report.facts)[:1]
            yield from self._cited(lines, source, f"{plain(f'{report.title} ({size})')}: ")
        elif source.score >= _NEAR_BEST * best:
            facts = self._about(report.facts)[: _FACTS if self._breadth.asks_status else 1]
            quotes = self._about(report.quotes) or report.quotes[:1]
            yield from self._cited((*facts, *quotes[:_SENTENCES]), source)

    def _cited(
        self, lines: Sequence[ReportLine], source: _ReportSource, lead: str = ""
    ) -> Iterator[_CitedSentence]:
        for line in lines:
            if evidence := self._evidence(line, source):
                yield _CitedSentence(f"{lead}{plain(line.text)}", evidence)

    def _about(self, lines: Sequence[ReportLine]) -> list[ReportLine]:
        """The lines that hold most of the subject, in their order; none where none holds any."""
        held = {line: len(self._subject & _said(line)) for line in lines}
        return sorted((line for line in lines if held[line]), key=lambda line: -held[line])

    def _disputed(
        self, sources: Sequence[_ReportSource]
    ) -> Iterator[tuple[_CitedSentence, _CitedSentence]]:
        """Both sides of what disagrees about the subject, or about anything where the status of
        everything is asked."""
        if self._breadth.is_about_all and not self._breadth.asks_status:
            return
        for source in sources:
            for each in source.report.disagreements:
                if not self._subject or self._subject & (_said(each.one) | _said(each.other)):
                    sides = list(self._cited((each.one, each.other), source))
                    if len(sides) == 2:
                        yield sides[0], sides[1]

    def _evidence(self, line: ReportLine, source: _ReportSource) -> Evidence | None:
        """What a line rests on, its graph ids led by the report's: the passage it stands in, or
        the source of a fact that was asserted by hand."""
        planner = self._planner
        own = (line.fact_id,) if line.fact_id else ()
        records = planner.get(sorted({line.chunk_id, line.document_id, *own} - {""}))
        chunk, document = records.get(line.chunk_id), records.get(line.document_id)
        ids = (source.episode_id, *own)
        if isinstance(chunk, Chunk) and isinstance(document, Entity):
            found = from_chunk(chunk, planner, (*ids, document.entity_id), document)
            return found._replace(
                path=line.source_ref,
                score=source.score,
                start_line=line.start_line,
                end_line=line.end_line,
            )
        fact = records.get(line.fact_id)
        if isinstance(fact, Fact) and not line.chunk_id:
            for each in support(planner, fact.fact_id, EvidencePool(scope=self._scope), fact)[1]:
                return each._replace(graph_ids=ids, score=source.score)
        return None


def _said(line: ReportLine) -> set[str]:
    return set(stems_in_parts(f"{line.text} {line.source_ref}"))

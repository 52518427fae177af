"""Answers to questions about everything, from reports: themes, or how one subject stands.

Every sentence is a line of a report and cites the passage that the report took it from; the
report itself is among the graph ids. The contract and its gate are those of any other answer.

How sure such an answer is has a formula of its own:

    value = 1 / (1 + e^-(intercept + Σ weight · input))

No labelled set asks about everything, so the weights are set by hand: a question about all of
the memory is answered by what it holds; one about a subject only where reports speak of it.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from quipu.answer.confidence import FLOOR, citation_counts, match
from quipu.answer.contract import ASSERT_ABOVE
from quipu.answer.formula import ConfidenceFormula, Inputs, Term
from quipu.answer.gate import AnswerDraft, Evidence, Gated, cited_ids, pass_gate, withhold
from quipu.answer.intent import Asked, understand
from quipu.answer.limitations import about_answer, about_nothing, below, missing_names
from quipu.answer.quote import plain
from quipu.kinds.reports.candidates import Breadth, read_breadth
from quipu.kinds.reports.model import Changed, Quote, Report, ReportedFact, changed_text, lines_of
from quipu.ports import Graph
from quipu.records.record import Chunk, Entity, Episode, Record
from quipu.records.reply import Citation, Confidence, Reply, Retrieved
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


def _holds(inputs: Inputs) -> bool:  # noqa: ARG001 - it is the only formula
    return True


FORMULA = ConfidenceFormula(INTERCEPT, TABLE, _holds)
_THEMES = 7
"""How many reports an answer about everything tells of."""
_ABOUT, _NEAR_BEST = 2, 0.7
"""How many reports answer about one subject, and what share of the best one's score each needs."""
_SENTENCES, _FACTS, _CHANGES, _DISPUTED = 3, 4, 2, 2
_Line = TypeVar("_Line", Quote, ReportedFact)


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
    question: str,
    retrieved: Retrieved,
    reports: Mapping[str, Report],
    graph: Graph,
    *,
    clock: Clock,
    changes: int,
    floor: float | None = None,
    assert_above: float = ASSERT_ABOVE,
    remarks: Sequence[str] = (),
) -> Reply:
    """A reply that holds the contract, from the reports that were retrieved.

    `reports` are those of the hits, by reference, with the lines that may be used; `changes` is
    how far they are behind. Without a report the answer is `unknown`, and says what to do.
    """
    now = clock()
    least = FLOOR if floor is None else floor
    breadth = read_breadth(question)
    asked = _without_possessives(understand(question))
    sources = [
        _ReportSource(reports[h.path], h.score, h.id) for h in retrieved.hits if h.path in reports
    ]
    draft = _draft(breadth, sources, graph)
    missing = missing_names(asked, retrieved.plan, graph, retrieved.hits)
    inputs: dict[str, float | None] = {
        "report1": 1.0 if breadth.is_about_all else max((s.score for s in sources), default=0.0),
        "subject": draft.subject if draft else None,
        "unknown_names": len(missing) / len(asked.names) if missing else 0.0,
        "behind": _behind(changes),
    }
    rounded = {name: None if v is None else round(v, 6) for name, v in inputs.items()}
    sure = Confidence(value=FORMULA.value_of(rounded) if draft else 0.0, inputs=rounded)
    if draft is None or sure.value < least:
        value, bound = below(sure.value, least)
        why = f"Confidence is {value}, below the floor of {bound}." if draft else _WHY_NOTHING
        reason = " ".join([why, *retrieved.plan.notes, *remarks])
        doubt = about_nothing(graph, (), reason=reason, missing=missing)
        step = _WRITE if not reports else f"Ask it without `--mode global`. {_WRITE}"
        gated = withhold(doubt._replace(next_step=step), now)
    else:
        doubt = about_answer(
            confidence=sure.value,
            assert_above=assert_above,
            reasons=FORMULA.weaknesses(sure.inputs),
            disagreements=draft.disagreements,
            remarks=(*draft.remarks, *retrieved.plan.notes, *remarks),
            missing=missing,
        )
        gated = pass_gate(
            draft,
            doubt,
            known_ids=cited_ids(graph, draft),
            confidence=sure.value,
            assert_above=assert_above,
            timestamp=now,
        )
    return Reply(
        contract=gated.contract,
        confidence=sure,
        citations=_citations(gated, graph, now),
        plan=retrieved.plan,
        hits=retrieved.hits,
        notes=(*retrieved.notes, *gated.notes),
    )


_WHY_NOTHING = "No report speaks of what is asked."
_WRITE = "Bring the reports up to date with `quipu reflect`."


def _draft(breadth: Breadth, sources: Sequence[_ReportSource], graph: Graph) -> AnswerDraft | None:
    if not sources:
        return None
    records = _records(sources, graph)
    if breadth.is_about_all:
        told = [t for s in sources[:_THEMES] for t in _theme(s, records, breadth)]
    else:
        best = [s for s in sources[:_ABOUT] if s.score >= _NEAR_BEST * sources[0].score]
        told = [t for s in best for t in _subject(s, records, breadth)]
    disagreements: list[str] = []
    if breadth.asks_status or not breadth.is_about_all:
        for source in sources[:_THEMES]:
            for one, other in _disputed(source, records, breadth):
                told += (one, other._replace(text=f"Another source says: {other.text}"))
                disagreements.append(f"{one.text}, but {other.text}")
    evidence = list(dict.fromkeys(each.evidence for each in told))
    if not evidence:
        return None
    marked = (f"{t.text.rstrip('.;:, ')} [{evidence.index(t.evidence) + 1}]." for t in told)
    answer = " ".join(dict.fromkeys(marked))
    said = " ".join((answer, *(f"{e.title} {e.path} {e.text}" for e in evidence)))
    subject = breadth.subject
    return AnswerDraft(
        answer=answer,
        evidence=tuple(evidence),
        subject=len(set(stems_in_parts(said)) & set(subject)) / len(subject) if subject else None,
        disagreements=tuple(dict.fromkeys(disagreements[:_DISPUTED])),
        remarks=_remarks(breadth, sources),
    )


def _without_possessives(asked: Asked) -> Asked:
    """Names are known without the ending of "John's"."""
    return asked._replace(names=tuple(re.sub(r"['’]s$", "", name) for name in asked.names))


def _remarks(breadth: Breadth, sources: Sequence[_ReportSource]) -> tuple[str, ...]:
    """That nothing says how things stand, where that was asked."""
    dated = any(s.report.stated or s.report.changes for s in sources)
    if breadth.asks_status and not dated:
        return ("The reports hold no dated fact and know of no change.",)
    return ()


def _theme(
    source: _ReportSource, records: Mapping[str, Record], breadth: Breadth
) -> Iterator[_CitedSentence]:
    """What a community is called, how large it is, and its best sentence; where the question is
    how things stand, the latest that holds and what changed last first."""
    report = source.report
    size = f"{report.documents:,} source{'s' * (report.documents != 1)}"
    head = plain(f"{report.title} ({size})")
    facts, quotes = report.facts[:1], report.quotes[:1]
    for line in (facts or quotes) if breadth.asks_status else (quotes or facts):
        if evidence := _evidence(line, source, records):
            yield _CitedSentence(f"{head}: {plain(line.text)}", evidence)
    if breadth.asks_status:
        for change in report.changes[:1]:
            yield from _changed(change, source, records)


def _subject(
    source: _ReportSource, records: Mapping[str, Record], breadth: Breadth
) -> Iterator[_CitedSentence]:
    """How the subject stands in a report: facts that name it, its sentences, what changed."""
    report = source.report
    facts = _about(report.facts, breadth)[: _FACTS if breadth.asks_status else 1]
    quotes = _about(report.quotes, breadth) or list(report.quotes[:1])
    ordered: list[Quote | ReportedFact] = [*facts, *quotes[:_SENTENCES]]
    for line in ordered:
        if evidence := _evidence(line, source, records):
            yield _CitedSentence(plain(line.text), evidence)
    if breadth.asks_status:
        for change in report.changes[:_CHANGES]:
            yield from _changed(change, source, records)


def _about(lines: Sequence[_Line], breadth: Breadth) -> list[_Line]:
    """The lines that hold most of the subject, in their order; none where none holds any."""
    subject = set(breadth.subject)
    counts = [
        (len(subject & set(stems_in_parts(f"{line.text} {line.source_ref}"))), line)
        for line in lines
    ]
    ranked = sorted(enumerate(counts), key=lambda each: (-each[1][0], each[0]))
    return [line for _, (n, line) in ranked if n]


def _disputed(
    source: _ReportSource, records: Mapping[str, Record], breadth: Breadth
) -> Iterator[tuple[_CitedSentence, _CitedSentence]]:
    """Both sides of what disagrees about the subject."""
    subject = set(breadth.subject)
    for each in source.report.disagreements:
        both = f"{each.one.text} {each.other.text}"
        if subject and subject.isdisjoint(stems_in_parts(both)):
            continue
        one, other = (_evidence(side, source, records) for side in (each.one, each.other))
        if one and other:
            yield (
                _CitedSentence(plain(each.one.text), one),
                _CitedSentence(plain(each.other.text), other),
            )


def _changed(
    change: Changed, source: _ReportSource, records: Mapping[str, Record]
) -> Iterator[_CitedSentence]:
    document = records.get(change.document_id)
    if not isinstance(document, Entity):
        return
    said = plain(f"Changed on {change.updated_at[:10]}: {changed_text(change)}")
    yield _CitedSentence(
        said,
        Evidence(
            id=document.entity_id,
            document_id=document.entity_id,
            path=change.source_ref,
            start_line=1,
            end_line=1,
            title=document.name,
            text=change.title or document.description or document.name,
            is_code=False,
            graph_ids=(source.episode_id, document.entity_id),
            updated_at=document.updated_at,
            source_sha=document.source_sha,
            score=source.score,
        ),
    )


def _records(sources: Sequence[_ReportSource], graph: Graph) -> dict[str, Record]:
    lines = [lines_of(source.report) for source in sources[:_THEMES]]
    ids = {i for each in lines for part in each for i in part}
    found = graph.get(sorted(ids))
    episodes = {r.episode_id for r in found.values() if isinstance(r, Chunk)}
    return found | graph.get(sorted(episodes))


def _evidence(
    line: Quote | ReportedFact, source: _ReportSource, records: Mapping[str, Record]
) -> Evidence | None:
    """What a line rests on: the passage itself, its graph ids led by the report's."""
    own = (line.fact_id,) if isinstance(line, ReportedFact) else line.graph_ids
    chunk = records.get(line.chunk_id)
    if not isinstance(chunk, Chunk) and (line.chunk_id or not own or own[0] not in records):
        return None
    by_hand = Evidence(
        id=own[0] if own else line.chunk_id,
        document_id="",
        path=line.source_ref,
        start_line=line.start_line,
        end_line=line.end_line,
        title=line.source_ref,
        text=line.text,
        is_code=False,
        graph_ids=(source.episode_id, *own),
        updated_at="",
        source_sha="",
        score=source.score,
    )
    if not isinstance(chunk, Chunk):
        return by_hand
    document = records.get(chunk.document_id)
    episode = records.get(chunk.episode_id)
    return by_hand._replace(
        id=chunk.chunk_id,
        document_id=chunk.document_id,
        title=chunk.title,
        text=chunk.text,
        is_code=chunk.profile == "code",
        graph_ids=(source.episode_id, *own, chunk.document_id),
        updated_at=document.updated_at if isinstance(document, Entity) else "",
        source_sha=episode.source_sha if isinstance(episode, Episode) else "",
    )


def _citations(gated: Gated, graph: Graph, now: str) -> tuple[Citation, ...]:
    counts = citation_counts(graph, gated.evidence)
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


def _behind(changes: int) -> float:
    """How far reports are behind, in [0, 1]."""
    return min(math.log1p(changes) / math.log(1001), 1.0)

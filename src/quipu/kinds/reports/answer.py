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
from quipu.answer.formula import Term, log_odds, logistic
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

__all__ = ["INTERCEPT", "TABLE", "overview"]

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
_THEMES = 7
_ABOUT = 2
_NEAR_BEST = 0.7
_SENTENCES = 3
_FACTS = 4
_CHANGES = 2
_DISPUTED = 2
_Line = TypeVar("_Line", Quote, ReportedFact)
_EVERYTHING = Breadth((), asks_status=False)


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
    sure = _sureness(inputs, answered=draft is not None)
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
            reasons=_weaknesses_of(sure.inputs),
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
    disagreements: list[str] = []
    if breadth.is_about_all:
        sentences = [t for s in sources[:_THEMES] for t in _theme(s, records, breadth)]
        sentences = sentences or [
            t for s in sources[:_THEMES] for t in _theme(s, records, _EVERYTHING)
        ]
    else:
        best = [s for s in sources[:_ABOUT] if s.score >= _NEAR_BEST * sources[0].score]
        sentences = [t for s in best for t in _subject(s, records, breadth)]
    if breadth.asks_status or not breadth.is_about_all:
        for source in sources[:_THEMES]:
            disagreements += _disputed(source, records, breadth, sentences)
    page = _ReportPage()
    for each in sentences:
        page.add(each)
    if not page.sentences:
        return None
    answer = " ".join(page.sentences)
    stems = {s for e in page.evidence for s in stems_in_parts(f"{e.title} {e.path} {e.text}")}
    stems |= set(stems_in_parts(answer))
    subject = breadth.subject
    return AnswerDraft(
        answer=answer,
        evidence=tuple(page.evidence),
        subject=len(stems & set(subject)) / len(subject) if subject else None,
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


class _ReportPage:
    """Sentences with marks, and the evidence in the order of the marks."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.evidence: list[Evidence] = []

    def add(self, cited: _CitedSentence) -> None:
        """Write one sentence down, once."""
        at = next((n for n, e in enumerate(self.evidence) if _same(e, cited.evidence)), None)
        if at is None:
            at = len(self.evidence)
            self.evidence.append(cited.evidence)
        sentence = f"{cited.text.rstrip('.;:, ')} [{at + 1}]."
        if sentence not in self.sentences:
            self.sentences.append(sentence)


def _same(one: Evidence, other: Evidence) -> bool:
    return (one.id, one.start_line) == (other.id, other.start_line)


def _theme(
    source: _ReportSource, records: Mapping[str, Record], breadth: Breadth
) -> Iterator[_CitedSentence]:
    """What a community is called, how large it is, and its best sentence; where the question is
    how things stand, the latest that holds and what changed last instead."""
    report = source.report
    size = f"{report.documents:,} source{'s' * (report.documents != 1)}"
    head = plain(f"{report.title} ({size})")
    lines = report.facts[:1] if breadth.asks_status else report.quotes[:1] or report.facts[:1]
    for line in lines:
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
    source: _ReportSource,
    records: Mapping[str, Record],
    breadth: Breadth,
    sentences: list[_CitedSentence],
) -> Iterator[str]:
    """Both sides of what disagrees about the subject; they are added to what is told."""
    subject = set(breadth.subject)
    for each in source.report.disagreements:
        both = f"{each.one.text} {each.other.text}"
        if subject and subject.isdisjoint(stems_in_parts(both)):
            continue
        one, other = (_evidence(side, source, records) for side in (each.one, each.other))
        if one and other:
            sentences.append(_CitedSentence(plain(each.one.text), one))
            sentences.append(
                _CitedSentence(f"Another source says: {plain(each.other.text)}", other)
            )
            yield f"{plain(each.one.text)}, but {plain(each.other.text)}"


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
    if isinstance(chunk, Chunk):
        document = records.get(chunk.document_id)
        known = document if isinstance(document, Entity) else None
        episode = records.get(chunk.episode_id)
        return Evidence(
            id=chunk.chunk_id,
            document_id=chunk.document_id,
            path=line.source_ref,
            start_line=line.start_line,
            end_line=line.end_line,
            title=chunk.title,
            text=chunk.text,
            is_code=chunk.profile == "code",
            graph_ids=(source.episode_id, *own, chunk.document_id),
            updated_at=known.updated_at if known else "",
            source_sha=episode.source_sha if isinstance(episode, Episode) else "",
            score=source.score,
        )
    fact = records.get(own[0]) if own else None
    if fact is None or line.chunk_id:
        return None
    return Evidence(
        id=own[0],
        document_id="",
        path=line.source_ref,
        start_line=1,
        end_line=1,
        title=line.source_ref,
        text=line.text,
        is_code=False,
        graph_ids=(source.episode_id, *own),
        updated_at="",
        source_sha="",
        score=source.score,
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


def _sureness(inputs: Mapping[str, float | None], *, answered: bool) -> Confidence:
    """The confidence from the named inputs, in [0, 1]; 0 where there is no answer."""
    rounded = {
        term.name: None if (given := inputs.get(term.name)) is None else round(given, 6)
        for term in TABLE
    }
    value = logistic(log_odds(INTERCEPT, TABLE, rounded)) if answered else 0.0
    return Confidence(value=value, inputs=rounded)


def _weaknesses_of(inputs: Mapping[str, float | None], *, most: int = 2) -> list[str]:
    """What speaks most against the answer, the heaviest first, in words."""
    losses: list[tuple[float, str, str]] = []
    for term in TABLE:
        given = inputs.get(term.name)
        best = 1.0 if term.weight > 0 else 0.0
        if given is not None:
            losses.append((term.weight * (given - best), term.name, term.weakness))
    return [said for loss, _, said in sorted(losses) if loss < -0.5][:most]


def _behind(changes: int) -> float:
    """How far reports are behind, in [0, 1]."""
    return min(math.log1p(changes) / math.log(1001), 1.0)

"""Planning for questions about everything: how broad one is (about everything or one subject, and
whether it asks how that stands), which reports may be used, and which of their lines.

The reports are given; planning searches no passage. A line counts while the passage it was
quoted from is live and, where there is a scope, inside it.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quipu.errors import InvalidInput
from quipu.index.asked import question_vectors, spaces_of
from quipu.kinds.reports.model import Report, ReportBasis, lines_of, trimmed
from quipu.ports import Embedder, Planner
from quipu.question import Question, read_question
from quipu.records.plan import Constraints, Plan, PlannedReport
from quipu.records.scope import EVERYTHING, Scope
from quipu.text import name_key, stems, stems_in_parts, tokens

__all__ = ["REPORTS", "Breadth", "plan_reports", "read_breadth"]

_OVERVIEW = frozenset(
    stems(
        """theme themes main major key central topic topics subject area overview overall summary
    summarize general picture important repository repo project codebase memory documents notes
    conversations contents everything all here about contain cover describe tell explain happened
    going work works do learn learned people question"""
    )
)
"""The stems of a question that asks for an overview; they name no subject."""
_STATUS = frozenset(
    stems(
        """state status progress situation stand standing current currently latest lately recent
    recently new news changed change changes update updates decided decisions risk now today
    blocked outstanding contradictions disagree disputed"""
    )
)
"""The stems of a question that asks how things stand or what became of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWeights:
    """score = lexical + similarity + name + size, each part times its weight; of a question
    about everything about_all + size. A report below `least` in lexical and `near` in similarity
    is not about the question at all.

    They are rounded by hand (docs/explanation/global.md): there is no labelled set of questions
    about everything, so none of them is fitted."""

    lexical: float = 0.55
    similarity: float = 0.25
    name: float = 0.15
    size: float = 0.05
    about_all: float = 0.6
    about_all_size: float = 0.4
    least: float = 0.01
    near: float = 0.35
    k: float = 1.5
    """BM25's k1, without its length: reports are of one length."""
    most: int = 20


REPORTS = ReportWeights()

_HEAD_TIMES = 3
_LONGEST = 2_000


def plan_reports(
    question: str,
    reports: Sequence[Report],
    planner: Planner,
    embedder: Embedder | None,
    *,
    scope: Scope = EVERYTHING,
    without: frozenset[str] = frozenset(),
    notes: Sequence[str] = (),
) -> Plan:
    """A plan in the mode `global`; the same store, reports and question give the same bytes.

    `without` are documents that may not be used (they have expired).
    """
    if not question.strip():
        raise InvalidInput("the question is empty: ask something, for example 'what is new?'")
    with planner.moment():
        seen = _seen(reports, planner, scope, without)
        sequence = planner.sequence()
        spaces, _ = spaces_of(planner)
        space = embedder.space if embedder is not None and embedder.space in spaces else None
        near = _similarities(question, seen, planner, embedder if space else None)
    planned = _ranked(read_question(question), seen, near)
    return Plan(
        question=question,
        mode="global",
        use_graph=True,
        namespace=planner.namespace,
        sequence=sequence,
        space=space,
        constraints=Constraints(
            max_relationship_depth=0,
            traversal_enabled=False,
            seeds_per_index=0,
            bridge_seeds=0,
            bridge_reach=0,
            chunks_per_document=0,
            chunks=REPORTS.most,
        ),
        scope=scope,
        reports=tuple(planned[: REPORTS.most]),
        notes=tuple(notes),
    )


def _seen(
    reports: Sequence[Report], planner: Planner, scope: Scope, without: frozenset[str]
) -> list[tuple[Report, ReportBasis]]:
    """The reports with the lines that count, and those lines."""
    every = [lines_of(report) for report in reports]
    chunk_ids = sorted({c for lines in every for c in lines.chunk_ids})
    numbers = planner.numbers(chunk_ids)
    live = numbers >= 0
    admitted = live.copy()
    if scope != EVERYTHING:
        admitted[live] = planner.admits(numbers[live], scope)
    chunks = frozenset(c for c, kept in zip(chunk_ids, admitted.tolist(), strict=True) if kept)
    documents = _documents(every, planner, scope) - without
    facts = frozenset(planner.get(sorted({f for lines in every for f in lines.fact_ids})))
    allowed = ReportBasis(chunks, documents, facts)
    whole = scope == EVERYTHING
    found = [trimmed(report, allowed, keep_title=whole) for report in reports]
    return [(report, lines_of(report)) for report in found if report is not None]


def _documents(every: Sequence[ReportBasis], planner: Planner, scope: Scope) -> frozenset[str]:
    """The documents of the lines that are live and, in a scope, have a passage in it."""
    ids = sorted({d for lines in every for d in lines.document_ids})
    if scope == EVERYTHING:
        return frozenset(planner.get(ids))
    inside = planner.numbers_in(ids)
    return frozenset(
        each for each, numbers in inside.items() if bool(planner.admits(numbers, scope).any())
    )


def _similarities(
    question: str,
    seen: Sequence[tuple[Report, ReportBasis]],
    planner: Planner,
    embedder: Embedder | None,
) -> list[float]:
    """Of each report the best cosine of the question with a sentence of a quoted passage."""
    if embedder is None or not seen:
        return [0.0] * len(seen)
    vector = question_vectors(embedder, question).vector
    found: list[float] = []
    for _, lines in seen:
        numbers = planner.numbers(sorted(lines.chunk_ids))
        numbers = numbers[numbers >= 0]
        if not len(numbers):
            found.append(0.0)
            continue
        parts = planner.best_parts(numbers, embedder.space, vector)
        whole = planner.vectors(numbers, embedder.space).astype(np.float64)
        cosines = (whole * vector).sum(axis=1) if whole.size else np.zeros(1)
        found.append(float(max(parts.max(), cosines.max(), 0.0)))
    return found


def _ranked(
    question: Question, seen: Sequence[tuple[Report, ReportBasis]], near: Sequence[float]
) -> list[PlannedReport]:
    breadth = read_breadth(question.text)
    bags = [_bag(report) for report, _ in seen]
    df = Counter(stem for bag in bags for stem in bag)
    largest = max((report.passages for report, _ in seen), default=1)
    keys = frozenset(question.names) | frozenset(run for _, _, run in question.runs)
    planned: list[PlannedReport] = []
    for (report, lines), bag, similarity in zip(seen, bags, near, strict=True):
        parts = {
            "similarity": round(similarity, 6),
            "lexical": round(_lexical(breadth.subject, bag, df, len(seen)), 6),
            "name": float(_is_named(report, keys, breadth.subject)),
            "size": round(math.log1p(report.passages) / math.log1p(largest), 6),
        }
        score = _score(parts, about_all=breadth.is_about_all)
        if score is None:
            continue
        planned.append(
            PlannedReport(
                ref=report.ref,
                title=report.title,
                score=score,
                parts=parts,
                chunk_ids=tuple(sorted(lines.chunk_ids)),
                document_ids=tuple(sorted(lines.document_ids)),
                fact_ids=tuple(sorted(lines.fact_ids)),
            )
        )
    return sorted(planned, key=lambda p: (-p.score, p.ref))


def _is_named(report: Report, keys: frozenset[str], subject: Sequence[str]) -> bool:
    """Whether the question names one of the report's names, or says a word of its title."""
    titled = set(stems_in_parts(report.title))
    return any(name_key(n.name) in keys for n in report.names) or not titled.isdisjoint(subject)


def _score(parts: dict[str, float], *, about_all: bool) -> float | None:
    """The score in [0, 1]; None for a report that is not about the question."""
    if about_all:
        return round(REPORTS.about_all + REPORTS.about_all_size * parts["size"], 6)
    if parts["lexical"] < REPORTS.least and parts["similarity"] < REPORTS.near:
        return None
    total = (
        REPORTS.lexical * parts["lexical"]
        + REPORTS.similarity * parts["similarity"]
        + REPORTS.name * parts["name"]
        + REPORTS.size * parts["size"]
    )
    return round(min(total, 1.0), 6)


def _bag(report: Report) -> Counter[str]:
    """How often each stem stands in a report; its title and names count three times."""
    names = " ".join(each.name for each in report.names)
    head = f"{report.title} {report.place} {names}"
    said = " ".join(
        [
            report.summary,
            *(each.text for each in report.quotes),
            *(each.text for each in report.stated),
            *(f"{each.source_ref} {each.title}" for each in report.changes),
        ]
    )
    bag: Counter[str] = Counter()
    for text, times in ((head, _HEAD_TIMES), (said, 1)):
        for stem in stems_in_parts(text):
            bag[stem] += times
    return bag


def _lexical(subject: Sequence[str], bag: Counter[str], df: Counter[str], total: int) -> float:
    """The share of the subject that a report holds, by how rare its stems are among reports; a
    stem that stands there more often counts more."""
    idf = {stem: math.log(1 + (total - df[stem] + 0.5) / (df[stem] + 0.5)) for stem in subject}
    whole = math.fsum(idf.values())
    if not whole:
        return 0.0
    part = math.fsum(w * bag[s] / (bag[s] + REPORTS.k) for s, w in idf.items() if bag[s])
    return part / whole


class Breadth(NamedTuple):
    """`subject` are the stems that name what is asked about, none where it is everything;
    `asks_status` is true where the question is how it stands or what changed."""

    subject: tuple[str, ...]
    asks_status: bool

    @property
    def is_about_all(self) -> bool:
        """Whether no subject is named."""
        return not self.subject


def read_breadth(question: str) -> Breadth:
    """How broad `question` is; only its first 2,000 characters are looked at."""
    text = question[:_LONGEST]
    found = tuple(dict.fromkeys(stems(text)))
    named = {s for t in tokens(text)[1:] if text[t.start].isupper() for s in stems(t.word)}
    generic = _OVERVIEW | _STATUS
    return Breadth(
        tuple(s for s in found if s in named or s not in generic),
        asks_status=not _STATUS.isdisjoint(found),
    )

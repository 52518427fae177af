"""Planning for questions about everything: how broad one is (about everything or one subject, and
whether it asks how that stands), which reports may be used, and which of their lines.

The reports are given; planning searches no passage. A line counts while the passage it was
quoted from is live and, where there is a scope, inside it.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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

__all__ = ["ABOUT_ALL", "ABOUT_ALL_SIZE", "WEIGHTS", "Breadth", "plan_reports", "read_breadth"]

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


WEIGHTS: Mapping[str, float] = {"lexical": 0.55, "similarity": 0.25, "name": 0.15, "size": 0.05}
"""score = Σ weight · part. Rounded by hand: no labelled set asks about everything."""
ABOUT_ALL, ABOUT_ALL_SIZE = 0.6, 0.4
"""Of a question about everything the score is ABOUT_ALL + ABOUT_ALL_SIZE · size."""
_LEAST_LEXICAL, _LEAST_SIMILARITY = 0.01, 0.35
"""A report below both is not about the question at all."""
_K1 = 1.5
"""BM25's k1, without its length: reports are of one length."""
_MOST_REPORTS = 20
_HEAD_TIMES = 3
_LONGEST_READ = 2_000


def plan_reports(
    question: str,
    reports: Sequence[Report],
    planner: Planner,
    embedder: Embedder | None,
    *,
    scope: Scope = EVERYTHING,
    without: Collection[str] = (),
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
            chunks=_MOST_REPORTS,
        ),
        scope=scope,
        reports=tuple(planned[:_MOST_REPORTS]),
        notes=tuple(notes),
    )


def _seen(
    reports: Sequence[Report], planner: Planner, scope: Scope, without: Collection[str]
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
    documents = _documents(every, planner, scope).difference(without)
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
    """Of each report the best cosine of the question with a quoted passage, or a sentence of it."""
    if embedder is None or not seen:
        return [0.0] * len(seen)
    vector = question_vectors(embedder, question).vector
    found: list[float] = []
    for _, lines in seen:
        numbers = planner.numbers(sorted(lines.chunk_ids))
        numbers = numbers[numbers >= 0]
        parts = planner.best_parts(numbers, embedder.space, vector)
        whole = planner.vectors(numbers, embedder.space).astype(np.float64)
        cosines = (whole * vector).sum(axis=1) if whole.size else np.zeros(0)
        found.append(float(max(parts.max(initial=0.0), cosines.max(initial=0.0))))
    return found


def _ranked(
    question: Question, seen: Sequence[tuple[Report, ReportBasis]], near: Sequence[float]
) -> list[PlannedReport]:
    breadth = read_breadth(question.text)
    bags = [_bag(report) for report, _ in seen]
    df = Counter(stem for bag in bags for stem in bag)
    idf = {s: math.log(1 + (len(bags) - df[s] + 0.5) / (df[s] + 0.5)) for s in breadth.subject}
    largest = max((report.passages for report, _ in seen), default=1)
    keys = frozenset(question.names) | frozenset(run for _, _, run in question.runs)
    planned: list[PlannedReport] = []
    for (report, lines), bag, similarity in zip(seen, bags, near, strict=True):
        parts = {
            "similarity": round(similarity, 6),
            "lexical": round(_lexical(idf, bag), 6),
            "name": float(_is_named(report, keys, breadth.subject)),
            "size": round(math.log1p(report.passages) / math.log1p(largest), 6),
        }
        if breadth.is_about_all:
            score = ABOUT_ALL + ABOUT_ALL_SIZE * parts["size"]
        elif parts["lexical"] < _LEAST_LEXICAL and similarity < _LEAST_SIMILARITY:
            continue
        else:
            score = math.fsum(weight * parts[name] for name, weight in WEIGHTS.items())
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


def _is_named(report: Report, keys: frozenset[str], subject: Sequence[str]) -> bool:
    """Whether the question names one of the report's names, or says a word of its title."""
    titled = set(stems_in_parts(report.title))
    return any(name_key(n.name) in keys for n in report.names) or not titled.isdisjoint(subject)


def _bag(report: Report) -> Counter[str]:
    """How often each stem stands in a report; its title and names count three times."""
    head = [report.title, report.place, *(each.name for each in report.names)]
    said = [
        report.summary,
        *(each.text for each in (*report.quotes, *report.stated)),
        *(f"{each.source_ref} {each.title}" for each in report.changes),
    ]
    named = Counter(stems_in_parts(" ".join(head)))
    return Counter({stem: _HEAD_TIMES * n for stem, n in named.items()}) + Counter(
        stems_in_parts(" ".join(said))
    )


def _lexical(idf: Mapping[str, float], bag: Mapping[str, int]) -> float:
    """The share of the subject that a report holds, by how rare its stems are among reports; a
    stem that stands there more often counts more."""
    whole = math.fsum(idf.values())
    held = math.fsum(w * bag[s] / (bag[s] + _K1) for s, w in idf.items() if s in bag)
    return held / whole if whole else 0.0


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
    text = question[:_LONGEST_READ]
    found = tuple(dict.fromkeys(stems(text)))
    named = {s for t in tokens(text)[1:] if text[t.start].isupper() for s in stems(t.word)}
    generic = _OVERVIEW | _STATUS
    return Breadth(
        tuple(s for s in found if s in named or s not in generic),
        asks_status=not _STATUS.isdisjoint(found),
    )

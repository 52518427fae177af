"""How sure an answer is: the formulas of `confidence.toml`, of which the first that holds counts.

Whether a passage is about the question says little of whether the lines that are quoted of it
answer: what tells is how far the words of the question are met in them, and how much more they are
worth (`worth`) than those of any other passage. Prose is near in words to much that it does not
answer: where neither it nor the question shows code, a formula of its own counts.
"""

import math
from collections.abc import Mapping, Sequence

from quipu.answer.formula import (
    ConfidenceFormula,
    Inputs,
    first_of,
    named_formula,
    scaled_log_odds,
)
from quipu.answer.gate import AnswerDraft, Evidence, Gated
from quipu.answer.kinds import answers_of_kinds
from quipu.ports import Graph
from quipu.records.reply import Citation, Confidence
from quipu.records.schema import RelationType
from quipu.when.instants import UNKNOWN_TIME, to_epoch

__all__ = [
    "FLOOR",
    "GENERAL",
    "PROSE",
    "QUOTED",
    "citation_counts",
    "citations_of",
    "confidence",
    "freshness",
    "match",
    "weaknesses",
]

_OF_SEARCH = ("cos1", "mslow", "miss", "nfound")
_DAY_S = 86_400.0
_HALF_LIFE_DAYS = 730.0
_MANY_CITATIONS = 20
_COUNTED = 100
_UNSURE = 0.65
"""The most that an answer counts whose evidence does not bear what the question names, or whose
question is in another language than those that the weights were fitted on: below what is asserted
(`contract.ASSERT_ABOVE`)."""
_CITING = frozenset(str(each) for each in RelationType if each.row.cites)


FLOOR = 0.12


def _always(_: Inputs) -> bool:
    return True


def _is_quoted(inputs: Inputs) -> bool:
    """Whether sentences or blocks were chosen with their vectors."""
    return inputs.get("worth") is not None and inputs.get("similarity") is not None


def _is_prose(inputs: Inputs) -> bool:
    """Whether what is quoted is prose, and neither it nor the question shows code."""
    return _is_quoted(inputs) and bool(inputs.get("plain"))


GENERAL = named_formula("general", _always)
QUOTED = named_formula("quoted", _is_quoted)
PROSE = named_formula("prose", _is_prose)


def confidence(
    draft: AnswerDraft | None,
    signals: Mapping[str, float],
    *,
    now: str,
    citations: Mapping[str, int],
    best_score: float | None = None,
    code: bool = False,
    unknown_names: float = 0.0,
    self_report: float | None = None,
    unborne: bool = False,
    foreign: bool = False,
) -> Confidence:
    """How sure the answer in `draft` is; 0 without a draft.

    `signals` are the search's own numbers, `best_score` is the first hit's score (which compares
    prose with code, as raw scores do not), `citations` counts, for each document, the others
    that refer to it. `foreign`: the question is in another language than English. Inputs that are
    not known are None.
    """
    evidence = draft.evidence if draft else ()
    fresh = [f for e in evidence if (f := freshness(e.updated_at, now)) is not None]
    documents = {e.document_id for e in evidence}
    bare = "cos1" not in signals
    score1 = None if best_score is None or bare else scaled_log_odds(best_score)
    subject = draft.subject if draft else None
    inputs: dict[str, float | None] = {
        "similarity": draft.similarity if draft else None,
        "freshness": max(fresh, default=None),
        "citation_count": _counted(sum(citations.get(d, 0) for d in documents)),
        "self_report": None if self_report is None else self_report - 0.5,
        "score1": score1,
        "code": 1 - (best_score or 0.0) if code and not bare else 0.0,
        **{name: signals.get(name) for name in _OF_SEARCH},
        **({"nfound": 1.0} if draft and draft.stated >= 1 else {}),
        "unknown_names": unknown_names,
        "unborne": float(unborne),
        **({"foreign": 1.0} if foreign else {}),
        "coverage": draft.coverage if draft else 0.0,
        "stated": draft.stated if draft else 0.0,
        "unexplained": draft.unexplained if draft else 0.0,
        "subject": subject,
        "unvouched": draft.unvouched if draft else 0.0,
        "unsaid": _unsaid(draft, signals),
        "worth": draft.worth if draft else None,
        "likely": scaled_log_odds(draft.likely) if draft and draft.likely is not None else None,
        "margin": draft.margin if draft else None,
        "met": draft.met if draft else None,
        "absent": draft.absent if draft else None,
        "plain": draft.plain if draft else None,
        "words": (subject or 0.0) ** 2 * (1 - signals["miss"])
        if bare and "miss" in signals
        else None,
        **(_otherwise(draft, score1) if draft else {}),
    }
    rounded = {name: None if v is None else round(float(v), 6) for name, v in inputs.items()}
    return Confidence(value=value_of(rounded) if draft else 0.0, inputs=rounded)


def _otherwise(draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
    """The inputs that are other where the sources of one kind say all of it."""
    found: dict[str, float | None] = {}
    for each in answers_of_kinds():
        found |= each.inputs(draft, score1)
    return found


def _unsaid(draft: AnswerDraft | None, signals: Mapping[str, float]) -> float:
    if draft is None or draft.subject is None or not any(e.is_code for e in draft.evidence):
        return 0.0
    return (1 - draft.subject) * signals.get("miss", 0.0)


def formulas() -> tuple[ConfidenceFormula, ...]:
    """Every formula, in the order in which they are asked whether they hold: those of some kinds
    of source, of what is quoted from prose and from all files, the general one."""
    of_kinds = (formula for each in answers_of_kinds() for formula in each.formulas)
    return (*of_kinds, PROSE, QUOTED, GENERAL)


def value_of(inputs: Inputs) -> float:
    """By the first formula that holds; inputs that are not in its table do not count. No answer is
    sure whose evidence does not bear what the question names, or to a question that is not in
    English: no weight was fitted on those."""
    value = first_of(formulas(), inputs).value_of(inputs)
    return min(value, _UNSURE) if inputs.get("unborne") or inputs.get("foreign") else value


def weaknesses(inputs: Inputs, *, most: int = 2) -> list[str]:
    """What speaks most against the answer, the heaviest first, in words."""
    return first_of(formulas(), inputs).weaknesses(inputs)[:most]


def match(each: Evidence, *, now: str, citations: int) -> float:
    """How well one passage supports the answer, in [0, 1]: 0.6 score + 0.3 similarity + 0.05
    freshness + 0.05 citation count, over the parts that are known (score and similarity are
    not where the graph alone led to a passage; the relation's own word counts as 1)."""
    parts = [
        (0.6, 1.0 if each.score is None else each.score),
        (0.3, each.similarity),
        (0.05, freshness(each.updated_at, now)),
        (0.05, _counted(citations)),
    ]
    known = [(weight, value) for weight, value in parts if value is not None]
    total = math.fsum(weight for weight, _ in known)
    raw = math.fsum(weight * value for weight, value in known) / total
    return round(min(max(raw, 0.0), 1.0), 4)


def freshness(updated_at: str, now: str) -> float | None:
    """2^(-age / 730 days) in (0, 1]; None where the time is unknown, 1 for the future."""
    if not updated_at or updated_at <= UNKNOWN_TIME:
        return None
    age_days = (to_epoch(now) - to_epoch(updated_at)) / _DAY_S
    return 2.0 ** (-max(age_days, 0.0) / _HALF_LIFE_DAYS)


def citation_counts(graph: Graph, evidence: Sequence[Evidence]) -> dict[str, int]:
    """For each document of the evidence, how many others refer to it (100 at most)."""
    documents = sorted({e.document_id for e in evidence if e.document_id})
    incoming = graph.neighbors(documents, direction="in", types=_CITING, limit_per_id=_COUNTED)
    return {
        document: len({r.source_entity_id for r in relations} - {document})
        for document, relations in incoming.items()
    }


def citations_of(gated: Gated, counts: Mapping[str, int], *, now: str) -> tuple[Citation, ...]:
    """Return what an answer cites, in the order of its marks."""
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


def _counted(count: int) -> float:
    return min(math.log1p(count) / math.log1p(_MANY_CITATIONS), 1.0)

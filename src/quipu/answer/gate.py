"""The gate: which passages count as evidence, and what leaves as an answer.

Only a passage that the plan ties to a graph record counts. What leaves holds the contract: a
draft that breaks it becomes `unknown`, and the notes of the reply say why.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from quipu.answer.contract import UNKNOWN, check
from quipu.answer.limitations import Doubt
from quipu.ports import Graph
from quipu.records.passage import SPOKEN
from quipu.records.plan import Plan
from quipu.records.reply import Contract, EvidenceItem, Hit
from quipu.records.role import Role
from quipu.text import excerpt, stems, stems_in_parts

__all__ = [
    "AnswerDraft",
    "Evidence",
    "Gated",
    "abstain",
    "cited_ids",
    "existing_ids",
    "is_turn",
    "linked",
    "pass_gate",
    "withhold",
    "words_of",
]

IDS_AN_ITEM = 8
_LOOKED_AT = 8000


class Evidence(NamedTuple):
    """A passage, or a source without one, that may be cited. `score` and `similarity` are the
    hit's, None where the graph led here without ranking it; `bridged` says that a name of another
    passage led here, `outdated` that what it states holds no more; `role` is what
    its file is for; `spoken` is what somebody said."""

    id: str
    document_id: str
    path: str
    start_line: int
    end_line: int
    title: str
    text: str
    is_code: bool
    graph_ids: tuple[str, ...]
    updated_at: str
    source_sha: str
    score: float | None = None
    similarity: float | None = None
    bridged: bool = False
    outdated: bool = False
    role: Role = "other"
    spoken: bool = False


class AnswerDraft(NamedTuple):
    """What the writer wrote. Mark `[n]` in `answer` means `evidence[n - 1]`; `stated` is the
    share of the question that statements of the graph explain, 0 where none answers, and
    `unexplained` what they leave; `subject` is the share of the words the question is about that
    the cited passages hold (None: it has none); `coverage` is the share of its words that the
    answer and the titles of its evidence hold; `similarity` the best cosine of a quoted sentence
    with the question, where it is known, `worth` what the best of them was chosen by, `likely` how
    likely one of the cited passages answers (None: nobody knows), `margin` how much more it is
    worth than what any other passage holds; `met` is the mean, over the content words of the
    question, of the best cosine with a word of what is quoted (None where words have no vectors),
    `absent` the share of what the question names that stands in no passage that is cited, `plain`
    is 1 where neither what is quoted nor the question shows code; `unvouched` is 1 where nobody but
    an assistant says it of who asks, or turns tell neither the yes nor the no that is asked for."""

    answer: str
    evidence: tuple[Evidence, ...]
    stated: float = 0.0
    unexplained: float = 0.0
    subject: float | None = None
    coverage: float = 0.0
    similarity: float | None = None
    unvouched: float = 0.0
    worth: float | None = None
    likely: float | None = None
    margin: float | None = None
    met: float | None = None
    absent: float | None = None
    plain: float | None = None
    disagreements: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Gated(NamedTuple):
    """A contract that holds, the evidence it cites, and why a draft was turned away."""

    contract: Contract
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()


def words_of(each: Evidence) -> frozenset[str]:
    """The stems of a passage, its title and its path, identifiers also in their parts."""
    text = f"{each.title} {each.path} {each.text[:_LOOKED_AT]}"
    return frozenset(stems_in_parts(text) if each.is_code else stems(text))


def linked(hits: Iterable[Hit], known_ids: Collection[str], *, now: str) -> tuple[Evidence, ...]:
    """The hits that are tied to a graph record that exists, as evidence, in their order."""
    found: list[Evidence] = []
    for hit in hits:
        ids = tuple(dict.fromkeys(each for each in hit.graph_ids if each in known_ids))
        if ids and hit.path.strip() and hit.text.strip():
            found.append(_evidence(hit, ids, now))
    return tuple(found)


def is_turn(each: Evidence) -> bool:
    """Whether a passage is what somebody said: a turn of a conversation, or an entry."""
    return each.spoken


def existing_ids(graph: Graph, plan: Plan, hits: Iterable[Hit]) -> frozenset[str]:
    """Which of the graph ids that the plan and its hits speak of really are in the store."""
    asked = {each for hit in hits for each in hit.graph_ids}
    asked |= {anchor.entity_id for anchor in plan.anchors}
    asked |= {each for way in plan.expansions for each in (way.rel_id, way.target_id)}
    return frozenset(graph.get(sorted(asked)))


def cited_ids(graph: Graph, draft: AnswerDraft) -> frozenset[str]:
    """Which of the graph ids that the draft cites really are in the store."""
    return frozenset(graph.get(sorted({i for e in draft.evidence for i in e.graph_ids})))


def pass_gate(
    draft: AnswerDraft,
    doubt: Doubt,
    *,
    known_ids: Collection[str],
    confidence: float,
    assert_above: float,
    timestamp: str,
) -> Gated:
    """`draft` under the contract, or `unknown` where it would break it."""
    contract = Contract(
        answer=draft.answer,
        evidence=tuple(_item(each, known_ids) for each in draft.evidence),
        timestamp=timestamp,
        limitations=doubt.limitations,
        next_step=doubt.next_step,
    )
    errors = check(contract, known_ids=known_ids, confidence=confidence, assert_above=assert_above)
    if not errors:
        return Gated(contract, draft.evidence)
    notes = tuple(f"the draft broke the answer contract: {error}" for error in errors)
    withheld = Doubt(
        f"An answer was drafted but broke the answer contract: {'; '.join(errors)}.",
        "Read the passages that were found with `quipu search`, and report this reply.",
    )
    return Gated(abstain(withheld, timestamp), (), notes)


def abstain(doubt: Doubt, timestamp: str) -> Contract:
    """`unknown`, with what is missing and what to do."""
    return Contract(
        answer=UNKNOWN,
        evidence=(),
        timestamp=timestamp,
        limitations=doubt.limitations,
        next_step=doubt.next_step,
    )


def withhold(doubt: Doubt, timestamp: str) -> Gated:
    """`unknown` under the contract; a doubt that would break it gives way to a plain one."""
    contract = abstain(doubt, timestamp)
    errors = check(contract)
    if not errors:
        return Gated(contract)
    plainer = Doubt("Nothing that was found answers the question.", "Ask it in other words.")
    notes = tuple(f"the abstention broke the answer contract: {error}" for error in errors)
    return Gated(abstain(plainer, timestamp), (), notes)


def _is_outdated(hit: Hit, now: str) -> bool:
    """Whether what the hit states holds no more: its fact has ended, or another took its place."""
    context = hit.temporal_context
    if context is None:
        return False
    day = context.valid_to is not None and len(context.valid_to) >= len("2026-01-01")
    return bool(context.superseded_by) or (day and str(context.valid_to) <= now)


def _evidence(hit: Hit, ids: tuple[str, ...], now: str) -> Evidence:
    return Evidence(
        id=hit.id,
        document_id=hit.document_id,
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        title=hit.title,
        text=hit.text,
        is_code=hit.why_ranked.profile == "code",
        graph_ids=ids,
        updated_at=hit.updated_at,
        source_sha=hit.source_sha,
        score=hit.score,
        similarity=hit.why_ranked.parts.get("similarity"),
        bridged=hit.why_ranked.parts.get("bridge", 0.0) > 0,
        outdated=_is_outdated(hit, now),
        role=hit.role,
        spoken=hit.why_ranked.profile == SPOKEN,
    )


def _item(each: Evidence, known_ids: Collection[str]) -> EvidenceItem:
    known = [record_id for record_id in each.graph_ids if record_id in known_ids]
    return EvidenceItem(
        graph_ids=tuple(known[:IDS_AN_ITEM]),
        file_paths=(each.path,),
        excerpt=excerpt(each.text),
        source_sha=each.source_sha,
    )

"""Answers under a contract: gate → write → confidence → contract, or `unknown`.

`gate` lets only passages through that are tied to the graph, `statements` says what the graph
itself knows, `choose` picks the evidence's own sentences, `write` puts them together with marks,
`confidence` says how sure it is, `doubt` what is not known, and `contract` is enforced on what
leaves, whoever wrote it. `render` is the person's view.
"""

from collections.abc import Mapping, Sequence

from quipu.answer.authority import heeded
from quipu.answer.by_model import ModelAnswer, consult
from quipu.answer.confidence import (
    FLOOR,
    citation_counts,
    citations_of,
    confidence,
    weaknesses,
)
from quipu.answer.contract import ASSERT_ABOVE
from quipu.answer.dated_facts import timeless
from quipu.answer.gate import (
    AnswerDraft,
    Evidence,
    Gated,
    cited_ids,
    existing_ids,
    linked,
    pass_gate,
    withhold,
)
from quipu.answer.kinds import answers_of_kinds
from quipu.answer.limitations import about_answer, about_nothing, below, missing_names
from quipu.answer.named import of_what_is_named, unborne
from quipu.answer.quote import plain
from quipu.answer.write import superseded, write
from quipu.ports import Chat, Embedder, Graph, Planner
from quipu.question import Question
from quipu.records.plan import Plan
from quipu.records.reply import Citation, Confidence, Reply, Retrieved
from quipu.records.scope import EVERYTHING
from quipu.when.instants import Clock

__all__ = ["ASSERT_ABOVE", "FLOOR", "answer"]


def answer(
    question: Question,
    retrieved: Retrieved,
    graph: Planner,
    *,
    clock: Clock,
    floor: float | None = None,
    assert_above: float = ASSERT_ABOVE,
    embedder: Embedder | None = None,
    chat: Chat | None = None,
    remarks: Sequence[str] = (),
) -> Reply:
    """A reply that holds the contract, from what was retrieved.

    Without a passage that is tied to the graph, or with a confidence below `floor` (default:
    `FLOOR`), the answer is `unknown` with empty evidence. Below `assert_above` the limitations
    say why. With `chat` the model writes and its words are held to the evidence; where it fails,
    the answer is made without it. `remarks` stand in the limitations. Writes nothing, searches
    nothing.
    """
    now = clock()
    least = FLOOR if floor is None else floor
    asked = timeless(question, retrieved.hits, now=now)
    plan, hits = retrieved.plan, retrieved.hits
    known_ids = existing_ids(graph, plan, hits)
    evidence, unheeded = heeded(asked, graph, linked(hits, known_ids, now=now))
    missing = _missing(asked, retrieved, graph, evidence)
    found, evidence = evidence, of_what_is_named(question, evidence, now=now)
    draft = write(asked, question, plan, graph, evidence, now=now, embedder=embedder)
    from_model = _consulted(chat, question.text, evidence, draft, graph, now)
    draft = _draft_of(from_model, draft, graph)
    remarks = (*remarks, *_remarks(from_model), *unheeded)
    counts = citation_counts(graph, draft.evidence if draft else ())
    unsaid = unborne(asked, question, draft, graph, now=now) if draft else ()
    sure = confidence(
        draft,
        retrieved.signals,
        now=now,
        citations=counts,
        best_score=hits[0].score if hits else None,
        code=bool(hits) and hits[0].why_ranked.profile == "code",
        unknown_names=min(len(missing) / max(len(asked.names), 1), 1.0),
        self_report=from_model.self_report if from_model and from_model.draft else None,
        unborne=bool(unsaid),
        foreign=question.language is not None,
    )
    if draft is None or sure.value < least:
        why = _why_nothing(retrieved, found, evidence, draft, sure, least)
        reason = " ".join([(from_model and from_model.refused) or why, *remarks])
        bounded = plan.scope != EVERYTHING
        doubt = about_nothing(graph, hits, reason=reason, missing=missing, bounded=bounded)
        gated = withhold(doubt, now)
    else:
        draft = draft._replace(remarks=(*draft.remarks, *remarks))
        gated = _asserted(
            draft,
            sure,
            graph,
            known_ids,
            missing=missing,
            unsaid=[name for name in unsaid if name not in missing],
            assert_above=assert_above,
            now=now,
        )
    return Reply(
        contract=gated.contract,
        confidence=sure,
        citations=_citations(gated, counts, now, plan, stated=bool(draft and draft.stated)),
        plan=plan,
        hits=hits,
        notes=(*retrieved.notes, *gated.notes),
    )


def _missing(
    asked: Question, retrieved: Retrieved, graph: Graph, evidence: Sequence[Evidence]
) -> tuple[str, ...]:
    """The names in the question that nothing knows, no kind of source included."""
    missing = missing_names(asked, retrieved.plan, graph, retrieved.hits)
    kinds = answers_of_kinds() if missing else ()
    known = {name for each in kinds for name in each.named(asked, graph, evidence)}
    return tuple(name for name in missing if name not in known)


def _consulted(
    chat: Chat | None,
    question: str,
    evidence: Sequence[Evidence],
    offline: AnswerDraft | None,
    graph: Graph,
    now: str,
) -> ModelAnswer | None:
    """What the model says; None where there is none, or nothing it could be told."""
    if chat is None or not evidence:
        return None
    counts = citation_counts(graph, evidence)
    return consult(chat, question, evidence, offline=offline, citations=counts, now=now)


def _draft_of(
    from_model: ModelAnswer | None, offline: AnswerDraft | None, graph: Graph
) -> AnswerDraft | None:
    """The model's draft, none where nothing it said can be kept, the offline one where it could
    not be asked."""
    if from_model is None or from_model.failed:
        return offline
    if from_model.draft is None:
        return None
    return from_model.draft._replace(remarks=superseded(graph, from_model.draft.evidence))


def _remarks(from_model: ModelAnswer | None) -> list[str]:
    said: list[str] = []
    if from_model is None:
        return said
    if from_model.failed:
        said.append(
            f"The language model failed ({plain(from_model.failed)}); the answer is made of the "
            "evidence's own sentences."
        )
    if from_model.removed:
        count = "A sentence" if from_model.removed == 1 else f"{from_model.removed} sentences"
        said.append(f"{count} of the model without support in the evidence was removed.")
    return said


def _asserted(
    draft: AnswerDraft,
    sure: Confidence,
    graph: Graph,
    known_ids: frozenset[str],
    *,
    missing: Sequence[str],
    unsaid: Sequence[str],
    assert_above: float,
    now: str,
) -> Gated:
    doubt = about_answer(
        confidence=sure.value,
        assert_above=assert_above,
        reasons=weaknesses(sure.inputs),
        disagreements=draft.disagreements,
        remarks=draft.remarks,
        missing=missing,
        unsaid=unsaid,
    )
    return pass_gate(
        draft,
        doubt,
        known_ids=known_ids | cited_ids(graph, draft),
        confidence=sure.value,
        assert_above=assert_above,
        timestamp=now,
    )


def _citations(
    gated: Gated, counts: Mapping[str, int], now: str, plan: Plan, *, stated: bool
) -> tuple[Citation, ...]:
    """Where the graph states the answer its sources are cited for that: how they ranked for the
    question's words says nothing of it. Without vectors their similarity is not known."""
    cited = tuple(
        each._replace(
            score=None if stated else each.score,
            similarity=None if stated or plan.space is None else each.similarity,
        )
        for each in gated.evidence
    )
    return citations_of(gated._replace(evidence=cited), counts, now=now)


def _why_nothing(
    retrieved: Retrieved,
    found: Sequence[Evidence],
    evidence: Sequence[Evidence],
    draft: AnswerDraft | None,
    sure: Confidence,
    floor: float,
) -> str:
    if draft is not None:
        value, bound = below(sure.value, floor)
        return f"Confidence is {value}, below the floor of {bound}."
    if not retrieved.hits:
        return "Nothing was found for the question."
    if found and not evidence:
        return "What was found is about others of the kind that the question names."
    if not evidence:
        return "No passage that was found is tied to a record of the graph, so none is evidence."
    return "No passage that was found says anything to the question."

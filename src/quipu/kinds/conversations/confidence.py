"""Turns as answers: which of them are read and quoted, and how sure an answer from them is.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

How sure it is rests on how likely one of the cited turns answers, which the head says that reads
them (`answering`); `bench/teach/confidence.py` fits the weights. Where nobody knows how likely a
turn answers (another encoder, or none), the formulas of any other quotation count.
"""

from collections.abc import Sequence

from quipu.answer.formula import ConfidenceFormula, Inputs, Term, scaled_log_odds
from quipu.answer.gate import AnswerDraft, Evidence, is_turn
from quipu.answer.kinds import Answers, Likely, Quotation
from quipu.answer.worth import Candidate
from quipu.kinds.conversations.answering import TURNS, likely
from quipu.kinds.conversations.quoted import quotations
from quipu.ports import Embedder, LayerReader, Planner
from quipu.question import Question
from quipu.records.passage import SPOKEN
from quipu.records.reply import Hit
from quipu.records.scope import Scope

__all__ = ["ANSWERING", "ANSWERS"]

_LEAST_STATED = 0.15
"""The `likely` that what a fact states counts at least."""


def _is_read(inputs: Inputs) -> bool:
    """Whether turns were read for how likely they answer."""
    return inputs.get("likely") is not None


ANSWERING = ConfidenceFormula(
    intercept=-2.1,
    table=(
        Term(
            "likely",
            7.6,
            0.0,
            "log-odds that one of the cited turns answers, ÷ ln 499, in [-1, 1]",
            "none of the turns that were found surely answers",
        ),
        Term(
            "met",
            1.8,
            0.5,
            "mean over the question's content words of their best cosine with a quoted word",
            "some words of the question are met by nothing that is quoted",
        ),
        Term("cos1", 1.45, 0.4, "best cosine between the question and a turn", ""),
        Term(
            "lacking",
            -2.9,
            0.0,
            "1 where a kind of thing is asked for and none named, or yes or no and neither said",
            "the answer names nothing of the kind that is asked for",
        ),
        Term(
            "unknown_names",
            -2.9,
            0.0,
            "share of the question's names that are not known at all",
            "the question names something that is not known here",
        ),
        Term(
            "unvouched",
            -2.9,
            0.0,
            "1 where what somebody asks of themselves is told by an assistant alone",
            "only an assistant says so",
        ),
    ),
    holds=_is_read,
)


class TurnAnswers(Answers):
    """How turns are quoted, and how sure an answer is that rests on them."""

    reads = TURNS
    formulas = (ANSWERING,)

    def is_of(self, hit: Hit) -> bool:
        """Whether it is a turn."""
        return hit.why_ranked.profile == SPOKEN

    def likely(
        self,
        question: Question,
        evidence: Sequence[Evidence],
        planner: Planner,
        embedder: Embedder,
        *,
        scope: Scope,
    ) -> Likely | None:
        """See `answering`."""
        if not any(map(is_turn, evidence)) or not isinstance(embedder, LayerReader):
            return None
        return likely(question, evidence, planner, embedder, scope=scope)

    def quoted(
        self,
        ordered: Sequence[Candidate],
        planner: Planner,
        *,
        question: Question,
        scope: Scope,
        likely: Likely | None,
    ) -> Sequence[Quotation]:
        """See `quoted`."""
        return quotations(ordered, planner, question=question, scope=scope, likely=likely)

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """Return how likely an answer is: not known where no turn is cited, and no less than
        `_LEAST_STATED` where facts state it. Where nobody knows that, and facts of turns state all
        of it, the words and the score of what was found say nothing."""
        if draft.likely is None:
            of_turns = draft.stated >= 1 and all(map(is_turn, draft.evidence))
            known = of_turns and score1 is not None
            return {"miss": 0.0, "score1": max(score1 or 0.0, 0.0)} if known else {}
        if draft.evidence and not any(map(is_turn, draft.evidence)):
            return {"likely": None}
        if not draft.stated or not all(map(is_turn, draft.evidence)):
            return {}
        return {"likely": max(scaled_log_odds(draft.likely), _LEAST_STATED)}


ANSWERS = TurnAnswers()

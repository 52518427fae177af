"""Turns as answers: which of them are read and quoted, and how sure an answer from them is.

How sure it is rests on how likely one of the cited turns answers, which the head says that reads
them (`answering`). Where nobody knows how likely a
turn answers (another encoder, or none), the formulas of any other quotation count.
"""

from collections.abc import Sequence

from quipu.answer.formula import Inputs, named_formula, scaled_log_odds
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


ANSWERING = named_formula("turns", _is_read)


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

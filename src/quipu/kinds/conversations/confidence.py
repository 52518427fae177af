"""How sure an answer from a conversation is: how likely it was said at all, times how likely what
is told answers, given that it was.

    value = P(said) · P(right | said), each 1 / (1 + e^-(intercept + Σ weight · input))

Whether something was said depends on how near the turns come and, where the question names one
speaker, on whose statement it is (`attribution.py`); whether what is quoted of it answers depends
on the words that it meets and on what facts state. `bench/teach/confidence.py` fits both.
"""

from collections.abc import Mapping, Sequence

from quipu.answer.formula import ConfidenceFormula, Term, scaled_log_odds
from quipu.answer.gate import AnswerDraft, Evidence, is_turn
from quipu.answer.kinds import Answers, Likely, Quotation
from quipu.answer.worth import Candidate, Weighing
from quipu.kinds.conversations.answering import TURNS, likely
from quipu.kinds.conversations.answering.prose import is_prose, is_record
from quipu.kinds.conversations.told import quotations
from quipu.ports import Embedder, LayerReader, Planner
from quipu.records.passage import SPOKEN
from quipu.records.reply import Hit
from quipu.records.scope import Scope

__all__ = ["ANSWERING", "ANSWERS", "CORRECTNESS", "FORMULA", "INTERCEPT", "TABLE"]

_LEAST_SCORE = -0.5
_LEAST_STATED, _LEAST_BY_HAND = 0.1, 0.15
INTERCEPT = -5.0


TABLE = (
    Term(
        "misattributed",
        12.0,
        0.0,
        "how much less the turns about the speaker say",
        "others say more of it than the one who is asked about",
    ),
    Term("attributed", 8.5, 0.0, "how much more the turns about the speaker say", ""),
    Term(
        "said",
        3.6,
        0.4,
        "how much the best turn says, of those about the one speaker named",
        "the turns say little of what is asked",
    ),
    Term(
        "cos1",
        6.7,
        0.4,
        "best cosine between the question and a turn",
        "no turn is near the question in meaning",
    ),
    Term(
        "miss",
        -0.2,
        0.4,
        "largest idf of a question word not in the first five turns",
        "a rare word of the question stands in none of the turns",
    ),
    Term(
        "unknown_names",
        -1.5,
        0.0,
        "share of the question's names that are not known at all",
        "the question names something that is not known here",
    ),
    Term("stated", 5.0, 0.0, "share of the question that facts explain, where they answer", ""),
)


def is_from_a_conversation(inputs: Mapping[str, float | None]) -> bool:
    """Whether the best that the search found is a turn."""
    return inputs.get("said") is not None


CORRECTNESS = ConfidenceFormula(
    intercept=-0.2,
    table=(
        Term("stated", 4.1, 0.0, "share of the question that facts explain, where they answer", ""),
        Term(
            "met",
            1.7,
            0.5,
            "mean over the question's content words of their best cosine with a quoted word",
            "some words of the question are met by nothing that is quoted",
        ),
        Term(
            "score1",
            2.5,
            -0.35,
            "log-odds of the best turn's score, ÷ ln 499, in [-0.5, 1]",
            "the best turn scores low",
        ),
        Term(
            "absent",
            -1.8,
            0.0,
            "share of what the question names that stands in no turn that is cited",
            "no turn that is cited speaks of all that is named",
        ),
        Term(
            "unvouched",
            -1.5,
            0.0,
            "1 where what somebody asks of themselves is told by an assistant alone",
            "only an assistant says so",
        ),
    ),
    holds=is_from_a_conversation,
)

FORMULA = ConfidenceFormula(INTERCEPT, TABLE, is_from_a_conversation, then=CORRECTNESS)


def is_known_how_likely(inputs: Mapping[str, float | None]) -> bool:
    """Whether a turn answers, and how likely it does."""
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
        Term("attributed", 16.0, 0.0, "how much more the turns about the speaker say", ""),
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
    holds=is_known_how_likely,
)


class TurnAnswers(Answers):
    """How turns are quoted, and how sure an answer is that rests on them."""

    reads = TURNS
    signals = ("said", "attributed", "misattributed")
    formulas = (ANSWERING, FORMULA)

    def is_of(self, hit: Hit) -> bool:
        """Whether it is a turn."""
        return hit.why_ranked.profile == SPOKEN

    def is_read_beside(self, hit: Hit) -> bool:
        """Whether it is prose of a document."""
        return is_prose(hit)

    def likely(
        self,
        question: str,
        evidence: Sequence[Evidence],
        planner: Planner,
        embedder: Embedder,
        *,
        scope: Scope,
    ) -> Likely | None:
        """See `answering`."""
        read = any(is_turn(each) or is_record(each) for each in evidence)
        if not read or not isinstance(embedder, LayerReader):
            return None
        return likely(question, evidence, planner, embedder, scope=scope)

    def quoted(
        self,
        ordered: Sequence[Candidate],
        weighing: Weighing,
        planner: Planner,
        *,
        question: str,
        scope: Scope,
        likely: Likely | None,
    ) -> Sequence[Quotation]:
        """See `told`."""
        return quotations(ordered, weighing, planner, question=question, scope=scope, likely=likely)

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """What is cited of other sources alone is no answer from a conversation. Where only turns
        are cited, a low score says no more than a score as low as right answers have: the fewer
        turns there are, the lower all of them score. What facts state is no less likely than such
        answers are where the head thinks little of their turns; a little likelier where somebody
        wrote it down by hand."""
        told = any(map(is_turn, draft.evidence)) or (
            draft.likely is not None and any(map(is_record, draft.evidence))
        )
        if draft.evidence and not told:
            return {"said": None, "likely": None}
        if score1 is None or not all(map(is_turn, draft.evidence)):
            return {}
        found: dict[str, float | None] = {"score1": max(score1, _LEAST_SCORE)}
        if draft.stated and draft.likely is not None:
            by_hand = all(each.saying for each in draft.evidence)
            least = _LEAST_BY_HAND if by_hand else _LEAST_STATED
            found["likely"] = max(scaled_log_odds(draft.likely), least)
        return found


ANSWERS = TurnAnswers()

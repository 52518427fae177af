"""The numbers that rank turns of a conversation, rounded by hand (docs/reference/scores.md)."""

from dataclasses import dataclass

from quipu.records.weights import Calibration

__all__ = ["TURNS", "TurnWeights"]

_CURVE = Calibration(slope=6.0, cosine=1.0, offset=-8.4)
_WORDS_ALONE = Calibration(slope=9.0, cosine=0.0, offset=-6.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWeights:
    """raw = similarity + lexical + speaker + time + standing − question, each part times its
    weight.

    `similarity` is the weighted mean of the turn's and its best sentence's cosine, `lexical` of
    BM25 in context, of the turn alone and of its session, `speaker` of the two speaker features.
    """

    turn_cosine: float = 0.4
    sentence_cosine: float = 0.15
    context_words: float = 0.35
    turn_words: float = 0.05
    session_words: float = 0.15
    named_speaker: float = 0.1
    asker: float = 0.3
    time: float = 1.0
    question: float = 0.2
    standing: float = 0.2
    # Context: what the words of the turn before, after and two away count.
    before: float = 0.6
    after: float = 0.4
    two_away: float = 0.25
    # BM25.
    k1: float = 1.5
    b_context: float = 0.3
    b_turn: float = 0.75
    # The part `time`.
    same_day: float = 0.4
    same_month: float = 0.25
    same_year: float = 0.075
    calibration: Calibration = _CURVE
    words_alone: Calibration = _WORDS_ALONE

    @property
    def lexical(self) -> float:
        """The weight of all that words say."""
        return self.context_words + self.turn_words + self.session_words

    @property
    def speaker(self) -> float:
        """The weight of who speaks."""
        return self.named_speaker + self.asker

    def of_features(self) -> dict[str, float]:
        """Return the weight of each feature by its name."""
        return {
            "similarity": self.turn_cosine + self.sentence_cosine,
            "lexical": self.lexical,
            "speaker": self.speaker,
            "time": self.time,
            "question": -self.question,
            "standing": self.standing,
        }


TURNS = TurnWeights()

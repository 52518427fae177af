"""Turns of a conversation scored on every side, each with its neighbours.

All turns of the conversations in question are scored together, hundreds to thousands of them:
what a turn's neighbours say, who speaks and when is arithmetic on arrays. Document frequencies
are those of these turns, since a question is asked inside them. Lists are min-max scaled.

What a turn keeps beside its postings (whose it is, where it stands, whether it asks) is the tail
of its packed columns, 40 bytes, so that a whole conversation is ranked without text. The weights
were rounded by hand (docs/reference/scores.md).
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.kinds.conversations.model import ROLES
from quipu.patterns import late
from quipu.ports import Embedded, Index, Numbers
from quipu.question import Question
from quipu.records.weights import Calibration
from quipu.text import name_key
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "TURNS",
    "MeasuredTurns",
    "TurnWeights",
    "measure_turns",
    "pack_turn",
    "telling_stems",
    "turn_score",
]

Floats = NDArray[np.float64]

_ENOUGH = 20.0
_FURTHEST = 2
_SITTING = (50.0, 1_500.0)
_FIRST_PERSON = frozenset("i me my mine myself im ive id ill".split())
_ASKING = frozenset(
    "what when where who whom whose which why how many much long often ever tell please give list "
    "mention describe explain would could should will might".split()
)
_OWN_PAST = late(
    r"\b(?:did|have|has|had|was|were|do|am) (?:i|my|we|our)\b"
    r"|\b(?:i|we)(?:['’]ve| have| had|['’]d)\b",
    re.IGNORECASE,
)
_INSTRUCTS, _INSTRUCTIONS = "instructs", 2
_MANY, _BY_SENTENCE = 1_500, 500


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


class MeasuredTurns(NamedTuple):
    """The features of turns by name, a row a turn, in [0, 1] (`time` is ≥ 0); `cosine` is the best
    raw one."""

    features: Mapping[str, Floats]
    cosine: float

    def raw(self) -> Floats:
        """Return the raw scores."""
        parts = [weight * self.features[name] for name, weight in TURNS.of_features().items()]
        return np.asarray(sum(parts), dtype=np.float64)

    def parts(self, row: int) -> dict[str, float]:
        """Return the features of one turn; `standing`, which few have, where it has it."""
        found = {name: float(values[row]) for name, values in self.features.items()}
        return {"name": 0.0, **{n: v for n, v in found.items() if v or n != "standing"}}


def turn_score(parts: Mapping[str, float]) -> float:
    """Return the raw score of one turn, of its named parts; what is not known counts 0."""
    return sum(weight * parts.get(name, 0.0) for name, weight in TURNS.of_features().items())


def measure_turns(
    question: Question,
    vectors: Embedded | None,
    index: Index,
    numbers: Numbers,
    *,
    space: str | None,
) -> MeasuredTurns:
    """Score the turns `numbers` against each other; give whole sessions, or context is lost."""
    turns = read_turns(index.columns(numbers))
    named = named_speakers(question, turns)
    words = _WordScores(telling_stems(question, turns), index, numbers, turns)
    lexical = words.scores()
    near, similarity = _similarity(vectors, index, numbers, space, lexical)
    nothing = np.zeros(len(numbers))
    own = turns["is_asker"] if _FIRST_PERSON & question.words else nothing
    named_one = turns["first_name"] == named[0] if len(named) == 1 else nothing
    brief = np.minimum(1.0, _ENOUGH / words.lengths)
    found = MeasuredTurns(
        {
            "similarity": similarity,
            "lexical": lexical / TURNS.lexical,
            "speaker": (TURNS.named_speaker * named_one + TURNS.asker * own) / TURNS.speaker,
            "time": _time(question, turns),
            "question": turns["asks"] * (1.0 - own) * brief,
            "standing": nothing,
        },
        float(near.max(initial=0.0)) if near is not None else 0.0,
    )
    standing = _standing(question, turns, index, numbers, found.raw())
    return found._replace(features={**found.features, "standing": standing})


def _standing(
    question: Question, turns: NDArray[np.void], index: Index, numbers: Numbers, base: Floats
) -> Floats:
    """1 at the best two turns in which the asker gave a standing instruction; none for a question
    about what the asker did: an instruction says nothing of that."""
    found = np.zeros(len(numbers))
    if not turns["is_asker"].any() or _OWN_PAST.search(question.text):
        return found
    instructs = index.frequencies("turn-states", [_INSTRUCTS], numbers).tf[:, 0] > 0
    places = np.flatnonzero(instructs & (turns["is_asker"] > 0))
    found[places[np.argsort(-base[places], kind="stable")[:_INSTRUCTIONS]]] = 1.0
    return found


def telling_stems(question: Question, turns: NDArray[np.void] | None) -> list[str]:
    """The question's stems without question words and the names of these turns' speakers; all
    of them when nothing else is left."""
    speakers: set[int] = set()
    if turns is not None:
        speakers = {int(h) for field in ("speaker", "first_name") for h in np.unique(turns[field])}
    telling = [
        place
        for word, place in zip(question.content, question.content_stems, strict=True)
        if word not in _ASKING
        and word not in _FIRST_PERSON
        and (name_hash(word) == 0 or name_hash(word) not in speakers)
    ]
    return [question.stems[place] for place in dict.fromkeys(telling)] or list(question.stems)


def named_speakers(question: Question, turns: NDArray[np.void]) -> list[int]:
    """The first names of the speakers that the question names."""
    said = set(map(name_hash, question.words)) - {0}
    return sorted(said & {int(h) for h in np.unique(turns["first_name"])})


class _WordScores:
    """BM25 of each turn in its context, alone, and of its session."""

    def __init__(
        self, stems: Sequence[str], index: Index, numbers: Numbers, turns: NDArray[np.void]
    ) -> None:
        own = index.frequencies("turn", stems, numbers)
        self._tf = own.tf.astype(np.float64)
        self.lengths = np.maximum(own.lengths.astype(np.float64), 1.0)
        self._first = self._edge(index, "turn-first", stems, numbers)
        self._last = self._edge(index, "turn-last", stems, numbers)
        self._turns = turns
        df = (self._tf > 0).sum(axis=0)
        self._idf = [bm25.idf(int(n), len(numbers)) for n in df]

    def _edge(self, index: Index, field: str, stems: Sequence[str], numbers: Numbers) -> Floats:
        found = index.frequencies(field, stems, numbers)
        return np.where(found.lengths[:, None] > 0, found.tf, self._tf)

    def scores(self) -> Floats:
        """The weighted sum of the three, each min-max scaled."""
        if not len(self.lengths):
            return np.zeros(0)
        context = self._bm25(self._in_context(), self.lengths, self._idf, TURNS.b_context)
        alone = self._bm25(self._tf, self.lengths, self._idf, TURNS.b_turn)
        return (
            TURNS.context_words * _scaled(context)
            + TURNS.turn_words * _scaled(alone)
            + TURNS.session_words * self._sessions()
        )

    def _in_context(self) -> Floats:
        """Frequencies, with those of the neighbours in the session: less for a long turn."""
        order = np.lexsort((self._turns["offset"], self._turns["session"]))
        share = np.minimum(1.0, _ENOUGH / self.lengths)[:, None]
        found = self._tf.copy()
        for distance, weight in (
            (-1, TURNS.before),
            (1, TURNS.after),
            (-2, TURNS.two_away),
            (2, TURNS.two_away),
        ):
            here = order[max(0, -distance) : len(order) - max(0, distance)]
            there = order[max(0, distance) : len(order) - max(0, -distance)]
            gap = np.abs(
                self._turns["offset"][here].astype(np.int64)
                - self._turns["offset"][there].astype(np.int64)
            )
            near = (self._turns["session"][here] == self._turns["session"][there]) & (
                gap <= _FURTHEST * abs(distance)
            )
            said = self._last if distance < 0 else self._first
            found[here] += weight * share[here] * said[there] * near[:, None]
        return found

    def _sessions(self) -> Floats:
        """The session's BM25, where sessions are sittings: hundreds of words, not thousands."""
        _, place = np.unique(self._turns["session"], return_inverse=True)
        count = int(place.max(initial=-1)) + 1
        lengths = np.bincount(place, weights=self.lengths, minlength=count).astype(np.float64)
        if count < 2 or not _SITTING[0] < lengths.mean() < _SITTING[1]:
            return np.zeros(len(place))
        tf = np.zeros((count, self._tf.shape[1]))
        np.add.at(tf, place, self._tf)
        idf = [bm25.idf(int(n), count) for n in (tf > 0).sum(axis=0)]
        return _scaled(self._bm25(tf, lengths, idf, TURNS.b_turn))[place]

    def _bm25(self, tf: Floats, lengths: Floats, idf: Sequence[float], b: float) -> Floats:
        norm = bm25.norm(lengths, float(lengths.mean()), TURNS.k1, b)
        scores = np.zeros(len(lengths))
        for column, weight in enumerate(idf):
            scores += bm25.contribution(tf[:, column], norm, weight, TURNS.k1)
        return scores


def _similarity(
    vectors: Embedded | None, index: Index, numbers: Numbers, space: str | None, lexical: Floats
) -> tuple[Floats | None, Floats]:
    """The cosines (None: no vectors were searched), and the part. Of very many turns, only those
    that words and the turn's own vector rank first are read by sentence: that is what costs."""
    nothing = None, np.zeros(len(numbers))
    if vectors is None or space is None or not len(numbers):
        return nothing
    rows = index.vectors(numbers, space)
    if rows.shape[1] == 0:
        return nothing
    turn = np.einsum("nd,d->n", rows, vectors.vector).astype(np.float64)
    sentence = np.zeros(len(numbers))
    base = TURNS.turn_cosine * _scaled(turn)
    near = (
        slice(None)
        if len(numbers) <= _MANY
        else np.argsort(-(base + lexical), kind="stable")[:_BY_SENTENCE]
    )
    sentence[near] = np.maximum(index.best_parts(numbers[near], space, vectors.vector), 0.0)
    both = base + TURNS.sentence_cosine * _scaled(sentence)
    return turn, both / (TURNS.turn_cosine + TURNS.sentence_cosine)


def _scaled(scores: Floats) -> Floats:
    """From 0, or the lowest if that is less, to the highest as 1; 0 where all are the same."""
    low, high = float(scores.min(initial=0.0)), float(scores.max(initial=-np.inf))
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _time(question: Question, turns: NDArray[np.void]) -> Floats:
    """How near the turns' days are to the dates that the question names."""
    found = np.zeros(len(turns))
    days = turns["day"].astype(np.int64)
    for span in question.spans:
        start = span.interval.start
        if start is None:
            continue
        if start.day:
            day = date(start.year, start.month, start.day)
            found += TURNS.same_day * _near_day(days, day)
        elif start.month:
            found += TURNS.same_month * _in_month(days, start.year, start.month)
        else:
            year = [d > 0 and date.fromordinal(d).year == start.year for d in days.tolist()]
            found += TURNS.same_year * np.array(year)
    return found


def _near_day(days: NDArray[np.int64], day: date) -> Floats:
    """1 on the day, 0.6 within a week after it, 0.2 within a month."""
    gap = days - day.toordinal()
    return np.select([gap == 0, (gap > 0) & (gap <= 7), (gap > 0) & (gap <= 31)], [1, 0.6, 0.2], 0)


def _in_month(days: NDArray[np.int64], year: int, month: int) -> Floats:
    """1 in the month, 0.5 in the first twelve days after it."""
    first = date(year, month, 1).toordinal()
    after = date(year + month // 12, month % 12 + 1, 1).toordinal() if year < 9999 else first + 31
    return np.select(
        [(days >= first) & (days < after), (days >= after) & (days < after + 12)], [1.0, 0.5], 0.0
    )


TURN = np.dtype(
    [
        ("session", "<u8"),
        ("speaker", "<u8"),
        ("first_name", "<u8"),
        ("offset", "<u4"),
        ("day", "<i4"),
        ("is_asker", "u1"),
        ("asks", "u1"),
        ("spare", "u1", (6,)),
    ]
)


@lru_cache(maxsize=65536)
def name_hash(text: str) -> int:
    """64 bits that stand for a name or a session; 0 for nothing and for names of roles."""
    key = name_key(text)
    if not key or key in ROLES:
        return 0
    data = key.encode("utf-8", "surrogatepass")
    return (zlib.crc32(data) << 32) | zlib.crc32(data[::-1], 1)


def pack_turn(text: str, *, session: str, offset: int, speaker: str, role: str, time: str) -> bytes:
    """The tail for one turn. `time` is an instant."""
    first = name_key(speaker).partition(" ")[0]
    row = np.zeros(1, dtype=TURN)
    row["session"] = name_hash("session " + session)
    row["speaker"], row["first_name"] = name_hash(speaker), name_hash(first)
    row["offset"] = min(max(offset, 0), 2**32 - 1)
    row["day"] = day_of(time)
    row["is_asker"] = role == "user"
    row["asks"] = text.rstrip().endswith("?")
    return row.tobytes()


def day_of(time: str) -> int:
    """The day of an instant, counted from year 1; 0 when it is unknown."""
    return 0 if not time or time == UNKNOWN_TIME else date.fromisoformat(time[:10]).toordinal()


def read_turns(blobs: Sequence[bytes]) -> NDArray[np.void]:
    """The tails of packed columns, a row a turn (dtype TURN)."""
    return np.frombuffer(b"".join(blob[-TURN.itemsize :] for blob in blobs), dtype=TURN)

"""From a plan's seeds, walk and expansions to one ordered list with comparable scores."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.domain.commit_weights import COMMITS
from quipu.domain.question import Question
from quipu.domain.turn_weights import TURNS
from quipu.domain.weights import BOUNDS, CODE, PROSE, WORDS_ALONE, Calibration
from quipu.index import bm25
from quipu.index.times import misfit
from quipu.ports import Index
from quipu.retrieve.walk import Reached

__all__ = ["Candidate", "base_score", "calibrated", "choose", "is_timed", "off_time", "slope"]


# A profile's curve, and the name of its best cosine in a plan's scale.
_CURVES: dict[str, tuple[Calibration, str]] = {
    "prose": (PROSE.calibration, "passage"),
    "code": (CODE.calibration, "code passage"),
    "conversation": (TURNS.calibration, "turn"),
    "commit": (COMMITS.calibration, "commit"),
}

_LEAST = 1e-12


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk in the running; `raw` is its profile's own score."""

    number: int
    order: int
    profile: str
    parts: dict[str, float]
    raw: float
    reached: Reached | None = None
    features: dict[str, float] = {}


def is_timed(candidate: Candidate) -> bool:
    """Whether it is a passage of prose that was held against an asked time; turns have a part
    `time` of another meaning."""
    return candidate.profile == "prose" and "time" in candidate.parts


def base_score(profile: str, parts: Mapping[str, float]) -> float:
    """The weighted sum of similarity, lexical and name, and what the graph adds to it."""
    if profile == "commit":
        chance = min(max(parts.get("chance", 0.0), _LEAST), 1 - _LEAST)
        return float(np.log(chance / (1 - chance)))
    if profile == "conversation":
        return _turn_score(parts)
    weights = CODE if profile == "code" else PROSE
    return (
        weights.similarity * parts.get("similarity", 0.0)
        + weights.lexical * parts.get("lexical", 0.0)
        + weights.name * parts.get("name", 0.0)
        + weights.graph_proximity * parts.get("graph_proximity", 0.0)
        - off_time(parts)
    )


def off_time(parts: Mapping[str, float]) -> float:
    """What these parts of a passage say that it loses where the question names a time."""
    if "time" not in parts:
        return 0.0
    return misfit(parts.get("time", 1.0), parts.get("document", 1.0), parts.get("length", 1.0))


def _turn_score(parts: Mapping[str, float]) -> float:
    return (
        TURNS.similarity * parts.get("similarity", 0.0)
        + TURNS.lexical * parts.get("lexical", 0.0)
        + TURNS.speaker * parts.get("speaker", 0.0)
        + TURNS.time * parts.get("time", 0.0)
        - TURNS.question * parts.get("question", 0.0)
        + TURNS.standing * parts.get("standing", 0.0)
        + TURNS.update * parts.get("update", 0.0)
        + TURNS.graph_proximity * parts.get("graph_proximity", 0.0)
    )


def choose(
    question: Question,
    candidates: Sequence[Candidate],
    index: Index,
    scale: Mapping[str, float],
) -> list[Candidate]:
    """All candidates, best first: the first ten picked greedily by score and coverage.

    Among the forty best, each pick adds the idf² share of the question's stems that no earlier
    pick holds. Prose and code meet on calibrated scores only.
    """
    levels = {profile: _level(profile, scale) for profile in _CURVES}

    def best_first(candidate: Candidate) -> tuple[float, float, float, int]:
        slope, offset = levels[candidate.profile]
        return (-(slope * candidate.raw + offset), *_tie(candidate))

    ranked = sorted(candidates, key=best_first)
    pool, rest = ranked[: BOUNDS.choose_from], ranked[BOUNDS.choose_from :]
    if not pool:
        return []
    slopes = np.array([levels[candidate.profile][0] for candidate in pool])
    logits = np.array([-best_first(candidate)[0] for candidate in pool])
    gains = _Coverage(question, pool, index)
    chosen: list[Candidate] = []
    for _ in range(min(BOUNDS.chosen, len(pool))):
        bonus = gains.now()
        now = logits + slopes * bonus
        best = np.flatnonzero(now == now.max()).tolist()
        place = min(best, key=lambda i: _tie(pool[i]))
        logits[place] = -np.inf
        gains.cover(place)
        gain = float(bonus[place])
        picked = pool[place]
        features = picked.features | {"coverage": gain}
        chosen.append(msgspec.structs.replace(picked, raw=picked.raw + gain, features=features))
    left = [pool[i] for i in np.flatnonzero(logits > -np.inf).tolist()]
    return chosen + left + rest


def _tie(candidate: Candidate) -> tuple[float, float, int]:
    parts = candidate.parts
    return (-parts.get("similarity", 0.0), -parts.get("lexical", 0.0), candidate.order)


def slope(profile: str, scale: Mapping[str, float]) -> float:
    """The slope of a profile's calibration curve."""
    return _level(profile, scale)[0]


def calibrated(candidate: Candidate, scale: Mapping[str, float]) -> float:
    """The estimated probability, in (0, 1), that the candidate is relevant."""
    slope, offset = _level(candidate.profile, scale)
    return float(1.0 / (1.0 + np.exp(-(slope * candidate.raw + offset))))


def _level(profile: str, scale: Mapping[str, float]) -> tuple[float, float]:
    """The slope and offset that turn a raw score into a logit, for this question."""
    curve, best = _CURVES[profile]
    cosine = scale.get(best, 0.0)
    if not cosine:
        curve = WORDS_ALONE.get(profile, curve)
    return curve.slope, curve.cosine * cosine + curve.offset


class _Coverage:
    """What each candidate of the pool would add to the question's words that are covered."""

    def __init__(self, question: Question, pool: Sequence[Candidate], index: Index) -> None:
        numbers = np.array([candidate.number for candidate in pool], dtype=np.int64)
        found = index.frequencies("prose", question.stems, numbers)
        self._has = found.tf > 0
        idf = np.array([bm25.idf(df, found.count) for df in found.df.tolist()])
        self._open = idf * idf
        self._total = max(float(self._open.sum()), 1e-9)

    def now(self) -> NDArray[np.float64]:
        shares = (self._has @ self._open) / self._total
        return np.asarray(PROSE.coverage * shares, dtype=np.float64)

    def cover(self, place: int) -> None:
        self._open = np.where(self._has[place], 0.0, self._open)

"""From a plan's seeds, walk and expansions to one ordered list with comparable scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from quipu.domain.question import Question
from quipu.domain.weights import BOUNDS, CODE, PROSE, Calibration
from quipu.index import bm25
from quipu.ports import Index
from quipu.retrieve.walk import Reached

__all__ = ["Candidate", "base_score", "choose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk in the running. `raw` is its profile's own score, `score` the calibrated one."""

    number: int
    order: int
    profile: str
    parts: dict[str, float]
    raw: float
    score: float = 0.0
    reached: Reached | None = None
    features: dict[str, float] = field(default_factory=dict[str, float])


def base_score(profile: str, parts: Mapping[str, float]) -> float:
    """The weighted sum of similarity, lexical and name, and what the graph adds to it."""
    weights = CODE if profile == "code" else PROSE
    return (
        weights.similarity * parts.get("similarity", 0.0)
        + weights.lexical * parts.get("lexical", 0.0)
        + weights.name * parts.get("name", 0.0)
        + weights.graph_proximity * parts.get("graph_proximity", 0.0)
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
    levels = {profile: _level(profile, scale) for profile in ("prose", "code")}

    def best_first(candidate: Candidate, bonus: float = 0.0) -> tuple[float, float, float, int]:
        slope, offset = levels[candidate.profile]
        return (
            -(slope * (candidate.raw + bonus) + offset),
            -candidate.parts.get("similarity", 0.0),
            -candidate.parts.get("lexical", 0.0),
            candidate.order,
        )

    ranked = sorted(candidates, key=best_first)
    pool, rest = ranked[: BOUNDS.choose_from], ranked[BOUNDS.choose_from :]
    if not pool:
        return []
    gains = _Coverage(question, pool, index)
    chosen: list[Candidate] = []
    left = dict(enumerate(pool))
    while left and len(chosen) < BOUNDS.chosen:
        bonus = gains.now()
        place = min(left, key=lambda i: best_first(left[i], bonus[i]))
        picked = left.pop(place)
        gains.cover(place)
        features = picked.features | {"coverage": bonus[place]}
        chosen.append(replace(picked, raw=picked.raw + bonus[place], features=features))
    ordered = chosen + list(left.values()) + rest
    return [_calibrated(candidate, *levels[candidate.profile]) for candidate in ordered]


def _level(profile: str, scale: Mapping[str, float]) -> tuple[float, float]:
    """The slope and offset that turn a raw score into a logit, for this question."""
    code = profile == "code"
    curve: Calibration = (CODE if code else PROSE).calibration
    cosine = scale.get("code passage" if code else "passage", 0.0)
    return curve.slope, curve.cosine * cosine + curve.offset


def _calibrated(candidate: Candidate, slope: float, offset: float) -> Candidate:
    logit = slope * candidate.raw + offset
    return replace(candidate, score=float(1.0 / (1.0 + np.exp(-logit))))


class _Coverage:
    """What each candidate of the pool would add to the question's words that are covered."""

    def __init__(self, question: Question, pool: Sequence[Candidate], index: Index) -> None:
        numbers = np.array([candidate.number for candidate in pool], dtype=np.int64)
        found = index.frequencies("prose", question.stems, numbers)
        self._has = found.tf > 0
        idf = np.array([bm25.idf(df, found.count) for df in found.df.tolist()])
        self._open = idf * idf
        self._total = max(float(self._open.sum()), 1e-9)

    def now(self) -> list[float]:
        gains = PROSE.coverage * (self._has @ self._open) / self._total
        return gains.tolist()

    def cover(self, place: int) -> None:
        self._open = np.where(self._has[place], 0.0, self._open)

"""From a plan's seeds, walk and expansions to one ordered list with comparable scores."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.index.columns import tail, unpack
from quipu.index.times import asked_months, length_share, misfit, read_times, time_fit
from quipu.ports import Index, Planner
from quipu.profiles import profile
from quipu.question import Question
from quipu.records.weights import BOUNDS, PROSE
from quipu.retrieve.walk import Reached
from quipu.text import fold

__all__ = [
    "Candidate",
    "calibrated",
    "choose",
    "exact_first",
    "is_timed",
    "logit",
    "off_time",
    "raw_of",
    "slope",
    "timed_parts",
]


_SOUGHT_IN = 200
"""Passages in which an identifier is looked for as it is written."""


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


def off_time(parts: Mapping[str, float]) -> float:
    """What these parts of a passage say that it loses where the question names a time."""
    if "time" not in parts:
        return 0.0
    return misfit(parts.get("time", 1.0), parts.get("document", 1.0), parts.get("length", 1.0))


def choose(
    question: Question,
    candidates: Sequence[Candidate],
    index: Index,
    scale: Mapping[str, float],
) -> list[Candidate]:
    """All candidates, best first: the first ten picked greedily by score and coverage.

    Among the forty best, each pick adds the idf² share of the question's stems that no earlier
    pick holds. Profiles meet on calibrated scores only.
    """
    levels = {name: profile(name).curve(scale) for name in {c.profile for c in candidates}}

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


def slope(name: str, scale: Mapping[str, float]) -> float:
    """The slope of a profile's calibration curve."""
    return profile(name).curve(scale)[0]


def logit(candidate: Candidate, scale: Mapping[str, float]) -> float:
    """The log-odds that the candidate is relevant: its raw score on its profile's curve."""
    slope, offset = profile(candidate.profile).curve(scale)
    return slope * candidate.raw + offset


def raw_of(name: str, logit: float, scale: Mapping[str, float]) -> float:
    """The raw score by which a candidate of a profile has these log-odds."""
    slope, offset = profile(name).curve(scale)
    return (logit - offset) / slope


def calibrated(candidate: Candidate, scale: Mapping[str, float]) -> float:
    """The estimated probability, in (0, 1), that the candidate is relevant."""
    return float(1.0 / (1.0 + np.exp(-logit(candidate, scale))))


def exact_first(
    question: Question, ranked: Sequence[Candidate], planner: Planner, scale: Mapping[str, float]
) -> list[Candidate]:
    """`ranked` with those first, where a question is nothing but identifiers, that hold every one
    as it is written, as likely as the best of the others at least; each group in its order.

    Words are matched by their parts (`MAX_BODY_SIZE` is max, body and size), so passages that speak
    of those parts may rank above the one place where the identifier itself stands.
    """
    if not question.identifiers:
        return list(ranked)
    looked, rest = ranked[:_SOUGHT_IN], ranked[_SOUGHT_IN:]
    chunks = planner.chunks(np.array([c.number for c in looked], dtype=np.int64))
    patterns = [
        re.compile(rf"(?<!\w){re.escape(fold(word))}(?!\w)") for word in question.identifiers
    ]
    holds = [all(p.search(fold(chunk.text)) for p in patterns) for chunk in chunks]
    exact = [c for c, here in zip(looked, holds, strict=True) if here]
    others = [c for c, here in zip(looked, holds, strict=True) if not here]
    best = max((logit(c, scale) for c in others), default=None)
    lifted = exact if best is None else [_at_least(c, best, scale) for c in exact]
    return [*lifted, *others, *rest]


def _at_least(candidate: Candidate, least: float, scale: Mapping[str, float]) -> Candidate:
    if logit(candidate, scale) >= least:
        return candidate
    raw = raw_of(candidate.profile, least, scale)
    features = candidate.features | {"exact": 1.0}
    return msgspec.structs.replace(candidate, raw=raw, features=features)


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


_NO_SEED = 0.5


def timed_parts(
    question: Question,
    candidates: Mapping[int, Candidate],
    reached: Mapping[int, Reached],
    index: Index,
) -> dict[int, dict[str, float]]:
    """The parts `time`, `document` and `length` of every passage reached from a title that has
    several seeds; nothing when no seed was measured so. A title without a seed counts as half of
    the best.

    Where a document has several passages in the running, the asked time decides between them and
    whatever they lead to. Where it has one, the time belongs to that passage, and what a bridge
    leads to is free of it: "who produced the song that came out in 1999" is answered by a passage
    that need not speak of 1999.
    """
    seeds = {n: c.parts for n, c in candidates.items() if is_timed(c)}
    asked = asked_months(question)
    if asked is None or not seeds:
        return {}
    numbers = sorted({*seeds, *reached, *(way.source for way in reached.values())})
    blobs = dict(zip(numbers, _columns(index, numbers), strict=True))
    read = {number: read_times(tail(blob)) for number, blob in blobs.items()}
    best = {read[number].title: parts["document"] for number, parts in seeds.items()}
    passages = Counter(read[number].title for number in seeds)
    found: dict[int, dict[str, float]] = {}
    for number, way in reached.items():
        times, origin = read[number], read[way.source].title
        if origin and passages[origin] > 1:
            found[number] = {
                "time": time_fit(asked, times.months),
                "document": best.get(times.title, _NO_SEED) if times.title else _NO_SEED,
                "length": length_share(len(unpack(blobs[number]).positions)),
            }
    return found


def _columns(index: Index, numbers: Collection[int]) -> list[bytes]:
    return index.columns(np.array(list(numbers), dtype=np.int64))

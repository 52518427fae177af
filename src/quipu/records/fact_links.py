"""Which earlier fact a fact takes the place of, where no wording says so: "we meet at eight", then
"from June it is half past seven". It is the one that tells of the same of the same: by the sketches
of what their values are values of, by kind and unit, by owner, and by the words beside them.

    score = Σ weight · feature;   the best of the earlier ones counts where it is `SURE` against the
    others and against none (McFadden 1974: a choice among alternatives)

Weights are fitted by `bench/fit_links.py` on what people marked as changed.
"""

import math
from base64 import b64decode, b64encode
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.records.fact_likeness import ValueKind, value_kind
from quipu.text import stems

__all__ = [
    "FEATURES",
    "SURE",
    "Told",
    "features_of",
    "link",
    "nearest",
    "packed_sketch",
    "unpacked_sketch",
]

Floats = NDArray[np.float32]

SURE = 0.9
_WEIGHTS = {
    "alike": 2.24,
    "alike_of_kind": 1.33,
    "kind": -0.49,
    "unit": 0.40,
    "other_unit": -1.71,
    "one_unit": -1.54,
    "words": -1.05,
    "owner": 0.62,
    "owners_meet": 0.82,
    "both_named": -2.03,
    "said": 1.38,
    "said_share": 1.33,
    "value_named": 0.94,
    "values_meet": 1.64,
    "session": -3.08,
    "turn": -3.76,
    "days": -2.81,
    "speaker": 0.85,
    "anew": -0.85,
    "alike_anew": 3.08,
    "kind_anew": 3.26,
    "alike_owner": 2.25,
}
FEATURES = tuple(_WEIGHTS)
_SCORED = np.array(list(_WEIGHTS.values()), np.float32)
_NONE = 2.62
_MOST_SAID = 3
_DAYS = 5.0
_SCALE = 127.0
_NAMELESS = frozenset({"user", "we", "i"})


class Told(NamedTuple):
    """What is known of a fact: whose, which value, the sentence that tells it, where and when (a
    day's number), who says it, how sure it is that it is new, and its sketch (a unit vector)."""

    owner: str
    value: str
    said: str
    session: str
    turn: str
    day: int
    speaker: str
    anew: float
    sketch: Floats

    @property
    def kind(self) -> ValueKind:
        """The kind of its value."""
        return value_kind(self.value)


def features_of(new: Told, olds: Sequence[Told]) -> Floats:
    """float32[n, len(FEATURES)]: how each of the earlier facts stands to a new one."""
    return np.array([_features(new, old) for old in olds], np.float32).reshape(-1, len(FEATURES))


def link(new: Told, olds: Sequence[Told]) -> tuple[int, float]:
    """Which of the earlier facts a new one takes the place of, and how sure that is, in [0, 1];
    -1 without any."""
    if not olds:
        return -1, 0.0
    scores = np.append(features_of(new, olds) @ _SCORED, _NONE)
    chances = np.exp(scores - scores.max())
    best = int(scores[:-1].argmax())
    return best, float(chances[best] / chances.sum())


def nearest(sketch: Floats, sketches: Floats, among: Sequence[int]) -> list[int]:
    """Which of some rows of `sketches` float32[n, s] are the most alike to one, first."""
    if not among:
        return []
    alike = sketches[among] @ sketch
    return [among[at] for at in np.argsort(-alike, kind="stable")]


def _features(new: Told, old: Told) -> tuple[float, ...]:
    one, two = new.kind, old.kind
    alike = float(new.sketch @ old.sketch)
    kind = float(one.kind == two.kind)
    owners, others = _words(new.owner), _words(old.owner)
    owner = float(new.owner.casefold() == old.owner.casefold())
    value, before = _words(new.value), _words(old.value)
    said, said_before = _words(new.said) - value, _words(old.said) - before
    shared = len(said & said_before)
    named = new.owner.casefold() not in _NAMELESS and old.owner.casefold() not in _NAMELESS
    return (
        alike,
        alike * kind,
        kind,
        float(bool(one.unit) and one.unit == two.unit),
        float(bool(one.unit and two.unit) and one.unit != two.unit),
        float(bool(one.unit) != bool(two.unit)),
        float(one.kind == "words"),
        owner,
        float(bool(owners & others)),
        float(named and not owners & others),
        min(shared, _MOST_SAID) / _MOST_SAID,
        shared / max(1, min(len(said), len(said_before))),
        float(bool(before) and before <= said),
        float(bool(value & before)),
        float(new.session == old.session),
        float(new.turn == old.turn),
        math.log1p(max(0, new.day - old.day)) / _DAYS,
        float(new.speaker == old.speaker),
        new.anew,
        new.anew * alike,
        new.anew * kind,
        alike * owner,
    )


@lru_cache(maxsize=16384)
def _words(text: str) -> frozenset[str]:
    return frozenset(stems(text)) or frozenset(text.casefold().split())


def packed_sketch(sketch: Floats) -> str:
    """A unit vector as text, an eighth of a number each."""
    return b64encode(np.rint(sketch * _SCALE).astype(np.int8).tobytes()).decode("ascii")


@lru_cache(maxsize=16384)
def unpacked_sketch(text: str) -> Floats:
    """The vector of `packed_sketch`, of length 1."""
    vector = np.frombuffer(b64decode(text), np.int8).astype(np.float32)
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector

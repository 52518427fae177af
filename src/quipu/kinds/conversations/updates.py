"""Which turn states the value that took another's place.

Two values are of the same when one speaker states both, they are of one kind, count the same or
have one attribute, and share as much with the question. The later one replaces the earlier. Nothing
is lifted for a question about the past or about a stretch of time: there the first value may be the
answer.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.conversations.values import KINDS, read_values, stem_hashes
from quipu.patterns import late
from quipu.question import Question

__all__ = ["ReplacedTurn", "find_replaced"]

_FIRST = 12
_STATE = KINDS.index("state")
_LEAST_SHARE, _AS_MUCH, _AS_GOOD = 0.3, 0.9, 0.55
_OF_ONE, _OF_ONE_SHARE = 0.2, 0.5
_SAYS_CHANGE = 0.3
_ASKED: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (late(pattern), kinds)
    for pattern, kinds in (
        (r"\bhow (?:many|often)\b|\bnumber of\b", ("count",)),
        (r"\bhow (?:much|long)\b", ("count", "money", "share")),
        (r"\b(?:percent(?:age)?|rate|accuracy|coverage|ratio|share)\b", ("share",)),
        (r"\b(?:when|(?:what|which) (?:day|date)|date|deadline|due)\b", ("day", "state")),
        (r"\b(?:what time|when)\b", ("clock",)),
        (r"\b(?:price|cost|budget|salary|fee|rent|pay)\b", ("money",)),
        (r"\b(?:where|who|whose|which|status|state)\b", ("state",)),
    )
)
_ANY = late(r"\bwhat(?:['’]s| is| are) (?:my|our|the)\b|\bwhat (?:do|am|are) (?:i|we)\b")
_OF_ANY = ("count", "share", "money", "state")
_PAST = late(
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|before|previous(?:ly)?|used to|earlier|ago|did|"
    r"was|were|had|(?:my|our|the) old|first (?:answer|budget|date|deadline|estimate|goal|guess|"
    r"plan|price|score|target|value))\b"
)
_STRETCH = late(
    r"\bhow (?:long|many (?:second|minute|hour|day|week|month|year)s?)\b"
    r".*\b(?:between|since|until|after|from)\b|\bbetween\b"
)


class ReplacedTurn(NamedTuple):
    """The places of the turn that states the old value and of the one that states the new."""

    old: int
    new: int


class _StatedValues(NamedTuple):
    place: int
    values: NDArray[np.void]
    shares: NDArray[np.float64]


def find_replaced(
    question: Question,
    stems: Sequence[str],
    turns: NDArray[np.void],
    columns: Sequence[bytes],
    scores: NDArray[np.float64],
) -> ReplacedTurn | None:
    """The best of the first twelve turns that states what is asked, and the later one whose value
    took its place; where none did, the best and the earlier one whose place that took. `stems` are
    the question's telling ones, `columns` the turns' blobs in order of writing, `scores` what ranks
    them."""
    low = question.text.lower()
    asked = {kind for pattern, kinds in _ASKED if pattern.search(low) for kind in kinds}
    if _ANY.search(low):
        asked |= {"state"} if asked else set(_OF_ANY)
    if not (asked and stems) or _PAST.search(low) or _STRETCH.search(low):
        return None
    kinds = [KINDS.index(kind) for kind in asked]
    first = np.argsort(-scores, kind="stable")[:_FIRST].tolist()
    stated = [s for place in first if (s := _stated(place, kinds, stems, turns, columns))]
    if len(stated) < 2:
        return None
    best, *others = stated
    later = _fitting(best, others, turns, scores, later=True)
    if later is not None:
        return ReplacedTurn(best.place, later)
    earlier = _fitting(best, others, turns, scores, later=False)
    return None if earlier is None else ReplacedTurn(earlier, best.place)


def _fitting(
    best: _StatedValues,
    others: Sequence[_StatedValues],
    turns: NDArray[np.void],
    scores: NDArray[np.float64],
    *,
    later: bool,
) -> int | None:
    """The place of the turn that fits best: the one that took the place of `best`, or whose place
    that took."""
    found: list[tuple[float, int]] = []
    for other in others:
        old, new = (best, other) if later else (other, best)
        if not _later(turns, old.place, new.place):
            continue
        fit, of_one = _replaces(old, new)
        near = scores[other.place] >= (_OF_ONE if of_one else _AS_GOOD) * scores[best.place]
        if fit and near:
            found.append((float(scores[other.place]) + fit, -other.place))
    return -max(found)[1] if found else None


def _stated(
    place: int,
    kinds: Sequence[int],
    stems: Sequence[str],
    turns: NDArray[np.void],
    columns: Sequence[bytes],
) -> _StatedValues | None:
    """A turn's values of one of `kinds` that share enough of the question's stems."""
    if not turns["is_asker"][place] and turns["first_name"][place] == 0:
        return None  # what a machine says is no statement of anybody's
    values = read_values(columns[place])
    values = values[np.isin(values["kind"], kinds)]
    if not len(values):
        return None
    near = np.concatenate([values["unit"], values["about"]], axis=1)
    said = (near[:, :, None] == stem_hashes(stems)).any(axis=1)
    shares = said.mean(axis=1)
    enough = shares >= _LEAST_SHARE
    return _StatedValues(place, values[enough], shares[enough]) if enough.any() else None


def _later(turns: NDArray[np.void], old: int, new: int) -> bool:
    """Whether the same speaker said the one after the other: by day, then as written."""
    one, other = turns[old], turns[new]
    if one["speaker"] != other["speaker"] or one["is_asker"] != other["is_asker"]:
        return False
    if one["day"] and other["day"] and one["day"] != other["day"]:
        return bool(one["day"] < other["day"])
    return old < new


def _replaces(old: _StatedValues, new: _StatedValues) -> tuple[float, bool]:
    """How well the best of the new values takes the place of one of the old, 0 if none does; and
    whether that is a state of the same attribute."""
    units, theirs = old.values["unit"], new.values["unit"]
    count = _count_shared(units, theirs)
    sizes, others = np.count_nonzero(units, axis=1)[:, None], np.count_nonzero(theirs, axis=1)
    fewer = np.minimum(sizes, others)
    spoken = np.concatenate([units, old.values["about"]], axis=1)
    follows = (_count_shared(spoken, theirs) == others) & (units[:, None, 0] == theirs[:, 0])
    of_one: NDArray[np.bool_] = np.logical_or(
        (count == fewer) & ((fewer > 1) | (sizes == others)), follows & (others > 1)
    )
    state: NDArray[np.bool_] = np.equal(old.values["kind"], _STATE)[:, None]
    same: NDArray[np.bool_] = np.not_equal(old.values["value"][:, None], new.values["value"])
    for field in ("kind", "others"):
        same = np.logical_and(same, np.equal(old.values[field][:, None], new.values[field]))
    enough = np.where(state, _OF_ONE_SHARE, _AS_MUCH) * old.shares[:, None]
    same = np.logical_and(same, new.shares >= enough)
    same = np.logical_and(same, np.where(state, of_one, np.logical_or(count > 0, fewer == 0)))
    fits = np.where(same, new.shares + _SAYS_CHANGE * new.values["changed"], 0.0)
    return float(fits.max()), bool(np.any(same & state))


def _count_shared(stems: NDArray[np.uint32], theirs: NDArray[np.uint32]) -> NDArray[np.intp]:
    """int[old, new]: how many of `theirs`, none twice, are among `stems`."""
    equal = (stems[:, None, :, None] == theirs[None, :, None, :]) & (theirs > 0)[None, :, None, :]
    return np.count_nonzero(equal.any(axis=2), axis=2)

"""Turns that may be used: whole sessions are scored, the best turns become seeds."""

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from quipu.domain.question import Question
from quipu.domain.scope import Scope
from quipu.index.turns import MeasuredTurns, measure_turns, telling_stems
from quipu.plan.sight import seen_numbers
from quipu.ports import Embedded, Numbers, Planner

__all__ = ["FoundTurns", "are_turns", "find_turns"]

_FIELD, _EVERY = "turn-of", "*"
_MOST = 6_000
_LISTED = 100
_AROUND = 21  # turns that a found one brings of a session too long to be scored whole

FoundTurns = tuple[Numbers, MeasuredTurns]


def are_turns(planner: Planner, numbers: Numbers) -> np.ndarray:
    """Which of the chunks are turns of a conversation."""
    return planner.frequencies(_FIELD, [_EVERY], numbers).tf[:, 0] > 0


def find_turns(
    question: Question,
    vectors: Embedded | None,
    planner: Planner,
    *,
    space: str | None,
    scope: Scope,
    near: Iterable[int],
    keep: Collection[int],
    limit: int,
) -> FoundTurns | None:
    """The best `limit` turns by raw score, best first, and those to `keep`; None where there
    are no turns.

    Up to 6,000 turns in scope are all scored. Of more, the sessions are that words and vectors
    (`near`) lead to: whole, or where one is longer than what is left, its turns around those.
    """
    listed = planner.match_text(_FIELD, {_EVERY: 1.0}, scope=scope, limit=_MOST + 1)
    numbers = np.sort(listed.numbers)
    if not len(numbers):
        return None
    if len(numbers) > _MOST:
        numbers = _of_near_sessions(question, planner, scope, near)
    measured = measure_turns(question, vectors, planner, numbers, space=space)
    base = measured.base()
    order = np.argsort(-base, kind="stable")
    kept = [place for place in order[limit:].tolist() if int(numbers[place]) in keep]
    best = np.concatenate([order[:limit], np.array(kept, dtype=order.dtype)])
    return numbers[best], measured.rows(best)


def _of_near_sessions(
    question: Question, planner: Planner, scope: Scope, near: Iterable[int]
) -> Numbers:
    stems = telling_stems(question, None)
    words = planner.match_text("turn", dict.fromkeys(stems, 1.0), scope=scope, limit=_LISTED)
    found = np.array(list(dict.fromkeys([*words.numbers.tolist(), *near])), dtype=np.int64)
    found = found[are_turns(planner, found)]
    sessions = list(dict.fromkeys(planner.document_ids(found)))
    chosen: list[Numbers] = []
    room = _MOST
    for numbers in planner.numbers_in(sessions).values():
        seen = seen_numbers(numbers, planner, scope)
        if len(seen) > room:
            best = found[np.isin(found, seen)][: max(1, room // _AROUND)]
            seen = seen[_nearest_places(np.flatnonzero(np.isin(seen, best)), len(seen), room)]
        chosen.append(seen)
        room -= len(seen)
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *chosen]))


def _nearest_places(found: NDArray[np.intp], count: int, room: int) -> NDArray[np.intp]:
    """The `room` places of a session of `count` turns that stand nearest to one of `found`."""
    places = np.arange(count)
    if not len(found):
        return places[:room]
    after = np.minimum(np.searchsorted(found, places), len(found) - 1)
    before = np.maximum(after - 1, 0)
    distance = np.minimum(np.abs(places - found[after]), np.abs(places - found[before]))
    return np.sort(np.lexsort((places, distance))[:room])

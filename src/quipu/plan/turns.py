"""Turns that may be used: whole sessions are scored, the best turns become seeds."""

from collections.abc import Collection, Iterable

import numpy as np

from quipu.domain.question import Question
from quipu.domain.scope import Scope
from quipu.index.turns import MeasuredTurns, measure_turns, telling_stems
from quipu.ports import Embedded, Numbers, Planner

__all__ = ["FoundTurns", "are_turns", "find_turns"]

_FIELD, _EVERY = "turn-of", "*"
_MOST = 6_000
_LISTED = 100

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
    (`near`) lead to, whole.
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
    found = dict.fromkeys([*words.numbers.tolist(), *near])
    first = np.array(list(found), dtype=np.int64)
    sessions = list(dict.fromkeys(planner.document_ids(first[are_turns(planner, first)])))
    chosen: list[int] = []
    for numbers in planner.numbers_in(sessions).values():
        if len(chosen) + len(numbers) <= _MOST:
            chosen += numbers.tolist()
    return np.array(sorted(set(chosen)), dtype=np.int64)

"""Turns that may be used: whole sessions are scored, the best turns become seeds."""

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.conversations.score import measure_turns, telling_stems
from quipu.plan.kinds import Among, Asking, Found
from quipu.plan.visibility import seen_numbers
from quipu.ports import Numbers, Planner
from quipu.records.passage import SPOKEN
from quipu.records.scope import Scope

__all__ = ["TURNS", "TurnCandidates"]

_FIELD, _EVERY = "turn-of", "*"
_LISTED = 100
_READ_AT_ONCE = 20
_AROUND = 21  # turns that a found one brings of a session too long to be scored whole


class TurnCandidates(Among):
    """Turns of conversations, scored with their neighbours."""

    profile = SPOKEN
    whole_up_to = 2_000
    """Turns in scope that are all scored."""

    def are(self, planner: Planner, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of the passages are turns."""
        found: NDArray[np.bool_] = planner.frequencies(_FIELD, [_EVERY], numbers).tf[:, 0] > 0
        return found

    def find(
        self,
        asking: Asking,
        near: Sequence[int],  # noqa: ARG002 - what others need
        keep: Collection[int],
    ) -> Found | None:
        """The best turns by raw score, and those to `keep`; None where there are no turns. Without
        vectors only those that share anything with the question.

        Up to `whole_up_to` turns in scope are all scored. Of more, the sessions are that words and
        vectors lead to: whole, or where one is longer than what is left, its turns around those.
        """
        planner, limit = asking.planner, asking.limit
        listed = planner.match_text(
            _FIELD, {_EVERY: 1.0}, scope=asking.scope, limit=self.whole_up_to + 1
        )
        numbers = np.sort(listed.numbers)
        if not len(numbers):
            return None
        if len(numbers) > self.whole_up_to:
            numbers = _of_near_sessions(asking, self.whole_up_to)
        vectors = asking.vectors
        measured = measure_turns(asking.question, vectors, planner, numbers, space=asking.space)
        raw = measured.raw()
        order = np.argsort(-raw, kind="stable")
        first = order[:limit]
        if vectors is None:
            first = first[raw[first] > 0]
        rest = order[len(first) :].tolist()
        kept = [place for place in rest if int(numbers[place]) in keep]
        best = np.concatenate([first, np.array(kept, dtype=order.dtype)])
        return Found(numbers[best], list(map(measured.parts, best.tolist())), measured.cosine)


TURNS = TurnCandidates()


def _of_near_sessions(asking: Asking, room: int) -> Numbers:
    """At most `room` turns of the sessions that the best by words and by meaning, in turn, are
    of."""
    planner, scope = asking.planner, asking.scope
    stems = dict.fromkeys(telling_stems(asking.question, None), 1.0)
    ranked = [planner.match_text("turn", stems, scope=scope, limit=_LISTED).numbers.tolist()]
    if asking.vectors is not None and asking.space is not None:
        vector, space = asking.vectors.vector, asking.space
        near = planner.match_vector(vector, space=space, scope=scope, limit=_LISTED)
        ranked.append(near.numbers.tolist())
    listed = dict.fromkeys(n for each in zip_longest(*ranked) for n in each if n is not None)
    found = np.array(list(listed), dtype=np.int64)
    found = found[TURNS.are(planner, found)]
    chosen: list[Numbers] = [np.zeros(0, dtype=np.int64)]
    for seen in _sessions(list(dict.fromkeys(planner.document_ids(found))), planner, scope):
        if room <= 0:
            break
        best = found[np.isin(found, seen)][: max(1, room // _AROUND)]
        places = np.flatnonzero(np.isin(seen, best))
        if not len(places):
            continue
        distance = np.abs(np.arange(len(seen))[:, None] - places).min(axis=1)
        chosen.append(seen[np.argsort(distance, kind="stable")[:room]])
        room -= len(seen)
    return np.unique(np.concatenate(chosen))


def _sessions(sessions: Sequence[str], planner: Planner, scope: Scope) -> Iterator[Numbers]:
    """The turns of each session that may be seen; a few sessions are read at a time."""
    for start in range(0, len(sessions), _READ_AT_ONCE):
        inside = list(planner.numbers_in(sessions[start : start + _READ_AT_ONCE]).values())
        seen = seen_numbers(np.concatenate(inside), planner, scope)
        for numbers in inside:
            yield numbers[np.isin(numbers, seen)]

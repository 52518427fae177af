"""Turns that may be used: whole sessions are scored, the best turns become seeds."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from quipu.index.asked import question_vectors
from quipu.kinds.conversations.score import measure_turns, telling_stems
from quipu.plan.kinds import Among, Asking, Found
from quipu.plan.visibility import seen_numbers
from quipu.ports import Embedded, Numbers, Planner
from quipu.question import Question, read_question
from quipu.records.passage import SPOKEN
from quipu.records.scope import Scope
from quipu.when import dateless

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

    def find(self, asking: Asking, near: Sequence[int], keep: Collection[int]) -> Found | None:
        """The best turns by raw score, and those to `keep`; None where there are no turns. Without
        vectors only those that share anything with the question.

        Up to `whole_up_to` turns in scope are all scored. Of more, the sessions are that words and
        vectors (`near`) lead to: whole, or where one is longer than what is left, its turns around
        those.
        """
        planner, limit = asking.planner, asking.limit
        listed = planner.match_text(
            _FIELD, {_EVERY: 1.0}, scope=asking.scope, limit=self.whole_up_to + 1
        )
        numbers = np.sort(listed.numbers)
        if not len(numbers):
            return None
        if len(numbers) > self.whole_up_to:
            ranked = _by_nearness(near, asking.vectors, planner, asking.space)
            room = self.whole_up_to
            numbers = _of_near_sessions(asking.question, planner, asking.scope, ranked, room)
        asked, vectors = _without_dates(asking)
        measured = measure_turns(
            asking.question, vectors, planner, numbers, space=asking.space, asked=asked
        )
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


def _without_dates(asking: Asking) -> tuple[Question, Embedded | None]:
    """The question and its vectors without the dates it names: when a turn was said stands beside
    it, its words need not."""
    bare = dateless(asking.question.text)
    embedder = asking.embedder
    if bare == asking.question.text:
        return asking.question, asking.vectors
    if asking.vectors is None or embedder is None or embedder.space != asking.space:
        return read_question(bare), asking.vectors
    return read_question(bare), question_vectors(embedder, bare)


def _by_nearness(
    near: Iterable[int], vectors: Embedded | None, planner: Planner, space: str | None
) -> list[int]:
    """The chunks that words, names and vectors found, the nearest in meaning first."""
    numbers = np.array(sorted(near), dtype=np.int64)
    if vectors is None or space is None or not len(numbers):
        return numbers.tolist()
    rows = planner.vectors(numbers, space)
    if not rows.shape[1]:
        return numbers.tolist()
    cosines = np.einsum("nd,d->n", rows, vectors.vector)
    return numbers[np.argsort(-cosines, kind="stable")].tolist()


def _of_near_sessions(
    question: Question, planner: Planner, scope: Scope, near: Sequence[int], room: int
) -> Numbers:
    """At most `room` turns of the sessions that the best by words and by meaning, in turn, are
    of."""
    stems = telling_stems(question, None)
    words = planner.match_text("turn", dict.fromkeys(stems, 1.0), scope=scope, limit=_LISTED)
    both = zip_longest(words.numbers.tolist(), near)
    listed = dict.fromkeys(n for pair in both for n in pair if n is not None)
    found = np.array(list(listed), dtype=np.int64)
    found = found[TURNS.are(planner, found)]
    sessions = list(dict.fromkeys(planner.document_ids(found)))
    chosen: list[Numbers] = []
    for seen in _sessions(sessions, planner, scope):
        if room <= 0:
            break
        if len(seen) > room:
            best = found[np.isin(found, seen)][: max(1, room // _AROUND)]
            places = _nearest_places(np.flatnonzero(np.isin(seen, best)), len(seen), room)
            chosen.append(seen[places])
        else:
            chosen.append(seen)
        room -= len(seen)
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *chosen]))


def _sessions(sessions: Sequence[str], planner: Planner, scope: Scope) -> Iterator[Numbers]:
    """The turns of each session that may be seen; a few sessions are read at a time."""
    for start in range(0, len(sessions), _READ_AT_ONCE):
        inside = list(planner.numbers_in(sessions[start : start + _READ_AT_ONCE]).values())
        seen = seen_numbers(np.concatenate(inside), planner, scope)
        for numbers in inside:
            yield numbers[np.isin(numbers, seen)]


def _nearest_places(found: NDArray[np.intp], count: int, room: int) -> NDArray[np.intp]:
    """The `room` places of a session of `count` turns that stand nearest to one of `found`."""
    places = np.arange(count)
    if not len(found):
        return places[:room]
    after = np.minimum(np.searchsorted(found, places), len(found) - 1)
    before = np.maximum(after - 1, 0)
    distance = np.minimum(np.abs(places - found[after]), np.abs(places - found[before]))
    return np.sort(np.lexsort((places, distance))[:room])

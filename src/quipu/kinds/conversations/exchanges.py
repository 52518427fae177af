"""A turn with the one beside it that it needs to be understood: a question with its reply, a short
reply with its question.

"300." says something only below "what's the cache TTL?", and that says nothing without "300.".
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from quipu.answer.gate import Evidence
from quipu.plan.visibility import seen_numbers
from quipu.ports import Planner
from quipu.records.record import Chunk
from quipu.records.scope import Scope
from quipu.text import sentences

__all__ = ["Beside", "asks", "beside", "is_short", "last_sentence", "place_of", "speaker_of"]

_SHORT_WORDS = 12


class Beside(NamedTuple):
    """A turn of a session, the one before it and the one after it."""

    before: Chunk | None
    own: Chunk
    after: Chunk | None

    @property
    def question(self) -> Chunk | None:
        """The turn before, where somebody else asks there and this one is a short reply."""
        before = self.before
        if before is None or speaker_of(before) == speaker_of(self.own):
            return None
        return before if is_short(self.own.text) and asks(before.text) else None

    @property
    def reply(self) -> Chunk | None:
        """The turn after, where somebody else speaks there, and does not ask as well."""
        after = self.after
        if after is None or speaker_of(after) == speaker_of(self.own):
            return None
        return None if asks(after.text) else after


def place_of(turn: Evidence) -> int:
    """Return the place of a turn in its session, from 1; 0 where that is not known."""
    place = turn.path.rpartition("#")[2]
    return int(place) if place.isdigit() else 0


def speaker_of(turn: Chunk) -> str:
    """Return who said a turn."""
    role, speaker, *_ = (*turn.heading_path, "", "")
    return speaker or role


def asks(text: str) -> bool:
    """Return whether a text ends in a question."""
    return text.rstrip().endswith("?")


def is_short(text: str) -> bool:
    """Return whether a turn is so short that the one before it may say what it is about."""
    return len(text.split()) <= _SHORT_WORDS


def last_sentence(text: str) -> str:
    """Return the last sentence of a turn."""
    spans = sentences(text)
    return text[slice(*spans[-1])] if spans else text


def beside(turns: Mapping[str, str], planner: Planner, scope: Scope) -> dict[str, Beside]:
    """Return turns, given as their ids with their session's, each with those beside it that `scope`
    admits."""
    numbers = dict(zip(turns, planner.numbers(list(turns)).tolist(), strict=True))
    around: dict[str, list[int]] = {}
    for session, inside in planner.numbers_in(sorted(set(turns.values()))).items():
        row = [-1, *seen_numbers(inside, planner, scope).tolist(), -1]
        places = {number: at for at, number in enumerate(row)}
        for turn in (t for t, of in turns.items() if of == session and numbers[t] in places):
            at = places[numbers[turn]]
            if numbers[turn] >= 0:
                around[turn] = row[at - 1 : at + 2]
    wanted = sorted({n for row in around.values() for n in row} - {-1})
    chunks = dict(zip(wanted, planner.chunks(np.array(wanted, dtype=np.int64)), strict=True))
    return {
        turn: Beside(chunks.get(before), chunks[own], chunks.get(after))
        for turn, (before, own, after) in around.items()
    }

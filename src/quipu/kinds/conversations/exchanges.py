"""A turn with the one beside it that it needs to be understood: a question with its reply, a short
reply with its question.

"300." says something only below "what's the cache TTL?", and that says nothing without "300.".
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from quipu.plan.visibility import seen_numbers
from quipu.ports import Planner
from quipu.records.record import Chunk
from quipu.records.scope import Scope
from quipu.text import sentences

__all__ = ["Beside", "asks", "beside", "last_sentence", "speaker_of"]

_SHORT = 12
_LEAD = r"\W*(?:(?:and|so|but|ok|okay|oh|hm+|hey|btw|right|well|also|then|sorry|now)\b\W*)*"
_WHO = r"(?:who|whose|what|which|where|when|why|how)"
_IS = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|must)"
_PERSON = r"(?:i|you|he|she|we|they|anyone|anybody|someone|somebody)"
_THING = r"(?:it|there|the|this|that|these|those|your|my|our|his|her|their)"
_ASKS = re.compile(
    rf"{_LEAD}(?:{_WHO}['’](?:s|re)\b"  # who's on call
    rf"|{_WHO}(?: (?!{_PERSON}\b|it\b)[\w'’-]+){{0,3}}? {_IS}\b"  # which engine do we use
    rf"|{_IS} {_PERSON}\b|(?:is|are|was|were|has|will|does|did|should|could|would) {_THING}\b"
    rf"|how (?:much|many|often|long|old|far|big)(?: [\w'’-]+){{0,2}}\W*$"
    rf"|what(?: [\w'’-]+){{1,2}}$)",
    re.IGNORECASE,
)
_REQUESTS = re.compile(
    rf"\b(?:(?:find|figure|work) out {_WHO}|(?:please|can you|could you) (?:look into|investigate|"
    rf"check|explain)|(?:look into|investigate|explain) (?:it|this|that|{_WHO}))\b[^.!?]*$",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!…]\s+")
_TELLS = re.compile(rf"{_LEAD}(?:which (?:is|are|was|were|means?)\b|what an?\b)", re.IGNORECASE)


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
        is_reply = len(self.own.text.split()) <= _SHORT and asks(last_sentence(before.text))
        return before if is_reply else None

    @property
    def reply(self) -> Chunk | None:
        """The turn after, where somebody else speaks there, and does not ask as well."""
        after = self.after
        if after is None or speaker_of(after) == speaker_of(self.own):
            return None
        return None if asks(after.text) else after


def speaker_of(turn: Chunk) -> str:
    """Who said a turn."""
    role, speaker, *_ = (*turn.heading_path, "", "")
    return speaker or role


def asks(sentence: str) -> bool:
    """Whether a sentence asks something, with or without its mark, or that it be found out."""
    if sentence.rstrip().endswith("?"):
        return True
    last = _STOP.split(sentence.rstrip(" .!"))[-1]
    if _REQUESTS.search(last):
        return True
    return _ASKS.match(last) is not None and _TELLS.match(last) is None


def last_sentence(text: str) -> str:
    """The last sentence of a turn."""
    spans = sentences(text)
    return text[slice(*spans[-1])] if spans else text


def beside(turns: Mapping[str, str], planner: Planner, scope: Scope) -> dict[str, Beside]:
    """Turns, given as their ids with their session's, each with those beside it that may be
    seen."""
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

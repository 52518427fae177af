"""Which of the turns that were found answers a question, by a head on the encoder's layers.

    question, turns found → their words → how likely each answers, and none

Search knows what a turn is near to; whether it tells what is asked, is the newest that does, and
is said by the one who is asked about, is learnt from conversations with questions that people
wrote about them (`bench/teach/answering.py`).
"""

import io
from collections.abc import Sequence
from functools import cache

import numpy as np

from quipu.answer.gate import Evidence, is_turn
from quipu.answer.kinds import Likely, Read
from quipu.answer.quote import units
from quipu.extract.statements import sentence_spans
from quipu.kinds.conversations.answering.head import AnswerHead, Floats, weights
from quipu.kinds.conversations.answering.inputs import (
    TURNS,
    AskedWords,
    Said,
    Words,
    inputs_of,
    is_said_after,
    read_words,
)
from quipu.kinds.conversations.exchanges import Beside, beside, place_of, speaker_of
from quipu.ports import LayerReader, Planner
from quipu.question import Question
from quipu.records.passage import ASSISTANT
from quipu.records.record import Chunk
from quipu.records.scope import Scope
from quipu.text import stems

__all__ = ["TURNS", "likely"]

ANSWERING_SHA256 = "8bd3172cfe728812028f01b7be3ade0ff88895bc73316dea86150f285d3ac774"
_PACKAGE, _FILE = "quipu.kinds.conversations.answering", "answering.npz"
_LONGEST = 600
"""Characters of a long turn that are read."""
_SEARCHED = 0.25
"""How much its search counts beside the head, for what no question of those it learnt was like."""
_AS_TELLING = 1.5
"""By how much less a sentence of a turn may tell, in logits, to be the one that it is quoted from:
of 418 answers of sets left out it leaves the answer out of 5."""
_LITTLE = 1e-6
_ASKER = "user"


def likely(
    question: Question,
    evidence: Sequence[Evidence],
    planner: Planner,
    reader: LayerReader,
    *,
    scope: Scope,
) -> Likely | None:
    """Return how likely each of the first turns answers; None where there is none to be read."""
    turns = [each for each in evidence if is_turn(each)][:TURNS]
    sides = beside({each.id: each.document_id for each in turns}, planner, scope)
    reading = _Reading(reader, question)
    found = {e.id: reading.said(sides[e.id], e) for e in turns if e.id in sides}
    found = {id_: said for id_, said in found.items() if len(said.words.forms)}
    asked = reading.words(question.text, _ASKER)
    if not found or not len(asked.forms):
        return None
    given = inputs_of(AskedWords.of(asked, question.text), list(found.values()))
    seen = _head().seen(given)
    affirms = _head().affirms(seen)
    worth = (1 - _SEARCHED) * seen.scores.turns + _SEARCHED * _as_searched(given.said[:, 0])
    replies = question.takes_yes_or_no  # which words tell yes or no, the head does not know
    passages: dict[str, Read] = {}
    for at, (id_, said) in enumerate(found.items()):
        sentence = "" if replies else _telling(said.words, seen.words[at], given.first[at])
        answers = float(seen.scores.turns[at])
        passages[id_] = Read(answers, float(worth[at]), float(affirms[at]), sentence)
    return Likely(passages)


def _telling(words: Words, telling: Floats, first: int) -> str:
    """The first sentence of a turn that tells about as much of what is asked for as any; `telling`
    is how much its words do, from the `first` on that is read."""
    ends = (*words.starts[1:], len(words.forms))
    most = [
        telling[max(begin - first, 0) : max(end - first, 0)].max(initial=-np.inf)
        for begin, end in zip(words.starts, ends, strict=True)
    ]
    least = max(most) - _AS_TELLING
    return next(said for said, tells in zip(words.sentences, most, strict=True) if tells >= least)


def _as_searched(scores: Floats) -> Floats:
    """How likely each turn answers by its search alone: their scores as shares of twice the best,
    at most 1."""
    return scores / max(float(scores.sum()), _LITTLE) * min(2 * float(scores.max()), 1.0)


class _Reading:
    """Reads turns for a question, none of them twice."""

    def __init__(self, reader: LayerReader, question: Question) -> None:
        self._reader, self._about = reader, question.stem_set
        self._known: dict[str, Words] = {}

    def said(self, side: Beside, found: Evidence) -> Said:
        """Return a turn that was found, with the one before it where it needs that."""
        own, before = side.own, side.before
        needed = before is not None and is_said_after(own.text, before.text)
        return Said(
            self._turn(own),
            self._turn(before) if before is not None and needed else None,
            own.text,
            own.heading_path[2] if len(own.heading_path) > 2 else "",
            place_of(found),
            found.score or 0.0,
        )

    def words(self, text: str, speaker: str, *, machine: bool = False) -> Words:
        """Return the words of a text."""
        sentences = read_words(text, self._reader.read, list(sentence_spans(text)))
        return Words.of(sentences, speaker, machine=machine)

    def _turn(self, turn: Chunk) -> Words:
        if turn.chunk_id not in self._known:
            machine = bool(turn.heading_path) and turn.heading_path[0] == ASSISTANT
            words = self.words(self._part(turn.text), speaker_of(turn), machine=machine)
            self._known[turn.chunk_id] = words
        return self._known[turn.chunk_id]

    def _part(self, text: str) -> str:
        """A turn; of a long one the part that begins with the sentence behind which most of what is
        asked is said, so that a long text costs no more than some sentences."""
        if len(text) <= _LONGEST:
            return text
        starts = [unit.start for unit in units(text)] or [0]
        said = [len(self._about & frozenset(stems(text[at : at + _LONGEST]))) for at in starts]
        first = starts[said.index(max(said))]
        return text[first : first + _LONGEST]


@cache
def _head() -> AnswerHead:
    return AnswerHead.load(io.BytesIO(weights(_PACKAGE, _FILE, ANSWERING_SHA256)))

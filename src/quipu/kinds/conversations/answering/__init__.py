"""Which of the turns that were found answers a question, by a head on the encoder's layers.

    question, turns found → their words → how likely each answers, and none

Search knows what a turn is near to; whether it tells what is asked, is the newest that does, and
is said by the one who is asked about, is learnt from conversations with questions that people
wrote about them (`bench/teach/answering.py`).
"""

import io
import math
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from quipu.answer.gate import Evidence, is_turn
from quipu.answer.kinds import Likely, Read
from quipu.answer.quote import units
from quipu.answer.yes_or_no import takes_yes_or_no
from quipu.extract.statements import sentence_spans
from quipu.heads import Floats, weights
from quipu.kinds.conversations.answering.head import AnswerHead
from quipu.kinds.conversations.answering.inputs import (
    TURNS,
    Question,
    Said,
    Words,
    inputs_of,
    is_said_after,
)
from quipu.kinds.conversations.answering.later import later_of_it
from quipu.kinds.conversations.answering.prose import (
    BESIDE_A_TURN,
    Sentence,
    is_record,
    place_of,
    sentences_of,
    told_on,
)
from quipu.kinds.conversations.answering.supposed import asks_what_is, is_supposed
from quipu.kinds.conversations.answering.words import read_words
from quipu.kinds.conversations.exchanges import Beside, beside, speaker_of
from quipu.kinds.conversations.weights import TURNS as WEIGHTS
from quipu.ports import LayerReader, Planner
from quipu.records.passage import ASSISTANT
from quipu.records.record import Chunk
from quipu.records.scope import Scope
from quipu.text import stems

__all__ = ["TURNS", "likely"]

ANSWERING_SHA256 = "8bd3172cfe728812028f01b7be3ade0ff88895bc73316dea86150f285d3ac774"
_PACKAGE, _FILE = "quipu.kinds.conversations.answering", "answering.npz"
_LONGEST = 600
_SEARCHED = 0.25
"""How much its search counts beside the head, for what no question of those it learnt was like."""
_WORTH_PARSING = 0.1
_RATHER, _LEAST, _UNMET = 0.25, 0.05, 1 / 3
_OF_A_DOCUMENT, _OF_A_TURN = 0.04, 0.15
"""How likely what later became of what another tells must be to answer, to speak of it."""
_AS_TELLING = 1.5
"""By how much less a sentence of a turn may tell, in logits, to be the one that it is quoted from:
of 418 answers of sets left out it leaves the answer out of 5."""
_AS_TELLING_WORDS = 1.0
_LITTLE = 1e-6
_ASKER = "user"


def likely(
    question: str,
    evidence: Sequence[Evidence],
    planner: Planner,
    reader: LayerReader,
    *,
    scope: Scope,
) -> Likely | None:
    """How likely each of the first turns answers; None where there is none to be read."""
    about = frozenset(stems(question))
    read = _Reader(reader, about)
    written = sentences_of(about, evidence)
    turns = [each for each in evidence if is_turn(each)][: TURNS - len(written)]
    sides = beside({each.id: each.document_id for each in turns}, planner, scope)
    spoken = [(each.id, read.said(sides[each.id], each)) for each in turns if each.id in sides]
    newest = max((said.when for _, said in spoken), default="")
    documents = [(each.passage.id, read.written(each, newest)) for each in written]
    found = [(id_, said) for id_, said in (*spoken, *documents) if len(said.words.forms)]
    asked = read.words(question, _ASKER)
    if not found or not len(asked.forms):
        return None
    asking = Question.of(asked, question)
    made = _made_of([said for _, said in found], asking)
    passages, read_as = dict[str, Read](), dict[str, Said]()
    for at in sorted(range(len(found)), key=lambda at: (-made[at].answers, at)):
        id_, said = found[at]
        read_as.setdefault(id_, said)
        before = passages.get(id_)
        passages[id_] = before.with_more(made[at].answers) if before else made[at]
    known = Likely(passages)
    known = known.without_supposed(_supposed(question, known, read_as, read))
    days = {each.passage.id: told_on(each.passage) for each in written}
    known = known.at_least(_since(asking, known, read_as, days, read))
    return _beside_documents(known, read_as, written, turns, about)


def _made_of(said: Sequence[Said], asking: Question) -> list[Read]:
    """What the head and the search make of each; which words tell yes or no, it does not know."""
    given = inputs_of(asking, said)
    seen = _head().seen(given)
    yes = _head().affirms(seen)
    replies = takes_yes_or_no(asking.text)
    searched = _as_searched([each.score for each in said])
    worth = (1 - _SEARCHED) * seen.scores.turns + _SEARCHED * searched

    def sentence(at: int) -> str:
        each = said[at]
        if each.of_document:
            return each.text
        return "" if replies else _telling(each.words, seen.words[at], given.first[at])

    return [
        Read(
            float(answers),
            float(worth[at]),
            float(yes[at]),
            sentence(at),
            _words_that_tell(said[at].words, seen.words[at], given.first[at]),
            said[at].of_document,
        )
        for at, answers in enumerate(seen.scores.turns)
    ]


def _telling(words: Words, telling: Floats, first: int) -> str:
    """The first sentence of a turn that tells about as much of what is asked for as any; `telling`
    is how much its words do, from the `first` on that is read."""
    ends = (*words.starts[1:], len(words.forms))
    most = [
        telling[max(begin - first, 0) : max(end - first, 0)].max(initial=-np.inf)
        for begin, end in zip(words.starts, ends, strict=True)
    ]
    least = max(most) - _AS_TELLING
    return next(said for said, each in zip(words.sentences, most, strict=True) if each >= least)


def _words_that_tell(words: Words, telling: Floats, first: int) -> str:
    """The words of a turn that tell about as much of what is asked for as any."""
    least = float(telling.max()) - _AS_TELLING_WORDS
    own = zip(words.forms[first:], telling, strict=False)
    return " ".join(word for word, each in own if each >= least)


def _since(
    asking: Question,
    known: Likely,
    read_as: Mapping[str, Said],
    days: Mapping[str, str],
    read: "_Reader",
) -> dict[str, float]:
    """How likely turns answer that name later what the likeliest sentence of a document tells, or
    the likeliest turn, read behind that; `days` are those of the documents."""
    turns = [id_ for id_, each in known.read.items() if each.answers and not each.of_document]
    others = {id_: read_as[id_] for id_ in turns}
    found: dict[str, float] = {}
    for of_document, least in ((True, _OF_A_DOCUMENT), (False, _OF_A_TURN)):
        first = known.first(of_document=of_document)
        if not first:
            continue
        told, day = read_as[first], days.get(first, read_as[first].when)
        later = read.later(asking.text, told.text, known.read[first].words, day, others)
        behind = {id_: read_as[id_]._replace(before=told.words) for id_ in later}
        if behind:
            again = {**read_as, **behind}
            shares = _head().read(inputs_of(asking, list(again.values()))).turns
            likely_ = dict(zip(again, map(float, shares), strict=True))
            found |= {id_: likely_[id_] for id_ in later if likely_[id_] >= least}
    return found


def _beside_documents(
    known: Likely,
    read: Mapping[str, Said],
    written: Sequence[Sentence],
    turns: Sequence[Evidence],
    about: frozenset[str],
) -> Likely:
    """With what speaks of what is asked: turns at least half as much as the sentence of a document
    that most likely answers, records as much as it; and whether the documents are to answer: no
    such turn does, nothing else rather likely does, and no record. Where that sentence says half of
    what is asked, a turn that was found for none of its words counts less."""
    first = known.first(of_document=True)
    if not first:
        return known
    said = {id_: len(about & frozenset(stems(each.text))) for id_, each in read.items()}
    if 2 * said[first] >= len(about):
        unmet = {each.id for each in turns if not each.lexical}
        known = known.fewer(unmet - known.later, _UNMET)
    surely, own = known.surest([first]), [id_ for id_, each in read.items() if not each.of_document]
    spoken = known.later | {id_ for id_ in own if said[id_] and 2 * said[id_] >= said[first]}
    records = {each.passage.id for each in written if is_record(each.passage)}
    dated = [id_ for id_ in read if id_ in records]
    recorded = frozenset(id_ for id_ in dated if said[id_] >= said[first])
    least = max(BESIDE_A_TURN * surely, _LEAST)
    rather = max(surely, _RATHER)
    told = any(known.surest([id_]) >= (least if id_ in spoken else rather) for id_ in own)
    answering = told or known.surest(dated) >= _RATHER
    return known._replace(spoken=spoken | recorded, written=not answering)


def _supposed(
    question: str, known: Likely, turns: Mapping[str, Said], read: "_Reader"
) -> frozenset[str]:
    """The ids of turns that would answer what is so, and tell only what is not."""
    if not asks_what_is(question):
        return frozenset()
    likely_ = (id_ for id_, each in known.read.items() if each.answers >= _WORTH_PARSING)
    return frozenset(id_ for id_ in likely_ if read.is_supposed(question, turns[id_]))


def _as_searched(scores: Sequence[float]) -> Floats:
    """How likely each turn answers by its search alone: their scores as shares of twice the best,
    at most 1."""
    found = np.array(scores, np.float32)
    return found / max(float(found.sum()), _LITTLE) * min(2 * float(found.max()), 1.0)


class _Reader:
    """Reads turns for a question that says some stems, none of them twice."""

    def __init__(self, reader: LayerReader, about: frozenset[str]) -> None:
        self._reader, self._about = reader, about
        self._known: dict[str, Words] = {}
        self._headings: dict[str, Words] = {}

    def said(self, side: Beside, found: Evidence) -> Said:
        """A turn that was found, with the one before it where it needs that."""
        own, before = side.own, side.before
        if before is not None and not is_said_after(own.text, before.text):
            before = None
        return Said(
            self._turn(own),
            self._turn(before) if before is not None else None,
            own.text,
            own.heading_path[2] if len(own.heading_path) > 2 else "",
            place_of(found),
            _among_turns(found),
        )

    def written(self, sentence: Sentence, now: str) -> Said:
        """A sentence of a document, below its heading; of one that names no day, as what is so
        when the newest turn is said."""
        each = sentence.passage
        above = sentence.heading
        if above and above not in self._headings:
            self._headings[above] = self.words(above, "")
        own = self.words(sentence.text, "")
        return Said(
            own,
            self._headings.get(above),
            sentence.text,
            told_on(each) or now,
            0,
            each.score or 0.0,
            of_document=True,
        )

    def is_supposed(self, question: str, said: Said) -> bool:
        """Whether what a turn says of a question is only supposed, wished for or denied."""
        return is_supposed(question, _part(said.text, self._about))

    def later(
        self, question: str, told: str, words: str, day: str, said: Mapping[str, Said]
    ) -> Sequence[str]:
        """See `later_of_it`; of a long turn the part that is read counts."""
        return later_of_it(question, _part(told, self._about), words, day, said)

    def words(self, text: str, speaker: str, *, machine: bool = False) -> Words:
        """The words of a text."""
        sentences = read_words(text, self._reader.read, list(sentence_spans(text)))
        return Words.of(sentences, speaker, machine=machine)

    def _turn(self, turn: Chunk) -> Words:
        if turn.chunk_id not in self._known:
            machine = bool(turn.heading_path) and turn.heading_path[0] == ASSISTANT
            text = _part(turn.text, self._about)
            self._known[turn.chunk_id] = self.words(text, speaker_of(turn), machine=machine)
        return self._known[turn.chunk_id]


def _among_turns(found: Evidence) -> float:
    """The score of a turn without what it has for standing alone, as sessions have it."""
    if not found.score or not found.saying:
        return found.score or 0.0
    alone = WEIGHTS.calibration.slope * WEIGHTS.saying * found.saying
    score = min(found.score, 1 - _LITTLE)
    return 1 / (1 + math.exp(alone - math.log(score / (1 - score))))


def _part(text: str, about: frozenset[str]) -> str:
    """A turn; of a long one the part that begins with the sentence that says most of what is
    asked, so that a long text costs no more than some sentences."""
    if len(text) <= _LONGEST:
        return text
    starts = [unit.start for unit in units(text)] or [0]
    said = [len(about & frozenset(stems(text[at : at + _LONGEST]))) for at in starts]
    first = starts[said.index(max(said))]
    return text[first : first + _LONGEST]


@cache
def _head() -> AnswerHead:
    return AnswerHead.load(
        io.BytesIO(weights("quipu.kinds.conversations.answering", _FILE, ANSWERING_SHA256))
    )

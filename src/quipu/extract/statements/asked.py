"""What a question leaves to the one who replies."""

from collections.abc import Sequence
from typing import NamedTuple

from quipu.extract.grammar import Sentence, parse, parse_apart
from quipu.extract.statements.by_grammar import GrammarReader
from quipu.extract.statements.phrases import Utterance
from quipu.extract.statements.replies import reply_of, stated_by
from quipu.extract.statements.spoken import Said
from quipu.extract.statements.statement import Statement
from quipu.ports import ReadLayers
from quipu.records.attributes import Attributes

__all__ = ["Replied", "asked_in", "read_reply"]


class Replied(NamedTuple):
    """What a sentence states as a reply, and whether that is all that it states."""

    statements: Sequence[Statement]
    whole: bool


_NOTHING = Replied((), whole=False)


def asked_in(text: str, pieces: Sequence[tuple[int, int]]) -> str:
    """The question that a text of these sentences ends with; empty without one."""
    start, end = pieces[-1] if pieces else (0, 0)
    return text[start:end] if text[start:end].endswith("?") else ""


def read_reply(
    clauses: Sequence[Sentence],
    text: str,
    asked: Said,
    utterance: Utterance,
    attributes: Attributes,
    layers: ReadLayers,
) -> Replied:
    """What a sentence of `text` (its `clauses` that stand for themselves) states as the reply to a
    question."""
    questions = parse(asked.text, layers, [(0, len(asked.text))])
    reply = reply_of(clauses[0], text) if questions else None
    if reply and not reply.words and len(clauses) > 1:
        reply = reply._replace(goes_on=True)
    told = stated_by(questions[0], reply) if reply else ""
    if not reply or not told:
        return _NOTHING
    to = utterance._replace(addressee=asked.speaker)
    reader = GrammarReader(told, to, attributes)
    found = [each for parts in parse_apart(told, layers) for each in reader.read_parts(parts)]
    start, end = clauses[0].start, clauses[-1].end
    found = [each._replace(start=start, end=end) for each in found]
    return Replied(found, whole=bool(found) and not reply.goes_on)

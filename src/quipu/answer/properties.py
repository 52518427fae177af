"""What the front matter of a document says of it: "Who directed Blue Racer?" is answered by
`director: Ridley Stone`."""

import re
from collections.abc import Iterator, Sequence

from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_span
from quipu.answer.support import EvidencePool, chunks_of, from_chunk
from quipu.answer.wording import explained, listed
from quipu.answer.yes_or_no import PRESENTLY
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.record import Chunk, Entity, Value
from quipu.records.schema import EntityType
from quipu.records.wiki import plain_links
from quipu.text import fold, stems

__all__ = ["of_properties"]

_OF_DOCUMENTS = frozenset(
    "alias aliases block_ids content_hash declares doc_type file_path id language permalink title "
    "type".split()
)
"""What names a document, or how it is stored."""
_OF_TIME = frozenset(stems("date day time"))
_DONE = re.compile(r"\w+[^\We]ed\b")
_LONGEST_VALUE = 300


def of_properties(
    asked: Question, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
) -> Iterator[AnswerStatement]:
    """A statement for each property of the documents at `anchors` that explains all of the
    question, with the passage that holds it; none for what asks for yes or no."""
    if asked.asks_yes_or_no:
        return
    for document in graph.get(anchors).values():
        if not isinstance(document, Entity) or document.type != EntityType.DOCUMENT:
            continue
        for key, value in document.properties.items():
            words = "" if key in _OF_DOCUMENTS else _asked_by(asked, key)
            told = _told(value) if words else []
            if not told:
                continue
            names = " ".join((document.name, *document.aliases, words, PRESENTLY))
            if explained(asked, f"{names} {' '.join(told)}", "") < 1:
                continue
            passage = _passage(graph, evidence, document, told)
            if passage:
                cited = from_chunk(passage, graph, (document.entity_id,), document)
                yield AnswerStatement(_sentence(document, key, told), (cited,), names=names)


def _asked_by(asked: Question, key: str) -> str:
    """The words of `key` with what else asks for them; empty where the question does not. Who does
    something is asked for by what they do: a director by "directed", a creator by "created"."""
    words = key.replace("_", " ")
    own = set(stems(words))
    if asked.answer_type == "time":
        own = own - _OF_TIME or own
    done = {word.removesuffix("or") for word in own}
    met = all({word, word.removesuffix("or")} & asked.stem_set for word in own)
    return f"{words} {' '.join(sorted(done))}" if own and met else ""


def _sentence(document: Entity, key: str, told: Sequence[str]) -> str:
    """As in "The director of `Heat` is Ann", "`Heat` was released 1983"."""
    about, words = code_span(document.name), key.replace("_", " ")
    if _DONE.match(words):
        return f"{about} was {words} {listed([*told])}"
    return f"The {words} of {about} {'is' if len(told) == 1 else 'are'} {listed([*told])}"


def _told(value: Value) -> list[str]:
    """The texts and numbers of a value; none of a truth value, a mapping or a long text."""
    every = value if isinstance(value, list) else [value]
    told = [
        plain_links(str(each)).strip()
        for each in every
        if isinstance(each, str | int | float) and not isinstance(each, bool)
    ]
    whole = len(told) == len(every) and all(0 < len(each) <= _LONGEST_VALUE for each in told)
    return told if whole else []


def _passage(
    graph: Planner, evidence: EvidencePool, document: Entity, told: Sequence[str]
) -> Chunk | None:
    """The first passage of a document that holds a value."""
    chunks = chunks_of(document.entity_id, graph, evidence.scope)
    holding = (chunk for chunk in chunks if fold(told[0]) in fold(chunk.text))
    return next(holding, None)

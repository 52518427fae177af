"""A message that is asked about: the code that says it, with the lines before it.

The words of each literal in the code that was found, or that the message leads to, are aligned with
the words of the question (`difflib`); what is filled in (`{name}`, `%s`) stands for a word each.
A literal is the message where nearly all of its words stand in the question, or nearly all words of
what the question gives as the message stand in it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from quipu.answer.intent import Asked, given_texts
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_span
from quipu.answer.windows import fenced
from quipu.kinds.files.code_answers import CodeRecords, lines_between, path_of
from quipu.records.record import Chunk, Entity
from quipu.records.role import Role, role_of
from quipu.records.schema import EntityType, RelationType
from quipu.text import STOP_WORDS, fold, stems_in_parts

__all__ = ["LITERALS", "of_message"]

_FOUND, _SEARCHED = 20, 12
"""How many passages of code are read: of those found, and of those a message leads to."""
_MOST = 3
_FEWEST, _FEWEST_GIVEN, _FEWEST_TELLING = 4, 3, 2
"""The words that are met at least, where they are all that is given as the message, and those of
letters that are no function words."""
_MET, _NEARLY = 0.9, 0.8
"""The share of a text's words from which it is the message, for sure and with doubt."""
_HEDGED = 0.82
_BEFORE, _AFTER = 8, 2
"""Lines that are quoted with a message."""
_MOST_DEFINED = 500
_OTHER: frozenset[Role] = frozenset({"test", "fixture", "example", "generated", "vendored"})
_DEFINED = frozenset({str(RelationType.DEFINED_IN)})
_LITERAL = re.compile(r"(?P<quote>\"|'|`)(?P<text>(?:\\.|(?!(?P=quote))[^\\\n]){1,400}+)(?P=quote)")
LITERALS = re.compile(rf"(?:[rRbBuUfF$@]{{0,2}}{_LITERAL.pattern}\s*+(?:\+\s*+)?)++")
"""Literals that stand one after another, which are one text."""
_FILLED = re.compile(r"[#$]?\{[^{}\n]{0,80}\}|%[-+ #0-9.]*[a-zA-Z]\b|\\.")
_WORD = re.compile(r"\w+")


class _Said(NamedTuple):
    """A literal that says the message: its passage, its lines, how sure it is meant, how many words
    it shares with the question, and whether only a test or an example says it."""

    chunk: Chunk
    path: str
    first: int
    last: int
    sure: float
    words: int
    is_other: bool


def of_message(asked: Asked, records: CodeRecords) -> list[AnswerStatement]:
    """What says the message that the question is about, at most three statements; nothing where no
    literal of the code is met."""
    spans = given_texts(asked.text)
    given = [_words(asked.text[start:end]) for start, end in spans]
    question = _words(asked.text)
    if len(question) < _FEWEST_GIVEN:
        return []
    said = [
        each
        for chunk, path in _passages(records, [" ".join(words) for words in given or [question]])
        for each in _in_passage(chunk, path, question, given)
    ]
    said = [each for each in said if not each.is_other] or said
    said.sort(key=lambda s: (-s.sure, -s.words, s.path, s.first))
    best = [s for s in said if (s.sure, s.words) == (said[0].sure, said[0].words)][:_MOST]
    return [statement for each in best for statement in _stated(each, records)]


def _words(text: str) -> list[str]:
    return _WORD.findall(_FILLED.sub(" ", fold(text)).lower())


def _passages(records: CodeRecords, messages: Sequence[str]) -> Iterator[tuple[Chunk, str]]:
    """The passages of code that were found, and those that the words of the message lead to, with
    their paths."""
    planner, scope = records.planner, records.pool.scope
    found = planner.get([e.id for e in records.evidence[:_FOUND] if e.is_code])
    chunks = {i: chunk for i, chunk in found.items() if isinstance(chunk, Chunk)}
    for message in messages:
        terms = dict.fromkeys(stems_in_parts(message), 1.0)
        numbers = planner.match_text("code", terms, scope=scope, limit=_SEARCHED).numbers
        for chunk in planner.chunks(numbers):
            if chunk.profile == "code":
                chunks.setdefault(chunk.chunk_id, chunk)
    documents = planner.get(sorted({chunk.document_id for chunk in chunks.values()}))
    for chunk in chunks.values():
        document = documents.get(chunk.document_id)
        if isinstance(document, Entity):
            yield chunk, path_of(document)


def _in_passage(
    chunk: Chunk, path: str, question: Sequence[str], given: Sequence[Sequence[str]]
) -> Iterator[_Said]:
    is_other = role_of(path, code=True) in _OTHER
    for match in LITERALS.finditer(chunk.text):
        text = " ".join(each["text"] for each in _LITERAL.finditer(match[0]))
        words, filled = _words(text), len(_FILLED.findall(text))
        met = _met(words, question)
        telling = {word for word in met if word.isalpha()} - STOP_WORDS
        if len(telling) < _FEWEST_TELLING:
            continue
        of_given = max((_share(words, each, filled) for each in given), default=0.0)
        share = max(len(met) / len(words), of_given)
        if share >= _NEARLY and len(met) >= (_FEWEST_GIVEN if of_given >= _MET else _FEWEST):
            first = chunk.start_line + chunk.text[: match.start()].count("\n")
            last = first + match[0].rstrip().count("\n")
            sure = 1.0 if share >= _MET else _HEDGED
            yield _Said(chunk, path, first, last, sure, len(met), is_other)


def _share(words: Sequence[str], given: Sequence[str], filled: int) -> float:
    """How much of a given message a literal says, what is filled in standing for a word each."""
    met = len(_met(words, given))
    return met / max(len(given) - filled, met, 1)


def _met(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that both have in one order, those that stand alone left out."""
    if len(set(words) & set(others)) < _FEWEST_TELLING:
        return []
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    return [word for at, _, size in blocks if size > 1 for word in words[at : at + size]]


def _stated(said: _Said, records: CodeRecords) -> list[AnswerStatement]:
    """The lines that say a message, as far as the function goes."""
    symbol = _around(said, records)
    begin, end = lines_between(symbol) if symbol else (said.chunk.start_line, said.chunk.end_line)
    first = max(said.first - _BEFORE, begin, said.chunk.start_line)
    last = min(said.last + _AFTER, end, said.chunk.end_line)
    lines = said.chunk.text.split("\n")[first - said.chunk.start_line :][: last - first + 1]
    record = symbol or records.planner.get([said.chunk.document_id]).get(said.chunk.document_id)
    block = fenced(lines)
    if not isinstance(record, Entity) or not block:
        return []
    ids = tuple(dict.fromkeys((record.entity_id, said.chunk.document_id)))
    name = symbol.name if symbol else said.path
    return [
        AnswerStatement(
            f"In {code_span(name)}:",
            (records.line_of(said.chunk, ids, record, first, lines),),
            kind=EntityType.SYMBOL,
            explained=said.sure,
            quoted=block,
        )
    ]


def _around(said: _Said, records: CodeRecords) -> Entity | None:
    """The innermost symbol that a message stands in."""
    document = said.chunk.document_id
    near = records.planner.neighbors(
        [document], direction="in", types=_DEFINED, limit_per_id=_MOST_DEFINED
    )[document]
    found = records.planner.get([r.source_entity_id for r in near]).values()
    symbols = [e for e in found if isinstance(e, Entity) and e.type == EntityType.SYMBOL]
    spans = {e.entity_id: lines_between(e) for e in symbols}
    inside = [e for e in symbols if spans[e.entity_id][0] <= said.first <= spans[e.entity_id][1]]
    return min(
        inside,
        key=lambda e: (spans[e.entity_id][1] - spans[e.entity_id][0], e.entity_id),
        default=None,
    )

"""An answer that a language model writes, held to the evidence it was given.

The model sees the gated evidence and nothing else, as one system message of the prompt builder.
What it says is data: a sentence stays only when it cites given evidence, and the cited passages
hold, in one sentence, its numbers, its names and most of its words, put its numbers to the same
nouns, point the same way and deny what it denies. A model that cannot be reached leaves the
offline answer; one whose words have no support leaves `unknown`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from quipu.answer.confidence import match
from quipu.answer.contract import UNKNOWN, cited
from quipu.answer.contradiction import contradicts, in_numerals
from quipu.answer.gate import AnswerDraft, Evidence
from quipu.answer.prompt import PromptSource, with_context
from quipu.answer.quote import plain
from quipu.errors import MissingExtra, ModelUnavailable
from quipu.ports import Chat
from quipu.text import STOP_WORDS, denies, sentences, stems, stems_in_parts, tokens

__all__ = ["SCHEMA", "ModelAnswer", "consult", "supported"]

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "confidence": {"type": "number"},
    },
    "required": ["answer", "confidence"],
    "additionalProperties": False,
}
_ROLE = (
    "Answer the question from the sources alone, in at most five sentences, each with the mark "
    "[n] of the sources it rests on. If they do not say it, answer with the one word unknown. "
    'Reply as JSON: {"answer": text, "confidence": number from 0 to 1}.'
)
_SOURCES = 8
_SOURCE_LIMIT = 4000
_ANSWER_LIMIT = 6000
_SENTENCE_LIMIT = 900
_SENTENCES = 12
_ENOUGH = 0.8
_MARKS = re.compile(r"\s*\[[0-9]{1,6}(?:\s*,\s*[0-9]{1,6})*\]")
_LATE_MARKS = re.compile(r"([.!?])((?:\s*\[[0-9]{1,6}(?:\s*,\s*[0-9]{1,6})*\])+)")
_PRONOUN = re.compile(r"\W*(?:it|they|he|she|this|these|that|those)\b", re.IGNORECASE)
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_FENCED = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)


class ModelAnswer(NamedTuple):
    """What became of the model's answer: a draft, or why there is none.

    `failed` says that it could not be asked, `refused` that nothing it said can be kept;
    `self_report` in [0, 1] is what it says of itself; `removed` counts sentences without support.
    """

    draft: AnswerDraft | None = None
    self_report: float | None = None
    failed: str = ""
    refused: str = ""
    removed: int = 0


class _ModelReply(msgspec.Struct):
    answer: str
    confidence: float | None = None


def consult(
    chat: Chat,
    question: str,
    evidence: Sequence[Evidence],
    *,
    offline: AnswerDraft | None,
    citations: Mapping[str, int],
    now: str,
) -> ModelAnswer:
    """The model's answer to `question`, of the best of `evidence`, or why there is none."""
    given = _numbered(evidence[:_SOURCES], citations, now)
    sources = [source for source, _ in given]
    messages = with_context(
        [{"role": "system", "content": _ROLE}, {"role": "user", "content": question}], sources
    )
    try:
        reply = chat.complete(messages, schema=SCHEMA)
    except (ModelUnavailable, MissingExtra) as error:
        return ModelAnswer(failed=str(error))
    said = _read(reply.text)
    report = _bounded(said.confidence)
    if said.answer.strip().casefold().strip(".! ") in {UNKNOWN, ""}:
        return ModelAnswer(self_report=report, refused="The model found no answer in the evidence.")
    kept, removed = _kept(said.answer[:_ANSWER_LIMIT], [each for _, each in given])
    if not kept:
        return ModelAnswer(
            self_report=report,
            removed=removed,
            refused="What the model wrote has no support in the evidence.",
        )
    return ModelAnswer(_draft(kept, offline), report, removed=removed)


def supported(sentence: str, passages: Sequence[tuple[str, str]]) -> bool:
    """Whether one sentence of `passages` (title and text each) bears what `sentence` says.

    It holds, with its title, every number and name of it and four fifths of its content words, and
    does not put them the other way round; and every sentence that is as near to it
    denies as much as it does. One sentence, because the words of two make statements that neither
    makes; one that begins with a pronoun brings the one before it.
    """
    sentence = in_numerals(_MARKS.sub("", sentence))
    words = {s for s in stems(sentence) if s not in STOP_WORDS}
    if not words:
        return False
    hard, denied_too = _hard(sentence), denies(sentence)
    best, bearing = 0, list[tuple[set[str], bool]]()
    for title, text in passages:
        for piece, said, denied in _said(text):
            shared = words & (said | set(stems_in_parts(title)))
            near = len(words & said)
            if near > best:
                best, bearing = near, []
            if near == best and best:
                bears = hard <= said | set(stems_in_parts(title)) and not contradicts(
                    sentence, piece
                )
                bearing.append((shared if bears else set(), denied))
    enough = any(len(shared) >= _ENOUGH * len(words) for shared, _ in bearing)
    return enough and all(denied == denied_too for _, denied in bearing)


def _said(text: str) -> Iterator[tuple[str, set[str], bool]]:
    """Each sentence, its stems, and whether it denies something."""
    before: set[str] = set()
    for start, end in sentences(text):
        piece = in_numerals(_MARKS.sub("", text[start:end]))
        own = set(stems_in_parts(piece)) | ({"1"} if _ONE.search(piece) else set[str]())
        yield piece, (own | before if _PRONOUN.match(piece) else own), denies(piece)
        before = own


def _numbered(
    evidence: Sequence[Evidence], citations: Mapping[str, int], now: str
) -> list[tuple[PromptSource, Evidence]]:
    """The evidence as the prompt numbers it: by descending confidence, path and text."""
    pairs = [
        (
            PromptSource(
                f"{each.path}:{each.start_line}-{each.end_line}",
                match(each, now=now, citations=citations.get(each.document_id, 0)),
                each.text[:_SOURCE_LIMIT],
            ),
            each,
        )
        for each in evidence
    ]
    return sorted(pairs, key=lambda p: (-p[0].confidence, p[0].path, p[0].text, p[1].id))


def _read(text: str) -> _ModelReply:
    """The reply as JSON, or as plain text where the server does not know schemas."""
    bare = found[1] if (found := _FENCED.match(text)) else text
    try:
        return msgspec.json.decode(bare, type=_ModelReply)
    except (msgspec.DecodeError, UnicodeError):
        return _ModelReply("" if bare.lstrip().startswith(("{", "[{")) and _is_json(bare) else text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _bounded(value: float | None) -> float | None:
    return None if value is None or value != value else min(max(value, 0.0), 1.0)


def _kept(
    answer: str, given: Sequence[Evidence]
) -> tuple[list[tuple[str, tuple[Evidence, ...]]], int]:
    """The sentences that the evidence they cite supports, and how many others there were."""
    flat = _LATE_MARKS.sub(r"\2\1", " ".join(answer.split()))
    kept: list[tuple[str, tuple[Evidence, ...]]] = []
    removed = 0
    for start, end in sentences(flat)[:_SENTENCES]:
        piece = flat[start:end]
        marks = [n for n in dict.fromkeys(cited(piece)) if 1 <= n <= len(given)]
        bare = _MARKS.sub("", piece)
        sources = tuple(given[n - 1] for n in marks)
        texts = [(f"{e.title} {e.path}", e.text) for e in sources]
        if not any(c.isalnum() for c in bare):
            continue
        if sources and supported(bare, texts):
            kept.append((plain(bare, limit=_SENTENCE_LIMIT), sources))
        else:
            removed += 1
    return kept, removed


def _draft(
    kept: Sequence[tuple[str, tuple[Evidence, ...]]], offline: AnswerDraft | None
) -> AnswerDraft:
    evidence: list[Evidence] = []
    written: list[str] = []
    for text, sources in kept:
        for each in sources:
            if all(each.id != listed.id for listed in evidence):
                evidence.append(each)
        places = sorted(next(n for n, h in enumerate(evidence, 1) if h.id == e.id) for e in sources)
        written.append(f"{text.rstrip('.;:, ')} [{','.join(map(str, places))}].")
    answer = " ".join(written)
    if offline is None:
        return AnswerDraft(answer, tuple(evidence))
    graph_ids = {e.id: e.graph_ids for e in offline.evidence}
    united = tuple(
        e._replace(graph_ids=tuple(dict.fromkeys((*graph_ids.get(e.id, ()), *e.graph_ids))))
        for e in evidence
    )
    shared = any(e.id in graph_ids for e in evidence)
    return offline._replace(
        answer=answer,
        evidence=united,
        stated=offline.stated if shared else 0.0,
        disagreements=tuple(_MARKS.sub("", each) for each in offline.disagreements),
        remarks=(),
    )


def _hard(sentence: str) -> set[str]:
    """What may not be changed: numbers, and words in capitals that do not begin the sentence."""
    found: set[str] = set()
    for place, token in enumerate(tokens(sentence)):
        written = sentence[token.start : token.end]
        if any(c.isdigit() for c in written) or (place and written[:1].isupper()):
            found.update(s for s in stems(written) if s not in STOP_WORDS)
    return found

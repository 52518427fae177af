"""Turns: what one person or program said in a conversation.

A turn is short and speaks to its neighbours: "Two. Both boys." is found by the question before
it. Its own stems are indexed here; its neighbours' join them when a question is ranked
(`score.py`), so that a transcript can grow without writing its turns again. Its vector is
made from the turn and up to two on either side, read in one pass, of its own tokens only.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from quipu.index.columns import pack
from quipu.kinds.conversations.score import TURNS, pack_turn, turn_score
from quipu.profiles import Profile
from quipu.records.batch import IndexedChunk, Terms
from quipu.records.mentions import Mention, find_mentions
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk
from quipu.text import STOP_WORDS, name_key, other_stems, sentences, stem_words, tokens
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["EVERY_TURN", "PROFILE", "index_chunk", "of_session", "stating"]

EVERY_TURN = "*"
NEIGHBOURS = 2
_ROOM = 1_000
_LEAST = 40
_MOST_NAMES = 60
_EDGE = 30
_READ = 250
_PIECE = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
_MOST_SENTENCES = 60
_FIRST_PERSON = (
    (re.compile(r"\b[Ii](?:['’]m| am)\b"), " is"),
    (re.compile(r"\b[Ii]['’]ve\b"), " has"),
    (re.compile(r"\b[Ii]['’](?:ll|d)\b"), " would"),
    (re.compile(r"\bI\b"), ""),
    (re.compile(r"\b[Mm]y\b"), "'s"),
    (re.compile(r"\b[Mm]e\b"), ""),
)
_SECOND_PERSON = (
    (re.compile(r"\b[Yy]ou(?:['’]re| are)\b"), " is"),
    (re.compile(r"\b[Yy]our\b"), "'s"),
    (re.compile(r"\b[Yy]ou\b"), ""),
)


def of_session(session: str) -> str:
    """The term of the field "turn-of" that all turns of a session have."""
    return f"#{session}"


def index_chunk(chunk: Chunk) -> IndexedChunk:
    """The fields "turn" (stems), "turn-first" and "turn-last" (the outer thirty, where there
    are more), "turn-of" (the session) and "name" (the speaker and who is mentioned).

    `heading_path` of a turn is its role, its speaker and its time.
    """
    role, speaker, time = _who(chunk)
    content = [word for word in tokens(chunk.text) if word.word not in STOP_WORDS and word.word]
    found = stem_words([word.word for word in content])
    who = [Mention(key, 0, 0)] if (key := name_key(speaker)) else []
    mentions = who + find_mentions(chunk.text)[:_MOST_NAMES]
    names = Counter(mention.key for mention in mentions)
    fields: dict[str, Terms] = {
        "turn": dict(Counter(found + other_stems(chunk.text, content))),
        "turn-of": {EVERY_TURN: 1, of_session(chunk.document_id): 1},
        "name": dict(names),
    }
    if len(found) > _EDGE:
        fields["turn-first"] = dict(Counter(found[:_EDGE]))
        fields["turn-last"] = dict(Counter(found[-_EDGE:]))
    tail = pack_turn(
        chunk.text,
        session=chunk.document_id,
        offset=chunk.position,
        speaker="" if speaker == role else speaker,
        role=role,
        time=time,
    )
    return IndexedChunk(
        chunk=chunk,
        fields=fields,
        columns=pack([(word.start, word.word) for word in content[:500]], mentions, tail),
    )


def stating(indexed: IndexedChunk, predicates: Iterable[str]) -> IndexedChunk:
    """The turn with what the facts read from it say of its speaker: the field "turn-states"."""
    counts = Counter(predicates)
    if not counts:
        return indexed
    fields = {**indexed.fields, "turn-states": dict(counts)}
    return replace(indexed, fields=fields)


def embedding_text(chunk: Chunk) -> tuple[str, list[tuple[int, int]]]:
    """The turn as it stands alone."""
    return embedding_text_among(chunk, (), ())


def embedding_text_among(
    chunk: Chunk, before: Sequence[Chunk], after: Sequence[Chunk]
) -> tuple[str, list[tuple[int, int]]]:
    """The turn between its neighbours (nearest first), and the spans of the turn and of its
    sentences; the first span's vector is the turn's. A long turn leaves its neighbours no room.
    """
    around = (*before[:NEIGHBOURS], *after[:NEIGHBOURS])
    others = {_who(near)[1] for near in around} - {_who(chunk)[1]}
    pair = (_who(chunk)[1], *others) if len(others) == 1 else ()
    text = _said_by_name(chunk, pair)
    own = f"{_who(chunk)[1]}: {text}"
    room = _ROOM - len(own)
    head, tail = "", ""
    for place in range(NEIGHBOURS):
        for near, earlier in ((before, True), (after, False)):
            if place >= len(near) or room < _LEAST:
                continue
            line = f"{_who(near[place])[1]}: {_said_by_name(near[place], pair)}"
            line = line[-room:] if earlier else line[:room]
            room -= len(line) + 1
            head, tail = (f"{line}\n{head}", tail) if earlier else (head, f"{tail}\n{line}")
    head = _within_reach(head, own)
    start = len(head) + len(own) - len(text)
    spans = [(start, len(head) + len(own))]
    spans += [(start + a, start + b) for a, b in sentences(text[:_ROOM])[:_MOST_SENTENCES]]
    return head + own + tail, spans


def _within_reach(head: str, own: str) -> str:
    """The end of what stands before a turn that leaves the turn itself within the tokens that
    are read: marks and digits, of which code and formulas are full, are a token each."""
    room = _READ - min(_cost(own), _READ // 2)
    taken = 0
    for piece in reversed(list(_PIECE.finditer(head))):
        taken += _cost(piece.group())
        if taken > room:
            return head[piece.end() :]
    return head


def _cost(text: str) -> int:
    """About how many tokens a text has, rather too many than too few."""
    return sum(1 + len(p.group()) // 6 if p.group().isalpha() else 1 for p in _PIECE.finditer(text))


def _said_by_name(chunk: Chunk, pair: Sequence[str]) -> str:
    """What was said with "I" as the speaker's name and "you" as the other's of a `pair`: a
    question names people, they themselves do not. Who is only a role keeps the pronouns."""
    role, speaker, _ = _who(chunk)
    if speaker == role:
        return chunk.text
    text = chunk.text
    for pattern, ending in _FIRST_PERSON:
        text = pattern.sub(lambda _, end=ending: speaker + end, text)
    other = next((name for name in pair if name != speaker), None) if speaker in pair else None
    for pattern, ending in _SECOND_PERSON if other else ():
        text = pattern.sub(lambda _, end=ending: f"{other}{end}", text)
    return text


def _who(chunk: Chunk) -> tuple[str, str, str]:
    role, speaker, time, *_ = (*chunk.heading_path, "", "", UNKNOWN_TIME)
    return role, speaker or role, time or UNKNOWN_TIME


PROFILE = Profile(
    name=SPOKEN,
    index_chunk=index_chunk,
    embedding_text=embedding_text,
    embedding_text_among=embedding_text_among,
    score=turn_score,
    calibration=TURNS.calibration,
    words_alone=TURNS.words_alone,
    cosine="turn",
)

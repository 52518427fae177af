"""What a text says, word by word: a parse from the encoder's layers, without a second encoder.

    text → words → (encoder's layers) → head → sentences of tokens

Everything here is pure but the weights, which are loaded once from the package.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.extract.grammar.head import LABELS, TAGS, Head, word_shapes, word_vectors
from quipu.extract.grammar.mend import is_tree, mended
from quipu.extract.grammar.parts import Part, is_reason, parts
from quipu.extract.grammar.words import (
    ParsedToken,
    Sentence,
    Spelled,
    lemma_of,
    participle,
    spelled,
    split_words,
)
from quipu.heads import weights
from quipu.ports import Layers, ReadLayers
from quipu.text import sentences

__all__ = [
    "GRAMMAR_SHA256",
    "ParsedToken",
    "ReadSentence",
    "Sentence",
    "SentenceWords",
    "parse",
    "parse_apart",
    "participle",
    "read_sentences",
    "read_words",
]

GRAMMAR_SHA256 = "7382fd1e9950dab35d3826a2380ba22ae71d2cddbdb9004541de164b2cfd282e"
_FILE = "grammar.npz"
_WINDOW = 700
_SEVERAL = 2

Floats = NDArray[np.float32]


class ReadSentence(NamedTuple):
    """A sentence parsed as a whole, the vectors of its words (float32[n, 1536], those that the
    parse was read from), and the clauses of it that stand for themselves, in order."""

    whole: Sentence
    vectors: Floats
    clauses: list[Sentence]


class SentenceWords(NamedTuple):
    """The words of a sentence as they are written, their vectors, float32[n, 1536], and the
    sentence as it stands in its text."""

    forms: tuple[str, ...]
    vectors: Floats
    text: str = ""


def parse(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None = None
) -> list[Sentence]:
    """The sentences of `text` (or those at `spans`, in order), parsed.

    `read` gives the encoder's layers of a text; it is called once for as many sentences as it
    reads whole. A sentence with words beyond the encoder's limit is left out.
    """
    return [each.whole for each in _read(text, read, spans, apart=False)]


def parse_apart(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None = None
) -> list[list[Sentence]]:
    """As `parse`, but each sentence as the clauses of it that stand for themselves, in order."""
    return [each.clauses for each in read_sentences(text, read, spans)]


def read_sentences(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None = None
) -> list[ReadSentence]:
    """As `parse_apart`, with each sentence as a whole and its words' vectors."""
    return _read(text, read, spans, apart=True)


def read_words(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None = None
) -> list[SentenceWords]:
    """The words of each sentence with their vectors, as `read_sentences` reads them, unparsed."""
    found: list[SentenceWords] = []
    for piece, words, layers, offset in _encoded(text, read, spans):
        forms = tuple(piece.text[a:b] for a, b in words)
        first, last = (offset + piece.place(at) for at in (words[0][0], words[-1][1]))
        found.append(SentenceWords(forms, word_vectors(layers, words), text[first:last]))
    return found


def _read(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None, *, apart: bool
) -> list[ReadSentence]:
    return [
        _grammar().read(piece, words, layers, offset, apart=apart)
        for piece, words, layers, offset in _encoded(text, read, spans)
    ]


def _encoded(
    text: str, read: ReadLayers, spans: Sequence[tuple[int, int]] | None
) -> Iterator[tuple[Spelled, list[tuple[int, int]], Layers, int]]:
    """Of each sentence that the encoder reads the text it stands in, its words there, what the
    layers say, and where that text begins."""
    for window in _windows(sentences(text) if spans is None else spans):
        offset = window[0][0]
        piece = spelled(text[offset : window[-1][1]])
        layers = read(piece.text)
        reach = int(layers.ends[-1]) if len(layers.ends) else 0
        for start, end in window:
            words = split_words(piece.text, piece.own(start - offset), piece.own(end - offset))
            if words and words[-1][0] < reach:
                yield piece, words, layers, offset


def _windows(spans: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Sentences that are encoded together: near each other, and no more than fit."""
    window: list[tuple[int, int]] = []
    for span in spans:
        if window and span[1] - window[0][0] > _WINDOW:
            yield window
            window = []
        window.append(span)
    if window:
        yield window


class _Grammar(NamedTuple):
    """The weights, and the lemmas that no rule gives."""

    head: Head
    exceptions: dict[str, str]

    def read(
        self,
        text: Spelled,
        words: list[tuple[int, int]],
        layers: Layers,
        offset: int,
        *,
        apart: bool,
    ) -> ReadSentence:
        """A sentence; where clauses are read `apart`, with those that stand for themselves."""
        vectors = word_vectors(layers, words)
        whole = self._sentence(text, words, vectors, offset)
        cut = parts(whole.tokens) if apart else []
        if len(cut) < _SEVERAL:
            return ReadSentence(whole, vectors, [whole])
        found = [self._part(text, words, vectors, offset, each) for each in cut]
        found[0] = replace(found[0], start=whole.start)
        found = [*map(_with_reason, found, found[1:]), found[-1]]
        clauses = [found[0], *map(_with_topic, found, found[1:])]
        return ReadSentence(whole, vectors, clauses)

    def _part(
        self, text: Spelled, words: list[tuple[int, int]], vectors: Floats, offset: int, part: Part
    ) -> Sentence:
        """A clause of a sentence."""
        own = part.words
        sentence = self._sentence(text, [words[at] for at in own], vectors[own], offset)
        return _of_subject(sentence, part.subject)

    def _sentence(
        self, text: Spelled, words: list[tuple[int, int]], vectors: Floats, offset: int
    ) -> Sentence:
        forms = [text.text[start:end] for start, end in words]
        read = self.head.read(vectors, word_shapes(forms))
        tokens: list[ParsedToken] = []
        for at, (start, end) in enumerate(words):
            tag, label = TAGS[int(read.tags[at])], LABELS[int(read.labels[at])]
            lemma = lemma_of(forms[at], tag, self.exceptions)
            head = int(read.heads[at])
            begin, over = text.place(start) + offset, text.place(end) + offset
            tokens.append(ParsedToken(forms[at], lemma, tag, head, label, begin, over))
        tokens = mended(tokens)
        return Sentence(tuple(tokens), tokens[0].start, tokens[-1].end)


def _of_subject(sentence: Sentence, count: int) -> Sentence:
    """A clause whose first words are its subject, whatever they were before: the "ledger" of "goes
    through the ledger, which runs on MySQL"."""
    tokens, root = sentence.tokens, sentence.root
    if not count or len(tokens) <= count:
        return sentence
    top = root if root < count else next((at for at in range(count) if tokens[at].head >= count), 0)
    verb = root if root >= count else next((c for c in sentence.under[root] if c >= count), -1)
    tokens = _one_name(tokens, top, count)
    if verb < 0 or tokens[top].label.startswith("nsubj"):
        return replace(sentence, tokens=tokens) if is_tree(tokens) else sentence
    passive = any(tokens[at].label == "aux:pass" for at in sentence.under[verb])
    moved = [
        replace(token, head=verb) if token.head == top and at >= count else token
        for at, token in enumerate(tokens)
    ]
    moved[verb] = replace(tokens[verb], head=-1, label="root")
    moved[top] = replace(tokens[top], head=verb, label="nsubj:pass" if passive else "nsubj")
    return replace(sentence, tokens=tuple(moved)) if is_tree(moved) else sentence


def _one_name(tokens: tuple[ParsedToken, ...], top: int, count: int) -> tuple[ParsedToken, ...]:
    """A name that a clause begins with hangs on one of its words: "Ifor Bevan asks"."""
    own = [at for at in range(count) if tokens[at].tag == "PROPN" and at != top]
    if tokens[top].tag != "PROPN":
        return tokens
    return tuple(
        replace(token, head=top, label="flat" if at > top else "compound") if at in own else token
        for at, token in enumerate(tokens)
    )


def _with_topic(before: Sentence, each: Sentence) -> Sentence:
    """A clause with what it is announced by: "Correction: the budget is 45k"."""
    topic = before.tokens[-1].form == ":"
    return replace(each, start=before.start) if topic else each


def _with_reason(each: Sentence, after: Sentence) -> Sentence:
    """A clause with why it is so: "we switched to X because Y was slow"."""
    return replace(each, end=after.end) if is_reason(after.tokens, 0) else each


@cache
def _grammar() -> _Grammar:
    data = weights("quipu.extract.grammar", _FILE, GRAMMAR_SHA256)
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        pairs: list[str] = archive["lemmas"].tolist()
    return _Grammar(Head.load(io.BytesIO(data)), dict(_pair(each) for each in pairs))


def _pair(line: str) -> tuple[str, str]:
    form, _, lemma = line.partition("\t")
    return form, lemma

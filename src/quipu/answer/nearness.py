"""How near what may be quoted is to the question in meaning: read off the vectors that are stored.

The sentences of prose have vectors of their own, made in the passage's context (late chunking,
`Profile.embedding_text`): a run of them is as near as their mean, each weighed by its length. Of
code only the whole passage has one, so a few lines of it are taken to be as near as their passage.

Of a local encoder the same pass gives the vector of each word: how well the words of the question
are met by those of some lines (MaxSim: Khattab & Zaharia 2020) tells whether they answer better
than how near the whole is.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.answer.gate import Evidence
from quipu.ports import Embedded, Embedder, LayerReader, Planner
from quipu.profiles import profile
from quipu.question import Question
from quipu.records.record import Chunk
from quipu.text import STOP_WORDS, tokens

__all__ = ["Nearness"]

_LEAST = 1e-9


class _Passage(NamedTuple):
    """What is stored of a passage: its cosine (None without a vector), the half-open spans of its
    sentences, the cosine of each, and the products of their vectors."""

    cosine: float | None
    spans: NDArray[np.int64]
    cosines: NDArray[np.float64]
    products: NDArray[np.float64]


class Nearness:
    """What is near a question, among passages."""

    def __init__(
        self, question: Question, evidence: Sequence[Evidence], planner: Planner, embedder: Embedder
    ) -> None:
        self._embedder = embedder
        self._read_words = isinstance(embedder, LayerReader)
        asked = [(t.start, t.end) for t in question.tokens if t.word not in STOP_WORDS]
        read = self._embed(question.text, asked)
        self._asking = read.vector.astype(np.float64)
        self._asked_words = read.parts.astype(np.float64)
        ids = list(dict.fromkeys(each.id for each in evidence))
        numbers = planner.numbers(ids)
        live = numbers[numbers >= 0]
        vectors = planner.vectors(live, embedder.space)
        rows = vectors if vectors.shape[1] else np.zeros((len(live), len(self._asking)))
        self._passages = {
            chunk.chunk_id: self._read(chunk, row.astype(np.float64), parts)
            for chunk, row, parts in zip(
                planner.chunks(live), rows, planner.parts(live, embedder.space), strict=True
            )
        }

    def _read(self, chunk: Chunk, row: NDArray[np.float64], parts: NDArray[np.float32]) -> _Passage:
        cosine = float(row @ self._asking) if row.any() else None
        text, spans = profile(chunk.profile).embedding_text(chunk)
        if chunk.profile == "code" or not spans or len(spans) != len(parts):
            nothing = np.zeros(0)
            return _Passage(cosine, np.zeros((0, 2), np.int64), nothing, nothing)
        places = np.array(spans, np.int64) - (len(text) - len(chunk.text))
        read = parts.astype(np.float64)
        return _Passage(cosine, places, read @ self._asking, read @ read.T)

    def of(self, passage_id: str, start: int, end: int) -> float | None:
        """Of the characters `start` to `end` of a passage; None where nothing of it is stored."""
        passage = self._passages.get(passage_id)
        if passage is None:
            return None
        if len(passage.spans):
            first, last = passage.spans[:, 0], passage.spans[:, 1]
            overlap = np.maximum(np.minimum(last, end) - np.maximum(first, start), 0).astype(float)
            length = float(np.sqrt(max(overlap @ passage.products @ overlap, 0.0)))
            if length > _LEAST:
                return float(overlap @ passage.cosines) / length
        return passage.cosine

    def met(self, text: str) -> float | None:
        """The mean, over the question's content words, of the best cosine with a word of `text`;
        None where the model gives no vectors of words or the question has none."""
        if not self._read_words or not len(self._asked_words):
            return None
        read = self._embed(text, [(t.start, t.end) for t in tokens(text) if t.word])
        words = read.parts.astype(np.float64)
        best = (self._asked_words @ words.T).max(axis=1) if len(words) else np.zeros(1)
        return float(np.maximum(best, 0.0).mean())

    def _embed(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        if self._read_words:
            return self._embedder.embed_parts(text, spans)
        vector = self._embedder.embed([text])[0]
        return Embedded(vector, np.zeros((0, len(vector)), np.float32))

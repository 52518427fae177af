"""Every candidate scored on every side: the numbers that fusion and walking start from.

Two short lists (words, vectors) whose union is scored on both sides rank like scoring the whole
corpus; if each list brought only its own score, they would not.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.index.columns import tail
from quipu.index.times import Timing, asked_months, measure_times, misfit
from quipu.ports import Embedded, Frequencies, Index, Numbers, Vectors
from quipu.question import Question
from quipu.records.weights import CODE, PROSE, base

__all__ = ["Measured", "measure"]

Floats = NDArray[np.float64]
_HUB_NEIGHBOURS = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """A row a candidate. `similarity`, `lexical` and `name` in [0, 1]; `base` their weighted
    sum by the candidate's profile; `scale` the best raw score of each kind. Where the question
    names a time, `timing` holds for the candidates that are `timed`."""

    numbers: Numbers
    is_code: NDArray[np.bool_]
    similarity: Floats
    lexical: Floats
    name: Floats
    base: Floats
    scale: dict[str, float]
    timed: NDArray[np.bool_]
    timing: Timing | None

    def parts(self) -> list[dict[str, float]]:
        """The named score parts of each candidate."""
        parts: list[dict[str, float]] = [
            {"similarity": similarity, "lexical": lexical, "name": name}
            for similarity, lexical, name in zip(
                self.similarity.tolist(), self.lexical.tolist(), self.name.tolist(), strict=True
            )
        ]
        if self.timing is not None:
            for i in np.flatnonzero(self.timed).tolist():
                parts[i]["time"] = float(self.timing.time[i])
                parts[i]["document"] = float(self.timing.document[i])
                parts[i]["length"] = float(self.timing.length[i])
        return parts


def measure(
    question: Question,
    vectors: Embedded | None,
    index: Index,
    numbers: Numbers,
    *,
    space: str | None,
    name_shares: Mapping[int, float],
    scale: Mapping[str, float] | None = None,
    timeless: Collection[int] = (),
) -> Measured:
    """Score `numbers` on words, vectors and names. A `scale` given is used instead of theirs.

    The asked time is not held against those that are `timeless`: a dated fact speaks for them.
    """
    prose = index.frequencies("prose", question.stems, numbers)
    code = index.frequencies("code", question.code_stems, numbers)
    is_code = (code.lengths > 0) & (prose.lengths == 0)
    found: dict[str, float] = {}
    scaled = _Scaler(found, scale)
    lexical = np.where(
        is_code,
        scaled("code", _bm25(code, CODE.k1, CODE.b)),
        scaled("prose", _bm25(prose, PROSE.k1, PROSE.b)),
    )
    similarity = np.zeros(len(numbers))
    if vectors is not None and space is not None and len(numbers):
        similarity = _similarity(vectors, index, numbers, space, is_code, scaled)
    name = np.array([name_shares.get(n, 0.0) for n in numbers.tolist()], dtype=np.float64)
    raw = np.where(
        is_code,
        base(CODE, similarity, lexical, name),
        base(PROSE, similarity, lexical, name),
    )
    asked = asked_months(question)
    timing = None
    if asked is not None and len(numbers):
        tails = [tail(blob) for blob in index.columns(numbers)]
        tails = [b"" if code else each for each, code in zip(tails, is_code, strict=True)]
        timing = measure_times(asked, tails, raw, prose.lengths)
    timed = ~is_code
    if timing is not None:
        timed &= [n not in timeless for n in numbers.tolist()]
        raw = raw - np.where(timed, misfit(*timing), 0.0)
    return Measured(numbers, is_code, similarity, lexical, name, raw, found, timed, timing)


class _Scaler:
    """Divides scores by the best of them, and writes that best down."""

    def __init__(self, found: dict[str, float], given: Mapping[str, float] | None) -> None:
        self._found = found
        self._given = given

    def __call__(self, kind: str, scores: Floats) -> Floats:
        best = float(scores.max(initial=0.0))
        if self._given is not None:
            best = self._given.get(kind, best)
        self._found[kind] = best
        if best <= 0:
            return np.zeros_like(scores)
        return np.clip(scores / best, 0.0, 1.0)


def _bm25(found: Frequencies, k1: float, b: float) -> Floats:
    scores = np.zeros(len(found.lengths))
    if not found.count:
        return scores
    norm = bm25.norm(found.lengths.astype(np.float64), found.average_length, k1, b)
    for column, df in enumerate(found.df.tolist()):
        tf = found.tf[:, column].astype(np.float64)
        scores += bm25.contribution(tf, norm, bm25.idf(df, found.count), k1)
    return scores


def _similarity(
    vectors: Embedded,
    index: Index,
    numbers: Numbers,
    space: str,
    is_code: NDArray[np.bool_],
    scaled: _Scaler,
) -> Floats:
    rows = index.vectors(numbers, space)
    if rows.shape[1] == 0:
        return np.zeros(len(numbers))
    passage = (rows @ vectors.vector).astype(np.float64)
    sentence = np.maximum(index.best_parts(numbers, space, vectors.vector), 0.0)
    windows = (rows @ vectors.parts.T).max(axis=1, initial=-1.0).astype(np.float64)
    prose = (
        PROSE.passage * scaled("passage", np.where(is_code, 0.0, passage))
        + PROSE.sentence * scaled("sentence", np.where(is_code, 0.0, sentence))
        + PROSE.window * scaled("window", np.where(is_code, 0.0, windows))
    ) / PROSE.similarity
    if not is_code.any():
        return prose
    code = np.zeros(len(numbers))
    code[is_code] = passage[is_code]
    scaled("code passage", code)
    code[is_code] -= CODE.hub * _hubness(rows[is_code], index.parts(numbers[is_code], space))
    return np.where(is_code, scaled("code less hub", code), prose)


def _hubness(rows: Vectors, parts: list[Vectors]) -> Floats:
    """How near each piece of code is to the others' documentation: the mean of its ten highest
    cosines. What is near everything is near the question by chance."""
    owner = np.repeat(np.arange(len(parts)), [len(each) for each in parts])
    if not len(owner):
        return np.zeros(len(rows))
    cosines = rows @ np.concatenate([each for each in parts if len(each)]).T
    cosines[owner, np.arange(len(owner))] = 0.0
    most = min(_HUB_NEIGHBOURS, len(owner))
    highest = np.partition(cosines, len(owner) - most, axis=1)[:, len(owner) - most :]
    return np.maximum(highest, 0.0).mean(axis=1).astype(np.float64)

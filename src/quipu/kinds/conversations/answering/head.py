"""The head that finds the turn that answers a question, in numpy.

    words of the question, words of each turn → each turn's words with what they meet of the
    question → one layer of attention within a turn (Vaswani and others 2017) → each turn as a
    whole, seen beside the others → which one answers, or none

The weights (`answering.npz`) were fitted by `bench/teach/answering.py`, those of yes and no by
`bench/teach/replies.py`.
"""

from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.heads import Floats, arrays_in, gelu, normal, softmax
from quipu.kinds.conversations.answering.inputs import BEFORE, OWN, Inputs

__all__ = ["AnswerHead", "Scores", "Seen"]

_HEADS = 4
_NOWHERE = -1e9
_LEAST_WORD = -10.0


class Scores(NamedTuple):
    """How likely each turn is to answer, float32[c], and how likely none does: they share 1."""

    turns: Floats
    none: float


class Seen(NamedTuple):
    """What the head makes of turns: their scores, each as a whole beside the others, float32[c, d],
    and how much each of their own words tells what is asked for, float32[c, OWN]."""

    scores: Scores
    whole: Floats
    words: Floats


class AnswerHead:
    """The fitted weights; safe to share between threads."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._w = weights
        self._width = len(weights["in_bias"])

    @classmethod
    def load(cls, file: Path | IO[bytes]) -> "AnswerHead":
        """From an npz file of float16 arrays."""
        return cls(arrays_in(file))

    def read(self, given: Inputs) -> Scores:
        """Which of the turns answers; there must be one at least."""
        return self.seen(given).scores

    def affirms(self, seen: Seen) -> Floats:
        """How likely each turn, where it answers by yes or no, says yes, float32[c] in [0, 1]."""
        odds = seen.whole @ self._w["yes"] + self._w["yes_bias"]
        return (1 / (1 + np.exp(-odds))).astype(np.float32)

    def seen(self, given: Inputs) -> Seen:
        """What it makes of the turns; there must be one at least."""
        w = self._w
        everything = np.ones(len(given.asked), bool)
        asked = self._words(given.asked[None], given.asked_features[None], everything[None])[0]
        words = self._words(given.words, given.features, given.read)
        met = self._met(words, asked, given)
        seen = self._attended(met, given.read)
        own = given.read & (np.arange(BEFORE + OWN) >= BEFORE)
        telling = np.where(own, seen @ w["word"], _NOWHERE)
        whole, best = self._whole(seen, telling, given)
        whole = whole + gelu(self._beside(normal(whole, w["whole_scale"])))
        scores = whole @ w["answers"] + w["by_word"] * best + w["by_score"] * given.said[:, 0]
        both = np.concatenate([whole.max(0), whole.mean(0)])
        none = both @ w["none"] + w["none_bias"]
        shares = softmax(np.concatenate([scores, none[None]]))
        return Seen(Scores(shares[:-1], float(shares[-1])), whole, telling[:, BEFORE:])

    def _words(self, vectors: Floats, features: Floats, read: NDArray[np.bool_]) -> Floats:
        """Each word with those beside it."""
        w = self._w
        own = gelu(vectors @ w["in"] + features @ w["features"] + w["in_bias"]) * read[..., None]
        padded = np.pad(own, ((0, 0), (1, 1), (0, 0)))
        beside = np.concatenate([padded[:, :-2], own, padded[:, 2:]], axis=-1)
        return own + gelu(beside @ w["near"] + w["near_bias"]) * read[..., None]

    def _met(self, words: Floats, asked: Floats, given: Inputs) -> Floats:
        """The words of the turns with what they meet of the question."""
        w, count = self._w, len(asked)
        scores = (words @ w["match"]) @ (asked @ w["seek"]).T / self._width**0.5
        scores = scores + w["by_cosine"] * given.near
        meets = softmax(scores) @ asked
        most = scores.max(-1, keepdims=True)
        total = most + np.log(np.exp(scores - most).sum(-1, keepdims=True))
        question = np.broadcast_to(asked.sum(0) / count, words.shape)
        nearest = given.near.max(-1, keepdims=True)
        parts = [words, meets, words * meets, question, nearest, total / 10]
        return words + gelu(np.concatenate(parts, axis=-1) @ w["mix"] + w["mix_bias"])

    def _attended(self, words: Floats, read: NDArray[np.bool_]) -> Floats:
        w, count, size, width = self._w, len(words), BEFORE + OWN, self._width
        z, part = normal(words, w["attend_scale"]), width // _HEADS
        query, key, value = (
            (z @ w[name]).reshape(count, size, _HEADS, part).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        place = np.arange(size)
        far = place[None, :] - place[:, None] + size - 1
        scores = query @ key.transpose(0, 1, 3, 2) / part**0.5 + w["place"][:, far]
        scores = np.where(read[:, None, None, :], scores, _NOWHERE)
        mixed = (softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(words.shape)
        seen = words + mixed @ w["attended"]
        wide = gelu(normal(seen, w["widen_scale"]) @ w["widen"])
        return normal(seen + wide @ w["narrow"], w["out_scale"])

    def _whole(self, words: Floats, telling: Floats, given: Inputs) -> tuple[Floats, Floats]:
        """Each turn as a whole, and how much one of its own words tells what is asked for."""
        w = self._w
        pooled = np.einsum("ct,ctd->cd", softmax(telling), words)
        mean = (words * given.read[..., None]).sum(1)
        mean = mean / np.maximum(given.read.sum(1), 1)[:, None]
        best = np.maximum(telling.max(-1), _LEAST_WORD)
        met = np.where(given.read[..., None], given.near, -1).max(1)
        numbers = np.stack([met.mean(-1), best / 5, met.min(-1)], axis=-1)
        parts = np.concatenate([pooled, mean, given.said, numbers], axis=-1)
        return gelu(parts @ w["whole"] + w["whole_bias"]), best

    def _beside(self, turns: Floats) -> Floats:
        """What each turn is beside the others."""
        w = self._w
        scores = (turns @ w["turn_query"]) @ (turns @ w["turn_key"]).T / self._width**0.5
        mixed = softmax(scores) @ (turns @ w["turn_value"])
        return (mixed @ w["turn_mixed"]).astype(np.float32)

"""The head that finds the turn that answers a question, in numpy.

    words of the question, words of each turn → each turn's words with what they meet of the
    question → one layer of attention within a turn (Vaswani and others 2017) → each turn as a
    whole, seen beside the others → which one answers, or none

The weights (`answering.npz`) were fitted by `bench/teach/answering.py`, those of yes and no by
`bench/teach/replies.py`.
"""

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.errors import WrongWeights
from quipu.kinds.conversations.answering.inputs import BEFORE, OWN, Inputs

__all__ = [
    "AnswerHead",
    "Floats",
    "Scores",
    "Seen",
    "arrays_in",
    "gelu",
    "normal",
    "softmax",
    "weights",
]


Floats = NDArray[np.float32]
Numbers = NDArray[np.floating[Any]]

_LITTLE = 1e-5


def softmax(scores: Numbers) -> Floats:
    """Shares of 1 along the last axis."""
    shifted = np.exp(scores - scores.max(-1, keepdims=True))
    return (shifted / shifted.sum(-1, keepdims=True)).astype(np.float32)


def gelu(x: Numbers) -> Floats:
    """Hendrycks and Gimpel 2016, by its tangent."""
    return (0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))).astype(np.float32)


def normal(x: Numbers, scale: Floats) -> Floats:
    """Ba, Kiros and Hinton 2016, without a shift."""
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + _LITTLE)
    return (centred / spread * scale).astype(np.float32)


def weights(package: str, file: str, sha256: str) -> bytes:
    """A file of a package. Raises WrongWeights where its SHA-256 is another."""
    data = files(package).joinpath(file).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise WrongWeights(
            f"{file} has SHA-256 {found}, expected {sha256}; install the package again"
        )
    return data


def arrays_in(file: Path | IO[bytes]) -> dict[str, Floats]:
    """The arrays of an npz file, as float32."""
    with np.load(file, allow_pickle=False) as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files}


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

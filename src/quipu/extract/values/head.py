"""The head that finds what a turn states: which words are a value, whose it is, whether it takes
the place of another, and what it is a value of, in numpy.

    word vectors → words with their neighbours and heads → one layer of attention (Vaswani and
    others 2017) over the turn and what was said before it → values, owners, sketches

The weights (`values.npz`) were fitted by `bench/fit_values.py`.
"""

from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from quipu.extract.values.inputs import BEFORE, WORDS, Inputs, TurnWords
from quipu.heads import Floats, arrays_in, gelu, normal, softmax

__all__ = ["GROUP", "NAMELESS", "SPEAKER", "SPOKEN_TO", "Read", "ValueHead"]

SPEAKER, SPOKEN_TO, GROUP = range(3)
"""Owners that no word need name: who speaks, who is spoken to, all of them."""
NAMELESS = 3
_HEADS = 4
_FARTHEST = 20
_LITTLE = 1e-5


class Read(NamedTuple):
    """What the head makes of the words of a turn: `hidden` float32[t, d] of all words, and
    `parts` float32[n, 3]: of each own word, how sure it is no value, begins one, goes on with
    one."""

    hidden: Floats
    parts: Floats


class ValueHead:
    """The fitted weights; safe to share between threads."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._w = weights
        self._width = len(weights["in_bias"])

    @classmethod
    def load(cls, file: Path | IO[bytes]) -> "ValueHead":
        """From an npz file of float16 arrays."""
        return cls(arrays_in(file))

    def read(self, given: Inputs) -> Read:
        """Which words are values."""
        w, h = self._w, self._hidden(given)
        own = h[given.first :]
        return Read(h, softmax(own @ w["part"] + w["part_bias"]))

    def owners(self, given: Inputs, hidden: Floats, first: int, last: int) -> Floats:
        """float32[3 + t]: how sure it is that the owner of the value of words `first` to `last`
        (of all words) is `SPEAKER`, `SPOKEN_TO`, `GROUP`, or named by each of the words."""
        w, scale = self._w, self._width**0.5
        sought = self._span(hidden, first, last) @ w["seek"]
        far = np.clip(np.arange(len(hidden)) - first, -_FARTHEST, _FARTHEST) + _FARTHEST
        step = given.steps(last)
        scores = hidden @ w["key"] @ sought / scale + hidden @ w["point"] + w["far"][far]
        scores += w["step"][step] + (w["step_key"] @ sought)[step] / scale
        scores[first : last + 1] = -np.inf
        return softmax(np.concatenate([w["nameless"] @ sought, scores]))

    def anew(self, hidden: Floats, first: int, last: int) -> float:
        """How sure it is, in [0, 1], that a value takes the place of another."""
        score = self._span(hidden, first, last) @ self._w["anew"] + self._w["anew_bias"]
        return float(1 / (1 + np.exp(-score)))

    def sketch(self, hidden: Floats, first: int, last: int) -> Floats:
        """float32[s] of length 1: what a value is a value of, alike for "we meet at eight" and
        "from June it is half past seven"."""
        found = self._span(hidden, first, last) @ self._w["sketch"]
        return (found / np.sqrt(found @ found + _LITTLE)).astype(np.float32)

    def _span(self, hidden: Floats, first: int, last: int) -> Floats:
        return np.concatenate([hidden[first], hidden[last]])

    def _hidden(self, given: Inputs) -> Floats:
        w = self._w
        vectors = given.gathered(self._embedded)
        words = gelu(vectors + given.features @ w["features"] + w["in_bias"])
        count, width = words.shape
        padded = np.zeros((count + 2, width), np.float32)
        padded[1:-1] = words
        beside = np.concatenate([padded[:-2], padded[1:-1], padded[2:]], axis=1)
        above = np.where((given.heads >= 0)[:, None], words[np.maximum(given.heads, 0)], 0)
        h = words + gelu(beside @ w["near"] + above @ w["above"] + w["near_bias"])
        h = h + self._attended(normal(h, w["attend_scale"]))
        h = h + gelu(normal(h, w["mix_scale"]) @ w["widen"]) @ w["narrow"]
        return normal(h, w["out_scale"])

    def _embedded(self, turn: TurnWords) -> Floats:
        if turn.embedded is None:
            turn.embedded = turn.vectors @ self._w["in"]
        return turn.embedded

    def _attended(self, z: Floats) -> Floats:
        w, count, size = self._w, len(z), self._width // _HEADS
        query, key, value = (
            (z @ w[name]).reshape(count, _HEADS, size).transpose(1, 0, 2)
            for name in ("query", "match", "value")
        )
        place = np.arange(count)
        far = place[None, :] - place[:, None] + BEFORE + WORDS - 1
        scores = query @ key.transpose(0, 2, 1) / size**0.5 + w["place"][:, far]
        mixed = (softmax(scores) @ value).transpose(1, 0, 2).reshape(count, self._width)
        return (mixed @ w["attended"]).astype(np.float32)

"""The head on the encoder's layers that says, of each word, its head, its label and what part of
speech it is: a biaffine parser (Dozat and Manning 2017) on word vectors, in numpy, and the best
tree over words, given how well each would do as the head of each other.

Labels and parts of speech are those of Universal Dependencies v2. The weights (`grammar.npz`) were
fitted on UD_English-EWT by `bench/fit_grammar.py`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.ports import Layers

__all__ = ["LABELS", "SHAPES", "TAGS", "Head", "best_tree", "word_shapes", "word_vectors"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

LABELS = tuple(
    """acl acl:relcl advcl advmod amod appos aux aux:pass case cc ccomp compound compound:prt conj
    cop csubj dep det discourse dislocated expl fixed flat goeswith iobj list mark nmod nmod:poss
    nmod:unmarked nsubj nsubj:pass nummod obj obl obl:unmarked orphan parataxis punct reparandum
    root vocative xcomp""".split()
)
TAGS = tuple(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
SHAPES = 6

_LEAK = 0.1
_GROUPS = 4

_ROOT_COST = 1e4


class Parsed(NamedTuple):
    """Of each word its head (-1: the root), and which of `LABELS` and `TAGS`; int64[n] each."""

    heads: Ints
    labels: Ints
    tags: Ints


class Head:
    """The fitted weights; safe to share between threads."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self._w = weights
        self._arc, self._label = len(weights["root"]), len(weights["root_label"])
        self._reach = (len(weights["far"]) - 2) // 2

    @classmethod
    def load(cls, file: Path | IO[bytes]) -> "Head":
        """From an npz file of float16 arrays."""
        with np.load(file, allow_pickle=False) as archive:
            names = [name for name in archive.files if name != "lemmas"]
            return cls({name: archive[name].astype(np.float32) for name in names})

    def read(self, vectors: Floats, shapes: Floats) -> Parsed:
        """One sentence: `vectors` float32[n, 1536] and `shapes` float32[n, 6] of its words."""
        count, w = len(vectors), self._w
        if count == 0:
            none = np.zeros(0, np.int64)
            return Parsed(none, none, none)
        hidden = self._hidden(vectors, shapes)
        roles = _bend(hidden @ w["roles"] + w["roles_bias"])
        cuts = [self._arc, 2 * self._arc, 2 * self._arc + self._label]
        dep, head, label_dep, label_head = np.split(roles, cuts, axis=1)
        heads = best_tree(self._arcs(dep, np.vstack([w["root"], head])))
        chosen = np.vstack([w["root_label"], label_head])[heads + 1]
        labels = self._labels(label_dep, chosen, heads)
        tags = (hidden @ w["tag"] + w["tag_bias"]).argmax(1)
        return Parsed(heads, labels, tags)

    def _hidden(self, vectors: Floats, shapes: Floats) -> Floats:
        w = self._w
        words = _bend(vectors @ w["in"] + shapes @ w["shape"] + w["in_bias"])
        count, width = words.shape
        padded = np.zeros((count + 2, width), np.float32)
        padded[1:-1] = words
        split = padded.reshape(count + 2, _GROUPS, width // _GROUPS)
        windows = np.concatenate([split[:-2], split[1:-1], split[2:]], axis=-1)
        near: Floats = np.matmul(windows.transpose(1, 0, 2), w["near"]).transpose(1, 0, 2)
        return words + _bend(near.reshape(count, width) + w["near_bias"])

    def _arcs(self, dep: Floats, heads: Floats) -> Floats:
        w, place = self._w, np.arange(len(dep))
        far = np.clip(place[None, :] - place[:, None], -self._reach, self._reach) + self._reach
        root = np.full((len(dep), 1), 2 * self._reach + 1)
        places = w["far"][np.hstack([root, far])]
        return (dep @ w["arc"] @ heads.T + heads @ w["arc_head"] + places).astype(np.float32)

    def _labels(self, dep: Floats, chosen: Floats, heads: Ints) -> Ints:
        one = np.ones((len(dep), 1), np.float32)
        wide = (np.hstack([dep, one]) @ self._w["label"]).reshape(len(dep), len(LABELS), -1)
        scores = np.matmul(wide, np.hstack([chosen, one])[:, :, None])[:, :, 0]
        root = LABELS.index("root")
        scores[heads >= 0, root] = -np.inf
        found = scores.argmax(1)
        found[heads < 0] = root
        return found


def word_vectors(layers: Layers, spans: Sequence[tuple[int, int]]) -> Floats:
    """float32[n, d]: of each word, the mean of its first and its last word piece; zero where the
    encoder read none of it."""
    given = np.array(spans, np.int64).reshape(-1, 2)
    found = np.zeros((len(given), layers.vectors.shape[1]), np.float32)
    first = np.searchsorted(layers.ends, given[:, 0], side="right")
    last = np.searchsorted(layers.starts, given[:, 1], side="left") - 1
    read = first <= last
    found[read] = (layers.vectors[first[read]] + layers.vectors[last[read]]) / 2
    return found


def word_shapes(words: Sequence[str]) -> Floats:
    """float32[n, 6], what the encoder, which reads lower case, does not see of each word: whether
    it begins with a capital, has only capitals, has one inside, has a digit, is all marks, and
    whether it is the first."""
    rows = [
        (
            word[:1].isupper(),
            len(word) > 1 and word.isupper(),
            any(c.isupper() for c in word[1:]) and not word.isupper(),
            any(c.isdigit() for c in word),
            not any(c.isalnum() for c in word),
            at == 0,
        )
        for at, word in enumerate(words)
    ]
    return np.array(rows, np.float32).reshape(-1, SHAPES)


def _bend(values: NDArray[np.floating[Any]]) -> Floats:
    return np.where(values > 0, values, _LEAK * values).astype(np.float32)


def best_tree(scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """The head of each of n words in the best tree with one root: int64[n], the root's is -1.

    `scores` float32[n, n + 1]: a row a word, a column a head; the first column is to be the root.
    Chu and Liu 1965, Edmonds 1967; no words have no heads.
    """
    count = len(scores)
    if count == 0:
        return np.zeros(0, np.int64)
    weights = np.full((count + 1, count + 1), -np.inf)
    weights[1:] = scores
    np.fill_diagonal(weights, -np.inf)
    heads = weights.argmax(1)
    if (heads[1:] == 0).sum() != 1 or _ring(heads) is not None:
        weights[1:, 0] -= _ROOT_COST  # so high that no tree has two
        heads = _edmonds(weights)
    return heads[1:].astype(np.int64) - 1


def _ring(heads: NDArray[np.int64]) -> list[int] | None:
    """Nodes that lead to each other in a ring, if any do."""
    seen = np.zeros(len(heads), np.int64)
    for start in range(1, len(heads)):
        node = start
        while node and not seen[node]:
            seen[node] = start
            node = int(heads[node])
        if node and seen[node] == start:
            ring = [node]
            while int(heads[ring[-1]]) != node:
                ring.append(int(heads[ring[-1]]))
            return ring
    return None


def _edmonds(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best tree's heads; `weights[d, h]`, node 0 is the root and has none."""
    heads = weights.argmax(1)
    heads[0] = 0
    ring = _ring(heads)
    if ring is None:
        return heads
    outside = [node for node in range(len(weights)) if node not in ring]
    size = len(outside)
    ring_weights = weights[ring, heads[ring]]
    into = weights[np.ix_(ring, outside)] - ring_weights[:, None]
    out_of = weights[np.ix_(outside, ring)]
    small = np.full((size + 1, size + 1), -np.inf)
    small[:size, :size] = weights[np.ix_(outside, outside)]
    small[size, :size] = into.max(0)
    small[:size, size] = out_of.max(1)
    found = _edmonds(small)
    for node in range(1, size):
        head = int(found[node])
        heads[outside[node]] = ring[int(out_of[node].argmax())] if head == size else outside[head]
    entry = int(found[size])
    broken = int(into[:, entry].argmax())
    heads[ring[broken]] = outside[entry]
    return heads

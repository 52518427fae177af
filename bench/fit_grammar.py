"""Fit the grammar that reads statements (`quipu/extract/grammar/grammar.npz`).

    python -m bench.fit_grammar FOLDER OUT.npz

FOLDER holds `train.jsonl.xz`, `dev.jsonl.xz` and `test.jsonl.xz` of UD_English-EWT, a sentence a
line: `id`, `text`, `words` (`form`, `upos`, `head` from 1 and 0 for the root, `deprel`). The
encoder stays as it is; what is fitted is a biaffine parser (Dozat and Manning 2017) and a tagger
on the vectors of its layers. Every sentence is encoded twice, alone and among its neighbours, and
either is drawn at each pass, because what is read later stands in a turn or a page. One seed, one
order: the same machine gives the same bytes. Half an hour; quickest with OPENBLAS_NUM_THREADS=1.
"""

import argparse
import json
import lzma
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.embed import MiniLM
from quipu.extract.grammar.head import LABELS, TAGS, Head, word_shapes, word_vectors
from quipu.extract.grammar.words import rule_lemma

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Params = dict[str, Floats]

SEED = 13
PASSES, BATCH, RATE, DECAY = 7, 32, 2e-3, 1e-2
DROPOUT, SHAPELESS = 0.33, 0.15
HIDDEN, GROUPS, ARC, LABEL, REACH = 384, 4, 192, 96, 32
LEAK = 0.1
LEMMATISED = ("VERB", "NOUN", "AUX")
WINDOW = 90  # words of neighbouring sentences that are encoded together


class Sentence(NamedTuple):
    """A sentence of the treebank; heads count from 0, the root's is -1."""

    document: str
    text: str
    spans: list[tuple[int, int]]
    tags: Ints
    heads: Ints
    labels: Ints


class Encoded(NamedTuple):
    """A sentence with its words' vectors (float16[n, 1536]), alone and among its neighbours."""

    sentence: Sentence
    shapes: Floats
    ways: tuple[NDArray[np.float16], ...]


def sentences(path: Path) -> Iterator[Sentence]:
    """Those of a file whose words stand in its text in their order."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            spans = _spans(row["text"], [word["form"] for word in row["words"]])
            if spans is None:
                continue
            yield Sentence(
                row["id"].rsplit("-", 1)[0],
                row["text"],
                spans,
                np.array([TAGS.index(word["upos"]) for word in row["words"]]),
                np.array([word["head"] - 1 for word in row["words"]]),
                np.array([LABELS.index(word["deprel"]) for word in row["words"]]),
            )


def _spans(text: str, forms: Sequence[str]) -> list[tuple[int, int]] | None:
    spans: list[tuple[int, int]] = []
    at = 0
    for form in forms:
        start = text.find(form, at)
        if start < 0 or start - at > 3:
            return None
        at = start + len(form)
        spans.append((start, at))
    return spans


def encode(found: Sequence[Sentence], model: MiniLM) -> list[Encoded]:
    """Each sentence alone, and with up to `WINDOW` words of its document."""
    windows: list[list[Sentence]] = []
    for _, group in groupby(found, key=lambda s: s.document):
        windows.append([])
        for sentence in group:
            if sum(len(s.spans) for s in (*windows[-1], sentence)) > WINDOW and windows[-1]:
                windows.append([])
            windows[-1].append(sentence)
    with ThreadPoolExecutor(2) as pool:
        return [each for made in pool.map(lambda w: _encode(w, model), windows) for each in made]


def _encode(window: list[Sentence], model: MiniLM) -> list[Encoded]:
    text = " ".join(sentence.text for sentence in window)
    together = model.read(text)
    made: list[Encoded] = []
    offset = 0
    for sentence in window:
        moved = [(start + offset, end + offset) for start, end in sentence.spans]
        offset += len(sentence.text) + 1
        ways = [word_vectors(model.read(sentence.text), sentence.spans)]
        if len(window) > 1 and len(together.ends) and moved[-1][1] <= together.ends[-1]:
            ways.append(word_vectors(together, moved))
        shapes = word_shapes([sentence.text[start:end] for start, end in sentence.spans])
        made.append(Encoded(sentence, shapes, tuple(way.astype(np.float16) for way in ways)))
    return made


class Batch(NamedTuple):
    """Sentences side by side, padded: x float32[b, n, 1536], the rest [b, n]."""

    x: Floats
    shapes: Floats
    tags: Ints
    heads: Ints
    labels: Ints
    mask: NDArray[np.bool_]


def batch_of(rows: Sequence[Encoded], rng: np.random.Generator) -> Batch:
    """The sentences as one batch, each in one of its ways."""
    longest = max(len(row.shapes) for row in rows)
    size = len(rows)
    x = np.zeros((size, longest, rows[0].ways[0].shape[1]), np.float32)
    shapes = np.zeros((size, longest, rows[0].shapes.shape[1]), np.float32)
    tags, heads, labels = (np.zeros((size, longest), np.int64) for _ in range(3))
    mask = np.zeros((size, longest), bool)
    for at, row in enumerate(rows):
        count = len(row.shapes)
        x[at, :count] = row.ways[rng.integers(len(row.ways))]
        shapes[at, :count] = row.shapes * (rng.random() >= SHAPELESS)
        tags[at, :count] = row.sentence.tags
        heads[at, :count] = row.sentence.heads
        labels[at, :count] = row.sentence.labels
        mask[at, :count] = True
    return Batch(x, shapes, tags, heads, labels, mask)


def initial(inputs: int, shapes: int, rng: np.random.Generator) -> Params:
    """Weights before the first step."""

    def normal(*size: int, fan: int) -> Floats:
        return rng.normal(0, fan**-0.5, size).astype(np.float32)

    width = HIDDEN // GROUPS
    outputs = 2 * ARC + 2 * LABEL
    zero = np.zeros
    return {
        "in": normal(inputs, HIDDEN, fan=inputs),
        "shape": normal(shapes, HIDDEN, fan=shapes * 4),
        "in_bias": zero(HIDDEN, np.float32),
        "near": normal(GROUPS, 3 * width, width, fan=3 * width),
        "near_bias": zero(HIDDEN, np.float32),
        "roles": normal(HIDDEN, outputs, fan=HIDDEN),
        "roles_bias": zero(outputs, np.float32),
        "arc": normal(ARC, ARC, fan=ARC) * np.float32(0.3),
        "arc_head": zero(ARC, np.float32),
        "root": normal(ARC, fan=ARC),
        "far": zero(2 * REACH + 2, np.float32),
        "label": normal(LABEL + 1, len(LABELS) * (LABEL + 1), fan=LABEL) * np.float32(0.1),
        "root_label": normal(LABEL, fan=LABEL),
        "tag": normal(HIDDEN, len(TAGS), fan=HIDDEN),
        "tag_bias": zero(len(TAGS), np.float32),
    }


def _bend(value: Floats) -> Floats:
    return np.where(value > 0, value, np.float32(LEAK) * value)


def _unbend(grad: Floats, value: Floats) -> Floats:
    return np.where(value > 0, grad, np.float32(LEAK) * grad)


def _softmax_loss(scores: Floats, gold: Ints, weight: Floats) -> tuple[float, Floats]:
    """Cross entropy over the last axis, each place by its weight, and its gradient."""
    scores = scores - scores.max(-1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(-1, keepdims=True)
    at = np.take_along_axis(p, gold[..., None], -1)[..., 0]
    loss = float(-(np.log(at + 1e-9) * weight).sum())
    np.put_along_axis(p, gold[..., None], (at - 1)[..., None], -1)
    return loss, p * weight[..., None]


def _beside(h: Floats) -> Floats:
    """Each word with the one before and the one after, by group: [b, n, g, 3 w]."""
    b, n, _ = h.shape
    padded = np.zeros((b, n + 2, HIDDEN), np.float32)
    padded[:, 1:-1] = h
    split = padded.reshape(b, n + 2, GROUPS, HIDDEN // GROUPS)
    return np.concatenate([split[:, :-2], split[:, 1:-1], split[:, 2:]], -1)


def step(p: Params, batch: Batch, rng: np.random.Generator) -> tuple[float, Params]:
    """The loss of a batch and the gradient of every weight."""
    b, n, _ = batch.x.shape
    keep = np.float32(1 - DROPOUT)

    def dropped(*size: int) -> Floats:
        return (rng.random(size, dtype=np.float32) < keep).astype(np.float32) / keep

    mask = batch.mask[..., None].astype(np.float32)
    weight = batch.mask.astype(np.float32) / batch.mask.sum()
    # Forward.
    pre0 = batch.x @ p["in"] + batch.shapes @ p["shape"] + p["in_bias"]
    drop0 = dropped(b, 1, HIDDEN) * mask
    h0 = _bend(pre0) * drop0
    beside = _beside(h0)
    pre1 = np.einsum("bngi,gio->bngo", beside, p["near"], optimize=True)
    pre1 = pre1.reshape(b, n, HIDDEN) + p["near_bias"]
    drop1 = dropped(b, 1, HIDDEN)
    h1 = (h0 + _bend(pre1)) * drop1
    pre2 = h1 @ p["roles"] + p["roles_bias"]
    drop2 = dropped(b, 1, pre2.shape[-1])
    roles = _bend(pre2) * drop2
    dep, head, ldep, lhead = np.split(roles, [ARC, 2 * ARC, 2 * ARC + LABEL], -1)
    heads = np.concatenate([np.broadcast_to(p["root"], (b, 1, ARC)), head], 1)
    turned = dep @ p["arc"]
    place = np.arange(n)
    far = np.clip(place[None, :] - place[:, None], -REACH, REACH) + REACH
    far = np.concatenate([np.full((n, 1), 2 * REACH + 1), far], 1)
    arcs = turned @ heads.transpose(0, 2, 1) + (heads @ p["arc_head"])[:, None] + p["far"][far]
    hidden = np.concatenate([np.zeros((b, 1), bool), ~batch.mask], 1)
    arcs = np.where(hidden[:, None], np.float32(-1e9), arcs)
    arcs[:, place, place + 1] = -1e9
    one = np.ones((b, n, 1), np.float32)
    lheads = np.concatenate([np.broadcast_to(p["root_label"], (b, 1, LABEL)), lhead], 1)
    row = np.arange(b)[:, None]
    gold = batch.heads + 1
    chosen = np.concatenate([lheads[row, gold], one], -1)
    ldep1 = np.concatenate([ldep, one], -1)
    wide = (ldep1 @ p["label"]).reshape(b, n, len(LABELS), LABEL + 1)
    labels = (wide @ chosen[..., None])[..., 0]
    tags = h1 @ p["tag"] + p["tag_bias"]
    # Backward.
    g: Params = {}
    loss_a, d_arcs = _softmax_loss(arcs, gold, weight)
    loss_l, d_labels = _softmax_loss(labels, batch.labels, weight)
    loss_t, d_tags = _softmax_loss(tags, batch.tags, weight)
    g["far"] = np.bincount(far.ravel(), d_arcs.sum(0).ravel(), 2 * REACH + 2).astype(np.float32)
    d_turned = d_arcs @ heads
    d_heads = d_arcs.transpose(0, 2, 1) @ turned
    through = d_arcs.sum(1)
    d_heads += through[..., None] * p["arc_head"]
    g["arc_head"] = (through[..., None] * heads).sum((0, 1))
    d_dep = d_turned @ p["arc"].T
    g["arc"] = dep.reshape(-1, ARC).T @ d_turned.reshape(-1, ARC)
    g["root"] = d_heads[:, 0].sum(0)
    d_wide = d_labels[..., None] * chosen[:, :, None]
    d_chosen = (d_labels[:, :, None] @ wide)[:, :, 0, :LABEL]
    flat_wide = d_wide.reshape(b * n, -1)
    g["label"] = ldep1.reshape(-1, LABEL + 1).T @ flat_wide
    d_ldep = (flat_wide @ p["label"].T).reshape(b, n, -1)[..., :LABEL]
    d_lheads = np.zeros_like(lheads)
    np.add.at(d_lheads, (row, gold), d_chosen)
    g["root_label"] = d_lheads[:, 0].sum(0)
    d_roles = np.concatenate([d_dep, d_heads[:, 1:], d_ldep, d_lheads[:, 1:]], -1)
    d_pre2 = _unbend(d_roles * drop2, pre2)
    flat1, flat2 = h1.reshape(-1, HIDDEN), d_pre2.reshape(b * n, -1)
    g["roles"], g["roles_bias"] = flat1.T @ flat2, flat2.sum(0)
    flat_tags = d_tags.reshape(b * n, -1)
    g["tag"], g["tag_bias"] = flat1.T @ flat_tags, flat_tags.sum(0)
    d_h1 = d_pre2 @ p["roles"].T + d_tags @ p["tag"].T
    d_h1 = d_h1 * drop1
    d_pre1 = _unbend(d_h1, pre1) * mask
    g["near_bias"] = d_pre1.sum((0, 1))
    d_split = d_pre1.reshape(b, n, GROUPS, -1)
    g["near"] = np.einsum("bngi,bngo->gio", beside, d_split, optimize=True)
    d_beside = np.einsum("bngo,gio->bngi", d_split, p["near"], optimize=True)
    d_padded = np.zeros((b, n + 2, GROUPS, HIDDEN // GROUPS), np.float32)
    before, own, after = np.split(d_beside, 3, -1)
    d_padded[:, :-2] += before
    d_padded[:, 1:-1] += own
    d_padded[:, 2:] += after
    d_h0 = d_h1 + d_padded[:, 1:-1].reshape(b, n, HIDDEN)
    d_pre0 = _unbend(d_h0 * drop0, pre0).reshape(-1, HIDDEN)
    g["in"] = batch.x.reshape(b * n, -1).T @ d_pre0
    g["shape"] = batch.shapes.reshape(b * n, -1).T @ d_pre0
    g["in_bias"] = d_pre0.sum(0)
    return loss_a + loss_l + loss_t, g


class Adam:
    """AdamW (Loshchilov and Hutter 2019), the gradient clipped to length 1."""

    def __init__(self, params: Params) -> None:
        self._m = {name: np.zeros_like(value) for name, value in params.items()}
        self._v = {name: np.zeros_like(value) for name, value in params.items()}
        self._count = 0

    def update(self, params: Params, grads: Params, rate: float) -> None:
        """One step: `params` get new arrays."""
        self._count += 1
        length = sum(float((g * g).sum()) for g in grads.values()) ** 0.5
        scale = np.float32(min(1.0, 1.0 / (length + 1e-9)))
        one, two = 0.9, 0.98
        for name, value in params.items():
            g = grads[name] * scale
            self._m[name] += np.float32(1 - one) * (g - self._m[name])
            self._v[name] += np.float32(1 - two) * (g * g - self._v[name])
            m = self._m[name] / (1 - one**self._count)
            v = self._v[name] / (1 - two**self._count)
            decay = DECAY if value.ndim > 1 else 0.0
            step_by = rate * (m / (np.sqrt(v) + 1e-8) + decay * value)
            params[name] = value - step_by.astype(np.float32)


def rate_at(done: float) -> float:
    """One cycle: up over the first fifth, then down along a cosine."""
    if done < 0.2:
        return RATE * (0.04 + 0.96 * done / 0.2)
    return RATE * 0.5 * (1 + float(np.cos(np.pi * (done - 0.2) / 0.8))) + 1e-6


def fit(train: list[Encoded], dev: list[Encoded], lemmas: list[str], out: Path) -> None:
    """Write the weights after `PASSES` passes; what they do on `dev` is printed after each."""
    rng = np.random.default_rng(SEED)
    sample = np.concatenate([row.ways[0] for row in train[::10]]).astype(np.float32)
    mean, spread = sample.mean(0), sample.std(0) + 1e-4
    params = initial(sample.shape[1], train[0].shapes.shape[1], rng)
    adam = Adam(params)
    total = PASSES * ((len(train) + BATCH - 1) // BATCH)
    count = 0
    for turn in range(PASSES):
        begun, lost = time.perf_counter(), 0.0
        for rows in _batches(train, rng):
            batch = batch_of(rows, rng)
            x = (batch.x - mean) / spread * batch.mask[..., None]
            loss, grads = step(params, batch._replace(x=x), rng)
            adam.update(params, grads, rate_at(count / total))
            count += 1
            lost += loss
        save(params, mean, spread, lemmas, out)
        took = time.perf_counter() - begun
        print(f"pass {turn + 1}: {took:.0f} s, loss {lost / total * PASSES:.3f}", flush=True)
        print(
            f"  dev alone {measured(dev, out, 0)}, among others {measured(dev, out, -1)}",
            flush=True,
        )


def _batches(train: list[Encoded], rng: np.random.Generator) -> Iterator[list[Encoded]]:
    """Sentences of about one length together, in a drawn order."""
    order = sorted(range(len(train)), key=lambda i: len(train[i].shapes) + rng.random() * 3)
    starts = list(range(0, len(order), BATCH))
    rng.shuffle(starts)
    for start in starts:
        yield [train[i] for i in order[start : start + BATCH]]


def exceptions(path: Path) -> list[str]:
    """The lemmas of nouns and verbs that no rule of spelling gives: `went/VERB<tab>go`."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            for word in json.loads(line)["words"]:
                low = word["form"].lower().replace("’", "'")
                if word["upos"] in LEMMATISED and low.replace("'", "").isalpha():
                    counted[f"{low}/{word['upos']}"][word["lemma"].lower()] += 1
    best = {key: max(sorted(each), key=each.__getitem__) for key, each in counted.items()}
    return sorted(
        f"{key}\t{lemma}" for key, lemma in best.items() if rule_lemma(*key.split("/")) != lemma
    )


def save(params: Params, mean: Floats, spread: Floats, lemmas: list[str], out: Path) -> None:
    """The weights in half precision, with the input's mean and spread folded into the first, and
    the lemmas."""
    kept = dict(params)
    kept["in"] = params["in"] / spread[:, None]
    kept["in_bias"] = params["in_bias"] - mean @ kept["in"]
    halves = {name: value.astype(np.float16) for name, value in kept.items()}
    np.savez(out, **halves, lemmas=np.array(lemmas))


def measured(rows: Sequence[Encoded], weights: Path, way: int) -> str:
    """Shares of words with the right head, head and label, and part of speech; punctuation counts
    as in the treebank's own evaluation."""
    head = Head.load(weights)
    words = right = labelled = tagged = 0
    for row in rows:
        read = head.read(row.ways[way].astype(np.float32), row.shapes)
        same = read.heads == row.sentence.heads
        words += len(same)
        right += int(same.sum())
        labelled += int((same & (read.labels == row.sentence.labels)).sum())
        tagged += int((read.tags == row.sentence.tags).sum())
    figures = (100 * right / words, 100 * labelled / words, 100 * tagged / words)
    return "heads {:.1f}, labelled {:.1f}, parts of speech {:.1f}".format(*figures)


def main() -> None:
    """Encode, fit, print the figures of the test sentences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    model = MiniLM(threads=2)
    begun = time.perf_counter()
    parts = [
        encode(list(sentences(given.folder / f"{part}.jsonl.xz")), model)
        for part in ("train", "dev", "test")
    ]
    train, dev, test = parts
    took = time.perf_counter() - begun
    print(f"{len(train)} sentences encoded in {took:.0f} s", flush=True)
    fit(train, dev, exceptions(given.folder / "train.jsonl.xz"), given.out)
    print(f"test alone: {measured(test, given.out, 0)}")
    print(f"test among others: {measured(test, given.out, -1)}")


if __name__ == "__main__":
    main()

"""What the head that finds the turn that answers is taught: questions, network, losses.

`bench/teach/answering.py` fits it. Sets hold conversations in the format of
`bench/everyday_memory.py`, with questions by people who had not read the rules (`? question ; words
of the answer ; words of the turn that tells it`, the last where it is known). Of each question the
turns that a search finds are given, in its order; those that say the answer are right. What turns
state (`=`) is asked too, in one plain sentence.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from bench.everyday_memory import LAST, NEVER_SAID, REPLIES, Set, write
from quipu.embed import MiniLM
from quipu.extract.statements import sentence_spans
from quipu.kinds.conversations.answering.head import AnswerHead
from quipu.kinds.conversations.answering.inputs import (
    ASKED,
    BEFORE,
    FEATURES,
    OWN,
    SAID,
    TURNS,
    AskedWords,
    Inputs,
    Said,
    Words,
    inputs_of,
    is_said_after,
    read_words,
)
from quipu.memory import Memory
from quipu.text import stems

SEED, BATCH, RATE, DECAY = 5, 8, 1.5e-3, 0.05
WIDTH, HEADS, PARTS = 96, 4, 256
WITHHELD, THINNED = 0.2, 0.4
"""How many questions are asked without the turns that answer them, and how many of fewer turns."""
PLAIN, BY_WORD, VERDICT = 0.5, 0.04, 0.5
"""What a plain question, a word and a yes or no weigh. What is learnt of yes and no helps to read
the turns; it is not told, being right no more often than "no" is, and is left out of the file."""
PLAINLY = 0.4
"""How many of the plain questions are learnt from."""
VERDICTS = ("yes", "yes_bias")
FIRST = 3
MACHINE = "assistant"
WORDS = BEFORE + OWN
NOWHERE = -1e9

Params = dict[str, Any]
Floats = NDArray[np.float32]


class Asking(NamedTuple):
    """A question, the words of its answer, the turns that tell it, how much it weighs."""

    text: str
    words: str
    told: frozenset[int]
    weight: float


class Example(NamedTuple):
    """What the head is given; which of the turns answer; which words do, bool[c, t]; whether the
    answer is yes (1), no (0) or neither (-1); how much it weighs."""

    inputs: Inputs
    right: NDArray[np.bool_]
    words: NDArray[np.bool_]
    yes: int
    weight: float


def says(words: str, text: str) -> bool:
    """Whether a text says some words, none of them as a part of another."""
    return re.search(rf"(?<!\w){re.escape(words.lower())}(?!\w)", text.lower()) is not None


def asked(given: Set) -> Iterator[Asking]:
    """The questions of a set, then a plain one for each fact that is wanted."""
    for question, words, evidence in given.questions:
        told = {at for at, turn in enumerate(given.turns) if evidence and evidence in turn.text}
        if words not in REPLIES or told:
            yield Asking(question, words, frozenset(told), 1.0)
    old = {(owner, value) for owner, value, _, _ in given.changes}
    for at, turn in enumerate(given.turns):
        for fact in (each for each in turn.facts if each.wanted):
            day = turn.day if (fact.owner, fact.value) in old else ""
            text = plain(fact.owner, fact.attribute, day)
            yield Asking(text, fact.value, frozenset({at}), PLAIN)


def plain(owner: str, attribute: str, day: str) -> str:
    """The question for an attribute; as of the month of a day where one is given."""
    verb = "was" if day else "is"
    when = f" in {date.fromisoformat(day):%B %Y}" if day else ""
    if owner in ("user", "we"):
        return f"What {verb} {'my' if owner == 'user' else 'our'} {attribute}{when}?"
    if owner[:1].isupper():
        return f"What {verb} {owner}'s {attribute}{when}?"
    return f"What {verb} the {attribute} of the {owner}{when}?"


def examples(given: Set, model: MiniLM) -> list[Example]:
    """The questions of a set, each with the turns that a search finds for it."""
    words = [read(turn.text, turn.role, model) for turn in given.turns]
    found: list[Example] = []
    for asking, hits in searched(given):
        made = example(asking, hits, given, words, read(asking.text, "user", model))
        found += [made] if made else []
    return found


def searched(given: Set) -> Iterator[tuple[Asking, list[tuple[int, float]]]]:
    """The questions of a set, each with the turns that a search finds and how it scores them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "memory.db", clock=lambda: LAST) as memory,
    ):
        write(memory, given)
        places = refs(given)
        for asking in asked(given):
            hits = memory.search(asking.text, limit=TURNS).hits
            yield asking, [(places[hit.path], hit.score) for hit in hits if hit.path in places]


def refs(given: Set) -> dict[str, int]:
    """The turns by their refs."""
    found: dict[str, int] = {}
    within: dict[str, int] = {}
    for at, turn in enumerate(given.turns):
        within[turn.session] = within.get(turn.session, 0) + 1
        found[f"session:{turn.session}#{within[turn.session]}"] = at
    return found


def read(text: str, speaker: str, model: MiniLM) -> Words:
    """The words of a text."""
    found = read_words(text, model.read, list(sentence_spans(text)))
    return Words.of(found, speaker, machine=speaker == MACHINE)


def example(
    asking: Asking,
    hits: Sequence[tuple[int, float]],
    given: Set,
    words: Sequence[Words],
    question: Words,
) -> Example | None:
    """A question with the turns at `hits`; None where there is nothing to read."""
    turns = [(at, said(at, score, given, words)) for at, score in hits if len(words[at].vectors)]
    if not turns or not len(question.vectors):
        return None
    inputs = inputs_of(AskedWords.of(question, asking.text), [turn for _, turn in turns])
    right = _right(asking, [at for at, _ in turns], given)
    named = np.zeros((len(turns), WORDS), bool)
    if asking.words not in REPLIES:
        sought = frozenset(stems(asking.words)) or frozenset({asking.words.lower()})
        for row in np.flatnonzero(right):
            forms = turns[row][1].words.forms[:OWN]
            named[row, BEFORE : BEFORE + len(forms)] = [
                bool((frozenset(stems(form)) or {form.lower()}) & sought) for form in forms
            ]
    yes = {"yes": 1, "no": 0}.get(asking.words, -1)
    return Example(inputs, right, named, yes, asking.weight)


def said(at: int, score: float, given: Set, words: Sequence[Words]) -> Said:
    """A turn that was found."""
    turn = given.turns[at]
    before = words[at - 1] if at and _leads(given, at) else None
    return Said(words[at], before, turn.text, turn.day, at, score)


def _leads(given: Set, at: int) -> bool:
    """Whether a turn is to be read with the one before it."""
    before, turn = given.turns[at - 1], given.turns[at]
    return before.session == turn.session and is_said_after(turn.text, before.text)


def _right(asking: Asking, found: Sequence[int], given: Set) -> NDArray[np.bool_]:
    """The turns that tell the answer where that is known; else those that say it, rather such as
    state it."""
    if asking.words == NEVER_SAID:
        return np.zeros(len(found), bool)
    if asking.told:
        return np.array([at in asking.told for at in found])
    saying = [says(asking.words, given.turns[at].text) for at in found]
    stating = [
        say and any(says(asking.words, fact.value) for fact in given.turns[at].facts)
        for at, say in zip(found, saying, strict=True)
    ]
    return np.array(stating if any(stating) else saying)


class Basis(NamedTuple):
    """The directions in which the vectors of words differ most, float32[1536, `PARTS`], from their
    mean: the first layer is fitted in them, which is quicker, and folded together with them."""

    mean: Floats
    directions: Floats

    @classmethod
    def by(cls, vectors: Floats) -> "Basis":
        """By the first of some words."""
        some = vectors[np.abs(vectors).sum(1) > 0][:16_000]
        mean = some.mean(0)
        _, spread, right = np.linalg.svd(some - mean, full_matrices=False)
        scale = np.sqrt(spread[:PARTS] / len(some) ** 0.5)
        return cls(mean, (right[:PARTS].T / scale).astype(np.float32))

    def of_words(self, vectors: Floats) -> NDArray[np.float16]:
        """Vectors in these directions."""
        return ((vectors - self.mean) @ self.directions).astype(np.float16)


class Batch(NamedTuple):
    """Questions side by side, padded to `TURNS` turns and `ASKED` words."""

    asked: NDArray[np.float16]
    asked_features: NDArray[np.float16]
    asking: NDArray[np.bool_]
    words: NDArray[np.float16]
    features: NDArray[np.float16]
    read: NDArray[np.bool_]
    near: NDArray[np.float16]
    said: Floats
    turns: NDArray[np.bool_]
    right: NDArray[np.bool_]
    named: NDArray[np.bool_]
    yes: NDArray[np.int8]
    weight: Floats


def arrays(each: Example, basis: Basis) -> Batch:
    """One question, padded."""
    given = each.inputs
    count, asking = len(given.said), len(given.asked)

    def turns(found: NDArray[Any], dtype: type) -> NDArray[Any]:
        padded = np.zeros((TURNS, *found.shape[1:]), dtype)
        padded[:count] = found
        return padded

    def question(found: NDArray[Any], dtype: type) -> NDArray[Any]:
        padded = np.zeros((ASKED, *found.shape[1:]), dtype)
        padded[:asking] = found
        return padded

    near = np.zeros((TURNS, WORDS, ASKED), np.float16)
    near[:count, :, :asking] = given.near
    right = np.append(turns(each.right, bool), not each.right.any())
    return Batch(
        question(basis.of_words(given.asked), np.float16),
        question(given.asked_features, np.float16),
        question(np.ones(asking, bool), bool),
        turns(basis.of_words(given.words), np.float16),
        turns(given.features, np.float16),
        turns(given.read, bool),
        near,
        turns(given.said, np.float32),
        turns(np.ones(count, bool), bool),
        right,
        turns(each.words, bool),
        np.int8(each.yes),  # type: ignore[arg-type]
        np.float32(each.weight),  # type: ignore[arg-type]
    )


def withheld(batch: Batch) -> Batch:
    """The question without the turns that answer it."""
    right = np.zeros_like(batch.right)
    right[-1] = True
    turns = batch.turns & ~batch.right[:-1]
    named, yes = np.zeros_like(batch.named), np.int8(-1)
    return batch._replace(turns=turns, right=right, named=named, yes=yes)  # type: ignore[arg-type]


def thinned(batch: Batch, rng: np.random.Generator) -> Batch:
    """The question with those that answer and some of the other turns: a memory may be small."""
    kept = batch.right[:-1] | (rng.random(TURNS) < rng.random() ** 2)
    turns = batch.turns & kept
    return batch._replace(turns=turns) if turns.any() else batch


def drawn(rng: np.random.Generator, *size: int, fan: int) -> Floats:
    """Weights that keep the spread of what `fan` numbers are added up to."""
    return rng.normal(0, fan**-0.5, size).astype(np.float32)


def initial_scores(rng: np.random.Generator, d: int) -> Params:
    """Weights before the first step of what scores turns, float32[d] each, and none."""
    normal = partial(drawn, rng)
    return {
        "answers": normal(d, fan=d),
        "by_word": np.float32(0.5),
        "by_score": np.float32(3),
        "none": normal(2 * d, fan=2 * d) / 10,
        "none_bias": np.float32(0),
        "yes": normal(d, fan=d),
        "yes_bias": np.float32(0),
    }


def initial(rng: np.random.Generator) -> Params:
    """Weights before the first step."""
    normal, d = partial(drawn, rng), WIDTH
    square = ("match", "seek", "query", "key", "value", "attended")
    square += ("turn_query", "turn_key", "turn_value", "turn_mixed")
    zeros = {name: np.zeros(d, np.float32) for name in ("in_bias", "near_bias", "mix_bias")}
    scales = ("attend_scale", "widen_scale", "out_scale", "whole_scale")
    return {
        **{name: normal(d, d, fan=d) for name in square},
        **zeros,
        **{name: np.ones(d, np.float32) for name in scales},
        "in": normal(PARTS, d, fan=PARTS) / 2,
        "features": normal(FEATURES, d, fan=3),
        "near": normal(3 * d, d, fan=3 * d),
        "by_cosine": np.float32(4),
        "mix": normal(4 * d + 2, d, fan=4 * d),
        "place": np.zeros((HEADS, 2 * WORDS - 1), np.float32),
        "widen": normal(d, 2 * d, fan=d),
        "narrow": normal(2 * d, d, fan=8 * d),
        "word": normal(d, fan=d),
        "whole": normal(2 * d + SAID + 3, d, fan=2 * d),
        "whole_bias": np.zeros(d, np.float32),
        **initial_scores(rng, d),
    }


def _normal(x: jax.Array, scale: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale


def forward(
    p: Params, b: Batch, key: jax.Array, dropout: float
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Scores of the turns and of none, float32[b, `TURNS` + 1], of words and of yes, with numbers
    left out at random: as `AnswerHead.read`."""
    whole, score, by_word = _wholes(p, b, key, dropout)
    scores, whole = beside(p, whole, score, b.turns)
    return scores, by_word, whole @ p["yes"] + p["yes_bias"]


def _wholes(
    p: Params, b: Batch, key: jax.Array, dropout: float
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Each turn as a whole, its score by what it says alone, and the scores of its words."""
    keys, gelu = iter(jax.random.split(key, 6)), jax.nn.gelu

    def dropped(x: jax.Array, *, over: tuple[int, ...]) -> jax.Array:
        shape = [1 if axis in over else n for axis, n in enumerate(x.shape)]
        return x * jax.random.bernoulli(next(keys), 1 - dropout, shape) / (1 - dropout)

    def words(vectors: Any, features: Any, read: Any, over: tuple[int, ...]) -> jax.Array:
        own = jnp.asarray(vectors, jnp.float32) @ p["in"]
        own = gelu(own + jnp.asarray(features, jnp.float32) @ p["features"] + p["in_bias"])
        own = dropped(own * read[..., None], over=over)
        padded = jnp.pad(own, [(0, 0)] * (own.ndim - 2) + [(1, 1), (0, 0)])
        beside = jnp.concatenate([padded[..., :-2, :], own, padded[..., 2:, :]], -1)
        return own + gelu(beside @ p["near"] + p["near_bias"]) * read[..., None]

    asked = words(b.asked, b.asked_features, b.asking, (1,))
    said = words(b.words, b.features, b.read, (1, 2))
    near = jnp.asarray(b.near, jnp.float32)
    scores = jnp.einsum("bctd,bmd->bctm", said @ p["match"], asked @ p["seek"]) / WIDTH**0.5
    scores = jnp.where(b.asking[:, None, None], scores + p["by_cosine"] * near, NOWHERE)
    meets = jnp.einsum("bctm,bmd->bctd", jax.nn.softmax(scores, -1), asked)
    count = jnp.maximum(b.asking.sum(1), 1)
    question = (asked * b.asking[..., None]).sum(1) / count[:, None]
    question = jnp.broadcast_to(question[:, None, None], said.shape)
    total = jax.nn.logsumexp(scores, -1, keepdims=True) / 10
    parts = [said, meets, said * meets, question, near.max(-1, keepdims=True), total]
    seen = said + gelu(jnp.concatenate(parts, -1) @ p["mix"] + p["mix_bias"])
    seen = _attended(p, dropped(seen, over=(1, 2)), b.read, dropped)
    by_word = seen @ p["word"]
    answer = jnp.where(own_words(b), by_word, NOWHERE)
    pooled = jnp.einsum("bct,bctd->bcd", jax.nn.softmax(answer, -1), seen)
    mean = (seen * b.read[..., None]).sum(2) / jnp.maximum(b.read.sum(2), 1)[..., None]
    best = jnp.maximum(answer.max(-1), -10)
    met = jnp.where(b.read[..., None], near, -1).max(2)
    asking = b.asking[:, None]
    numbers = [
        (met * asking).sum(-1) / count[:, None],
        best / 5,
        jnp.where(asking, met, 1).min(-1),
    ]
    whole = jnp.concatenate([pooled, mean, b.said, jnp.stack(numbers, -1)], -1)
    whole = dropped(gelu(whole @ p["whole"] + p["whole_bias"]), over=(1,))
    return whole, p["by_word"] * best + p["by_score"] * b.said[..., 0], by_word


def beside(
    p: Params, whole: jax.Array, score: jax.Array, turns: Any
) -> tuple[jax.Array, jax.Array]:
    """Scores of the turns (`whole` float32[b, c, d], with the scores that they have alone) and of
    none, float32[b, c + 1], and the turns as they are seen beside each other."""
    z = _normal(whole, p["whole_scale"])
    seen = jnp.einsum("bid,bjd->bij", z @ p["turn_query"], z @ p["turn_key"])
    seen = jnp.where(turns[:, None], seen / whole.shape[-1] ** 0.5, NOWHERE)
    mixed = jnp.einsum("bij,bjd->bid", jax.nn.softmax(seen, -1), z @ p["turn_value"])
    whole = whole + jax.nn.gelu(mixed @ p["turn_mixed"])
    scores = jnp.where(turns, whole @ p["answers"] + score, NOWHERE)
    most = jnp.where(turns[..., None], whole, NOWHERE).max(1)
    average = (whole * turns[..., None]).sum(1) / turns.sum(1, keepdims=True)
    none = jnp.concatenate([most, average], -1) @ p["none"] + p["none_bias"]
    return jnp.concatenate([scores, none[:, None]], 1), whole


def own_words(b: Batch) -> Any:
    """Which words are the turn's own, bool[b, c, t]."""
    return b.read & (np.arange(WORDS) >= BEFORE)


def _attended(p: Params, words: jax.Array, read: Any, dropped: Any) -> jax.Array:
    z, part = _normal(words, p["attend_scale"]), WIDTH // HEADS
    query, key, value = (
        (z @ p[name]).reshape(*z.shape[:3], HEADS, part) for name in ("query", "key", "value")
    )
    place = np.arange(WORDS)
    far = place[None, :] - place[:, None] + WORDS - 1
    scores = jnp.einsum("bcihd,bcjhd->bchij", query, key) / part**0.5 + p["place"][:, far]
    scores = jnp.where(read[:, :, None, None], scores, NOWHERE)
    mixed = jnp.einsum("bchij,bcjhd->bcihd", jax.nn.softmax(scores, -1), value)
    words = words + dropped(mixed.reshape(z.shape) @ p["attended"], over=(1, 2))
    wide = jax.nn.gelu(_normal(words, p["widen_scale"]) @ p["widen"])
    return _normal(words + dropped(wide @ p["narrow"], over=(1, 2)), p["out_scale"])


def lost_by_turns(b: Batch, scores: jax.Array) -> jax.Array:
    """Cross entropy of the turns, float32[b]."""
    shares = jax.nn.log_softmax(scores, -1)
    return -jax.nn.logsumexp(jnp.where(b.right, shares, NOWHERE), -1)


def lost_by_words(b: Batch, by_word: jax.Array, named: Any, own: Any, yes: jax.Array) -> jax.Array:
    """Cross entropy of the turns' own words, of which some are `named`, and of yes and no,
    float32[b]."""
    own = own & b.turns[..., None]
    words = optax.sigmoid_binary_cross_entropy(by_word, named.astype(jnp.float32))
    replies = (b.yes >= 0)[:, None] & b.right[:, :-1]
    verdict = optax.sigmoid_binary_cross_entropy(yes, (b.yes == 1)[:, None].astype(jnp.float32))
    by_word = jnp.where((b.yes < 0), (words * own).sum((1, 2)), 0)
    return BY_WORD * by_word + VERDICT * (verdict * replies).sum(1)


def changed(batch: Batch, rng: np.random.Generator) -> Batch:
    """As it is, or without the turns that answer, or of fewer turns."""
    if rng.random() < WITHHELD and (batch.turns & ~batch.right[:-1]).any():
        batch = withheld(batch)
    return thinned(batch, rng) if rng.random() < THINNED else batch


def folded(params: Params, basis: Basis) -> dict[str, NDArray[np.float16]]:
    """The weights, the first layer for words as they are."""
    found = {name: np.asarray(value, np.float32) for name, value in params.items()}
    first = basis.directions @ found["in"]
    found |= {"in": first, "in_bias": found["in_bias"] - basis.mean @ first}
    kept = (name for name in found if name not in VERDICTS)
    return {name: found[name].astype(np.float16) for name in kept}


def measured(found: Sequence[Example], head: AnswerHead) -> str:
    """How often a turn that answers is the first and among the first, as searched and as the head
    says; how far its scores tell what is answered from what is not."""
    by_search, by_head, answered, none = list[int](), list[int](), list[bool](), list[float]()
    for each in (e for e in found if e.weight == 1):
        scores = head.read(each.inputs)
        answered.append(bool(each.right.any()))
        none.append(scores.none)
        if each.right.any():
            order = np.argsort(-scores.turns, kind="stable")
            by_search.append(int(np.flatnonzero(each.right)[0]))
            by_head.append(int(np.flatnonzero(each.right[order])[0]))
    known = np.array(answered)
    low, high = np.array(none)[known], np.array(none)[~known]
    apart = float((low[:, None] < high[None]).mean() + (low[:, None] == high[None]).mean() / 2)

    def share(ranks: Sequence[int], most: int) -> str:
        return f"{100 * np.mean(np.array(ranks) < most):.0f}"

    return (
        f"{len(found)} questions; found first {share(by_search, 1)} → {share(by_head, 1)} %, among "
        f"three {share(by_search, FIRST)} → {share(by_head, FIRST)} %; AUROC {apart:.3f}"
    )


def command_line(description: str | None) -> tuple[argparse.Namespace, frozenset[str]]:
    """What the command line gives: `out` and `sets`; and the sets that are left out."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--leave", default="", help="sets that are measured, not learnt from")
    given = parser.parse_args()
    return given, frozenset(name for name in given.leave.split(",") if name)

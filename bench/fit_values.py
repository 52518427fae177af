"""Fit the head that finds what turns state (`quipu/extract/values/values.npz`).

    python -m bench.fit_values SETS.tar.xz OUT.npz            # needs `jax` and `optax`
    python -m bench.fit_values SETS.tar.xz OUT.npz --leave q4,s2   # and print how those are read

SETS holds conversations in the format of `bench/everyday_memory.py`, which people wrote and marked
who had not read the rules: what each turn states (`=`), what may be kept and need not be (`~`),
and which values are changed (`^`). The encoder and the grammar stay as they are; what is fitted is
one small network on the vectors of their words. One seed, one order. Ten minutes on two cores.
"""

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from bench.everyday_memory import Said, Set, sets
from quipu.embed import MiniLM
from quipu.extract.grammar import read_sentences
from quipu.extract.statements import sentence_spans
from quipu.extract.values import TurnWords, words_of
from quipu.extract.values.head import GROUP, NAMELESS, SPEAKER, SPOKEN_TO, ValueHead
from quipu.extract.values.inputs import BEFORE, FEATURES, STEPS, WORDS, inputs_of
from quipu.text import stems

SEED, PASSES, BATCH, RATE, DECAY = 13, 8, 16, 1.5e-3, 0.05
WIDTH, HEADS, DROPOUT, WORD_DROPOUT = 192, 4, 0.35, 0.2
SIZES = (20, 44, WORDS)
MOST_VALUES, OPTIONAL, CHANGED = 8, 0.5, 0.5
PRONOUNS = frozenset("he she it they that this his her hers its their him them those these".split())
MACHINE = "assistant"

Params = dict[str, Any]


class Value(NamedTuple):
    """Words `first` to `last` of a turn, which state a value; the places of what names its owner;
    whether it is `wanted` or only may be read; whether it takes another's place."""

    first: int
    last: int
    owners: frozenset[int]
    wanted: bool
    anew: bool


class Example(NamedTuple):
    """A turn with those before it (the latest first) and what it states."""

    said: Said
    turn: TurnWords
    before: tuple[TurnWords, ...]
    values: tuple[Value, ...]


def examples(given: Set, model: MiniLM) -> list[Example]:
    """The turns of a set; a session's are seen from each other."""
    found: list[Example] = []
    before: list[TurnWords] = []
    session = ""
    fresh: dict[int, set[str]] = {}
    for _, _, new, count in given.changes:
        fresh.setdefault(count - 1, set()).add(new.casefold())
    for at, said in enumerate(given.turns):
        if said.session != session:
            session, before = said.session, []
        read = read_sentences(said.text, model.read, list(sentence_spans(said.text)))
        turn = words_of(read, said.role, machine=said.role == MACHINE)
        if len(turn.vectors):
            values = _values(said, turn, before, fresh.get(at, set()))
            found.append(Example(said, turn, tuple(before), values))
            before = [turn, *before][:8]
    return found


def forms(turn: TurnWords) -> list[str]:
    """The words of a turn."""
    return [token.form for sentence in turn.sentences for token in sentence.tokens]


def _values(
    said: Said, turn: TurnWords, before: Sequence[TurnWords], fresh: set[str]
) -> tuple[Value, ...]:
    told: dict[str, dict[bool, list[str]]] = {}
    for owner, value, wanted, _ in said.facts:
        told.setdefault(value.casefold(), {}).setdefault(wanted, []).append(owner)
    own = forms(turn)[:WORDS]
    places = _Places(turn, before)
    found: list[Value] = []
    for value, owners in told.items():
        wanted = True in owners
        stretches = list(_stretches(value, own))
        for first, last in stretches[:1] if wanted else stretches[:3]:
            named = (places.owner(o, (first, last)) for each in owners.values() for o in each)
            meant = frozenset[int]().union(*named)
            found.append(Value(first, last, meant, wanted, value in fresh))
    return tuple(sorted(found, key=lambda each: not each.wanted))


def _stretches(value: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the words of a value stand, first and last."""
    sought = re.findall(r"[^\W_]+", value)
    parts = [
        (part, at)
        for at, word in enumerate(words)
        for part in re.findall(r"[^\W_]+", word.casefold())
    ]
    for at in range(len(parts) - len(sought) + 1):
        if sought and [part for part, _ in parts[at : at + len(sought)]] == sought:
            yield parts[at][1], parts[at + len(sought) - 1][1]


class _Places:
    """Where owners are named: in the turn, else right before it, else by a pronoun; places count
    as the head's: three that need no word, then the words before, then the turn's."""

    def __init__(self, turn: TurnWords, before: Sequence[TurnWords]) -> None:
        given = inputs_of(turn, before)
        turns = [forms(each) for each in before]
        self.speaker, self.machine = turn.speaker.casefold(), turn.machine
        self.other = next((b.speaker for b in before if b.speaker != turn.speaker), "").casefold()
        self.own = forms(turn)[:WORDS]
        places = map(given.place, range(given.first))
        self.said = [turns[back - 1][word] for back, word in places]

    def owner(self, name: str, value: tuple[int, int]) -> frozenset[int]:
        low = name.casefold()
        nameless = {"we": GROUP, "user": SPOKEN_TO} if self.machine else {"we": GROUP}
        nameless[self.speaker] = SPEAKER
        if low in nameless:
            return frozenset({nameless[low]})
        sought = frozenset(stems(name))
        outside = [w if not value[0] <= at <= value[1] else "" for at, w in enumerate(self.own)]
        if here := _named(outside, sought):
            return frozenset(NAMELESS + len(self.said) + at for at in here)
        if before := _named(self.said, sought, last=True):
            return frozenset(NAMELESS + at for at in before)
        if low == self.other:
            return frozenset({SPOKEN_TO})
        pronouns = (at for at, word in enumerate(outside) if word.casefold() in PRONOUNS)
        return frozenset(NAMELESS + len(self.said) + at for at in pronouns)


def _named(words: Sequence[str], sought: frozenset[str], *, last: bool = False) -> list[int]:
    """The words that say most of a name, wherever they stand together; the `last` time alone."""
    runs: list[list[int]] = []
    said = [frozenset(stems(word)) & sought for word in words]
    for at, each in enumerate(said):
        if each and runs and at - runs[-1][-1] <= 2:
            runs[-1].append(at)
        elif each:
            runs.append([at])
    counts = [len(frozenset[str]().union(*(said[at] for at in run))) for run in runs]
    best = [run for run, n in zip(runs, counts, strict=True) if n == max(counts)]
    return [at for run in (best[-1:] if last else best) for at in run]


class Batch(NamedTuple):
    """Turns side by side; those said before end where the turn begins, at `BEFORE`."""

    vectors: NDArray[np.float16]
    features: NDArray[np.float32]
    heads: NDArray[np.int32]
    read: NDArray[np.bool_]
    parts: NDArray[np.int32]
    weights: NDArray[np.float32]
    spans: NDArray[np.int32]
    steps: NDArray[np.int8]
    owners: NDArray[np.bool_]
    known: NDArray[np.float32]
    values: NDArray[np.float32]
    anew: NDArray[np.float32]


def arrays(example: Example, size: int) -> Batch:
    """One turn, padded to `size` words behind `BEFORE`."""
    given = inputs_of(example.turn, example.before)
    shift, count = BEFORE - given.first, len(given.heads)
    total = BEFORE + size
    at = slice(shift, shift + count)
    own = given.gathered(lambda turn: turn.vectors)
    vectors = np.zeros((total, own.shape[1]), np.float16)
    features = np.zeros((total, FEATURES), np.float32)
    heads = np.full(total, -1, np.int32)
    read, parts = np.zeros(total, bool), np.zeros(total, np.int32)
    weights = np.zeros(total, np.float32)
    vectors[at], features[at], read[at] = own, given.features, True
    heads[at] = np.where(given.heads >= 0, given.heads + shift, -1)
    weights[BEFORE : shift + count] = 1
    spans = np.zeros((MOST_VALUES, 2), np.int32)
    steps = np.zeros((MOST_VALUES, total), np.int8)
    owners = np.zeros((MOST_VALUES, NAMELESS + total), bool)
    known, values, anew = (np.zeros(MOST_VALUES, np.float32) for _ in range(3))
    for value in reversed(example.values):
        words = slice(BEFORE + value.first, BEFORE + value.last + 1)
        parts[words], weights[words] = (2, 1) if value.wanted else (0, 0)
        parts[BEFORE + value.first] = 1 if value.wanted else 0
    for place, value in enumerate(example.values[:MOST_VALUES]):
        spans[place] = BEFORE + value.first, BEFORE + value.last
        steps[place, at] = given.steps(given.first + value.last)
        meant = sorted(o if o < NAMELESS else o + shift for o in value.owners)
        owners[place, meant] = True
        known[place] = bool(meant) * (1 if value.wanted else OPTIONAL)
        values[place], anew[place] = 1, value.anew
    return Batch(
        vectors, features, heads, read, parts, weights, spans, steps, owners, known, values, anew
    )


def initial(inputs: int, rng: np.random.Generator) -> Params:
    """Weights before the first step."""

    def normal(*size: int, fan: int) -> NDArray[np.float32]:
        return rng.normal(0, fan**-0.5, size).astype(np.float32)

    d, zero, one = WIDTH, partial(np.zeros, dtype=np.float32), partial(np.ones, dtype=np.float32)
    square = ("above", "key", "query", "match", "value", "attended")
    return {
        **{name: normal(d, d, fan=d) for name in square},
        "in": normal(inputs, d, fan=inputs),
        "features": normal(FEATURES, d, fan=12),
        "in_bias": zero(d),
        "near": normal(3 * d, d, fan=3 * d),
        "near_bias": zero(d),
        "place": zero((HEADS, 2 * (BEFORE + WORDS) - 1)),
        "widen": normal(d, 2 * d, fan=d),
        "narrow": normal(2 * d, d, fan=8 * d),
        "attend_scale": one(d),
        "mix_scale": one(d),
        "out_scale": one(d),
        "part": normal(d, 3, fan=d),
        "part_bias": zero(3),
        "seek": normal(2 * d, d, fan=2 * d),
        "nameless": normal(NAMELESS, d, fan=d),
        "point": normal(d, fan=d),
        "far": zero(41),
        "step": zero(STEPS),
        "step_key": zero((STEPS, d)),
        "anew": normal(2 * d, fan=2 * d),
        "anew_bias": zero(()),
    }


def _normal(x: jax.Array, scale: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale


def hidden(p: Params, b: Batch, key: jax.Array) -> jax.Array:
    """float32[b, t, WIDTH], with words left out at random."""
    keys = iter(jax.random.split(key, 6))

    def dropped(x: jax.Array, share: float = DROPOUT) -> jax.Array:
        kept = jax.random.bernoulli(next(keys), 1 - share, (x.shape[0], 1, x.shape[2]))
        return x * kept / (1 - share)

    size, total = b.vectors.shape[:2]
    read = b.read[..., None]
    x = dropped(jnp.asarray(b.vectors, jnp.float32), WORD_DROPOUT)
    words = dropped(jax.nn.gelu(x @ p["in"] + b.features @ p["features"] + p["in_bias"]) * read)
    padded = jnp.pad(words, ((0, 0), (1, 1), (0, 0)))
    beside = jnp.concatenate([padded[:, :-2], words, padded[:, 2:]], -1)
    above = jnp.take_along_axis(words, jnp.maximum(b.heads, 0)[..., None], 1)
    above = above * (b.heads >= 0)[..., None]
    near = jax.nn.gelu(beside @ p["near"] + above @ p["above"] + p["near_bias"]) * read
    h = dropped(words + near)
    z, width = _normal(h, p["attend_scale"]), WIDTH // HEADS
    query, match, value = (
        (z @ p[name]).reshape(size, total, HEADS, width) for name in ("query", "match", "value")
    )
    place = np.arange(total)
    far = place[None, :] - place[:, None] + BEFORE + WORDS - 1
    scores = jnp.einsum("bihd,bjhd->bhij", query, match) / width**0.5 + p["place"][:, far]
    scores = jnp.where(b.read[:, None, None, :], scores, -1e9)
    mixed = jnp.einsum("bhij,bjhd->bihd", jax.nn.softmax(scores, -1), value)
    h = h + dropped(mixed.reshape(size, total, WIDTH) @ p["attended"])
    h = h + dropped(jax.nn.gelu(_normal(h, p["mix_scale"]) @ p["widen"]) @ p["narrow"])
    return _normal(h, p["out_scale"])


def loss(p: Params, b: Batch, key: jax.Array) -> jax.Array:
    """Cross entropy of parts, of owners, and of what is new, a turn."""
    h = hidden(p, b, key)
    parts = jax.nn.log_softmax(h @ p["part"] + p["part_bias"])
    lost = -jnp.take_along_axis(parts, b.parts[..., None], -1)[..., 0] * b.weights
    spans = jnp.concatenate(
        [jnp.take_along_axis(h, b.spans[..., end, None], 1) for end in (0, 1)], -1
    )
    sought = spans @ p["seek"]
    scale, place = WIDTH**0.5, jnp.arange(h.shape[1])[None, None]
    scores = jnp.einsum("bvd,btd->bvt", sought, h @ p["key"]) / scale + (h @ p["point"])[:, None]
    scores += p["far"][jnp.clip(place - b.spans[..., :1], -20, 20) + 20]
    step = b.steps.astype(jnp.int32)
    scores += p["step"][step]
    scores += jnp.take_along_axis(sought @ p["step_key"].T, step, -1) / scale
    inside = (place >= b.spans[..., :1]) & (place <= b.spans[..., 1:])
    scores = jnp.where(b.read[:, None] & ~inside, scores, -1e9)
    owners = jax.nn.log_softmax(jnp.concatenate([sought @ p["nameless"].T, scores], -1))
    meant = -jax.nn.logsumexp(jnp.where(b.owners, owners, -1e9), -1)
    new = optax.sigmoid_binary_cross_entropy(spans @ p["anew"] + p["anew_bias"], b.anew)
    return (
        lost.sum()
        + jnp.where(b.known > 0, meant * b.known, 0).sum()
        + CHANGED * (new * b.values).sum()
    ) / h.shape[0]


def fit(train: Sequence[Example], out: Path) -> None:
    """Write the weights after `PASSES` passes."""
    rng = np.random.default_rng(SEED)
    shelves = [
        [arrays(each, size) for each in train if low < _count(each) <= size]
        for low, size in zip((0, *SIZES), SIZES, strict=False)
    ]
    params = initial(train[0].turn.vectors.shape[1], rng)
    steps = PASSES * sum(len(shelf) // BATCH for shelf in shelves)
    rate = optax.cosine_onecycle_schedule(steps, RATE, pct_start=0.2)
    adam = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(rate, b2=0.98, weight_decay=DECAY)
    )
    state = adam.init(params)
    key = jax.random.PRNGKey(SEED)

    @jax.jit
    def step(p: Params, state: Any, b: Batch, key: jax.Array) -> tuple[Params, Any, jax.Array]:
        lost, grads = jax.value_and_grad(loss)(p, b, key)
        updates, state = adam.update(grads, state, p)
        return optax.apply_updates(p, updates), state, lost

    for turn in range(PASSES):
        begun, lost = time.perf_counter(), 0.0
        drawn = [
            (shelf, order[at : at + BATCH])
            for shelf in shelves
            for order in [rng.permutation(len(shelf))]
            for at in range(0, len(shelf) - BATCH + 1, BATCH)
        ]
        for at in rng.permutation(len(drawn)):
            shelf, rows = drawn[at]
            batch = Batch(
                *(np.stack(column) for column in zip(*(shelf[r] for r in rows), strict=True))
            )
            key, own = jax.random.split(key)
            params, state, each = step(params, state, batch, own)
            lost += float(each)
        took = time.perf_counter() - begun
        print(f"pass {turn + 1}: {took:.0f} s, loss {lost / len(drawn):.3f}", flush=True)
    np.savez(out, **{name: np.asarray(value, np.float16) for name, value in params.items()})


def _count(example: Example) -> int:
    return min(len(example.turn.vectors), WORDS)


def measured(found: Sequence[Example], head: ValueHead, least: float) -> str:
    """How many of the wanted values are found, how many of those found are right, and, of wanted
    values, how often the owner is."""
    wanted = hit = total = right = owned = known = 0
    for each in found:
        given = inputs_of(each.turn, each.before)
        read = head.read(given)
        stated = read.parts[:, 1:].sum(1) > least
        begins = stated & (read.parts[:, 1] >= read.parts[:, 2])
        marked = [set(range(v.first, v.last + 1)) for v in each.values]
        total += int(begins.sum())
        right += sum(any(at in words for words in marked) for at in np.flatnonzero(begins))
        for value in each.values:
            if not value.wanted:
                continue
            wanted += 1
            hit += bool(stated[value.first : value.last + 1].any())
            if value.owners:
                ends = given.first + value.first, given.first + value.last
                known += 1
                owned += int(head.owners(given, read.hidden, *ends).argmax()) in value.owners
    return (
        f"values {100 * hit / wanted:.0f} % found, {100 * right / total:.0f} % right; "
        f"owners {100 * owned / known:.0f} %"
    )


def main() -> None:
    """Read the sets, fit, print the figures of those that were left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--leave", default="", help="sets that are measured, not learnt from")
    given = parser.parse_args()
    left = {name for name in given.leave.split(",") if name}
    model = MiniLM(threads=1)
    read = {name: examples(each, model) for name, each in sets(given.sets).items()}
    train = [each for name, found in read.items() if name not in left for each in found]
    print(f"{len(train)} turns of {len(read) - len(left)} sets", flush=True)
    fit(train, given.out)
    head = ValueHead.load(given.out)
    for name in sorted(left):
        for least in (0.3, 0.5, 0.7):
            print(f"{name} at {least}: {measured(read[name], head, least)}", flush=True)


if __name__ == "__main__":
    main()

"""Fit which earlier fact a fact takes the place of (`quipu/records/fact_links.py`).

    python -m bench.fit_links SETS.tar.xz VALUES.npz OUT.npz [--leave v1,v2]   # needs jax, optax

What people marked as changed is learnt: of each value, which of those before it in its set it
replaces, or none. Fitted are the sketches of values (a projection of what the head makes of their
words, added to VALUES in OUT) and the weights of the features, which are printed.
"""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from bench.everyday_memory import Set, sets
from bench.fit_values import Example, examples, forms
from quipu.embed import MiniLM
from quipu.extract.values.head import ValueHead
from quipu.extract.values.inputs import inputs_of
from quipu.records.fact_links import FEATURES, SURE, Told, features_of
from quipu.text import stems

SEED, PASSES, BATCH, RATE, DECAY = 13, 12, 64, 2e-3, 0.05
SKETCH, DROPOUT, EARLIER, WAYS = 32, 0.3, 150, 2
OF_SKETCHES = tuple(
    (FEATURES.index(name), FEATURES.index(by) if by else -1)
    for name, by in (
        ("alike", ""),
        ("alike_of_kind", "kind"),
        ("alike_anew", "anew"),
        ("alike_owner", "owner"),
    )
)

Params = dict[str, Any]
Floats = NDArray[np.float32]


class Marked(NamedTuple):
    """A value with all that is said to own it, what the head makes of it (float32[2 d]), and which
    earlier value of the set it replaces (-1: none)."""

    told: Told
    owners: tuple[str, ...]
    span: Floats
    count: int
    replaces: int


def marked(given: Set, found: Sequence[Example], head: ValueHead) -> list[Marked]:
    """The wanted values of a set, in their order."""
    place = {id(turn): at for at, turn in enumerate(given.turns)}
    rows: list[Marked] = []
    for each in found:
        inputs = inputs_of(each.turn, each.before)
        hidden = head.read(inputs).hidden
        words = forms(each.turn)
        for value in each.values:
            if not value.wanted:
                continue
            ends = inputs.first + value.first, inputs.first + value.last
            text = " ".join(words[value.first : value.last + 1])
            alike = [f for f in each.said.facts if set(stems(f.value)) == set(stems(text))]
            owners = tuple(f.owner for f in sorted(alike, key=lambda f: not f.wanted))
            sentence, _ = each.turn.word(value.first)
            said = " ".join(t.form for t in each.turn.sentences[sentence].tokens)
            count = place[id(each.said)]
            told = Told(
                owners[0] if owners else "",
                text,
                said,
                each.said.session,
                str(count),
                date.fromisoformat(each.said.day).toordinal(),
                each.said.role,
                head.anew(hidden, *ends),
                np.zeros(0, np.float32),
            )
            span = np.concatenate([hidden[ends[0]], hidden[ends[1]]])
            rows.append(Marked(told, owners or ("",), span, count, -1))
    for owner, old, new, count in given.changes:
        after = [i for i, r in enumerate(rows) if r.count == count - 1 and _is(r, owner, new)]
        if not after:
            continue
        before = [i for i, r in enumerate(rows[: after[-1]]) if _is(r, owner, old)]
        if before:
            rows[after[-1]] = rows[after[-1]]._replace(replaces=before[-1])
    return rows


def _is(row: Marked, owner: str, value: str) -> bool:
    return owner in row.owners and set(stems(row.told.value)) == set(stems(value))


class Choice(NamedTuple):
    """A value, those before it, their features, which are there, and which it replaces."""

    new: Floats
    olds: Floats
    features: Floats
    known: NDArray[np.bool_]
    chosen: int


def choices(rows: Sequence[Marked], rng: np.random.Generator, ways: int) -> list[Choice]:
    """Each value as a choice among the last before it; in several `ways`, with any of the owners
    that they are said to have."""
    made: list[Choice] = []
    blank = np.zeros(SKETCH, np.float32)
    for way in range(ways):
        told = [
            r.told._replace(
                sketch=blank, owner=r.owners[int(rng.integers(len(r.owners))) if way else 0]
            )
            for r in rows
        ]
        for at, row in enumerate(rows):
            own = set(stems(row.told.value))
            earlier = [i for i in range(at) if set(stems(rows[i].told.value)) != own][-EARLIER:]
            if not earlier:
                continue
            count = len(earlier)
            olds = np.zeros((EARLIER, len(row.span)), np.float16)
            features = np.zeros((EARLIER, len(FEATURES)), np.float32)
            olds[:count] = [rows[i].span for i in earlier]
            features[:count] = features_of(told[at], [told[i] for i in earlier])
            chosen = earlier.index(row.replaces) if row.replaces in earlier else EARLIER
            made.append(Choice(row.span, olds, features, np.arange(EARLIER) < count, chosen))
    return made


def scores(p: Params, c: Choice, key: jax.Array | None) -> jax.Array:
    """float32[b, EARLIER + 1]: how well each would do, and none."""
    new, olds = jnp.asarray(c.new), jnp.asarray(c.olds, jnp.float32)
    if key is not None:
        one, two = jax.random.split(key)
        new = new * jax.random.bernoulli(one, 1 - DROPOUT, new.shape) / (1 - DROPOUT)
        kept = jax.random.bernoulli(two, 1 - DROPOUT, (len(olds), 1, olds.shape[2]))
        olds = olds * kept / (1 - DROPOUT)

    def sketch(x: jax.Array) -> jax.Array:
        y = x @ p["sketch"]
        return y / jnp.sqrt((y * y).sum(-1, keepdims=True) + 1e-6)

    alike = jnp.einsum("bs,bcs->bc", sketch(new), sketch(olds))
    found = c.features @ p["weights"] * 4
    for own, by in OF_SKETCHES:
        scale = c.features[..., by] if by >= 0 else 1.0
        found = found + alike * scale * p["weights"][own] * 4
    none = jnp.full((len(found), 1), p["none"])
    return jnp.concatenate([jnp.where(c.known, found, -1e9), none], 1)


def fit(rows: dict[str, list[Marked]], rng: np.random.Generator) -> Params:
    """The sketches' projection and the weights."""
    train = [c for each in rows.values() for c in choices(each, rng, WAYS)]
    size = len(train[0].new)
    p: Params = {
        "sketch": rng.normal(0, size**-0.5, (size, SKETCH)).astype(np.float32),
        "weights": np.zeros(len(FEATURES), np.float32),
        "none": np.float32(2),
    }
    for own, _ in OF_SKETCHES[:1]:
        p["weights"][own] = 1
    steps = PASSES * (len(train) // BATCH)
    adam = optax.adamw(optax.cosine_decay_schedule(RATE, steps), weight_decay=DECAY)
    state, key = adam.init(p), jax.random.PRNGKey(SEED)

    def loss(p: Params, c: Choice, key: jax.Array) -> jax.Array:
        chances = jax.nn.log_softmax(scores(p, c, key))
        return -jnp.take_along_axis(chances, jnp.asarray(c.chosen)[:, None], 1).mean()

    @jax.jit
    def step(p: Params, state: Any, c: Choice, key: jax.Array) -> tuple[Params, Any, jax.Array]:
        lost, grads = jax.value_and_grad(loss)(p, c, key)
        updates, state = adam.update(grads, state, p)
        return optax.apply_updates(p, updates), state, lost

    for turn in range(PASSES):
        order, lost = rng.permutation(len(train)), 0.0
        for at in range(0, len(order) - BATCH + 1, BATCH):
            key, own = jax.random.split(key)
            batch = _batch([train[i] for i in order[at : at + BATCH]])
            p, state, each = step(p, state, batch, own)
            lost += float(each)
        print(f"pass {turn + 1}: loss {lost / (len(order) // BATCH):.3f}", flush=True)
    return p


def _batch(rows: Sequence[Choice]) -> Choice:
    return Choice(*(np.stack(column) for column in zip(*rows, strict=True)))  # type: ignore[arg-type]


def measured(p: Params, rows: Sequence[Marked], rng: np.random.Generator) -> str:
    """How many of the marked changes are found, and how many of what is found are wrong."""
    made = choices(rows, rng, 1)
    chances = np.array(jax.nn.softmax(scores(p, _batch(made), None)))
    told: list[str] = []
    for sure in (0.5, SURE, 0.85):
        right = wrong = 0
        for row, each in zip(chances, made, strict=True):
            best = int(row[:-1].argmax())
            if row[best] > sure:
                right, wrong = right + (best == each.chosen), wrong + (best != each.chosen)
        told.append(f"{right} right and {wrong} wrong at {sure}")
    changes = sum(each.chosen < EARLIER for each in made)
    return f"{changes} changes of {len(made)} values: {', '.join(told)}"


def main() -> None:
    """Fit, print the weights and the figures of the sets that were left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path)
    parser.add_argument("values", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--leave", default="")
    given = parser.parse_args()
    left = {name for name in given.leave.split(",") if name}
    model, head = MiniLM(threads=1), ValueHead.load(given.values)
    rows = {
        name: marked(each, examples(each, model), head) for name, each in sets(given.sets).items()
    }
    rng = np.random.default_rng(SEED)
    p = fit({name: each for name, each in rows.items() if name not in left}, rng)
    for name, weight in zip(FEATURES, np.asarray(p["weights"]) * 4, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print(f"_NONE = {float(p['none']):.2f}")
    for name in sorted(left):
        print(f"{name}: {measured(p, rows[name], rng)}", flush=True)
    with np.load(given.values) as archive:
        kept = {name: archive[name] for name in archive.files}
    np.savez(given.out, **{**kept, "sketch": np.asarray(p["sketch"], np.float16)})


if __name__ == "__main__":
    main()

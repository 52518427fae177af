"""Fit the head that finds the turn that answers, taught by the encoder's last layers
(`quipu/kinds/conversations/answering/answering.npz`).

    python -m bench.teach.answering OUT.npz SETS.tar.xz …      # needs `jax`, `optax` and a GPU
    python -m bench.teach.answering OUT.npz SETS.tar.xz … --leave q4,s2   # and print their figures

The sets, the questions, the network and the file are those of `bench/teach/lessons.py`. The head is
taught by four teachers, which are too slow to ship: in each the encoder's last two layers, fitted
to three quarters of the sets, read a question and a turn together, so that their words meet there.
The head learns what is right and, more than that, what shares the turns of a set have by the
teacher that did not learn from it (Hinton and others 2015, "Distilling the knowledge in a neural
network"). One seed, one order; a GPU does not add up alike twice. Reading the sets, on one core,
takes most of the time, and the questions 10 GB of memory.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from bench.everyday_memory import Set, sets
from bench.teach.lessons import (
    BATCH,
    DECAY,
    MACHINE,
    NOWHERE,
    PLAIN,
    PLAINLY,
    RATE,
    SEED,
    Basis,
    Batch,
    Example,
    Floats,
    Params,
    beside,
    changed,
    command_line,
    drawn,
    example,
    examples,
    folded,
    forward,
    initial,
    initial_scores,
    lost_by_turns,
    lost_by_words,
    measured,
    own_words,
    searched,
)
from bench.teach.lessons import arrays as arrays_of
from quipu.embed import MiniLM
from quipu.embed.weights import find_model
from quipu.extract.statements import sentence_spans
from quipu.kinds.conversations.answering.head import AnswerHead
from quipu.kinds.conversations.answering.inputs import (
    ASKED,
    BEFORE,
    FEATURES,
    OWN,
    SAID,
    SHAPES,
    TURNS,
    SentenceWords,
    Words,
    _start,
    _units,
    encode,
    word_shapes,
    word_vectors,
)
from quipu.ports import Layers


def read_weights(path: Path) -> dict[str, Floats]:
    """Return the float32 arrays of a safetensors file by name."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    found: dict[str, Floats] = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(data[start:end], np.float32).reshape(entry["shape"])
    return found


class Course(NamedTuple):
    """How something is fitted: passes, questions a step, what weights lose a step, and how much of
    their average is kept a step; the average is the result."""

    passes: int
    batch: int
    decay: float
    kept: float


HEAD = Course(7, BATCH, DECAY, 0.999)
DROPOUT = 0.2
TAUGHT = 0.7
"""How much the teachers' shares weigh; what is right weighs the rest."""
TOWARDS_NONE = 1.0
BASIS = 4_500
"""How many texts the directions of words are made from."""

TEACHER = Course(4, 16, 0.02, 0.998)
TEACHER_SEED, TEACHER_WIDTH, TEACHER_RATE = 20, 192, 1e-3
ENCODER_RATE, LAYER_BELOW, PIECE_RATE = 2.5e-4, 0.9, 3 * 2.5e-4
"""The rates of the encoder's last layer, as a part of that the one below, and what is added to
pieces before both."""
LAYER_DROPOUT, WHOLE_DROPOUT = 0.1, 0.3
TEACHER_BY_WORD = 0.7
"""What words, and yes and no, weigh for a teacher, as a part of what they weigh for the head."""
FOLDS, FOLDS_SEED = 4, 1
"""Into how many parts the sets are split, and by which draw; of each another teacher learns
nothing."""

HIDDEN, ENCODER_HEADS, EPSILON, HALF = 384, 12, 1e-12, jnp.bfloat16
LAYERS = (4, 5)
"""Those fitted, counted from 0: the fifth and the sixth."""
ASKED_PIECES, BEFORE_PIECES, OWN_PIECES = 30, 24, 71
PIECES = ASKED_PIECES + BEFORE_PIECES + OWN_PIECES
PART = np.repeat(np.arange(3), (ASKED_PIECES, BEFORE_PIECES, OWN_PIECES))
NO_PIECE, NO_WORD = 0, -1
BESIDE = (
    *("whole_scale", "turn_query", "turn_key", "turn_value", "turn_mixed"),
    *("answers", "none", "none_bias"),
)
"""The teacher's weights that see turns beside each other."""


class Text(NamedTuple):
    """The words of a text; of each piece its row among the states, which word it is of (`NO_WORD`:
    none; of two the later), and that word's shapes, float32[p, `SHAPES`]."""

    words: Words
    rows: NDArray[np.int64]
    word: NDArray[np.int64]
    shapes: Floats

    def pieces(self, first: int, end: int) -> NDArray[np.int64]:
        """Those of the words from `first` to before `end`."""
        return np.flatnonzero((self.word >= first) & (self.word < end))


class Reader:
    """Reads texts, and keeps the states of their pieces: what the fourth and the last layer say,
    behind a row that stands for no piece."""

    def __init__(self, model: MiniLM) -> None:
        self._model = model
        self._states = [np.zeros((1, 2 * HIDDEN), np.float16)]
        self._count = 1

    def states(self) -> NDArray[np.float16]:
        """Of all pieces that were read, float16[n, 2 * `HIDDEN`]."""
        return np.concatenate(self._states)

    def read(self, text: str, speaker: str) -> Text:
        """A text with its pieces."""
        sentences: list[SentenceWords] = []
        rows, word = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        shapes = [np.zeros((0, SHAPES), np.float32)]
        window: Layers | None = None
        count = 0
        for spans, layers in encode(text, self._model.read, list(sentence_spans(text))):
            if layers is not window:
                window = layers
                rows.append(self._keep(layers))
                word.append(np.full(len(layers.starts), NO_WORD))
                shapes.append(np.zeros((len(layers.starts), SHAPES), np.float32))
            forms = tuple(text[start:end] for start, end in spans)
            sentences.append(SentenceWords(forms, word_vectors(layers, spans)))
            for (start, end), shape in zip(spans, word_shapes(forms), strict=True):
                first = np.searchsorted(layers.ends, start, side="right")
                own = slice(first, np.searchsorted(layers.starts, end, side="left"))
                word[-1][own], shapes[-1][own] = count, shape
                count += 1
        words = Words.of(sentences, speaker, machine=speaker == MACHINE)
        return Text(words, np.concatenate(rows), np.concatenate(word), np.concatenate(shapes))

    def _keep(self, layers: Layers) -> NDArray[np.int64]:
        """The rows of the pieces."""
        rows = self._count + np.arange(len(layers.vectors))
        self._states.append(layers.vectors[:, 2 * HIDDEN :].astype(np.float16))
        self._count += len(rows)
        return rows


class Lesson(NamedTuple):
    """A question for the head; and for a teacher, of each turn, the pieces of the question, of the
    turn before and of the turn: their rows among the states, int32[c, `PIECES`], and features,
    float16[c, `PIECES`, f]; of the turn's own the word that each is of, int64[c, `OWN_PIECES`]."""

    batch: Batch
    rows: NDArray[np.int32]
    features: NDArray[np.float16]
    words: NDArray[np.int64]


def lessons(given: Set, texts: Sequence[Text], reader: Reader, basis: Basis) -> Iterator[Lesson]:
    """The questions of a set."""
    words = [text.words for text in texts]
    for asking, hits in searched(given):
        question = reader.read(asking.text, "user")
        made = example(asking, hits, given, words, question.words)
        if made:
            places = [at for at, _ in hits if len(words[at].vectors)]
            yield lesson(made, question, places, texts, basis)


def lesson(
    made: Example, question: Text, places: Sequence[int], texts: Sequence[Text], basis: Basis
) -> Lesson:
    """A question with the pieces of the turns at `places`."""
    rows = np.full((TURNS, PIECES), NO_PIECE, np.int32)
    features = np.zeros((TURNS, PIECES, FEATURES), np.float16)
    words = np.zeros((TURNS, OWN_PIECES), np.int64)

    def put(turn: int | slice, at: int, text: Text, own: NDArray[np.int64], *speech: bool) -> None:
        rows[turn, at : at + len(own)] = text.rows[own]
        features[turn, at : at + len(own), :SHAPES] = text.shapes[own]
        features[turn, at : at + len(own), SHAPES:] = speech

    asked = question.pieces(0, ASKED)[:ASKED_PIECES]
    put(slice(None), 0, question, asked, False, False, True)
    unit = _units(made.inputs.asked)
    for turn, at in enumerate(places):
        text = texts[at]
        first = _start(text.words, unit)
        own = text.pieces(first, first + OWN)[:OWN_PIECES]
        put(turn, ASKED_PIECES + BEFORE_PIECES, text, own, False, text.words.machine, False)
        words[turn, : len(own)] = BEFORE + text.word[own] - first
        count = int(made.inputs.read[turn, :BEFORE].sum())
        if count:
            text = texts[at - 1]
            end = len(text.words.vectors)
            own = text.pieces(end - count, end)[-BEFORE_PIECES:]
            put(turn, ASKED_PIECES, text, own, True, text.words.machine, False)
    return Lesson(arrays_of(made, basis), rows, features, words)


def basis_of(texts: Sequence[Text]) -> Basis:
    """By the first words of some texts."""
    rng = np.random.default_rng(SEED)
    some = rng.choice(len(texts), min(len(texts), BASIS), replace=False)
    return Basis.by(np.concatenate([texts[at].words.vectors[:4] for at in some]))


def encoder_layer(weights: dict[str, Any], layer: int) -> Params:
    """The weights of one of the encoder's layers, as they are named within it."""
    prefix = f"encoder.layer.{layer}."
    return {
        name.removeprefix(prefix): weight
        for name, weight in weights.items()
        if name.startswith(prefix)
    }


def initial_teacher(rng: np.random.Generator) -> Params:
    """A teacher's weights before the first step."""
    normal, d = partial(drawn, rng), TEACHER_WIDTH
    weights = read_weights(find_model().weights)
    return {
        "layers": [encoder_layer(weights, layer) for layer in LAYERS],
        "part": np.zeros((3, HIDDEN), np.float32),
        "features": np.zeros((FEATURES, HIDDEN), np.float32),
        "word": normal(HIDDEN, fan=HIDDEN) / 2,
        "word_bias": np.float32(-2),
        "whole": normal(3 * HIDDEN + SAID + 3, d, fan=3 * HIDDEN),
        "whole_bias": np.zeros(d, np.float32),
        "whole_scale": np.ones(d, np.float32),
        **{f"turn_{name}": normal(d, d, fan=d) for name in ("query", "key", "value", "mixed")},
        **initial_scores(rng, d),
    }


def teacher_rates(p: Params) -> Params:
    """How fast each of a teacher's weights is learnt."""
    rates = jax.tree.map(lambda _: TEACHER_RATE, p)
    below, last = (jax.tree.map(lambda _: ENCODER_RATE, layer) for layer in p["layers"])
    below = jax.tree.map(lambda rate: rate * LAYER_BELOW, below)
    return {**rates, "layers": [below, last], "part": PIECE_RATE, "features": PIECE_RATE}


def _dropped(x: jax.Array, share: float, key: jax.Array | None) -> jax.Array:
    """With a share of the numbers left out; with all where there is no key."""
    if key is None:
        return x
    return x * jax.random.bernoulli(key, 1 - share, x.shape) / (1 - share)


def _linear(p: Params, name: str, x: jax.Array) -> jax.Array:
    """In half precision, for speed."""
    weight, bias = (jnp.asarray(p[f"{name}.{part}"], HALF) for part in ("weight", "bias"))
    return x.astype(HALF) @ weight.T + bias


def _normal(p: Params, name: str, x: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
    return scaled * p[f"{name}.weight"] + p[f"{name}.bias"]


def encoded(p: Params, x: jax.Array, read: jax.Array, key: jax.Array | None) -> jax.Array:
    """What one of the encoder's layers (Devlin and others 2018) says of pieces, float32[n, t,
    `HIDDEN`], of which those that are `read` are seen, bool[n, t]."""
    one, two = (None, None) if key is None else jax.random.split(key)
    query, keys, value = (
        _linear(p, f"attention.self.{name}", x).reshape(*x.shape[:2], ENCODER_HEADS, -1)
        for name in ("query", "key", "value")
    )
    scores = jnp.einsum("nihd,njhd->nhij", query, keys).astype(jnp.float32)
    scores = jnp.where(read[:, None, None], scores / query.shape[-1] ** 0.5, NOWHERE)
    shares = jax.nn.softmax(scores, -1).astype(value.dtype)
    mixed = jnp.einsum("nhij,njhd->nihd", shares, value).reshape(x.shape)
    mixed = _linear(p, "attention.output.dense", mixed)
    x = _normal(p, "attention.output.LayerNorm", x + _dropped(mixed, LAYER_DROPOUT, one))
    wide = jax.nn.gelu(_linear(p, "intermediate.dense", x), approximate=False)
    narrow = _linear(p, "output.dense", wide)
    return _normal(p, "output.LayerNorm", x + _dropped(narrow, LAYER_DROPOUT, two))


def read_together(
    p: Params, states: jax.Array, given: Lesson, key: jax.Array | None
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Each turn as a whole, float32[b, c, d], its score by what it says alone, and the scores of
    its own pieces; with numbers left out at random where a key is given."""
    rows, said = jnp.asarray(given.rows), given.batch.said
    read = rows != NO_PIECE
    found = jnp.asarray(states[rows], jnp.float32)
    x = found[..., :HIDDEN] + p["part"][PART]
    x = x + jnp.asarray(given.features, jnp.float32) @ p["features"]
    x, seen = x.reshape(-1, PIECES, HIDDEN), read.reshape(-1, PIECES)
    keys = [None] * 3 if key is None else list(jax.random.split(key, 3))
    for layer, own_key in zip(p["layers"], keys[:-1], strict=True):
        x = encoded(layer, x, seen, own_key)
    x = x.reshape(*rows.shape, HIDDEN)
    own = read & (PART == 2)
    by_word = x @ p["word"] + p["word_bias"]
    answer = jnp.where(own, by_word, NOWHERE)
    pooled = jnp.einsum("bct,bctd->bcd", jax.nn.softmax(answer, -1), x)
    best = jnp.maximum(answer.max(-1), -10)
    means = [_mean(x, read & which) for which in (PART > 0, PART == 0)]
    average, least = _met(found[..., HIDDEN:], read)
    numbers = jnp.stack([average, best / 5, least], -1)
    whole = jnp.concatenate([pooled, *means, said, numbers], -1)
    whole = _dropped(jax.nn.gelu(whole @ p["whole"] + p["whole_bias"]), WHOLE_DROPOUT, keys[-1])
    score = p["by_word"] * best + p["by_score"] * said[..., 0]
    return whole, score, by_word[..., -OWN_PIECES:]


def _mean(x: jax.Array, which: jax.Array) -> jax.Array:
    return (x * which[..., None]).sum(2) / jnp.maximum(which.sum(2), 1)[..., None]


def _met(last: jax.Array, read: jax.Array) -> tuple[jax.Array, jax.Array]:
    """How near the question's pieces are to the nearest of the turn, on average and at least, by
    the last layer as it was, float32[b, c, t, `HIDDEN`]."""
    unit = last / jnp.maximum(jnp.linalg.norm(last, axis=-1, keepdims=True), 1e-6)
    near = jnp.einsum("bctd,bqd->bctq", unit, unit[:, 0, :ASKED_PIECES])
    met = jnp.where((read & (PART > 0))[..., None], near, -1).max(2)
    asking = read[..., :ASKED_PIECES]
    average = (met * asking).sum(-1) / jnp.maximum(asking.sum(-1), 1)
    return average, jnp.where(asking, met, 1).min(-1)


def teacher_loss(p: Params, states: jax.Array, given: Lesson, key: jax.Array) -> jax.Array:
    """As that of the head, with the pieces for its words."""
    b = given.batch
    whole, score, by_word = read_together(p, states, given, key)
    scores, whole = beside(p, whole, score, b.turns)
    named = jnp.take_along_axis(jnp.asarray(b.named), jnp.asarray(given.words), 2)
    own = given.rows[..., -OWN_PIECES:] != NO_PIECE
    words = lost_by_words(b, by_word, named, own, whole @ p["yes"] + p["yes_bias"])
    return ((lost_by_turns(b, scores) + TEACHER_BY_WORD * words) * b.weight).mean()


class Taught(NamedTuple):
    """A question for the head; its turns as wholes and their scores, as the teacher has them that
    did not learn from it, and which that is."""

    batch: Batch
    whole: NDArray[np.float16]
    score: Floats
    teacher: int


def taught(p: Params, states: jax.Array, given: Sequence[Lesson], teacher: int) -> list[Taught]:
    """What a teacher makes of some questions."""
    reading = jax.jit(partial(read_together, key=None))
    found: list[Taught] = []
    for at in range(0, len(given), TEACHER.batch):
        some = given[at : at + TEACHER.batch]
        whole, score, _ = map(np.asarray, reading(p, states, _stacked(some)))
        found += [
            Taught(each.batch, whole[row].astype(np.float16), score[row], teacher)
            for row, each in enumerate(some)
        ]
    return found


def taught_loss(p: Params, teachers: Params, given: Taught, key: jax.Array) -> jax.Array:
    """As that of the head, but most of what it loses by the turns is the cross entropy to the
    shares that a teacher gives those that are left."""
    b = given.batch
    scores, by_word, yes = forward(p, b, key, DROPOUT)
    words = lost_by_words(b, by_word, b.named, own_words(b), yes)

    def told(teacher: Any, whole: Any, score: Any, turns: Any) -> jax.Array:
        own = jax.tree.map(lambda each: each[teacher], teachers)
        return beside(own, whole[None].astype(jnp.float32), score[None], turns[None])[0][0]

    shares = jax.nn.softmax(jax.vmap(told)(given.teacher, given.whole, given.score, b.turns), -1)
    by_teacher = optax.softmax_cross_entropy(scores, shares)
    turns = (1 - TAUGHT) * lost_by_turns(b, scores) + TAUGHT * by_teacher
    return ((turns + words) * b.weight).mean()


def _stacked(rows: Sequence[Any]) -> Any:
    """Lessons side by side."""
    return jax.tree.map(lambda *parts: np.stack(parts), *rows)


def fitted(
    lost: Callable[[Params, Any, Any, jax.Array], jax.Array],
    params: Params,
    rates: Params,
    shared: Any,
    given: Sequence[Any],
    course: Course,
    rng: np.random.Generator,
) -> Params:
    """The average of the weights as they were in the last steps. `lost` is told the weights, what
    is `shared` by all steps, some of the lessons and a key."""
    steps = course.passes * (len(given) // course.batch)
    rate = optax.cosine_onecycle_schedule(steps, 1.0, pct_start=0.15)
    adam = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(rate, b2=0.98, weight_decay=course.decay)
    )
    params = average = jax.tree.map(jnp.asarray, params)
    state, key, count = adam.init(params), jax.random.PRNGKey(SEED), 0

    @jax.jit
    def step(
        p: Params, average: Params, state: Any, count: int, shared: Any, some: Any, key: jax.Array
    ) -> tuple[Params, Params, Any, jax.Array]:
        now, grads = jax.value_and_grad(lost)(p, shared, some, key)
        updates, state = adam.update(grads, state, p)
        p = optax.apply_updates(p, jax.tree.map(jnp.multiply, updates, rates))
        kept = jnp.minimum(course.kept, (2 + count) / (11 + count))
        return p, optax.incremental_update(p, average, 1 - kept), state, now

    for turn in range(course.passes):
        begun, total, order = time.perf_counter(), 0.0, rng.permutation(len(given))
        for at in range(0, len(given) - course.batch + 1, course.batch):
            some = [given[row] for row in order[at : at + course.batch]]
            some = _stacked([each._replace(batch=changed(each.batch, rng)) for each in some])
            key, own = jax.random.split(key)
            params, average, state, each = step(params, average, state, count, shared, some, own)
            total, count = total + float(each), count + 1
        took = time.perf_counter() - begun
        lost_on_average = total * course.batch / len(given)
        print(f"pass {turn + 1}: {took:.0f} s, loss {lost_on_average:.3f}", flush=True)
    return average


def taught_by_folds(
    folds: Sequence[Sequence[Lesson]], states: jax.Array
) -> tuple[Params, list[Taught]]:
    """The weights of the teachers that see turns beside each other, one teacher behind the other,
    and all questions with what is made of them by the one that learnt from the other folds."""
    rng = np.random.default_rng(SEED)
    chosen = [
        [each for each in fold if each.batch.weight > PLAIN or rng.random() < PLAINLY]
        for fold in folds
    ]
    teachers: list[Params] = []
    found: list[Taught] = []
    for teacher, own in enumerate(folds):
        others = [each for fold, some in enumerate(chosen) if fold != teacher for each in some]
        print(f"teacher {teacher + 1}: {len(others)} questions", flush=True)
        seeded = np.random.default_rng(TEACHER_SEED + teacher)
        p = initial_teacher(seeded)
        p = fitted(teacher_loss, p, teacher_rates(p), states, others, TEACHER, seeded)
        found += taught(p, states, own, teacher)
        teachers.append({name: p[name] for name in BESIDE})
    return jax.tree.map(lambda *each: jnp.stack(each), *teachers), found


def fit(folds: Sequence[Sequence[Lesson]], states: jax.Array, basis: Basis, out: Path) -> None:
    """Write the weights of the head."""
    teachers, found = taught_by_folds(folds, states)
    print(f"head: {len(found)} questions", flush=True)
    rng = np.random.default_rng(SEED)
    p = initial(rng)
    rates = jax.tree.map(lambda _: RATE, p)
    p = fitted(taught_loss, p, rates, teachers, found, HEAD, rng)
    # Taught, the head gives "none" less than a head that learns right and wrong alone. With this
    # none has the share that it had there (.3 where a turn answers), which is what the thresholds
    # of those that ask the head rest on; the order of the turns stays as it is.
    p["none_bias"] = p["none_bias"] + TOWARDS_NONE
    np.savez(out, **folded(p, basis))


def main() -> None:
    """Read the sets, fit, print the figures of those that were left out."""
    given, left = command_line(__doc__)
    found = {name: each for path in given.sets for name, each in sets(path).items()}
    learnt = sorted(found.keys() - left)
    model = MiniLM(threads=1)
    reader = Reader(model)
    texts = {
        name: [reader.read(turn.text, turn.role) for turn in found[name].turns] for name in learnt
    }
    basis = basis_of([text for name in learnt for text in texts[name]])
    order = np.random.default_rng(FOLDS_SEED).permutation(len(learnt)) % FOLDS
    folds: list[list[Lesson]] = [[] for _ in range(FOLDS)]
    for name, fold in zip(learnt, order, strict=True):
        folds[fold] += lessons(found[name], texts[name], reader, basis)
    print(f"{sum(map(len, folds))} questions of {len(learnt)} sets", flush=True)
    fit(folds, jnp.asarray(reader.states()), basis, given.out)
    head = AnswerHead.load(given.out)
    for name in sorted(left):
        print(f"{name}: {measured(examples(found[name], model), head)}", flush=True)


if __name__ == "__main__":
    main()

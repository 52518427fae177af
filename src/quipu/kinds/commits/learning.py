"""What a repository's own past says about its weights, kept with the repository's record.

A commit that mends an earlier one and cites it by hash is a question whose answer is known: its
message, asked at its time. (Follow-ups are not learned from: they come within days, so they would
teach to look no further.) The weights are the maximum of a conditional logit (McFadden, 1974)
with a normal prior at the shipped ones.

Nothing looks ahead: weights are learned again whenever those citations have doubled, from the
latest there were, and a question is ranked by the last weights that were learned before it.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.commits.features import (
    CommitNearness,
    MeasuredCommits,
    VectorNearness,
    asked_commit,
    measure_commits,
)
from quipu.kinds.commits.history import CommitHistory, Floats, histories
from quipu.kinds.commits.model import repository_entity_id
from quipu.kinds.commits.profile import files_of
from quipu.kinds.commits.weights import (
    COMMITS,
    MESSAGE,
    MESSAGE_AND_FILES,
    CommitWeights,
    LearnedWeights,
    read_learned,
)
from quipu.ports import Store
from quipu.records.batch import Batch
from quipu.records.record import Chunk, Entity
from quipu.source import Draft
from quipu.when.instants import Clock
from quipu.write.lock import WriteLock

__all__ = ["Label", "labels_of", "learn", "learn_weights", "log_chances"]

_SOURCE = "repository"
_GROWN = 1.1
_DIGITS = 4
_METHOD = 1  # another way to learn has another number
_TRACKS: tuple[tuple[bool, CommitWeights], ...] = ((False, MESSAGE), (True, MESSAGE_AND_FILES))
_ROUNDS = 25
_SMALLEST_SCALE = 0.5
_CANDIDATES = 100
_ENOUGH = 1e-4


class Label(NamedTuple):
    """A commit of the history that cites earlier ones: all are rows."""

    row: int
    cited: NDArray[np.intp]


class Learned(NamedTuple):
    """Weights (float64[12]) that hold from `since` on (seconds since 1970), and how many labels
    they were learned from."""

    since: float
    labels: int
    weights: Floats


def labels_of(history: CommitHistory) -> list[Label]:
    """The commits that cite earlier ones because they mend their fault, in order."""
    citing, cited = history.citing[history.fixes], history.cited[history.fixes]
    earlier = history.times[cited] < history.times[citing]
    citing, cited = citing[earlier], cited[earlier]
    rows, starts = np.unique(citing, return_index=True)
    ends = np.append(starts, len(cited))[1:].tolist()
    return [
        Label(row, cited[start:end])
        for row, start, end in zip(rows.tolist(), starts.tolist(), ends, strict=True)
    ]


def learn(
    labels: Sequence[Label],
    history: CommitHistory,
    priors: Sequence[CommitWeights],
    measure: Callable[[Label], MeasuredCommits],
) -> list[list[Learned]]:
    """For each prior, the weights at every doubling of the labels, oldest first.

    `measure` gives a label's candidates, which serve every prior.
    """
    samples: dict[int, list[_Sample | None]] = {}
    found: list[list[Learned]] = [[] for _ in priors]
    count = COMMITS.least_labels
    while count <= len(labels):
        latest = range(max(0, count - COMMITS.labels), count)
        for place in latest:
            if place not in samples:
                label = labels[place]
                measured = measure(label)
                samples[place] = [_sample(measured, label, prior) for prior in priors]
        # What cites at this very moment is known only after it.
        since = float(np.nextafter(history.times[labels[count - 1].row], np.inf))
        for which, prior in enumerate(priors):
            used = [sample for place in latest if (sample := samples[place][which]) is not None]
            if used:
                found[which].append(Learned(since, count, _fit(used, np.array(prior.row()))))
        count *= 2
    return found


class _Sample(NamedTuple):
    features: Floats
    gold: Floats


def _sample(measured: MeasuredCommits, label: Label, prior: CommitWeights) -> _Sample | None:
    """The best candidates by the prior; None when what is cited is not among them."""
    scores = measured.features @ np.array(prior.row())
    order = np.lexsort((measured.rows, -scores))[:_CANDIDATES]
    gold = np.isin(measured.rows[order], label.cited)
    if not gold.any():
        return None
    return _Sample(measured.features[order], gold.astype(np.float64))


def _fit(samples: Sequence[_Sample], prior: Floats) -> Floats:
    """Newton's method on the penalised log-likelihood, in units of the prior weights."""
    active = prior != 0.0
    scale = np.maximum(np.abs(prior[active]), _SMALLEST_SCALE)
    features = np.concatenate([sample.features for sample in samples])[:, active] * scale
    gold = np.concatenate([sample.gold for sample in samples])
    sizes = np.array([len(sample.gold) for sample in samples])
    problem = _Problem(features, gold, sizes, prior[active] / scale)
    at = problem.centre
    loss, step = problem.step(at)
    for _ in range(_ROUNDS):
        length = 1.0
        while length > _ENOUGH:
            tried = at - length * step
            new_loss, new_step = problem.step(tried)
            if new_loss < loss:
                break
            length /= 2
        else:
            break
        moved = float(np.abs(tried - at).max())
        at, loss, step = tried, new_loss, new_step
        if moved < _ENOUGH:
            break
    weights = prior.copy()
    weights[active] = at * scale
    return weights


class _Problem:
    """Σ over questions of -log(chance of a gold candidate) + pull · |x - centre|²."""

    def __init__(self, features: Floats, gold: Floats, sizes: NDArray[np.int64], centre: Floats):
        self._features, self._gold, self._sizes = features, gold, sizes
        self._starts = np.cumsum(sizes) - sizes
        self.centre = centre

    def step(self, at: Floats) -> tuple[float, Floats]:
        """The loss, and Newton's step by the curvature of the chances, which is never negative."""
        scores = self._features @ at
        peak = np.maximum.reduceat(scores, self._starts)
        grown = np.exp(scores - np.repeat(peak, self._sizes))
        total = np.add.reduceat(grown, self._starts)
        right = np.add.reduceat(grown * self._gold, self._starts)
        right = np.maximum(right, 1e-300)
        chance = grown / np.repeat(total, self._sizes)
        deserved = grown * self._gold / np.repeat(right, self._sizes)
        away = at - self.centre
        loss = float((np.log(total) - np.log(right)).sum() + COMMITS.pull * (away @ away))
        slope = (chance - deserved) @ self._features + 2 * COMMITS.pull * away
        mean = np.add.reduceat(self._features * chance[:, None], self._starts, axis=0)
        curve = (self._features * chance[:, None]).T @ self._features - mean.T @ mean
        curve += 2 * COMMITS.pull * np.eye(len(at))
        return loss, np.asarray(np.linalg.solve(curve, slope), dtype=np.float64)


def log_chances(features: Floats, weights: Floats) -> Floats:
    """The logarithm of each candidate's chance to be meant; all chances add up to 1."""
    scores = features @ weights
    peak = scores.max(initial=-np.inf)
    return np.asarray(scores - peak - np.log(np.exp(scores - peak).sum()), dtype=np.float64)


def learn_weights(store: Store, space: str | None, *, turns: WriteLock, clock: Clock) -> int:
    """Learn each repository's weights where its citations have grown by a tenth, or by vectors
    of another `space`, since it was done last; how many repositories were learned from."""
    learned = 0
    for history in histories(store):
        name = _name(store, history)
        entity_id = repository_entity_id(store.namespace, history.repository)
        stored = store.get([entity_id]).get(entity_id)
        before = stored.properties if isinstance(stored, Entity) else {}
        labels = len(labels_of(history))
        known = before.get("labels")
        same = before.get("method") == _METHOD and space in (None, before.get("space"))
        if same and isinstance(known, int) and labels < known * _GROWN:
            continue
        rows = _learned(store, history, space)
        if not rows and not read_learned(before.get("learned")):
            continue
        entity = Entity(
            entity_id=entity_id,
            type="repo",
            name=name,
            updated_at=clock(),
            source_sha="",
            properties={
                "method": _METHOD,
                "labels": labels,
                "space": space,
                "learned": [msgspec.to_builtins(row) for row in rows],
            },
        )
        with turns.taken():
            store.write(_batch(store, entity, clock))
        learned += 1
    return learned


def _name(store: Store, history: CommitHistory) -> str:
    return store.chunks(history.numbers[:1])[0].heading_path[0]


def _learned(store: Store, history: CommitHistory, space: str | None) -> list[LearnedWeights]:
    measure = _measuring(store, history, space)
    by_track = learn(labels_of(history), history, [prior for _, prior in _TRACKS], measure)
    return [
        LearnedWeights(
            with_files=with_files,
            since=row.since,
            labels=row.labels,
            weights=tuple(round(value, _DIGITS) for value in row.weights.tolist()),
        )
        for (with_files, _), rows in zip(_TRACKS, by_track, strict=True)
        for row in rows
    ]


def _measuring(
    store: Store, history: CommitHistory, space: str | None
) -> Callable[[Label], MeasuredCommits]:
    """Measures a label's candidates as of its time, by its message and its files."""

    def measure(label: Label) -> MeasuredCommits:
        number = history.numbers[label.row : label.row + 1]
        chunk: Chunk = store.chunks(number)[0]
        moment = float(history.times[label.row])
        nearness = CommitNearness()
        if space is not None:
            vector, parts = store.vectors(number, space), store.parts(number, space)
            if vector.shape[1] and vector.any():
                title = parts[0][0] if len(parts[0]) else vector[0]
                nearness = VectorNearness(store, space, vector[0], title, moment=moment)
        asked = asked_commit(chunk.text, files_of(chunk))
        return measure_commits(asked, store, history, moment=moment, nearness=nearness)

    return measure


def _batch(store: Store, entity: Entity, clock: Clock) -> Batch:
    now = clock()
    ref = f"{_SOURCE}:{entity.name}"
    digest = hashlib.sha256(msgspec.json.encode(entity)).hexdigest()
    draft = Draft(namespace=store.namespace, type=_SOURCE, ref=ref, sha=digest, group=entity.name)
    entity = msgspec.structs.replace(entity, source_sha=digest)
    return draft.batch(draft.episode(now), [entity], now=now)

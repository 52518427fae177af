"""What a repository's own citations teach, kept with the repository's record."""

import hashlib
from collections.abc import Callable

import msgspec

from quipu.kinds.commits.features import (
    CommitNearness,
    MeasuredCommits,
    asked_commit,
    measure_commits,
)
from quipu.kinds.commits.history import CommitHistory, histories
from quipu.kinds.commits.learning import Label, labels_of, learn
from quipu.kinds.commits.model import repository_entity_id
from quipu.kinds.commits.nearness import VectorNearness
from quipu.kinds.commits.profile import files_of
from quipu.kinds.commits.weights import (
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

__all__ = ["learn_weights"]

_SOURCE = "repository"
_GROWN = 1.1
_DIGITS = 4
_METHOD = 1  # another way to learn has another number
_TRACKS: tuple[tuple[bool, CommitWeights], ...] = ((False, MESSAGE), (True, MESSAGE_AND_FILES))


def learn_weights(store: Store, space: str | None, *, turns: WriteLock, clock: Clock) -> int:
    """Learn each repository's weights where its citations have grown by a tenth, or by vectors
    of another `space`, since it was done last; how many repositories were learned from."""
    learned = 0
    for history in histories(store):
        name = _name(store, history)
        entity_id = repository_entity_id(store.namespace, history.repository)
        held = store.get([entity_id]).get(entity_id)
        before = held.properties if isinstance(held, Entity) else {}
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

"""Commits that may be used: each repository's history is ranked as it stood at the moment asked."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.domain.commit_weights import (
    FEATURES,
    MESSAGE,
    MESSAGE_AND_FILES,
    read_learned,
)
from quipu.domain.commits import repository_entity_id, title_of
from quipu.domain.instants import to_epoch
from quipu.domain.plan import Seed
from quipu.domain.records import Entity
from quipu.domain.scope import EVERYTHING, Scope
from quipu.index.asked import question_vectors
from quipu.index.commit_features import (
    MeasuredCommits,
    Nearness,
    asked_commit,
    measure_commits,
)
from quipu.index.commit_history import EVERY, LISTING, Floats, History, histories
from quipu.index.commit_learning import log_chances
from quipu.index.commit_nearness import VectorNearness
from quipu.ports import Embedder, Planner

__all__ = ["find_commits", "only_commits", "tie_commits", "united", "without_commits"]

_PROFILE = "commit"
_OTHERS = frozenset({"prose", "code", "conversation"})
_NOTHING = "nothing"
_ALL = 2**62
_TIED = 10
_TIES = 5
_TYPES = frozenset({"AUTHORED_BY", "FIXES", "FOLLOWS_UP", "MODIFIES", "REFERENCES", "REVERTS"})


class _Found(NamedTuple):
    number: int
    chance: float
    parts: dict[str, float]


def only_commits(scope: Scope) -> bool:
    """Whether `scope` admits nothing but commits."""
    own = frozenset({_PROFILE})
    return scope.profiles == own or scope.source_types == own


def without_commits(scope: Scope, planner: Planner) -> Scope:
    """`scope` for the other indexes: where there are commits they have a search of their own."""
    if not histories(planner) or (scope.profiles and _PROFILE not in scope.profiles):
        return scope
    others = (scope.profiles or _OTHERS) - {_PROFILE}
    return msgspec.structs.replace(scope, profiles=others or frozenset({_NOTHING}))


def united(others: tuple[Seed, ...], commits: tuple[Seed, ...]) -> tuple[Seed, ...]:
    """All seeds; a commit that relations led to as well keeps what they say of it."""
    if not commits:
        return others
    led = {seed.chunk_id: seed for seed in others}
    own = {seed.chunk_id for seed in commits}
    return tuple(seed for seed in others if seed.chunk_id not in own) + tuple(
        msgspec.structs.replace(
            seed,
            reasons=("graph", *seed.reasons),
            graph_ids=tuple(dict.fromkeys((*led[seed.chunk_id].graph_ids, *seed.graph_ids))),
        )
        if seed.chunk_id in led
        else seed
        for seed in commits
    )


def find_commits(
    question: str,
    files: Sequence[str],
    planner: Planner,
    embedder: Embedder | None,
    *,
    space: str | None,
    scope: Scope,
    limit: int,
) -> tuple[Seed, ...]:
    """The best `limit` commits before `scope.before`, best first; () where there are none.

    `files` are paths that the change in question touches.
    """
    if not _may_see_commits(scope):
        return ()
    best: list[_Found] = []
    for history in histories(planner):
        moment = to_epoch(scope.before) if scope.before else float(np.ceil(history.times[-1])) + 1
        nearness = _nearness(question, planner, embedder, space, moment)
        measured = measure_commits(
            asked_commit(question, files),
            planner,
            history,
            moment=moment,
            nearness=nearness,
            within=_within(history, planner, scope),
        )
        if len(measured.rows):
            weights = _weights(planner, history, moment, with_files=bool(files))
            best += _ranked(measured, history, weights, limit)
    best.sort(key=lambda found: (-found.chance, found.number))
    return _seeds(best[:limit], planner)


def tie_commits(seeds: tuple[Seed, ...], planner: Planner) -> tuple[Seed, ...]:
    """The seeds, the first commits among them with their relations to other commits and people."""
    first = [seed.document_id for seed in seeds if seed.profile == _PROFILE][:_TIED]
    if not first:
        return seeds
    ties = planner.neighbors(first, types=_TYPES, limit_per_id=_TIES)
    return tuple(
        msgspec.structs.replace(
            seed,
            graph_ids=tuple(
                dict.fromkeys((*seed.graph_ids, *(r.rel_id for r in ties[seed.document_id])))
            ),
        )
        if seed.profile == _PROFILE and seed.document_id in ties
        else seed
        for seed in seeds
    )


def _may_see_commits(scope: Scope) -> bool:
    return (not scope.profiles or _PROFILE in scope.profiles) and (
        not scope.source_types or _PROFILE in scope.source_types
    )


def _nearness(
    question: str, planner: Planner, embedder: Embedder | None, space: str | None, moment: float
) -> Nearness:
    if embedder is None or space is None:
        return Nearness()
    message = question_vectors(embedder, question).vector
    title = title_of(question)
    own = message if title == question else question_vectors(embedder, title).vector
    return VectorNearness(planner, space, message, own, moment=moment)


def _within(history: History, planner: Planner, scope: Scope) -> NDArray[np.bool_] | None:
    """Which commits `scope` admits, its `before` aside; None for all."""
    nothing = frozenset[str]()  # of sources and profiles it admits commits, or none were sought
    others = msgspec.structs.replace(scope, before=None, source_types=nothing, profiles=nothing)
    if others == EVERYTHING:
        return None
    listed = planner.occurrences(LISTING, [EVERY], scope=scope, limit=_ALL)[EVERY].numbers
    rows = history.rows_of(listed)
    within = np.zeros(len(history.times), dtype=np.bool_)
    within[rows[rows >= 0]] = True
    return within


def _weights(planner: Planner, history: History, moment: float, *, with_files: bool) -> Floats:
    """What the repository taught until `moment`, or the shipped weights."""
    prior = np.array((MESSAGE_AND_FILES if with_files else MESSAGE).row())
    held = planner.get([entity_id := repository_entity_id(planner.namespace, history.repository)])
    repository = held.get(entity_id)
    rows = repository.properties.get("learned") if isinstance(repository, Entity) else None
    chosen = prior
    for row in sorted(read_learned(rows), key=lambda row: row.since):
        if row.since <= moment and row.with_files == with_files:
            chosen = np.array(row.weights)
    return chosen


def _ranked(
    measured: MeasuredCommits, history: History, weights: Floats, limit: int
) -> list[_Found]:
    logs = log_chances(measured.features, weights)
    order = np.lexsort((measured.rows, -logs))[:limit]
    return [
        _Found(
            int(history.numbers[measured.rows[i]]),
            float(np.exp(logs[i])),
            _parts(measured.features[i].tolist(), float(np.exp(logs[i]))),
        )
        for i in order.tolist()
    ]


def _parts(features: Sequence[float], chance: float) -> dict[str, float]:
    named = dict(zip(FEATURES, features, strict=True))
    first = {"similarity": named.pop("similarity"), "lexical": named.pop("words")}
    return {**first, "name": named.pop("path_words"), **named, "chance": chance}


def _seeds(found: Sequence[_Found], planner: Planner) -> tuple[Seed, ...]:
    numbers = np.array([each.number for each in found], dtype=np.int64)
    documents = planner.document_ids(numbers)
    return tuple(
        Seed(
            chunk_id=chunk_id,
            document_id=document_id,
            profile=_PROFILE,
            reasons=("text", "vector") if each.parts["similarity"] > 0 else ("text",),
            parts=each.parts,
        )
        for each, chunk_id, document_id in zip(
            found, planner.chunk_ids(numbers), documents, strict=True
        )
    )

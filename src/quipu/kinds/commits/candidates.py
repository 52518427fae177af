"""Commits that may be used: each repository's history is ranked as it stood at the moment asked."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.index.asked import question_vectors
from quipu.kinds.commits.asked import asks_of_changes
from quipu.kinds.commits.features import FEATURES, WEIGHTS, Nearness, asked_commit, measure_commits
from quipu.kinds.commits.history import ALL, EVERY, LISTING, CommitHistory, histories
from quipu.kinds.commits.model import title_of
from quipu.plan.kinds import Apart, Asking
from quipu.ports import Embedder, Planner
from quipu.records.plan import Seed
from quipu.records.refs import COMMIT
from quipu.records.scope import EVERYTHING, Scope
from quipu.when.instants import to_epoch

__all__ = ["COMMITS"]

_PARTS = {"words": "lexical", "path_words": "name"}
"""What two features are called in `why_ranked`, as those of other profiles."""


class _ScoredCommit(NamedTuple):
    number: int
    chance: float
    features: dict[str, float]


class Commits(Apart):
    """Commits: each repository's history has an index of its own."""

    profile = COMMIT

    def exists(self, planner: Planner) -> bool:
        """Whether there are histories."""
        return bool(histories(planner))

    def find(self, asking: Asking) -> tuple[Seed, ...]:
        """The best before `scope.before`, best first; () where there are none. What a question
        is not about is set aside."""
        planner, scope = asking.planner, asking.scope
        if not self.admits(scope):
            return ()
        question, touched = asking.question.text, asking.touched
        nearness = _nearness(question, planner, asking.embedder, asking.space)
        best: list[_ScoredCommit] = []
        for history in histories(planner):
            last = float(np.ceil(history.times[-1])) + 1
            measured = measure_commits(
                asked_commit(question, touched),
                planner,
                history,
                moment=to_epoch(scope.before) if scope.before else last,
                nearness=nearness,
                within=_within(history, planner, scope),
            )
            scores = measured.features @ np.array(list(WEIGHTS.values()))
            chances = np.exp(scores - scores.max(initial=-np.inf))
            chances = chances / max(float(chances.sum()), 1.0)
            for at in np.lexsort((measured.rows, -scores))[: asking.limit].tolist():
                features = dict(zip(FEATURES, measured.features[at].tolist(), strict=True))
                number = int(history.numbers[measured.rows[at]])
                best.append(_ScoredCommit(number, float(chances[at]), features))
        best.sort(key=lambda found: (-found.chance, found.number))
        of_commits = self.only(scope) or bool(touched) or asks_of_changes(question)
        return _seeds(best[: asking.limit], planner, {} if of_commits else {"aside": 1.0})


COMMITS = Commits()


def _nearness(
    question: str, planner: Planner, embedder: Embedder | None, space: str | None
) -> Nearness | None:
    if embedder is None or space is None:
        return None
    message, title = (question_vectors(embedder, s).vector for s in (question, title_of(question)))
    return Nearness(planner, space, message, title)


def _within(history: CommitHistory, planner: Planner, scope: Scope) -> NDArray[np.bool_] | None:
    """Which commits `scope` admits, its `before` aside; None for all."""
    nothing = frozenset[str]()  # of sources and profiles it admits commits, or none were sought
    others = msgspec.structs.replace(scope, before=None, source_types=nothing, profiles=nothing)
    if others == EVERYTHING:
        return None
    listed = planner.occurrences(LISTING, [EVERY], scope=scope, limit=ALL)[EVERY].numbers
    rows = history.rows_of(listed)
    within = np.zeros(len(history.times), dtype=np.bool_)
    within[rows[rows >= 0]] = True
    return within


def _seeds(
    found: Sequence[_ScoredCommit], planner: Planner, all_have: dict[str, float]
) -> tuple[Seed, ...]:
    numbers = np.array([each.number for each in found], dtype=np.int64)
    ids = zip(planner.chunk_ids(numbers), planner.document_ids(numbers), strict=True)
    seeds: list[Seed] = []
    for each, (chunk_id, document_id) in zip(found, ids, strict=True):
        parts = {_PARTS.get(name, name): value for name, value in each.features.items()}
        seeds.append(
            Seed(
                chunk_id=chunk_id,
                document_id=document_id,
                profile=COMMIT,
                reasons=("text", "vector") if parts["similarity"] > 0 else ("text",),
                parts={**parts, "chance": each.chance, **all_have},
            )
        )
    return tuple(seeds)

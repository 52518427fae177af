"""Every earlier commit scored on every side, for a message and, if known, the files it touches.

Only what stood at the asked moment is looked at: frequencies, lengths, ranks of recency and
citations are those of the commits before it. docs/reference/commits.md tells each feature.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.kinds.commits.history import CommitHistory, Floats, Rows, TermPostings, file_hash
from quipu.kinds.commits.model import file_terms, message_terms, paths_in, title_of, words_of
from quipu.ports import Index
from quipu.records.refs import COMMIT
from quipu.records.scope import Scope
from quipu.records.weights import Calibration
from quipu.when.instants import from_epoch

__all__ = [
    "COMMITS",
    "CURVE",
    "FEATURES",
    "WEIGHTS",
    "MeasuredCommits",
    "Nearness",
    "asked_commit",
    "measure_commits",
]

WEIGHTS: Mapping[str, float] = {
    "words": 10.0,
    "path_words": 1.5,
    "similarity": 3.0,
    "age": 0.3,
    "breadth": 0.75,
    "word_recency": 5.2,
    "cited": 2.5,
    "predicted_files": 1.0,
    "predicted_recency": 1.7,
    "file_recency": 3.0,
    "file_words": 1.4,
}
"""raw = Σ weight · feature. `age` is -ln(days + .02), `breadth` ln(1 + files); every other feature
lies in [0, 1]. Files that are known weigh instead of those that are predicted."""

FEATURES = tuple(WEIGHTS)
"""The features of a commit, in the order of the columns of a matrix of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRanking:
    """How commits are compared."""

    # BM25 of messages and paths; a word of the question counts 1.5 tf / (tf + .5).
    k1: float = 1.2
    b: float = 0.75
    b_paths: float = 0.6
    most_tf: int = 3
    # Words count by how far the best match is from one that holds every word, but never less
    # than `words_least`.
    words_below: float = 0.5
    words_least: float = 0.3
    # The candidates whose files predict the files: words, vectors and youth choose them.
    predictors: int = 40
    likeliest: int = 12
    predictor_words: float = 0.5
    predictor_similarity: float = 0.5
    predictor_age: float = 0.015
    # Candidates that are scored on every side: the best by all but vectors, and the nearest.
    scored: int = 400
    near: int = 200


COMMITS = CommitRanking()
CURVE = Calibration(slope=0.75, cosine=0.0, offset=-0.15)
"""Turns the log-odds of the chance that a commit is meant into a score."""


_DAY = 86_400.0
_JUST_NOW = 0.02


@dataclass(frozen=True, slots=True)
class AskedCommit:
    """What is asked about: the terms of its message and paths with their weights, and the hashes of
    its files."""

    words: Mapping[str, float]
    paths: Mapping[str, float]
    file_words: Mapping[str, float]
    files: tuple[int, ...]


class MeasuredCommits(NamedTuple):
    """A row a candidate: its row in the history, and its features (float64[n, 9])."""

    rows: Rows
    features: Floats


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines between what is asked and commits: the better of the message asked with a commit's
    title, and its title with the commit's message."""

    index: Index
    space: str
    message: NDArray[np.float32]
    title: NDArray[np.float32]

    def near(self, history: CommitHistory, known: int, moment: float) -> Rows:
        """Return the nearest by the message's vector among the first `known`."""
        scope = Scope(profiles=frozenset({COMMIT}), before=from_epoch(moment))
        ranked = self.index.match_vector(
            self.message, space=self.space, scope=scope, limit=COMMITS.near
        )
        rows = history.rows_of(ranked.numbers)
        return np.sort(rows[(rows >= 0) & (rows < known)])

    def cosines(self, numbers: NDArray[np.int64]) -> Floats:
        """Return the cosine of each commit; 0 for one without a vector."""
        messages = self.index.vectors(numbers, self.space) @ self.title
        titles = self.index.best_parts(numbers, self.space, self.message)
        return np.maximum(np.maximum(messages.astype(np.float64), titles), 0.0)


def asked_commit(message: str, files: Sequence[str] = ()) -> AskedCommit:
    """Return a message, or any question, and the files that are touched, as they are compared."""
    cleaned = words_of(message)
    words = message_terms(cleaned) + message_terms(words_of(title_of(message)))
    paths = _weights(words)
    for term in file_terms(paths_in(cleaned)):
        paths.setdefault(term, 1.0)
    for word in words:  # "http2: mend …" names a file without its ending
        paths.setdefault(word if word.startswith("=") else f"={word}", 1.0)
    return AskedCommit(
        words=_weights(words),
        paths=paths,
        file_words=_weights(file_terms(files)),
        files=tuple(sorted({file_hash(path) for path in files})),
    )


def _weights(terms: Sequence[str]) -> dict[str, float]:
    counts = {term: min(tf, COMMITS.most_tf) for term, tf in Counter(terms).items()}
    return {term: 1.5 * tf / (tf + 0.5) for term, tf in counts.items()}


def measure_commits(
    asked: AskedCommit,
    index: Index,
    history: CommitHistory,
    *,
    moment: float,
    nearness: Nearness | None = None,
    within: NDArray[np.bool_] | None = None,
) -> MeasuredCommits:
    """Return the best candidates before `moment` (seconds since 1970), by row, with their features.

    Without `nearness` words alone tell. `within` says which commits may be given; the others still
    tell what is rare and recent.
    """
    known = history.known_before(moment)
    if not known:
        return MeasuredCommits(np.zeros(0, dtype=np.intp), np.zeros((0, len(FEATURES))))
    columns = _Columns(index, history, known).of(asked, moment)
    allowed = np.ones(known, dtype=np.bool_) if within is None else within[:known]
    rows = _best(_total(columns), COMMITS.scored)
    if nearness is not None:
        rows = np.union1d(rows, nearness.near(history, known, moment))
    if not asked.files:
        alike = COMMITS.predictor_age * columns["age"] + COMMITS.predictor_words * _shares(
            columns["words"]
        )
        likeness = alike[rows]
        if nearness is not None:
            near = nearness.cosines(history.numbers[rows])
            likeness = likeness + COMMITS.predictor_similarity * near
        columns |= _predicted(history, rows, likeness, known)
    best = _best(np.where(allowed, _total(columns), -np.inf), COMMITS.scored)
    rows = np.union1d(rows, best)
    rows = rows[allowed[rows]]
    nothing = np.zeros(len(rows))
    features = {name: values[rows] for name, values in columns.items()}
    features["similarity"] = nearness.cosines(history.numbers[rows]) if nearness else nothing
    ordered = [features.get(name, nothing) for name in FEATURES]
    return MeasuredCommits(rows, np.stack(ordered, axis=1))


def _total(columns: Mapping[str, Floats]) -> Floats:
    parts = [WEIGHTS[name] * values for name, values in columns.items()]
    return np.asarray(np.sum(parts, axis=0), dtype=np.float64)


def _best(scores: Floats, count: int) -> Rows:
    """The rows of the `count` highest scores, ascending; at a tie the latest."""
    return np.sort(np.lexsort((np.arange(len(scores)), scores))[-count:])


@dataclass(frozen=True, slots=True)
class _Columns:
    """The features that need no vectors, for all of the first `known` commits."""

    index: Index
    history: CommitHistory
    known: int

    def of(self, asked: AskedCommit, moment: float) -> dict[str, Floats]:
        """Return each feature by its name, float64[known]."""
        history, known = self.history, self.known
        words = history.postings(self.index, "commit", list(asked.words), known)
        sought = list({**asked.paths, **asked.file_words})
        paths = history.postings(self.index, "commit-path", sought, known)
        raw, ideal = self._bm25("commit", words, asked.words, COMMITS.b)
        alike = _shares(raw)
        share = float(raw.max()) / ideal if ideal else 0.0
        days = np.maximum(moment - history.times[:known], 0.0) / _DAY
        held = [words[t].rows if t in words else _NOWHERE for t in sorted(asked.words)]
        touching = [history.rows_with(file, known) for file in asked.files]
        return {
            "words": max(COMMITS.words_least, COMMITS.words_below - share) * alike,
            "path_words": self._paths(paths, asked.paths),
            "age": -np.log(days + _JUST_NOW),
            "breadth": np.log1p(history.touched[:known]),
            "word_recency": self._recency(held),
            "cited": self._cited(alike),
            "file_recency": self._recency(touching),
            "file_words": self._paths(paths, asked.file_words),
        }

    def _paths(self, found: Mapping[str, TermPostings], weights: Mapping[str, float]) -> Floats:
        return _shares(self._bm25("commit-path", found, weights, COMMITS.b_paths)[0])

    def _bm25(
        self, field: str, found: Mapping[str, TermPostings], weights: Mapping[str, float], b: float
    ) -> tuple[Floats, float]:
        """Every commit's BM25, and that of one which holds every term without end."""
        lengths, total = self.history.lengths[field], self.history.totals[field]
        average = max(float(total[self.known - 1]) / self.known, 1e-9)
        norm = bm25.norm(lengths[: self.known], average, COMMITS.k1, b)
        scores, ideal = np.zeros(self.known), 0.0
        for term in sorted(weights):
            rows, tf = found.get(term, TermPostings(_NOWHERE, np.zeros(0)))
            weight = weights[term] * bm25.idf(len(rows), self.known)
            ideal += weight * (COMMITS.k1 + 1.0)
            scores[rows] += bm25.contribution(tf, norm[rows], weight, COMMITS.k1)
        return scores, ideal

    def _recency(self, found: Iterable[Rows]) -> Floats:
        """Σ idf / √(how many commits that hold it came since, itself included) ÷ Σ idf."""
        scores, total = np.zeros(self.known), 0.0
        for rows in found:
            idf = bm25.idf(len(rows), self.known)
            total += idf
            scores[rows] += idf / np.sqrt(np.arange(len(rows), 0, -1))
        return scores / total if total else scores

    def _cited(self, alike: Floats) -> Floats:
        """The best match among the earlier commits that cite each one by hash."""
        scores = np.zeros(self.known)
        until = int(np.searchsorted(self.history.citing, self.known))
        np.maximum.at(scores, self.history.cited[:until], alike[self.history.citing[:until]])
        return scores


_NOWHERE: Rows = np.zeros(0, dtype=np.intp)


def _shares(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores


def _predicted(
    history: CommitHistory, rows: Rows, likeness: Floats, known: int
) -> dict[str, Floats]:
    """How much of what the likest commits touch each one touches, its own share left out; and how
    recently it touched the likeliest of those files."""
    order = np.lexsort((rows, -likeness))[: COMMITS.predictors]
    weights = likeness[order] - likeness[order].min(initial=np.inf)
    shares: Counter[int] = Counter()
    own: list[tuple[int, float]] = []
    for row, weight in zip(rows[order].tolist(), weights.tolist(), strict=True):
        share = weight / max(float(history.touched[row]), 1.0) ** 0.5
        own.append((row, share))
        for file in history.files_of(row).tolist() if weight > 0 else ():
            shares[file] += share
    rows_of = {file: history.rows_with(file, known) for file in shares}
    value = {f: shares[f] * bm25.idf(len(rows), known) for f, rows in rows_of.items()}
    overlap, recency = np.zeros(known), np.zeros(known)
    for place, file in enumerate(sorted(value, key=lambda file: (-value[file], file))):
        there = rows_of[file]
        overlap[there] += value[file]
        if place < COMMITS.likeliest:
            recency[there] += value[file] / np.sqrt(np.arange(len(there), 0, -1))
    for row, share in own:
        touched = history.files_of(row).tolist()
        overlap[row] -= share * sum(value[f] / shares[f] for f in touched if shares[f])
    overlap = np.maximum(overlap, 0.0) / np.sqrt(np.maximum(history.touched[:known], 1.0))
    return {"predicted_files": _shares(overlap), "predicted_recency": _shares(recency)}

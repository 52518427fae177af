"""Every earlier commit scored on every side, for a message and, if known, the files it touches.

Only what stood at the asked moment is looked at: frequencies, lengths, ranks of recency and
citations are those of the commits before it. docs/reference/commits.md tells each feature.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.kinds.commits.columns import file_hash
from quipu.kinds.commits.history import CommitHistory, Floats, Rows, TermPostings
from quipu.kinds.commits.model import file_terms, message_terms, paths_in, title_of, words_of
from quipu.kinds.commits.weights import COMMITS, FEATURES, MESSAGE, MESSAGE_AND_FILES
from quipu.ports import Index
from quipu.records.scope import Scope
from quipu.when.instants import from_epoch

__all__ = ["MeasuredCommits", "Nearness", "asked_commit", "measure_commits"]

_COMMITS = frozenset({"commit"})
_DAY = 86_400.0
_JUST_NOW = 0.02
_SIMILARITY = FEATURES.index("similarity")


@dataclass(frozen=True, slots=True)
class AskedCommit:
    """What is asked about: the terms of its message, title and paths with their weights, and
    the hashes of its files."""

    words: Mapping[str, float]
    title: Mapping[str, float]
    paths: Mapping[str, float]
    file_words: Mapping[str, float]
    files: NDArray[np.uint64]


class Nearness:
    """Cosines between what is asked and commits: the better of the message asked with a commit's
    title, and its title with the commit's message."""

    def __init__(
        self,
        index: Index,
        space: str,
        message: NDArray[np.float32],
        title: NDArray[np.float32],
        *,
        moment: float,
    ) -> None:
        """Only commits before `moment` (seconds since 1970) are looked for."""
        self._index, self._space = index, space
        self._message, self._title = message, title
        self._before = from_epoch(moment)
        self._found: dict[int, float] = {}

    def near(self, history: CommitHistory, known: int) -> Rows:
        """The nearest by the message's vector."""
        ranked = self._index.match_vector(
            self._message,
            space=self._space,
            scope=Scope(profiles=_COMMITS, before=self._before),
            limit=COMMITS.near,
        )
        rows = history.rows_of(ranked.numbers)
        return np.sort(rows[(rows >= 0) & (rows < known)])

    def cosines(self, history: CommitHistory, rows: Rows) -> Floats:
        """0 for a commit without a vector."""
        new = np.array([row for row in rows.tolist() if row not in self._found], dtype=np.intp)
        if len(new):
            numbers = history.numbers[new]
            messages = self._index.vectors(numbers, self._space) @ self._title
            titles = self._index.best_parts(numbers, self._space, self._message)
            best = np.maximum(np.maximum(messages.astype(np.float64), titles), 0.0)
            self._found.update(zip(new.tolist(), best.tolist(), strict=True))
        return np.array([self._found[row] for row in rows.tolist()], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class MeasuredCommits:
    """A row a candidate: its row in the history, and its features (float64[n, 11])."""

    rows: Rows
    features: Floats


def asked_commit(message: str, files: Sequence[str] = ()) -> AskedCommit:
    """A message, or any question, and the files that are touched, as they are compared."""
    cleaned = words_of(message)
    title = message_terms(words_of(title_of(message)))
    words = message_terms(cleaned) + title
    paths = _weights(words)
    for term in file_terms(paths_in(cleaned)):
        paths.setdefault(term, 1.0)
    for word in words:  # "http2: mend …" names a file without its ending
        paths.setdefault(word if word.startswith("=") else f"={word}", 1.0)
    named = sorted({file_hash(path) for path in files})
    return AskedCommit(
        words=_weights(words),
        title=_weights(title),
        paths=paths,
        file_words=_weights(file_terms(files)),
        files=np.array(named, dtype=np.uint64),
    )


def _weights(terms: Sequence[str]) -> dict[str, float]:
    counts = Counter(terms)
    most = COMMITS.most_tf
    return {term: 1.5 * min(tf, most) / (min(tf, most) + 0.5) for term, tf in counts.items()}


def measure_commits(
    asked: AskedCommit,
    index: Index,
    history: CommitHistory,
    *,
    moment: float,
    nearness: Nearness | None,
    within: NDArray[np.bool_] | None = None,
) -> MeasuredCommits:
    """The best candidates before `moment` (seconds since 1970), by row, with their features.

    Without `nearness` words alone tell. `within` says which commits may be given; the others still
    tell what is rare and recent.
    """
    known = history.known_before(moment)
    if not known:
        return MeasuredCommits(np.zeros(0, dtype=np.intp), np.zeros((0, len(FEATURES))))
    found = _Dense(asked, index, history, known, moment)
    first = found.partial()
    base = found.likeness()
    rows = _best(first, COMMITS.scored)
    rows = np.union1d(rows, _best(base, COMMITS.near))
    if nearness is not None:
        rows = np.union1d(rows, nearness.near(history, known))
    cosines = nearness.cosines(history, rows) if nearness else np.zeros(len(rows))
    predicted = _predicted_files(
        history, rows, base[rows] + COMMITS.predictor_similarity * cosines, known
    )
    found.columns["predicted_files"], found.columns["predicted_recency"] = predicted
    more = (
        first
        + MESSAGE["predicted_files"] * predicted[0]
        + MESSAGE["predicted_recency"] * predicted[1]
    )
    if within is None:
        rows = np.union1d(rows, _best(more, COMMITS.scored))
    else:
        allowed = within[:known]
        rows = np.union1d(rows, _best(np.where(allowed, more, -np.inf), COMMITS.scored))
        rows = rows[allowed[rows]]
    features = np.stack([column[rows] for column in found.ordered()], axis=1)
    if nearness is not None:
        features[:, _SIMILARITY] = nearness.cosines(history, rows)
    return MeasuredCommits(rows, features)


def _best(scores: Floats, count: int) -> Rows:
    """The rows of the `count` highest scores, ascending; at a tie the latest."""
    if len(scores) <= count:
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.union1d(np.flatnonzero(scores > least), np.flatnonzero(scores == least)[-count:])


class _Dense:
    """The features that need nothing but arrays, for all of the first `known` commits."""

    def __init__(
        self, asked: AskedCommit, index: Index, history: CommitHistory, known: int, moment: float
    ) -> None:
        self._history, self._known = history, known
        words = history.postings(index, "commit", list(asked.words), known)
        titles = history.postings(index, "commit-title", list(asked.title), known)
        sought = {**asked.paths, **asked.file_words}
        paths = history.postings(index, "commit-path", list(sought), known)
        raw, ideal = self._bm25("commit", words, asked.words, COMMITS.b)
        self.alike = _shares(raw)
        share = float(raw.max()) / ideal if ideal else 0.0
        missing = max(COMMITS.words_least, COMMITS.words_below - share)
        self._title = _shares(self._bm25("commit-title", titles, asked.title, COMMITS.b)[0])
        days = np.maximum(moment - history.times[:known], 0.0) / _DAY
        self.columns: dict[str, Floats] = {
            "words": missing * self.alike,
            "path_words": _shares(self._paths(paths, asked.paths)),
            "age": -np.log(days + _JUST_NOW),
            "breadth": np.log1p(history.touched[:known]),
            "word_recency": self._recency([words.get(term) for term in sorted(asked.words)]),
            "cited": self._cited(),
            "file_recency": self._recency(
                [self._touching(file) for file in history.file_numbers(asked.files).tolist()]
            ),
            "file_words": _shares(self._paths(paths, asked.file_words)),
        }

    def ordered(self) -> list[Floats]:
        """The columns in the order of FEATURES."""
        nothing = np.zeros(self._known)
        return [self.columns.get(name, nothing) for name in FEATURES]

    def partial(self) -> Floats:
        """What can be said before vectors and predicted files."""
        known_files = bool(self.columns["file_words"].any() or self.columns["file_recency"].any())
        weights = MESSAGE_AND_FILES if known_files else MESSAGE
        total = np.zeros(self._known)
        for name, weight in weights.items():
            if weight and name in self.columns:
                total += weight * self.columns[name]
        return total

    def likeness(self) -> Floats:
        """What chooses the commits whose files predict the files."""
        return (
            COMMITS.predictor_words * self.alike
            + COMMITS.predictor_title * self._title
            + COMMITS.predictor_age * self.columns["age"]
        )

    def _paths(self, found: Mapping[str, TermPostings], weights: Mapping[str, float]) -> Floats:
        return self._bm25("commit-path", found, weights, COMMITS.b_paths)[0]

    def _bm25(
        self, field: str, found: Mapping[str, TermPostings], weights: Mapping[str, float], b: float
    ) -> tuple[Floats, float]:
        """Every commit's BM25, and that of one which holds every term without end."""
        lengths, total = self._history.lengths[field], self._history.totals[field]
        average = max(float(total[self._known - 1]) / self._known, 1e-9)
        norm = bm25.norm(lengths[: self._known], average, COMMITS.k1, b)
        scores = np.zeros(self._known)
        ideal = 0.0
        for term in sorted(weights):
            postings = found.get(term)
            idf = bm25.idf(0 if postings is None else len(postings.rows), self._known)
            ideal += weights[term] * idf * (COMMITS.k1 + 1.0)
            if postings is not None:
                rows = postings.rows
                scores[rows] += bm25.contribution(
                    postings.tf, norm[rows], weights[term] * idf, COMMITS.k1
                )
        return scores, ideal

    def _recency(self, found: Sequence[TermPostings | Rows | None]) -> Floats:
        """Σ idf / √(how many commits that hold it came since, itself included) ÷ Σ idf."""
        scores, total = np.zeros(self._known), 0.0
        for postings in found:
            rows = postings.rows if isinstance(postings, TermPostings) else postings
            count = 0 if rows is None else len(rows)
            idf = bm25.idf(count, self._known)
            total += idf
            if rows is not None and count:
                scores[rows] += idf / np.sqrt(np.arange(count, 0, -1))
        return scores / total if total else scores

    def _touching(self, file: int) -> Rows | None:
        return None if file < 0 else self._history.rows_with(file, self._known)

    def _cited(self) -> Floats:
        """The best match among the earlier commits that cite each one by hash."""
        scores = np.zeros(self._known)
        until = int(np.searchsorted(self._history.citing, self._known))
        citing, cited = self._history.citing[:until], self._history.cited[:until]
        np.maximum.at(scores, cited, self.alike[citing])
        return scores


def _shares(scores: Floats) -> Floats:
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores


def _predicted_files(
    history: CommitHistory, rows: Rows, likeness: Floats, known: int
) -> tuple[Floats, Floats]:
    """How much of what the likest commits touch each one touches, its own share left out; and
    how recently it touched the likeliest of those files."""
    order = np.lexsort((rows, -likeness))[: COMMITS.predictors]
    weights = likeness[order] - likeness[order].min() if len(order) else likeness[order]
    shares: dict[int, float] = {}
    own: list[tuple[int, float]] = []
    for row, weight in zip(rows[order].tolist(), weights.tolist(), strict=True):
        files = history.files_of(row)
        if weight > 0 and len(files):
            share = weight / math.sqrt(max(history.touched[row], 1.0))
            own.append((row, share))
            for file in files.tolist():
                shares[file] = shares.get(file, 0.0) + share
    rows_of = {file: history.rows_with(file, known) for file in shares}
    idf = {file: bm25.idf(len(there), known) for file, there in rows_of.items()}
    overlap, recency = np.zeros(known), np.zeros(known)
    ranked = sorted(shares, key=lambda file: (-shares[file] * idf[file], file))
    for place, file in enumerate(ranked):
        there, value = rows_of[file], shares[file] * idf[file]
        overlap[there] += value
        if place < COMMITS.likeliest:
            recency[there] += value / np.sqrt(np.arange(len(there), 0, -1))
    for row, share in own:
        overlap[row] -= share * sum(idf[file] for file in history.files_of(row).tolist())
    overlap = np.maximum(overlap, 0.0) / np.sqrt(np.maximum(history.touched[:known], 1.0))
    return _shares(overlap), _shares(recency)

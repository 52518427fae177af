"""The numbers that rank commits, rounded by hand (docs/reference/commits.md)."""

from collections.abc import Mapping
from dataclasses import dataclass

from quipu.records.weights import Calibration

__all__ = ["COMMITS", "CURVE", "FEATURES", "WEIGHTS"]

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

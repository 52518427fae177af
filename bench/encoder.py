"""The local encoder in fp32 and in 8 bits: processor time, closeness and recall of vectors alone.

    python bench/encoder.py FOLDER [PASSAGES]

FOLDER holds `corpus.jsonl`, `queries.jsonl` (`id`, `text`, a passage's `title`) and `qrels.tsv`, as
BEIR's do. Of the passages the answers and then the first by id are read, PASSAGES (1500) in all.
Recall in the first five and nDCG@10 are printed with their difference to fp32's and its standard
error over the questions.
"""

import csv
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from quipu.embed import MiniLM

HITS, GAINS = 5, 10


def _lines(path: Path) -> dict[str, str]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.open(encoding="utf-8")]
    return {str(row["id"]): _as_embedded(row.get("title", ""), row["text"]) for row in rows}


def _as_embedded(title: str, text: str) -> str:
    return f"{title}: {text}" if title else text


def _judged(path: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if float(row["score"]) > 0:
                found.setdefault(row["query-id"], {})[row["corpus-id"]] = float(row["score"])
    return found


def _figures(hits: list[str], judged: dict[str, float]) -> tuple[float, float]:
    """Recall among the first `HITS`, and nDCG of the first `GAINS`."""
    best = sorted(judged.values(), reverse=True)[:GAINS]
    gained, possible = (
        sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
        for gains in ([judged.get(hit, 0.0) for hit in hits[:GAINS]], best)
    )
    return len(judged.keys() & set(hits[:HITS])) / len(judged), gained / possible


def _beside(now: Any, first: Any) -> str:
    """A figure's mean, the mean difference, and its standard error over the questions."""
    change = now - first
    return f"{now.mean():.3f} ({change.mean():+.4f} ± {change.std() / len(change) ** 0.5:.4f})"


def _timed(model: MiniLM, texts: list[str]) -> tuple[Any, float]:
    started = time.process_time()
    vectors = model.embed(texts)
    return vectors, 1000 * (time.process_time() - started) / max(1, len(texts))


def main(folder: Path, passages: int) -> None:
    """Print a line a precision."""
    corpus, asked = _lines(folder / "corpus.jsonl"), _lines(folder / "queries.jsonl")
    judged = _judged(folder / "qrels.tsv")
    answers = sorted(set[str]().union(*judged.values()))
    ids = [*answers, *sorted(corpus.keys() - set(answers))][: max(passages, len(answers))]
    questions = sorted(judged)
    first: Any = None
    before: Any = None
    for precision in ("fp32", "int8"):
        model = MiniLM(precision=precision, threads=1)
        model.embed(["the first text loads the model"])
        vectors, a_passage = _timed(model, [corpus[each] for each in ids])
        wanted, a_question = _timed(model, [asked[each] for each in questions])
        best = np.argsort(-(wanted @ vectors.T), axis=1, kind="stable")[:, :GAINS]
        ranked = zip(questions, best.tolist(), strict=True)
        found = np.array([_figures([ids[n] for n in row], judged[q]) for q, row in ranked])
        first, before = (vectors, found) if first is None else (first, before)
        near = (first * vectors).sum(axis=1)
        print(
            f"{model.space}: {a_passage:.1f} ms a passage, {a_question:.1f} ms a question, "
            f"cosine to fp32 {near.mean():.4f} (least {near.min():.4f}), "
            f"R@{HITS} {_beside(found[:, 0], before[:, 0])}, "
            f"nDCG@{GAINS} {_beside(found[:, 1], before[:, 1])} "
            f"of {len(questions)} questions, {len(ids)} passages"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1500)

"""The local encoder in fp32 and in 8 bits: processor time, closeness and recall of vectors alone.

    python bench/encoder.py FOLDER [PASSAGES]

FOLDER holds `corpus.jsonl`, `queries.jsonl` (`id`, `text`, a passage's `title`) and `qrels.tsv`, as
BEIR's do. Of the passages the answers and then the first by id are read, PASSAGES (1500) in all.
"""

import csv
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from quipu.embed import MiniLM

HITS = 5


def _lines(path: Path) -> dict[str, str]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.open(encoding="utf-8")]
    return {str(row["id"]): f"{row.get('title', '')}\n{row['text']}".strip() for row in rows}


def _judged(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                found.setdefault(row["query-id"], set()).add(row["corpus-id"])
    return found


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
    for precision in ("fp32", "int8"):
        model = MiniLM(precision=precision, threads=1)
        model.embed(["the first text loads the model"])
        vectors, a_passage = _timed(model, [corpus[each] for each in ids])
        wanted, a_question = _timed(model, [asked[each] for each in questions])
        best = np.argsort(-(wanted @ vectors.T), axis=1, kind="stable")[:, :HITS]
        shares = [
            len({ids[n] for n in row} & judged[question]) / len(judged[question])
            for question, row in zip(questions, best, strict=True)
        ]
        first = vectors if first is None else first
        near = (first * vectors).sum(axis=1)
        print(
            f"{model.space}: {a_passage:.1f} ms a passage, {a_question:.1f} ms a question, "
            f"cosine to fp32 {near.mean():.4f} (least {near.min():.4f}), "
            f"R@{HITS} {np.mean(shares):.3f} of {len(questions)} questions, {len(ids)} passages"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1500)

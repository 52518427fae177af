"""`python -m bench sets facts|memory|commits DIR [--keep FOLDER]`: labelled sets, measured.

Each set (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`) is written into a fresh store and asked as a
user would; the figures are printed as one JSON document. `--keep` keeps the store, so that the next
run embeds nothing again.

`facts`: rows state dated facts; a question with `as_of` asks what held then, another what came
before or after. `memory`: rows are turns (`conv`, `session` or `batch`, `speaker` or `role`, a
time); each question is asked inside its conversation. `commits`: rows are commits (`id` its hash,
`time`, `files`); a question is a later commit's message, asked `as_of` its time: on track A by the
message alone, on track B with its `touched_files` too.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    has_gold,
    moment,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import mean, percentiles, recall_at, reciprocal_rank_at
from quipu.evaluate.retrieval import DEPTH, Search, confidences, judged, ranking_figures
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.records.passage import PassageInput
from quipu.records.refs import COMMIT, COMMIT_PREFIX, session_ref
from quipu.records.scope import Scope

__all__ = ["commits", "facts", "main", "memory"]

Opened = Callable[[str], AbstractContextManager[Memory]]

_DATES = ("statement", "valid_from", "valid_to")
_NO_ANSWER = frozenset({"5", "abstention"})
"""The groups of questions without an answer, of LoCoMo and of BEAM."""
_COMMIT_CUTOFFS = (1, 10)
_TRACKS = ("A", "B")


def main(arguments: list[str]) -> int:
    """Measure one set and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m bench sets", description=__doc__)
    parser.add_argument("kind", choices=["facts", "memory", "commits"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args(arguments)
    measure = {"facts": facts, "memory": memory, "commits": commits}[given.kind]
    figures = measure(given.directory, Memory.open, folder=given.keep)
    sys.stdout.write(f"{json.dumps(figures, indent=2)}\n")
    return 0


def facts(directory: Path, opened: Opened, *, folder: Path | None = None) -> dict[str, Any]:
    """Return how often the first fact is a right one, by kind of question."""
    grades = read_grades(directory)
    questions = [row for row in read_rows(directory, QUERIES) if has_gold(grades, row)]

    def write(memory: Memory, _: Path) -> Any:
        return memory.add_documents(map(_passage, read_rows(directory, CORPUS)))

    right: dict[bool, list[float]] = {True: [], False: []}
    took_ms: list[float] = []
    with written(directory, opened, write, folder=folder, key="facts") as (memory, writing):
        for row in questions[:1]:  # the first question of a process also loads what it needs
            memory.facts.find(row.text, limit=1)
        for row in questions:
            start = time.perf_counter()
            found = memory.facts.find(row.text, limit=1)
            took_ms.append((time.perf_counter() - start) * 1000)
            first = found.matches[0].source_ref if found.matches else ""
            right[bool(row.more.get("as_of"))].append(float(grades[row.id].get(first, 0.0) > 0))
    return {
        "as_of_queries": len(right[True]),
        "as_of_hit1": mean(right[True]),
        "before_after_queries": len(right[False]),
        "before_after_hit1": mean(right[False]),
        "latency_ms": percentiles(took_ms),
        **writing._asdict(),
    }


def memory(directory: Path, opened: Opened, *, folder: Path | None = None) -> dict[str, Any]:
    """Return the figures of search inside conversations, and recall by group of questions; `auroc`
    is of the product's confidence."""
    questions = list(read_rows(directory, QUERIES))
    grades = read_grades(directory)
    lines, rows = _as_transcript(read_rows(directory, CORPUS))

    def write(memory: Memory, place: Path) -> Any:
        transcript = place / "transcript.jsonl"
        transcript.write_bytes(lines)
        return memory.add_transcripts(transcript)

    with written(directory, opened, write, folder=folder, key="memory") as (memory, writing):
        asked = [Search(r, {"scope": _inside(r)}) for r in questions if has_gold(grades, r)]
        found = judged(memory.search, asked, grades, row_of=lambda ref: rows.get(ref, ref))
        answered = list(found)
        sides = [(row, _inside(row), _is_answerable(row)) for row in questions]
        sure = confidences(memory.ask, sides, limit=DEPTH)
    group = {row.id: _group(row) for row in questions}
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    for each in answered:
        recalls[group[each.id]].append(recall_at(each.ranking, each.gold, DEPTH))
    figures = ranking_figures(directory, answered, writing=writing, confidence=sure)
    return {
        **figures.as_json(),
        "groups": {name: mean(recalls[name]) for name in sorted(recalls) if name},
    }


def commits(directory: Path, opened: Opened, *, folder: Path | None = None) -> dict[str, Any]:
    """Return by track and kind of question how often what a commit goes back to is found."""
    grades = read_grades(directory)
    questions = [row for row in read_rows(directory, QUERIES) if has_gold(grades, row)]
    name = directory.resolve().name
    corpus = [_commit(row, name) for row in read_rows(directory, CORPUS)]

    def write(memory: Memory, _: Path) -> Any:
        return memory.add_commits(corpus)

    kind = {row.id: str(row.more.get("kind") or "cause") for row in questions}
    hit: dict[str, dict[str, dict[str, float]]] = {}
    mrr: dict[str, dict[str, float]] = {}
    took_ms: list[float] = []
    with written(directory, opened, write, folder=folder, key="incidents") as (memory, writing):
        for track in _TRACKS:
            asked = [Search(row, _options(row, track)) for row in questions]
            ranks: defaultdict[str, list[float]] = defaultdict(list)
            for each in judged(
                memory.search, asked, grades, row_of=lambda path: path.removeprefix(COMMIT_PREFIX)
            ):
                ranks[kind[each.id]].append(reciprocal_rank_at(each.ranking, each.gold, DEPTH))
                took_ms.append(each.latency_ms)
            hit[track] = {
                name: {str(k): mean(float(rank >= 1 / k) for rank in own) for k in _COMMIT_CUTOFFS}
                for name, own in sorted(ranks.items())
            }
            mrr[track] = {name: mean(own) for name, own in sorted(ranks.items())}
    return {
        "commits": len(corpus),
        "queries": dict(Counter(kind.values())),
        "hit": hit,
        "mrr": mrr,
        "latency_ms": percentiles(took_ms),
        **writing._asdict(),
    }


def _passage(row: DatasetRow) -> PassageInput:
    dates = {key: value for key in _DATES if isinstance(value := row.more.get(key), str)}
    return PassageInput(
        source_ref=row.id,
        text=row.text,
        title=row.title,
        source_type="evaluation",
        profile="prose",
        properties=dict(dates),
    )


def _inside(row: DatasetRow) -> Scope:
    return Scope(groups=frozenset({_text(row.more, "conv")}))


def _group(row: DatasetRow) -> str:
    return _text(row.more, "category", "ability")


def _is_answerable(row: DatasetRow) -> bool:
    return _group(row) not in _NO_ANSWER and row.more.get("answerable") is not False


def _as_transcript(rows: Iterable[DatasetRow]) -> tuple[bytes, dict[str, str]]:
    """Return the rows as lines of the plain transcript format, and the row of each turn's
    reference."""
    lines, of_turns, counts = bytearray(), dict[str, str](), Counter[str]()
    for row in rows:
        more = row.more
        conversation, session = _text(more, "conv"), _text(more, "session", "batch")
        if not conversation:
            raise InvalidInput(f"{row.place}: the row has no `conv`, the conversation it is from")
        name = "/".join(part for part in (conversation, session) if part)
        counts[name] += 1
        of_turns[session_ref(name, counts[name])] = row.id
        line = {
            "conv": conversation,
            "session": session,
            "turn": counts[name],
            "speaker": _text(more, "speaker"),
            "role": _text(more, "role"),
            "text": row.text,
            "time": _text(more, "session_time", "time", "time_anchor"),
            "caption": _text(more, "image_caption", "caption"),
        }
        lines += msgspec.json.encode(line) + b"\n"
    return bytes(lines), of_turns


def _text(fields: Mapping[str, object], *keys: str) -> str:
    values = (fields.get(key) for key in keys)
    return next((str(value) for value in values if value not in (None, "")), "")


def _options(row: DatasetRow, track: str) -> dict[str, object]:
    scope = Scope(source_types=frozenset({COMMIT}), before=moment(row, "as_of"))
    return {"scope": scope, "touched": _paths(row, "touched_files") if track == "B" else ()}


def _commit(row: DatasetRow, repository: str) -> CommitInput:
    when = moment(row, "time")
    if when is None:
        raise InvalidInput(f"{row.place}: the commit {row.id!r} has no `time`: give it one")
    titled = not row.title or row.text.lstrip().startswith(row.title.strip())
    return CommitInput(
        sha=row.id,
        message=row.text if titled else f"{row.title}\n\n{row.text}",
        time=when,
        author=str(row.more.get("author") or ""),
        files=_paths(row, "files"),
        repository=repository,
    )


def _paths(row: DatasetRow, key: str) -> tuple[str, ...]:
    return tuple(str(path) for path in cast("list[object]", row.more.get(key) or []))

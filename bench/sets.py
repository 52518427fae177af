"""`python -m bench sets KIND SET`: what the project's own labelled sets say of a kind of memory.

KIND is `facts` (which dated fact answers first), `memory` (search inside conversations) or
`incidents` (which earlier commit a later one goes back to). A SET holds corpus.jsonl, queries.jsonl
and qrels.tsv, as `quipu eval retrieval` takes them. `--keep DIR` keeps the store, so that a later
run embeds nothing.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    Grades,
    has_gold,
    moment,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import mean, percentiles, recall_at, reciprocal_rank_at
from quipu.evaluate.retrieval import DEPTH, Search, confidences, judged, ranking_figures
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.conversations.api import Conversations
from quipu.memory import Memory
from quipu.records.passage import PassageInput
from quipu.records.refs import COMMIT, COMMIT_PREFIX, session_ref
from quipu.records.scope import Scope

__all__ = ["facts", "incidents", "main", "memory"]

_NO_ANSWER = frozenset({"5", "abstention"})
"""The groups of questions without an answer, of LoCoMo and of BEAM."""


def main(arguments: Sequence[str]) -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench sets", description=__doc__)
    parser.add_argument("kind", choices=("facts", "memory", "incidents"))
    parser.add_argument("set", type=Path)
    parser.add_argument("--keep", type=Path, help="keep the store below this folder")
    parser.add_argument("--no-embed", action="store_true", help="rank commits without vectors")
    given = parser.parse_args(arguments)
    if given.kind == "incidents":
        figures = incidents(given.set, keep=given.keep, embed=not given.no_embed)
    else:
        figures = {"facts": facts, "memory": memory}[given.kind](given.set, keep=given.keep)
    print(json.dumps(figures, indent=2))
    return 0


def facts(directory: Path, *, keep: Path | None = None) -> dict[str, Any]:
    """How often the first fact is right: `as_of` a date, and before or after another fact."""
    grades, questions = _labelled(directory)

    def write(memory: Memory, _: Path) -> float:
        return memory.add_documents(map(_statement, read_rows(directory, CORPUS))).embed_seconds

    with written(directory, Memory.open, write, folder=keep, key="facts") as (memory, writing):

        def first(question: str, *, limit: int) -> Any:
            matches = memory.facts.find(question, limit=limit).matches
            return _Found([_Row(match.source_ref) for match in matches])

        found = list(judged(first, [Search(row, {}) for row in questions], grades, limit=1))
    right: dict[bool, list[float]] = {True: [], False: []}
    for row, each in zip(questions, found, strict=True):
        right[bool(row.more.get("as_of"))].append(reciprocal_rank_at(each.ranking, each.gold, 1))
    return {
        "as_of_queries": len(right[True]),
        "before_after_queries": len(right[False]),
        "as_of_hit1": mean(right[True]),
        "before_after_hit1": mean(right[False]),
        "latency_ms": percentiles([each.latency_ms for each in found]),
        **writing._asdict(),
    }


def memory(directory: Path, *, keep: Path | None = None) -> dict[str, Any]:
    """The figures of search inside conversations, which are written as transcripts."""
    groups: dict[str, str] = {}
    grades, _ = _labelled(directory)
    lines, rows = _as_transcript(read_rows(directory, CORPUS))
    sides: list[tuple[DatasetRow, Scope, bool]] = []
    for row in read_rows(directory, QUERIES):
        groups[row.id] = group = _text(row, "category", "ability")
        answerable = group not in _NO_ANSWER and row.more.get("answerable") is not False
        sides.append((row, Scope(groups=frozenset({_text(row, "conv")})), answerable))

    def write(memory: Memory, place: Path) -> float:
        transcript = place / "transcript.jsonl"
        transcript.write_bytes(lines)
        return Conversations(memory).add_transcripts(transcript).embed_seconds

    with written(directory, Memory.open, write, folder=keep, key="memory") as (memory, writing):
        asked = [Search(r, {"scope": s}) for r, s, _ in sides if has_gold(grades, r)]
        row_of: Callable[[str], str] = lambda ref: rows.get(ref, ref)  # noqa: E731
        answered = list(judged(memory.search, asked, grades, row_of=row_of))
        sure = confidences(memory.ask, sides, limit=DEPTH)
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    for each in answered:
        recalls[groups[each.id]].append(recall_at(each.ranking, each.gold, DEPTH))
    figures = ranking_figures(directory, answered, writing=writing, confidence=sure)
    by_group = {name: mean(recalls[name]) for name in sorted(recalls) if name}
    return {**figures.as_json(), "groups": by_group}


def incidents(directory: Path, *, keep: Path | None = None, embed: bool = True) -> dict[str, Any]:
    """The figures of each kind of question by track: `A` asks by the message, `B` by the touched
    files too. Only what came before a question's `as_of` is ranked."""
    (grades, questions), name = _labelled(directory), directory.resolve().name
    corpus = [_commit(row, name) for row in read_rows(directory, CORPUS)]
    kinds = {row.id: str(row.more.get("kind") or "cause") for row in questions}
    ranks: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    took_ms: list[float] = []

    def opened(path: str) -> Memory:
        return Memory.open(path) if embed else Memory.open(path, embedder=None)

    def write(memory: Memory, _: Path) -> float:
        return memory.add_commits(corpus).embed_seconds

    with written(directory, opened, write, folder=keep, key="incidents") as (memory, writing):
        for track in ("A", "B"):
            asked = [Search(row, _commit_options(row, track)) for row in questions]
            row_of: Callable[[str], str] = lambda path: path.removeprefix(COMMIT_PREFIX)  # noqa: E731
            for each in judged(memory.search, asked, grades, row_of=row_of):
                rank = reciprocal_rank_at(each.ranking, each.gold, DEPTH)
                ranks[track][kinds[each.id]].append(rank)
                took_ms.append(each.latency_ms)
    return {
        "commits": len(corpus),
        "queries": dict(Counter(kinds.values())),
        "hit": {
            track: {
                kind: {str(k): mean(float(rank >= 1 / k) for rank in own) for k in (1, DEPTH)}
                for kind, own in sorted(found.items())
            }
            for track, found in ranks.items()
        },
        "mrr": {
            track: {kind: mean(own) for kind, own in sorted(found.items())}
            for track, found in ranks.items()
        },
        "latency_ms": percentiles(took_ms),
        **writing._asdict(),
    }


class _Row(NamedTuple):
    """A fact as a search result: the row that states it."""

    path: str
    score: float = 0.0


class _Found(NamedTuple):
    hits: list[_Row]


def _labelled(directory: Path) -> tuple[Grades, list[DatasetRow]]:
    """A set's grades, and the questions that have gold."""
    grades = read_grades(directory)
    return grades, [row for row in read_rows(directory, QUERIES) if has_gold(grades, row)]


def _statement(row: DatasetRow) -> PassageInput:
    keys = ("statement", "valid_from", "valid_to")
    dates = {key: value for key in keys if isinstance(value := row.more.get(key), str)}
    return PassageInput(
        source_ref=row.id,
        text=row.text,
        title=row.title,
        source_type="evaluation",
        profile="prose",
        properties=dict(dates),
    )


def _as_transcript(rows: Iterable[DatasetRow]) -> tuple[bytes, dict[str, str]]:
    """The rows as lines of the plain transcript format, and the row of each turn's reference."""
    lines, of_turns, counts = bytearray(), dict[str, str](), Counter[str]()
    for row in rows:
        conversation, session = _text(row, "conv"), _text(row, "session", "batch")
        if not conversation:
            raise InvalidInput(f"{row.place}: the row has no `conv`, the conversation it is from")
        name = "/".join(part for part in (conversation, session) if part)
        counts[name] += 1
        of_turns[session_ref(name, counts[name])] = row.id
        line = {
            "conv": conversation,
            "session": session,
            "turn": counts[name],
            "speaker": _text(row, "speaker"),
            "role": _text(row, "role"),
            "text": row.text,
            "time": _text(row, "session_time", "time", "time_anchor"),
            "caption": _text(row, "image_caption", "caption"),
        }
        lines += msgspec.json.encode(line) + b"\n"
    return bytes(lines), of_turns


def _text(row: DatasetRow, *keys: str) -> str:
    values = (row.more.get(key) for key in keys)
    return next((str(value) for value in values if value not in (None, "")), "")


def _commit_options(row: DatasetRow, track: str) -> dict[str, object]:
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
    listed: Any = row.more.get(key) or []
    return tuple(map(str, listed))

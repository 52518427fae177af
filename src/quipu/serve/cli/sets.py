"""`eval facts`, `eval memory`, `eval incidents`: labelled sets of facts, turns and commits.

Each set (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`) is written into a fresh store and asked as a
user would.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
from msgspec import structs

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
from quipu.evaluate.retrieval import (
    DEPTH,
    Evaluation,
    Search,
    confidences,
    judged,
    ranking_figures,
)
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.records.passage import PassageInput
from quipu.records.refs import COMMIT, COMMIT_PREFIX, session_ref
from quipu.records.scope import Scope
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.measure import Directory, Keep, opener
from quipu.serve.operations import Command, Flag, operation

__all__ = ["measure_commits", "measure_facts", "measure_turns"]

Opened = Callable[[str], AbstractContextManager[Memory]]

_DATES = ("statement", "valid_from", "valid_to")
_NO_ANSWER = frozenset({"5", "abstention"})
"""The groups of questions without an answer, of LoCoMo and of BEAM."""
_COMMIT_CUTOFFS = (1, 10)
_TRACKS = ("A", "B")


class MeasuredFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The share of questions whose first fact is a right one, in [0, 1], by kind of question."""

    dataset: Annotated[str, "the name of the folder"]
    queries: Annotated[int, "questions that have gold; the others are passed over"]
    as_of_queries: Annotated[int, "those that ask what held at a date"]
    before_after_queries: Annotated[int, "those that ask what came before or after another fact"]
    as_of_hit1: Annotated[float, "the share of the first kind whose first fact is right"]
    before_after_hit1: Annotated[float, "the share of the second kind whose first fact is right"]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of a question"]
    index_s: Annotated[float, "seconds of writing, without embedding"]
    embed_s: Annotated[float, "seconds of embedding"]


class MeasuredTurns(Evaluation, frozen=True, kw_only=True):
    """The figures of search inside conversations, means over the questions that have gold; `auroc`
    is None where all questions have an answer, or none has."""

    groups: Annotated[dict[str, float], "R@10 by the questions' category or ability"]


class MeasuredCommits(msgspec.Struct, frozen=True, kw_only=True):
    """The figures by track ("A": message, "B": message and touched files) and kind of question."""

    dataset: Annotated[str, "the name of the folder"]
    commits: Annotated[int, "commits in its corpus"]
    queries: Annotated[dict[str, int], "questions that have gold, by kind (`cause`, `follow_up` …)"]
    hit: Annotated[
        dict[str, dict[str, dict[str, float]]],
        "by track (`A`: message, `B`: touched files too), kind and k: any gold among the first k",
    ]
    mrr: Annotated[dict[str, dict[str, float]], "MRR@10 by track and kind"]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of a search"]
    index_s: Annotated[float, "seconds of writing, without embedding"]
    embed_s: Annotated[float, "seconds of embedding"]


def measure_facts(directory: Path, opened: Opened, *, folder: Path | None = None) -> MeasuredFacts:
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
    return MeasuredFacts(
        dataset=directory.resolve().name,
        queries=len(questions),
        as_of_queries=len(right[True]),
        as_of_hit1=mean(right[True]),
        before_after_queries=len(right[False]),
        before_after_hit1=mean(right[False]),
        latency_ms=percentiles(took_ms),
        **writing._asdict(),
    )


def measure_turns(directory: Path, opened: Opened, *, folder: Path | None = None) -> MeasuredTurns:
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
    return MeasuredTurns(
        **structs.asdict(figures),
        groups={name: mean(recalls[name]) for name in sorted(recalls) if name},
    )


def measure_commits(
    directory: Path, opened: Opened, *, folder: Path | None = None
) -> MeasuredCommits:
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
    return MeasuredCommits(
        dataset=name,
        commits=len(corpus),
        queries=dict(Counter(kind.values())),
        hit=hit,
        mrr=mrr,
        latency_ms=percentiles(took_ms),
        **writing._asdict(),
    )


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


@operation(None, Command())
def facts(run: Invocation, directory: Directory, keep: Keep = None) -> MeasuredFacts:
    """Write the statements of DIRECTORY, ask what held when, print how often the first is right.

    DIRECTORY holds corpus.jsonl (id, text), queries.jsonl (id, text; with `as_of` it asks what
    held then) and qrels.tsv. The product reads every date from the text.

    $ quipu eval facts sets/tempreason
    $ quipu eval facts sets/tempreason --json
    """
    return measure_facts(directory, opener(run), folder=keep)


@operation(None, Command(prints=lambda figures, _given: figures.as_json()))
def conversations(run: Invocation, directory: Directory, keep: Keep = None) -> MeasuredTurns:
    """Write the conversations of DIRECTORY as transcripts, ask inside them, print the figures.

    DIRECTORY holds corpus.jsonl (id, conv, session, speaker or role, text, a time), queries.jsonl
    (id, conv, text) and qrels.tsv. Rates are in [0, 1]; `auroc` is of the product's confidence.

    $ quipu eval memory sets/locomo
    $ quipu eval memory sets/locomo --json
    """
    return measure_turns(directory, opener(run), folder=keep)


@operation(None, Command())
def incidents(
    run: Invocation,
    directory: Directory,
    keep: Keep = None,
    embed: Annotated[
        bool, Flag("--no-embed", says="rank without vectors: words, files and time")
    ] = True,
) -> MeasuredCommits:
    """Write the commits of DIRECTORY, ask which earlier one a later one goes back to.

    DIRECTORY holds corpus.jsonl (id, text, time, files), queries.jsonl (id, kind, text, as_of,
    touched_files) and qrels.tsv. Track A asks by the message, track B by the touched files too;
    only what came before `as_of` is ranked.

    $ quipu eval incidents sets/curl
    $ quipu eval incidents sets/curl --json
    """
    opened = opener(run) if embed else opener(run, embedder=None)
    return measure_commits(directory, opened, folder=keep)

"""Which earlier commit a change goes back to, measured on a labelled set through the product.

A row of `corpus.jsonl` is a commit (`id` its hash, `title`, `text`, `time`, `files`). A question
is a later commit's message (`text`), asked `as_of` its time: on track A by the message alone, on
track B with the files it touches (`touched_files`). Only what came before is ranked.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Protocol, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    Opening,
    Progress,
    WriteReport,
    has_gold,
    moment,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import mean, percentiles, reciprocal_rank_at
from quipu.evaluate.retrieval import DEPTH, Search, judged
from quipu.kinds.commits.model import CommitInput
from quipu.records.document import Problem
from quipu.records.refs import COMMIT, COMMIT_PREFIX
from quipu.records.reply import Retrieved
from quipu.records.scope import Scope

__all__ = ["IncidentsEvaluation", "evaluate_incidents"]

_CUTOFFS = (1, 10)
_TRACKS = ("A", "B")
_KINDS = {"followup": "follow_up", "follow-up": "follow_up"}
_NO_KIND = "cause"


class CommitMemory(Protocol):
    """What is asked of a memory here; `quipu.memory.Memory` is one."""

    def add_commits(
        self, commits: Iterable[CommitInput | Problem], *, progress: Progress | None = None
    ) -> WriteReport: ...

    def search(
        self,
        question: str,
        *,
        limit: int | None = None,
        scope: Scope = ...,
        touched: Sequence[str] = (),
    ) -> Retrieved: ...


class IncidentsEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The figures by track ("A": message, "B": message and touched files) and kind of question.

    `hit` is the share of questions with any gold among the first 1 and 10, `mrr` the mean of
    1 / the rank of the first gold among the first 10; both in [0, 1].
    """

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


def evaluate_incidents(
    directory: Path,
    open_memory: Opening[CommitMemory],
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> IncidentsEvaluation:
    """Write the commits of `directory` into a fresh store and ask what each question goes back to.

    `open_memory` opens a memory at the path of a SQLite file; `folder` keeps it. Raises
    InvalidInput with file and line.
    """
    grades = read_grades(directory)
    questions = [row for row in read_rows(directory, QUERIES) if has_gold(grades, row)]
    name = directory.resolve().name
    commits = [_commit(row, name) for row in read_rows(directory, CORPUS)]

    def write(memory: CommitMemory, _: Path) -> WriteReport:
        return memory.add_commits(commits, progress=progress)

    with written(directory, open_memory, write, folder=folder, key="incidents") as (memory, done):
        asked = {
            track: list(
                judged(
                    memory.search,
                    [Search(row, _options(row, track)) for row in questions],
                    grades,
                    row_of=lambda path: path.removeprefix(COMMIT_PREFIX),
                    progress=progress,
                )
            )
            for track in _TRACKS
        }
    kind = {row.id: _kind(row) for row in questions}
    kinds = sorted(set(kind.values()))
    ranks = {
        track: {
            name: [
                reciprocal_rank_at(each.ranking, each.gold, DEPTH)
                for each in own
                if kind[each.id] == name
            ]
            for name in kinds
        }
        for track, own in asked.items()
    }
    return IncidentsEvaluation(
        dataset=name,
        commits=len(commits),
        queries={name: len(found) for name, found in ranks["A"].items()},
        hit={track: {kind: _hits(r) for kind, r in own.items()} for track, own in ranks.items()},
        mrr={track: {kind: mean(r) for kind, r in own.items()} for track, own in ranks.items()},
        latency_ms=percentiles([each.latency_ms for own in asked.values() for each in own]),
        index_s=done.index_s,
        embed_s=done.embed_s,
    )


def _options(row: DatasetRow, track: str) -> dict[str, object]:
    scope = Scope(source_types=frozenset({COMMIT}), before=moment(row, "as_of"))
    return {"scope": scope, "touched": _paths(row, "touched_files") if track == "B" else ()}


def _hits(ranks: Sequence[float]) -> dict[str, float]:
    return {str(k): mean(float(rank >= 1 / k) for rank in ranks) for k in _CUTOFFS}


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
    paths = row.more.get(key)
    if paths is None:
        return ()
    if not isinstance(paths, list):
        raise InvalidInput(f"{row.place}: {key} is {paths!r}: write a list of paths")
    return tuple(str(path) for path in cast(list[object], paths))


def _kind(row: DatasetRow) -> str:
    kind = str(row.more.get("kind") or _NO_KIND)
    return _KINDS.get(kind, kind)

"""Retrieval measured on a labelled set, through the product as it is: write, search, compare."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    Grades,
    WriteTimes,
    has_gold,
    moment,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import (
    all_gold_at,
    auroc,
    mean,
    ndcg_at,
    percentiles,
    recall_at,
    reciprocal_rank_at,
)
from quipu.ports import Progress
from quipu.records.passage import PassageInput
from quipu.records.reply import Reply, Retrieved
from quipu.records.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from quipu.memory import Memory

__all__ = [
    "CUTOFFS",
    "DEPTH",
    "Evaluation",
    "JudgedQuestion",
    "Search",
    "confidences",
    "evaluate_retrieval",
    "judged",
    "ranking_figures",
]

CUTOFFS = (2, 5, 10)
DEPTH = 10
_SOURCE_TYPE = "evaluation"


class JudgedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question as it went: its gold, what came back (row ids, best first), how long."""

    id: str
    gold: dict[str, float]
    ranking: tuple[str, ...]
    scores: tuple[float, ...]
    latency_ms: float


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The figures, with each question. Rates are means over the questions that have gold, in
    [0, 1]; latency is from text in to hits out."""

    dataset: Annotated[str, "the name of the folder"]
    queries: Annotated[int, "questions that have gold; the others are passed over"]
    recall: Annotated[dict[str, float], "R@k by k: the share of its gold in the first k"]
    all_gold: Annotated[dict[str, float], "by k: questions whose whole gold is in the first k"]
    ndcg: Annotated[dict[str, float], "nDCG@10, linear gain"]
    mrr: Annotated[dict[str, float], "MRR@10"]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of a search"]
    index_s: Annotated[float, "seconds of writing, without embedding"]
    embed_s: Annotated[float, "seconds of embedding"]
    peak_rss_mb: Annotated[float, "the most memory the process held"]
    auroc: Annotated[
        float | None, "of the confidence: questions with an answer against those without"
    ]
    without_gold: int = 0
    questions: tuple[JudgedQuestion, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The documented keys: everything but the questions themselves."""
        apart = ("without_gold", "questions")
        return {k: v for k, v in msgspec.structs.asdict(self).items() if k not in apart}


class Search(NamedTuple):
    """A question as it is searched for: its row, and what `search` is called with beside it."""

    row: DatasetRow
    options: Mapping[str, object]


def evaluate_retrieval(
    directory: Path,
    open_memory: "Callable[[str], Memory]",
    *,
    group_by: str | None = None,
    before: str | None = None,
    use_graph: bool = True,
    confidence: bool = False,
    k: Sequence[int] = CUTOFFS,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Write the corpus of `directory` into a fresh store, ask every question, compare.

    A row is one passage and its document is named by the row's id. `open_memory` opens a
    memory at the path of a SQLite file. `group_by` names a key of rows and questions: only rows
    with the question's value are searched. `before` names a key of the questions: only rows
    whose `time` is earlier are searched. `k` are the cutoffs of recall and all-gold; nDCG and
    MRR are at 10. `confidence` also asks every question that has gold or is marked
    `"answerable": false`. `folder` keeps the store, so that the next run embeds nothing again;
    without one it is thrown away. Raises InvalidInput with file and line.
    """
    if not k or min(k) < 1:
        raise InvalidInput(f"the cutoffs {list(k)!r} are not ranks: give 1 or more")
    questions = [_asked(row, group_by, before) for row in read_rows(directory, QUERIES)]
    grades = read_grades(directory)
    for row in read_rows(directory, CORPUS):  # a bad row is found before anything is written
        _passage(row, group_by, before)

    def write(memory: "Memory", _: Path) -> float:
        passages = (_passage(row, group_by, before) for row in read_rows(directory, CORPUS))
        return memory.add_documents(passages, progress=progress).embed_seconds

    key = f"retrieval {group_by} {before}"
    with written(directory, open_memory, write, folder=folder, key=key) as (memory, writing):
        limit = max(*k, DEPTH)
        asked = [
            Search(row, {"scope": scope, "use_graph": use_graph})
            for row, scope in questions
            if has_gold(grades, row)
        ]
        answered = tuple(judged(memory.search, asked, grades, limit=limit, progress=progress))
        sure = None
        if confidence:
            sure = confidences(memory.ask, _both_sides(questions, grades), progress=progress)
    figures = ranking_figures(directory, answered, k=k, writing=writing, confidence=sure)
    without_gold = len(questions) - len(answered)
    return msgspec.structs.replace(figures, without_gold=without_gold, questions=answered)


def _passage(row: DatasetRow, group_by: str | None, before: str | None) -> PassageInput:
    observed_at = None
    if before:
        observed_at = moment(row, "time")
        if observed_at is None:
            raise InvalidInput(f"{row.place}: the row has no `time`, which `before` compares")
    return PassageInput(
        source_ref=row.id,
        text=row.text if row.text.strip() else row.title,
        title=row.title,
        group=_value(row, group_by) if group_by else "",
        observed_at=observed_at,
        source_type=_SOURCE_TYPE,
    )


def _asked(row: DatasetRow, group_by: str | None, before: str | None) -> tuple[DatasetRow, Scope]:
    if not group_by and not before:
        return row, EVERYTHING
    earlier = moment(row, before) if before else None
    if before and earlier is None:
        raise InvalidInput(f"{row.place}: the question has no `{before}` to rank rows before")
    groups = frozenset({_value(row, group_by)}) if group_by else frozenset[str]()
    return row, Scope(groups=groups, before=earlier)


def _value(row: DatasetRow, key: str) -> str:
    value = row.more.get(key)
    if not isinstance(value, str | int) or value == "":
        raise InvalidInput(f"{row.place}: {key} is {value!r}: a group is a text or a number")
    return str(value)


def judged(
    search: Callable[..., Retrieved],
    asked: Sequence[Search],
    grades: Grades,
    *,
    limit: int = DEPTH,
    row_of: Callable[[str], str] = str,
    progress: Progress | None = None,
) -> Iterator[JudgedQuestion]:
    """Yield how each search went; `row_of` gives the row that the path of a hit stands for."""
    for each in asked[:1]:  # the first search of a process also loads what it needs
        search(each.row.text, limit=limit, **each.options)
    for done, each in enumerate(asked, 1):
        start = time.perf_counter()
        found = search(each.row.text, limit=limit, **each.options)
        latency_ms = (time.perf_counter() - start) * 1000
        if progress:
            progress("search", done, len(asked))
        yield JudgedQuestion(
            id=each.row.id,
            gold=grades[each.row.id],
            ranking=tuple(row_of(hit.path) for hit in found.hits),
            scores=tuple(hit.score for hit in found.hits),
            latency_ms=latency_ms,
        )


def confidences(
    ask: Callable[..., Reply],
    asked: Sequence[tuple[DatasetRow, Scope, bool]],
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[float], list[float]]:
    """Return how sure the answers are to the questions that have one, and to the others."""
    sides: dict[bool, list[float]] = {True: [], False: []}
    for done, (row, scope, answerable) in enumerate(asked, 1):
        sides[answerable].append(ask(row.text, limit=limit, scope=scope).confidence.value)
        if progress:
            progress("ask", done, len(asked))
    return sides[True], sides[False]


def _both_sides(
    questions: Sequence[tuple[DatasetRow, Scope]], grades: Grades
) -> list[tuple[DatasetRow, Scope, bool]]:
    """The questions that have gold or are marked as without an answer, each with which it is."""
    asked = [
        (row, scope, row.more.get("answerable") is not False)
        for row, scope in questions
        if has_gold(grades, row) or row.more.get("answerable") is False
    ]
    if len({answerable for _, _, answerable in asked}) < 2:
        raise InvalidInput(
            "confidence is measured between questions with an answer and questions marked "
            '`"answerable": false`: this set has only one of the two'
        )
    return asked


def ranking_figures(
    directory: Path,
    asked: Sequence[JudgedQuestion],
    *,
    k: Sequence[int] = CUTOFFS,
    writing: WriteTimes,
    confidence: tuple[Sequence[float], Sequence[float]] | None,
) -> Evaluation:
    """Return the figures of questions; `confidence` is how sure the answers were to those with an
    answer, and to those without."""

    def average(figure: Callable[..., float], k: int) -> float:
        return mean(figure(each.ranking, each.gold, k) for each in asked)

    return Evaluation(
        dataset=directory.resolve().name,
        queries=len(asked),
        recall={str(at): average(recall_at, at) for at in k},
        all_gold={str(at): average(all_gold_at, at) for at in k},
        ndcg={str(DEPTH): average(ndcg_at, DEPTH)},
        mrr={str(DEPTH): average(reciprocal_rank_at, DEPTH)},
        latency_ms=percentiles([q.latency_ms for q in asked]),
        index_s=writing.index_s,
        embed_s=writing.embed_s,
        peak_rss_mb=_peak_rss_mb(),
        auroc=auroc(*confidence) if confidence and all(confidence) else None,
    )


def _peak_rss_mb() -> float:
    """The most memory this process ever held; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)

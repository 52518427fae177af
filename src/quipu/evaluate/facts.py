"""Dated facts measured on a labelled set: the question is text, the product reads its date.

A row of the corpus states one fact in words ("… from Jan, 2006 to Jan, 2015."). A question with
`as_of` asks for what held then, any other for what came before or after another fact.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Protocol

import msgspec

from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    Grades,
    Opening,
    Progress,
    WriteReport,
    has_gold,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import mean, percentiles
from quipu.records.passage import PassageInput

__all__ = ["FactsEvaluation", "evaluate_facts"]

_DATES = ("statement", "valid_from", "valid_to")


class _Match(Protocol):
    @property
    def source_ref(self) -> str: ...


class _FactsFound(Protocol):
    @property
    def matches(self) -> Sequence[_Match]: ...


class _Finding(Protocol):
    def find(self, question: str, *, limit: int = ...) -> _FactsFound: ...


class Recalling(Protocol):
    """What is asked of a memory here; `quipu.memory.Memory` is one."""

    @cached_property
    def facts(self) -> _Finding: ...

    def add_documents(
        self, documents: Iterable[PassageInput], *, progress: Progress | None = None
    ) -> WriteReport: ...


class FactsEvaluation(msgspec.Struct, frozen=True, kw_only=True):
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


def evaluate_facts(
    directory: Path,
    open_memory: Opening[Recalling],
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> FactsEvaluation:
    """Write the statements of `directory` into a fresh store, ask every question, compare.

    `open_memory` opens a memory at the path of a SQLite file; `folder` keeps it. Raises
    InvalidInput with file and line.
    """
    grades = read_grades(directory)
    questions = [row for row in read_rows(directory, QUERIES) if has_gold(grades, row)]

    def write(memory: Recalling, _: Path) -> WriteReport:
        passages = (_passage(row) for row in read_rows(directory, CORPUS))
        return memory.add_documents(passages, progress=progress)

    with written(directory, open_memory, write, folder=folder, key="facts") as (memory, writing):
        asked = list(_ask(memory, questions, grades, progress))
    right: dict[bool, list[float]] = {True: [], False: []}
    for row, (hit, _) in zip(questions, asked, strict=True):
        right[bool(row.more.get("as_of"))].append(float(hit))
    return FactsEvaluation(
        dataset=directory.resolve().name,
        queries=len(asked),
        as_of_queries=len(right[True]),
        before_after_queries=len(right[False]),
        as_of_hit1=mean(right[True]),
        before_after_hit1=mean(right[False]),
        latency_ms=percentiles([ms for _, ms in asked]),
        index_s=writing.index_s,
        embed_s=writing.embed_s,
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


def _ask(
    memory: Recalling,
    questions: Sequence[DatasetRow],
    grades: Grades,
    progress: Progress | None,
) -> Iterator[tuple[bool, float]]:
    """Whether the first fact is right, and the milliseconds it took."""
    for row in questions[:1]:  # the first question of a process also loads what it needs
        memory.facts.find(row.text, limit=1)
    for done, row in enumerate(questions, 1):
        start = time.perf_counter()
        found = memory.facts.find(row.text, limit=1)
        latency_ms = (time.perf_counter() - start) * 1000
        if progress:
            progress("search", done, len(questions))
        first = found.matches[0].source_ref if found.matches else ""
        yield grades[row.id].get(first, 0.0) > 0, latency_ms

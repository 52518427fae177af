"""Memory of conversations measured on a labelled set, through the product as it is.

A row of `corpus.jsonl` is a turn (`conv`, `session` or `batch`, `speaker` or `role`, `text`, a
time, a caption). Every question is asked inside its conversation.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Protocol, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    Grades,
    Opening,
    Progress,
    WriteReport,
    WriteTimes,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import all_gold_at, auroc, mean, percentiles, rates, recall_at
from quipu.evaluate.retrieval import CUTOFFS, peak_rss_mb
from quipu.records.refs import session_ref
from quipu.records.reply import Reply, Retrieved
from quipu.records.scope import Scope

__all__ = ["Conversing", "MemoryEvaluation", "evaluate_memory"]

_DEPTH = 10
_SIDES = ("first_statement", "second_statement")
_UPDATE, _CONTRADICTION = "knowledge_update", "contradiction_resolution"
_NO_ANSWER = frozenset({"5", "abstention"})
"""The groups of questions without an answer, of LoCoMo and of BEAM."""


class Conversing(Protocol):
    """What is asked of a memory here; `quipu.memory.Memory` is one."""

    def add_transcripts(self, paths: Path, *, progress: Progress | None = None) -> WriteReport: ...

    def search(
        self, question: str, *, limit: int | None = None, scope: Scope = ...
    ) -> Retrieved: ...

    def ask(self, question: str, *, limit: int | None = None, scope: Scope = ...) -> Reply: ...


class JudgedTurnQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question as it went; `original` and `updated` are the rows of a value that changed,
    `sides` those of the two sides of a contradiction."""

    group: str
    gold: dict[str, float]
    ranking: tuple[str, ...]
    latency_ms: float
    confidence: float
    answerable: bool
    original: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    sides: tuple[tuple[str, ...], ...] = ()


class MemoryEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The figures. Rates are means over the questions that have gold, in [0, 1].

    `groups` has recall at 10 by the question's category or ability. `updated_above_original` is
    how often the turn that changed a value stands above the one that first gave it (of the
    questions where these are two turns), `both_sides`
    how often a turn of each side of a contradiction is among the first ten (every turn that has
    gold, where no sides are named), `auroc` how well the
    product's own confidence tells questions with an answer from those without; None where the
    set has none of these.
    """

    dataset: Annotated[str, "the name of the folder"]
    queries: Annotated[int, "questions that have gold"]
    recall: Annotated[dict[str, float], "R@k by k: the share of its gold in the first k"]
    all_gold: Annotated[dict[str, float], "by k: questions whose whole gold is in the first k"]
    ndcg: Annotated[dict[str, float], "nDCG at 10"]
    mrr: Annotated[dict[str, float], "MRR at 10"]
    groups: Annotated[dict[str, float], "R@10 by the questions' category or ability"]
    updated_above_original: Annotated[float | None, "how often the new value is above the old"]
    both_sides: Annotated[float | None, "how often both sides of a contradiction are in ten"]
    auroc: Annotated[
        float | None, "of the confidence: questions with an answer against those without"
    ]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of a search"]
    index_s: Annotated[float, "seconds of writing, without embedding"]
    embed_s: Annotated[float, "seconds of embedding"]
    peak_rss_mb: Annotated[float, "the most memory the process held"]


def evaluate_memory(
    directory: Path,
    open_memory: Opening[Conversing],
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> MemoryEvaluation:
    """Write the conversations of `directory` into a fresh store as transcripts and ask.

    `folder` keeps the store, so that the next run embeds nothing again. Raises InvalidInput with
    file and line.
    """
    questions = list(read_rows(directory, QUERIES))
    grades = read_grades(directory)
    lines, rows = _as_transcript(read_rows(directory, CORPUS))

    def write(memory: Conversing, place: Path) -> WriteReport:
        transcript = place / "transcript.jsonl"
        transcript.write_bytes(lines)
        return memory.add_transcripts(transcript, progress=progress)

    with written(directory, open_memory, write, folder=folder, key="memory") as (memory, writing):
        answered = tuple(_ask_all(memory, questions, grades, rows, progress))
    return _figures(directory.resolve().name, answered, writing)


def _as_transcript(rows: Iterable[DatasetRow]) -> tuple[bytes, dict[str, str]]:
    """The rows as lines of the plain transcript format, and the row of each turn's reference."""
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


def _ask_all(
    memory: Conversing,
    questions: Sequence[DatasetRow],
    grades: Grades,
    rows: Mapping[str, str],
    progress: Progress | None,
) -> Iterator[JudgedTurnQuestion]:
    for done, row in enumerate(questions, 1):
        scope = Scope(groups=frozenset({_text(row.more, "conv")}))
        if done == 1:  # the first search of a process also loads what it needs
            memory.search(row.text, limit=_DEPTH, scope=scope)
        start = time.perf_counter()
        found = memory.search(row.text, limit=_DEPTH, scope=scope)
        latency_ms = (time.perf_counter() - start) * 1000
        reply = memory.ask(row.text, limit=_DEPTH, scope=scope)
        group = _text(row.more, "category", "ability")
        sides = _sides(row)
        if progress:
            progress("search", done, len(questions))
        yield JudgedTurnQuestion(
            group=group,
            gold={k: v for k, v in grades.get(row.id, {}).items() if v > 0},
            ranking=tuple(rows.get(hit.path, hit.path) for hit in found.hits),
            latency_ms=latency_ms,
            confidence=reply.confidence.value,
            answerable=group not in _NO_ANSWER and row.more.get("answerable") is not False,
            original=sides.get("original_info", ()),
            updated=sides.get("updated_info", ()),
            sides=tuple(sides[name] for name in _SIDES if name in sides),
        )


def _sides(row: DatasetRow) -> dict[str, tuple[str, ...]]:
    """The rows that `source_chat_ids` names for each side, where it names sides."""
    named = row.more.get("source_chat_ids")
    if not isinstance(named, dict):
        return {}
    conversation = _text(row.more, "conv")
    return {
        str(side): tuple(f"{conversation}|{each}" for each in cast(list[object], ids))
        for side, ids in cast(dict[object, object], named).items()
        if isinstance(ids, list)
    }


def _figures(
    dataset: str, answered: Sequence[JudgedTurnQuestion], writing: WriteTimes
) -> MemoryEvaluation:
    graded = [a for a in answered if a.gold]
    groups = sorted({a.group for a in graded if a.group})
    updates = [_above(a) for a in answered if a.group == _UPDATE and _has_order(a)]
    sides = [_both_sides(a) for a in graded if a.group == _CONTRADICTION]
    yes = [a.confidence for a in answered if a.answerable]
    no = [a.confidence for a in answered if not a.answerable]
    found = rates(graded, CUTOFFS, _DEPTH)
    return MemoryEvaluation(
        dataset=dataset,
        queries=len(graded),
        recall=found.recall,
        all_gold=found.all_gold,
        ndcg=found.ndcg,
        mrr=found.mrr,
        groups={
            group: mean(recall_at(a.ranking, a.gold, _DEPTH) for a in graded if a.group == group)
            for group in groups
        },
        updated_above_original=mean(updates) if updates else None,
        both_sides=mean(sides) if sides else None,
        auroc=auroc(yes, no) if yes and no else None,
        latency_ms=percentiles([a.latency_ms for a in answered]),
        index_s=writing.index_s,
        embed_s=writing.embed_s,
        peak_rss_mb=peak_rss_mb(),
    )


def _has_order(answered: JudgedTurnQuestion) -> bool:
    """Whether the old and the new value stand in turns of their own: one turn has no order."""
    return bool(answered.original and set(answered.updated) - set(answered.original))


def _both_sides(answered: JudgedTurnQuestion) -> float:
    """1 when each side has a turn among the first ten."""
    if not answered.sides:
        return all_gold_at(answered.ranking, answered.gold, _DEPTH)
    first = set(answered.ranking[:_DEPTH])
    return float(all(first & set(side) for side in answered.sides))


def _above(answered: JudgedTurnQuestion) -> float:
    """1 when an updated row is among the first ten and above every original one."""
    places = {row: place for place, row in enumerate(answered.ranking)}
    updated = min((places[r] for r in answered.updated if r in places), default=None)
    original = min((places[r] for r in answered.original if r in places), default=len(places))
    return float(updated is not None and updated < original)

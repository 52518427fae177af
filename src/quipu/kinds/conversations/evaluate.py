"""Memory of conversations measured on a labelled set, through the product as it is.

A row of `corpus.jsonl` is a turn (`conv`, `session` or `batch`, `speaker` or `role`, `text`, a
time, a caption). Every question is asked inside its conversation.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Protocol

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
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import mean, recall_at
from quipu.evaluate.retrieval import (
    DEPTH,
    RankingFigures,
    Search,
    confidences,
    judged,
    ranking_figures,
)
from quipu.records.refs import session_ref
from quipu.records.reply import Reply, Retrieved
from quipu.records.scope import Scope

__all__ = ["Conversing", "MemoryEvaluation", "evaluate_memory"]

_NO_ANSWER = frozenset({"5", "abstention"})
"""The groups of questions without an answer, of LoCoMo and of BEAM."""


class Conversing(Protocol):
    """What is asked of a memory here; `quipu.memory.Memory` is one."""

    def add_transcripts(self, paths: Path, *, progress: Progress | None = None) -> WriteReport: ...

    def search(
        self, question: str, *, limit: int | None = None, scope: Scope = ...
    ) -> Retrieved: ...

    def ask(self, question: str, *, limit: int | None = None, scope: Scope = ...) -> Reply: ...


class MemoryEvaluation(RankingFigures, frozen=True, kw_only=True):
    """The figures, means over the questions that have gold. `auroc` is None where all questions
    have an answer, or none has."""

    groups: Annotated[dict[str, float], "R@10 by the questions' category or ability"]


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
        asked = [Search(r, {"scope": _scope(r)}) for r in questions if has_gold(grades, r)]
        found = judged(
            memory.search, asked, grades, row_of=lambda ref: rows.get(ref, ref), progress=progress
        )
        answered = list(found)
        sure = confidences(
            memory.ask,
            [(row, _scope(row), _is_answerable(row)) for row in questions],
            limit=DEPTH,
            progress=progress,
        )
    group = {row.id: _group(row) for row in questions}
    recalls: dict[str, list[float]] = {}
    for each in answered:
        recalls.setdefault(group[each.id], []).append(recall_at(each.ranking, each.gold, DEPTH))
    figures = ranking_figures(directory, answered, writing=writing, confidence=sure)
    return MemoryEvaluation(
        **msgspec.structs.asdict(figures),
        groups={name: mean(recalls[name]) for name in sorted(recalls) if name},
    )


def _scope(row: DatasetRow) -> Scope:
    return Scope(groups=frozenset({_text(row.more, "conv")}))


def _group(row: DatasetRow) -> str:
    return _text(row.more, "category", "ability")


def _is_answerable(row: DatasetRow) -> bool:
    return _group(row) not in _NO_ANSWER and row.more.get("answerable") is not False


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

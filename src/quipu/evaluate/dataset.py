"""A labelled set on disk (`corpus.jsonl`, `queries.jsonl` and `qrels.tsv` in one folder), and the
store that it is written into: thrown away, or kept for the same set.

A row of the corpus has `id` and `text`, often `title` and `time` (seconds since 1970 or an ISO
date), and whatever else; a query has `id` and `text` and whatever else. `qrels.tsv` has
query id, corpus id and grade; a first line that names its columns is passed over.
"""

import hashlib
import math
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from quipu.errors import InvalidInput
from quipu.when.instants import from_epoch, parse_instant

if TYPE_CHECKING:
    from quipu.memory import Memory

__all__ = [
    "DatasetRow",
    "Grades",
    "WriteTimes",
    "has_gold",
    "moment",
    "place_of",
    "read_grades",
    "read_rows",
    "written",
]

_DATABASE = "evaluation.db"
_DIGEST_LENGTH = 12

Grades: TypeAlias = dict[str, dict[str, float]]
"""Query id → corpus id → grade."""

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


class DatasetRow(NamedTuple):
    """A passage or a question; `place` is `file:line`, `more` every other key of its object."""

    id: str
    text: str
    title: str
    more: Mapping[str, object]
    place: str


def read_rows(directory: Path, name: str) -> Iterator[DatasetRow]:
    """The rows of `name`, in order. Raises InvalidInput with the line of the first bad one."""
    path = _file(directory, name)
    seen: dict[str, int] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            row = _row(line, f"{path}:{number}")
            if row.id in seen:
                raise InvalidInput(
                    f"{row.place}: the id {row.id!r} stands in line {seen[row.id]} already: "
                    "give every row an id of its own"
                )
            seen[row.id] = number
            yield row
    if not seen:
        raise InvalidInput(f"{path} has no rows: write one JSON object a line")


def read_grades(directory: Path) -> Grades:
    """Every judgement in `qrels.tsv`. Raises InvalidInput with the line of the first bad one."""
    path = _file(directory, QRELS)
    grades: Grades = {}
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\r\n").split("\t")
            if not line.strip() or (number == 1 and _is_header(fields)):
                continue
            if len(fields) != 3:
                raise InvalidInput(
                    f"{path}:{number}: {len(fields)} columns, not query id, corpus id and grade "
                    "with tabs between"
                )
            query, passage, grade = fields
            grades.setdefault(query, {})[passage] = _grade(grade, f"{path}:{number}")
    return grades


def has_gold(grades: Grades, question: DatasetRow) -> bool:
    """Whether some row is judged to answer `question`."""
    return any(grade > 0 for grade in grades.get(question.id, {}).values())


def moment(row: DatasetRow, key: str) -> str | None:
    """The instant that stands under `key` (seconds since 1970 or ISO), None without one.

    Raises InvalidInput when something else stands there.
    """
    value = row.more.get(key)
    if value is None:
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return from_epoch(value)
        return parse_instant(str(value))
    except (InvalidInput, OverflowError, ValueError, OSError) as error:
        raise InvalidInput(
            f"{row.place}: {key} is {value!r}: write seconds since 1970 or an ISO date"
        ) from error


def _file(directory: Path, name: str) -> Path:
    if not directory.is_dir():
        raise InvalidInput(f"{str(directory)!r} is not a folder: name one with {CORPUS}")
    path = directory / name
    if not path.is_file():
        raise InvalidInput(
            f"{str(directory)!r} has no {name}: a labelled set has {CORPUS}, {QUERIES}, {QRELS}"
        )
    return path


def _row(line: bytes, place: str) -> DatasetRow:
    try:
        read = msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{place}: not a JSON object: {error}") from error
    key, text, title = read.pop("id", None), read.pop("text", None), read.pop("title", None)
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
    if not isinstance(key, str) or not key.strip():
        raise InvalidInput(f"{place}: id is {key!r}: give the row a text or number as its id")
    if not isinstance(text, str) or not isinstance(title, str | None):
        raise InvalidInput(f"{place}: the row {key!r} needs `text` (and `title`, if any) as text")
    return DatasetRow(key, text, title or "", read, place)


def _is_header(fields: list[str]) -> bool:
    try:
        float(fields[-1])
    except ValueError:
        return True
    return False


def _grade(text: str, place: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise InvalidInput(f"{place}: the grade {text!r} is not a finite number: write one")
    return grade


class WriteTimes(NamedTuple):
    """How long it took, in seconds: the writing without embedding, and the embedding."""

    index_s: float
    embed_s: float


@contextmanager
def written(
    directory: Path,
    open_memory: "Callable[[str], Memory]",
    write: "Callable[[Memory, Path], float]",
    *,
    folder: Path | None = None,
    key: str = "",
) -> "Generator[tuple[Memory, WriteTimes], None, None]":
    """A memory that holds the corpus of `directory` and nothing else, and how long that took.

    `write` is given the memory and a folder for files of its own, and gives the seconds that
    embedding took. `folder` keeps the store, in a
    folder named by the bytes of the corpus, the version of Quipu and `key` (what else decides the
    records), so that only a run over the same set finds it; without one it is thrown away.
    """
    with (
        place_of(folder, key, file=directory / CORPUS) as place,
        open_memory(str(place / _DATABASE)) as memory,
    ):
        start = time.perf_counter()
        embed_s = write(memory, place)
        index_s = max(time.perf_counter() - start - embed_s, 0.0)
        yield memory, WriteTimes(round(index_s, 3), round(embed_s, 3))


@contextmanager
def place_of(
    folder: Path | None, *key: str, file: Path | None = None, name: str = ""
) -> Generator[Path, None, None]:
    """A folder that is thrown away; in `folder`, where there is one, the folder that is kept for
    this version of Quipu, this `key` and the bytes of this `file`."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="quipu-") as temporary:
            yield Path(temporary)
        return
    digest = hashlib.sha256("\n".join([version("quipu-memory"), *key, ""]).encode())
    if file is not None:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    place = folder / f"{name}{digest.hexdigest()[:_DIGEST_LENGTH]}"
    place.mkdir(parents=True, exist_ok=True)
    yield place

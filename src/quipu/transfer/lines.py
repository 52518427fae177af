"""The lines of an export: JSON, one record a line, a header with the version first.

    {"quipu": "export", "version": 2, "namespace": "default"}
    {"kind": "episode", "record": {…}, "recorded_at": …, "known_until": …}
    {"kind": "chunk", "record": {…}, …}
    {"kind": "entity" | "relation" | "fact", "episode_id": …, "chunk_ids": […], "record": {…}, …}
    {"kind": "vector", "chunk_id": …, "space": …, "vector": base64 float16, "parts": […]}

Every record says since when it is known (`recorded_at`) and, if it has ended, until when
(`known_until`, else null). Lines stand by source: an episode, its chunks, what it asserts, the
same of what has ended, its vectors; sources that are gone come last. What the indexes hold of a
chunk is not there; it is computed again from the chunk.
"""

import base64
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.records.batch import Embedding, Period
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation

VERSION = 2


class Refused(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A line of the file that was left out, and what is wrong with its record."""

    line: Annotated[int, "where it stands in the file"]
    record_id: Annotated[str, "whose record it is"]
    error: Annotated[str, "what is wrong with it"]


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """How many of each kind of line were written or read, and how many changes that made."""

    episodes: Annotated[int, "observations of sources"]
    chunks: Annotated[int, "passages"]
    claims: Annotated[int, "assertions of entities, relations and facts"]
    vectors: Annotated[int, "vectors, when they are in the file"]
    past: Annotated[int, "records of any kind that have ended"] = 0
    changes: Annotated[int, "how many changes an import made; 0 when all was there"] = 0
    refused: Annotated[tuple[Refused, ...], "lines that an import left out (exit code 1)"] = ()


class Counts(TypedDict):
    """What `Moved` counts by line."""

    episodes: int
    chunks: int
    claims: int
    vectors: int
    past: int


NOTHING: Counts = {"episodes": 0, "chunks": 0, "claims": 0, "vectors": 0, "past": 0}


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    quipu: Literal["export"] = "export"
    version: int = VERSION
    namespace: str


class _Line(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class _Timed(_Line, frozen=True, kw_only=True):
    recorded_at: str = ""
    known_until: str | None = None


class EpisodeLine(_Timed, frozen=True, kw_only=True, tag="episode"):
    """An observation; what follows up to the next one is what it brought."""

    record: Episode


class ChunkLine(_Timed, frozen=True, kw_only=True, tag="chunk"):
    """A passage of the episode above."""

    record: Chunk


class _Claimed(_Timed, frozen=True, kw_only=True):
    episode_id: str
    chunk_ids: tuple[str, ...]


class EntityLine(_Claimed, frozen=True, kw_only=True, tag="entity"):
    """An entity as one episode asserted it."""

    record: Entity


class RelationLine(_Claimed, frozen=True, kw_only=True, tag="relation"):
    """A relation as one episode asserted it."""

    record: Relation


class FactLine(_Claimed, frozen=True, kw_only=True, tag="fact"):
    """A fact as one episode asserted it."""

    record: Fact


class VectorLine(_Line, frozen=True, kw_only=True, tag="vector"):
    """A chunk's vectors in one space: little-endian float16 in base64, parts row by row."""

    chunk_id: str
    space: str
    vector: str
    parts: tuple[str, ...]


TimedLine: TypeAlias = EpisodeLine | ChunkLine | EntityLine | RelationLine | FactLine
Line: TypeAlias = TimedLine | VectorLine

DECODER = msgspec.json.Decoder(Line)
HEADER = msgspec.json.Decoder(Header)
ENCODER = msgspec.json.Encoder(order="deterministic")


def kind_of_line(line: Line) -> Literal["episodes", "chunks", "claims", "vectors", "past"]:
    """Under which name of `Moved` a line is counted."""
    if isinstance(line, VectorLine):
        return "vectors"
    if line.known_until is not None:
        return "past"
    match line:
        case EpisodeLine():
            return "episodes"
        case ChunkLine():
            return "chunks"
        case _:
            return "claims"


_CLAIM_LINES: dict[type[Record], Callable[..., TimedLine]] = {
    Entity: EntityLine,
    Relation: RelationLine,
    Fact: FactLine,
}


def period_line(period: Period) -> TimedLine:
    """What an episode asserted, as its line."""
    record = period.record
    given: dict[str, Any] = {
        "record": record,
        "recorded_at": period.recorded_at,
        "known_until": period.known_until,
    }
    if isinstance(record, Episode):
        return EpisodeLine(**given)
    if isinstance(record, Chunk):
        return ChunkLine(**given)
    line = _CLAIM_LINES[type(record)]
    return line(episode_id=period.episode_id, chunk_ids=period.chunk_ids, **given)


def period_of(line: TimedLine) -> Period:
    """What a line says, as a period."""
    match line:
        case EpisodeLine() | ChunkLine():
            by, chunk_ids = line.record.episode_id, ()
        case _:
            by, chunk_ids = line.episode_id, line.chunk_ids
    return Period(line.record, by, line.recorded_at, line.known_until, chunk_ids)


def vector_line(
    chunk_id: str, space: str, vector: NDArray[np.float32], parts: NDArray[np.float32]
) -> VectorLine:
    """A chunk's vectors as their line."""
    return VectorLine(
        chunk_id=chunk_id, space=space, vector=_text(vector), parts=tuple(map(_text, parts))
    )


def embedding(line: VectorLine) -> Embedding:
    """The vectors of a line."""
    vector = _row(line.vector)
    parts = np.array([_row(part) for part in line.parts], dtype=np.float16)
    return Embedding(line.chunk_id, line.space, vector, parts.reshape(-1, len(vector)))


def _text(row: NDArray[np.float32]) -> str:
    return base64.b64encode(row.astype("<f2").tobytes()).decode()


def _row(text: str) -> NDArray[np.float16]:
    return np.frombuffer(base64.b64decode(text, validate=True), "<f2").astype(np.float16)

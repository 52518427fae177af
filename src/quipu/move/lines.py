"""The lines of an export: JSON, one record a line, a header with the version first.

    {"quipu": "export", "version": 1, "namespace": "default"}
    {"kind": "episode", "record": {…}}
    {"kind": "chunk", "record": {…}}
    {"kind": "entity" | "relation" | "fact", "episode_id": …, "chunk_ids": […], "record": {…}}
    {"kind": "vector", "chunk_id": …, "space": …, "vector": base64 float16, "parts": […]}

Lines stand by source: an episode, its chunks, what it asserts, its vectors. What the indexes hold
of a chunk is not there; it is computed again from the chunk.
"""

import base64
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.domain.batch import Claim, Embedding
from quipu.domain.records import Chunk, Entity, Episode, Fact, Relation

VERSION = 1


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """How many of each kind of line were written or read, and how many changes that made."""

    episodes: int
    chunks: int
    claims: int
    vectors: int
    changes: int = 0


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    quipu: Literal["export"] = "export"
    version: int = VERSION
    namespace: str


class _Line(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class EpisodeLine(_Line, frozen=True, kw_only=True, tag="episode"):
    """An observation; what follows up to the next one is what it brought."""

    record: Episode


class ChunkLine(_Line, frozen=True, kw_only=True, tag="chunk"):
    """A passage of the episode above."""

    record: Chunk


class EntityLine(_Line, frozen=True, kw_only=True, tag="entity"):
    """An entity as one episode asserted it."""

    episode_id: str
    chunk_ids: tuple[str, ...]
    record: Entity


class RelationLine(_Line, frozen=True, kw_only=True, tag="relation"):
    """A relation as one episode asserted it."""

    episode_id: str
    chunk_ids: tuple[str, ...]
    record: Relation


class FactLine(_Line, frozen=True, kw_only=True, tag="fact"):
    """A fact as one episode asserted it."""

    episode_id: str
    chunk_ids: tuple[str, ...]
    record: Fact


class VectorLine(_Line, frozen=True, kw_only=True, tag="vector"):
    """A chunk's vectors in one space: little-endian float16 in base64, parts row by row."""

    chunk_id: str
    space: str
    vector: str
    parts: tuple[str, ...]


Line: TypeAlias = EpisodeLine | ChunkLine | EntityLine | RelationLine | FactLine | VectorLine

DECODER = msgspec.json.Decoder(Line)
HEADER = msgspec.json.Decoder(Header)
ENCODER = msgspec.json.Encoder(order="deterministic")


def claim_line(claim: Claim) -> EntityLine | RelationLine | FactLine:
    """A claim as its line."""
    match claim.record:
        case Entity() as record:
            return EntityLine(episode_id=claim.episode_id, chunk_ids=claim.chunk_ids, record=record)
        case Relation() as record:
            return RelationLine(
                episode_id=claim.episode_id, chunk_ids=claim.chunk_ids, record=record
            )
        case Fact() as record:
            return FactLine(episode_id=claim.episode_id, chunk_ids=claim.chunk_ids, record=record)


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

"""What one write brings: it is stored whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quipu.records.record import Asserted, Chunk, Episode, Record

Terms = dict[str, int]
"""A term and how often it stands in a field."""


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with everything its profile computed for it at write time.

    `fields` maps a posting field ("prose", "code", "title", "name") to its terms; `columns` is
    the profile's own packed data (`index/columns.py`), which a store keeps and never reads.
    """

    chunk: Chunk
    fields: dict[str, Terms]
    columns: bytes = b""


@dataclass(frozen=True, slots=True)
class Claim:
    """That an episode asserts a record, and the chunks in which it does."""

    record: Asserted
    episode_id: str
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Embedding:
    """A chunk's vectors in one space: `vector` float[d] and `parts` float[m, d] (sentences).

    Rows have length 1 or are zero. Stores keep float16, parts at six bits a number
    (`index/parts.py`), so two stores give the same numbers.
    """

    chunk_id: str
    space: str
    vector: NDArray[np.floating]
    parts: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Period:
    """That an episode asserted a record (itself and its chunks too), and from when until when
    that was known here; `known_until` is None while it is."""

    record: Record
    episode_id: str
    recorded_at: str
    known_until: str | None = None
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One atomic, idempotent write.

    `replaces` names source references whose live episodes are retired, unless the batch brings
    the very same episode again: their chunks leave the indexes and their support ends.
    `ends` names records (entities, relations, facts) whose live support ends, whoever gave it.
    Claims and embeddings may speak of episodes and chunks that are stored already.

    What was known before it came here keeps its times: `past` holds periods that have ended, and
    `known_since` says by (record, episode) since when the rest is known, where that is not
    `recorded_at`.
    """

    recorded_at: str
    episodes: tuple[Episode, ...] = ()
    chunks: tuple[IndexedChunk, ...] = ()
    claims: tuple[Claim, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    replaces: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    past: tuple[Period, ...] = ()
    known_since: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did: the store's sequence number after it, and how many changes it logged.

    A write that changes nothing logs nothing and leaves the sequence number as it was.
    """

    sequence: int
    changes: int = field(default=0)

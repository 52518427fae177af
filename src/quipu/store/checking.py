"""Whether a batch can be stored, decided once for every backend."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput, SpaceMismatch
from quipu.index.similarity import rounded
from quipu.ports import KIND_OF
from quipu.records.batch import Batch, Claim, Embedding, IndexedChunk, Period
from quipu.records.ids import Kind, kind_of, order_key
from quipu.records.record import Entity, Episode, Record
from quipu.records.record import record_id as id_of
from quipu.records.schema import EntityType
from quipu.store.rules import encode, require_text
from quipu.when.instants import parse_instant

_CONTENT = msgspec.msgpack.Encoder()


class Vector(NamedTuple):
    """An embedding as a store keeps it: float16[d] and float16[m, d]."""

    chunk_id: str
    space: str
    vector: NDArray[np.float16]
    parts: NDArray[np.float16]


class Claimed(NamedTuple):
    """What an episode asserts, encoded."""

    record_id: str
    kind: Kind
    episode_id: str
    chunk_ids: tuple[str, ...]
    record: Record
    body: bytes


class Past(NamedTuple):
    """What an episode asserted, and from when until when."""

    claim: Claimed
    recorded_at: str
    known_until: str


class Checked(NamedTuple):
    """A sound batch: no two episodes, chunks, claims or vectors of one identity."""

    recorded_at: str
    episodes: dict[str, tuple[Episode, bytes]]
    chunks: dict[str, tuple[IndexedChunk, bytes]]
    digests: dict[str, bytes]
    claims: dict[tuple[str, str], Claimed]
    embeddings: dict[tuple[str, str], Vector]
    replaces: frozenset[str]
    ends: frozenset[str]
    past: tuple[Past, ...]
    known_since: Mapping[tuple[str, str], str]

    def since(self, record_id: str, episode_id: str) -> str:
        """Since when it is known that the episode asserts the record."""
        return self.known_since.get((record_id, episode_id), self.recorded_at)


def check(batch: Batch) -> Checked:
    """The batch in the form stores work with; InvalidInput when it cannot be stored.

    Claims of one record by one episode are united: the last one's record, all their chunks.
    """
    for moment in {batch.recorded_at, *batch.known_since.values()}:
        _require_instant(moment)
    return Checked(
        batch.recorded_at,
        _checked_episodes(batch.episodes),
        chunks := _checked_chunks(batch.chunks),
        {chunk_id: _digest(item) for chunk_id, (item, _) in chunks.items()},
        _checked_claims(batch.claims),
        _checked_embeddings(batch.embeddings),
        frozenset(batch.replaces),
        frozenset(batch.ends),
        _checked_periods(batch.past),
        batch.known_since,
    )


def _require_instant(text: str) -> None:
    if parse_instant(text) != text:
        raise InvalidInput(f"{text!r} is not an instant: use instants.parse_instant first")


def _checked_periods(periods: Iterable[Period]) -> tuple[Past, ...]:
    checked = map(_checked_past, periods)
    return tuple({(*past.claim[:4], past.claim.body, *past[1:]): past for past in checked}.values())


def _checked_past(period: Period) -> Past:
    _require_instant(period.recorded_at)
    if period.known_until is None or period.known_until < period.recorded_at:
        raise InvalidInput(
            f"the period of {id_of(period.record)!r} until {period.known_until!r} has not ended, or"
            " before it began: what is live is written as episodes, chunks and claims"
        )
    _require_instant(period.known_until)
    claim = _claimed(period.record, period.episode_id, period.chunk_ids)
    return Past(claim, period.recorded_at, period.known_until)


def _claimed(record: Record, episode_id: str, chunk_ids: Sequence[str]) -> Claimed:
    if isinstance(record, Entity) and record.type == EntityType.NAME:
        raise InvalidInput(
            f"{record.entity_id!r} is a Name: names are written as terms of the field "
            "'name' of the chunks that mention them"
        )
    for chunk_id in chunk_ids:
        require_text(chunk_id, "a chunk that a claim stands in")
    body, kind = _encoded(record), KIND_OF[type(record)]
    return Claimed(id_of(record), kind, episode_id, tuple(chunk_ids), record, body)


def _checked_episodes(episodes: Iterable[Episode]) -> dict[str, tuple[Episode, bytes]]:
    checked: dict[str, tuple[Episode, bytes]] = {}
    for episode in episodes:
        body = _encoded(episode)
        known = checked.setdefault(episode.episode_id, (episode, body))
        if known[1] != body:
            raise InvalidInput(f"the batch holds two episodes {episode.episode_id!r}")
    return checked


def _checked_chunks(items: Iterable[IndexedChunk]) -> dict[str, tuple[IndexedChunk, bytes]]:
    checked: dict[str, tuple[IndexedChunk, bytes]] = {}
    for item in items:
        body = _encoded(item.chunk)
        try:
            order_key(item.chunk.chunk_id)
        except ValueError as error:
            raise InvalidInput(
                f"{item.chunk.chunk_id!r} is not a chunk id: make it with ids.make_id"
            ) from error
        if any(terms and min(terms.values()) < 1 for terms in item.fields.values()):
            raise InvalidInput(
                f"a term of {item.chunk.chunk_id!r} stands in it less than once: leave it out"
            )
        known, known_body = checked.setdefault(item.chunk.chunk_id, (item, body))
        if known is not item and (known_body, known.fields, known.columns) != (
            body,
            item.fields,
            item.columns,
        ):
            raise InvalidInput(f"the batch holds two chunks {item.chunk.chunk_id!r}")
    return checked


def _digest(item: IndexedChunk) -> bytes:
    try:
        return index_digest(item)
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"a term of {item.chunk.chunk_id!r} is not valid Unicode (a lone surrogate): "
            "decode the source with errors='replace'"
        ) from error


def _checked_claims(claims: Iterable[Claim]) -> dict[tuple[str, str], Claimed]:
    checked: dict[tuple[str, str], Claimed] = {}
    for given in claims:
        claim = _claimed(given.record, given.episode_id, given.chunk_ids)
        key = claim.record_id, claim.episode_id
        earlier = checked.get(key)
        if earlier is not None or len(claim.chunk_ids) > 1:
            before = earlier.chunk_ids if earlier else ()
            claim = claim._replace(chunk_ids=tuple(dict.fromkeys((*before, *claim.chunk_ids))))
        checked[key] = claim
    return checked


def _encoded(record: Record) -> bytes:
    record_id, kind = id_of(record), KIND_OF[type(record)]
    if kind_of(record_id) != kind:
        raise InvalidInput(f"{record_id!r} is not the id of a {kind}: make it with ids.make_id")
    if "\0" in record_id or (isinstance(record, Episode) and "\0" in record.source_ref):
        raise InvalidInput(f"{record_id!r}: ids and source references hold no NUL character")
    try:
        return encode(record)
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{kind} {record_id!r} holds text that is not valid Unicode (a lone surrogate): "
            "decode the source with errors='replace'"
        ) from error


def _checked_embeddings(embeddings: Iterable[Embedding]) -> dict[tuple[str, str], Vector]:
    checked: dict[tuple[str, str], Vector] = {}
    for each in embeddings:
        require_text(each.space, "an embedding space")
        vector, parts = np.asarray(each.vector), np.asarray(each.parts)
        if vector.ndim != 1 or not vector.size:
            raise SpaceMismatch(
                f"the vector of {each.chunk_id!r} has shape {vector.shape}: give float[d]"
            )
        if parts.size == 0:
            parts = parts.reshape(0, vector.size)
        if parts.ndim != 2 or parts.shape[1] != vector.size:
            raise SpaceMismatch(
                f"the parts of {each.chunk_id!r} have shape {parts.shape}: give "
                f"float[m, {vector.size}]"
            )
        if not (_normal(vector[None]) and _normal(parts)):
            raise InvalidInput(
                f"the vectors of {each.chunk_id!r} are not rows of length 1 or 0: normalise them"
            )
        checked[each.chunk_id, each.space] = Vector(
            each.chunk_id, each.space, rounded(vector), rounded(parts)
        )
    return checked


def _normal(rows: NDArray[np.floating]) -> bool:
    """Whether every row has length 1, or is zero; float16 puts a length off by less than .01."""
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1))
    return bool(((np.abs(lengths - 1.0) < 0.01) | (lengths == 0.0)).all())  # NaN compares false


def index_digest(item: IndexedChunk) -> bytes:
    """16 bytes over all that the indexes hold of a chunk.

    A chunk that comes again with the same digest keeps its number, postings and vectors, wherever
    it has moved to in its document.
    """
    chunk = item.chunk
    content = (
        chunk.document_id,
        chunk.profile,
        chunk.title,
        chunk.heading_path,
        chunk.symbol,
        chunk.text,
        item.fields,
        item.columns,
    )  # terms in the order in which they come: a profile gives them in that of the text
    return hashlib.blake2b(_CONTENT.encode(content), digest_size=16).digest()

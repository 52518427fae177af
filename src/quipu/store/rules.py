"""What every backend decides alike: which batches are sound, what equals what, what is visible.

Backends share these pure rules so that they can differ in speed only.
"""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.domain.batch import Batch, Claim, Embedding, IndexedChunk
from quipu.domain.ids import Kind, kind_of, order_key
from quipu.domain.instants import parse_instant
from quipu.domain.records import Asserted, Chunk, Entity, Episode, Fact, Record, Relation
from quipu.domain.records import record_id as id_of
from quipu.domain.schema import EntityType
from quipu.domain.scope import Scope
from quipu.errors import InvalidInput, SpaceMismatch
from quipu.index.similarity import rounded
from quipu.text import name_key

KINDS: tuple[Kind, ...] = ("episode", "chunk", "entity", "relation", "fact")
"""In the order in which one write logs its changes; vectors come last."""

_TYPES: dict[Kind, type[Record]] = {
    "episode": Episode,
    "chunk": Chunk,
    "entity": Entity,
    "relation": Relation,
    "fact": Fact,
}
_ENCODER = msgspec.json.Encoder(order="deterministic")
_DECODERS: dict[Kind, msgspec.json.Decoder[Record]] = {
    kind: msgspec.json.Decoder(kind_type) for kind, kind_type in _TYPES.items()
}


def kind_of_record(record: Record) -> Kind:
    """Which kind of record this is."""
    match record:
        case Episode():
            return "episode"
        case Chunk():
            return "chunk"
        case Entity():
            return "entity"
        case Relation():
            return "relation"
        case Fact():
            return "fact"


def encode(record: Record) -> bytes:
    """The record as a store keeps it; two records are the same when these bytes are."""
    return _ENCODER.encode(record)


def decode(kind: Kind, body: bytes) -> Record:
    """The record that `encode` made into `body`."""
    return _DECODERS[kind].decode(body)


def storable(text: str) -> bool:
    """Whether `text` is valid Unicode: a lone surrogate can be asked for, never stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def require_namespace(name: str) -> None:
    """InvalidInput for a namespace that cannot be stored."""
    if not name or "\0" in name or not storable(name):
        raise InvalidInput(
            f"{name!r} cannot name a namespace: give valid text without NUL characters, or leave "
            "it out for 'default'"
        )


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
    )
    return hashlib.blake2b(_ENCODER.encode(content), digest_size=16).digest()


class Vector(NamedTuple):
    """An embedding as a store keeps it: float16[d] and float16[m, d]."""

    chunk_id: str
    space: str
    vector: NDArray[np.float16]
    parts: NDArray[np.float16]


class Claimed(NamedTuple):
    """A claim, encoded."""

    record_id: str
    kind: Kind
    episode_id: str
    chunk_ids: tuple[str, ...]
    record: Asserted
    body: bytes


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


def check(batch: Batch) -> Checked:
    """The batch in the form stores work with; InvalidInput when it cannot be stored.

    Claims of one record by one episode are united: the last one's record, all their chunks.
    """
    if parse_instant(batch.recorded_at) != batch.recorded_at:
        raise InvalidInput(
            f"{batch.recorded_at!r} is not an instant: use instants.parse_instant first"
        )
    return Checked(
        batch.recorded_at,
        _checked_episodes(batch.episodes),
        chunks := _checked_chunks(batch.chunks),
        {chunk_id: _digest(item) for chunk_id, (item, _) in chunks.items()},
        _checked_claims(batch.claims),
        _checked_embeddings(batch.embeddings),
        frozenset(batch.replaces),
        frozenset(batch.ends),
    )


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
        known = checked.setdefault(item.chunk.chunk_id, (item, body))
        if known[0] is not item and known[1] != body:
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
    for claim in claims:
        record = claim.record
        if isinstance(record, Entity) and record.type == EntityType.NAME:
            raise InvalidInput(
                f"{record.entity_id!r} is a Name: names are written as terms of the field "
                "'name' of the chunks that mention them"
            )
        key = (id_of(record), claim.episode_id)
        earlier = checked.get(key)
        chunk_ids = (*(earlier.chunk_ids if earlier else ()), *claim.chunk_ids)
        checked[key] = Claimed(
            key[0],
            kind_of_record(record),
            claim.episode_id,
            tuple(dict.fromkeys(chunk_ids)),
            record,
            _encoded(record),
        )
    return checked


def _encoded(record: Record) -> bytes:
    record_id, kind = id_of(record), kind_of_record(record)
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
        if not (_bounded(vector) and _bounded(parts)):
            raise InvalidInput(
                f"the vectors of {each.chunk_id!r} are not rows of length 1 or 0: normalise them"
            )
        checked[each.chunk_id, each.space] = Vector(
            each.chunk_id, each.space, rounded(vector), rounded(parts)
        )
    return checked


def _bounded(rows: NDArray[np.floating]) -> bool:
    return bool((np.abs(rows) <= 1.01).all())  # NaN compares false


def require_dimension(space: str, stored: int, given: int) -> None:
    """SpaceMismatch when a vector of `given` numbers is asked of a space of `stored`."""
    if stored != given:
        raise SpaceMismatch(
            f"the embedding space {space!r} has {stored} dimensions and the vector {given}: "
            "embed with the model that the space names"
        )


def entity_keys(entity: Entity) -> frozenset[str]:
    """The folded names that an entity answers to."""
    return frozenset(map(name_key, (entity.name, *entity.aliases)))


class Place(NamedTuple):
    """What a scope asks about a chunk."""

    chunk_id: str
    document_id: str
    profile: str
    group: str
    source_type: str
    observed_at: str
    document_type: str
    status: str
    domain: str


def document_properties(document: Entity | None) -> tuple[str, str, str]:
    """A Document's type, status and domain as scopes name them; "" for what it lacks."""
    properties = document.properties if document else {}
    values = (properties.get(key) for key in ("type", "status", "domain"))
    kind, status, domain = (v if isinstance(v, str) else "" for v in values)
    return kind, status, domain


def place_of(chunk: Chunk, episode: Episode, document: Entity | None) -> Place:
    """Where a chunk stands, for `admits`."""
    kind, status, domain = document_properties(document)
    return Place(
        chunk.chunk_id,
        chunk.document_id,
        chunk.profile,
        episode.group,
        episode.source_type,
        episode.observed_at,
        kind,
        status,
        domain,
    )


def admits(scope: Scope, place: Place) -> bool:
    """Whether a search in `scope` may see what stands at `place`."""
    return (
        (not scope.chunk_ids or place.chunk_id in scope.chunk_ids)
        and (not scope.profiles or place.profile in scope.profiles)
        and _admits_source(scope, place)
        and _admits_document(scope, place)
    )


def admits_episode(scope: Scope, episode: Episode, document: Entity | None) -> bool:
    """Whether `scope` sees an episode; what it says of chunks alone does not count."""
    kind, status, domain = document_properties(document)
    place = Place(
        "",
        episode.document_id or "",
        "",
        episode.group,
        episode.source_type,
        episode.observed_at,
        kind,
        status,
        domain,
    )
    return _admits_source(scope, place) and _admits_document(scope, place)


def admits_entity(scope: Scope, entity: Entity) -> bool:
    """Whether `scope` sees an entity: it bounds Documents, by their id."""
    return (
        not scope.document_ids
        or entity.type != EntityType.DOCUMENT
        or entity.entity_id in scope.document_ids
    )


def _admits_source(scope: Scope, place: Place) -> bool:
    return (
        (not scope.groups or place.group in scope.groups)
        and (not scope.source_types or place.source_type in scope.source_types)
        and (scope.before is None or place.observed_at < scope.before)
        and (scope.after is None or place.observed_at >= scope.after)
    )


def _admits_document(scope: Scope, place: Place) -> bool:
    return (
        (not scope.document_ids or place.document_id in scope.document_ids)
        and (not scope.document_types or place.document_type in scope.document_types)
        and (not scope.statuses or place.status in scope.statuses)
        and (not scope.domains or place.domain in scope.domains)
    )


def valid_at(fact: Fact, as_of: str) -> bool:
    """Whether a fact holds at `as_of`: from `valid_from` (included) until `valid_to` (excluded);
    a bare date is its midnight, None is open."""
    moment = _moment(as_of)
    return (fact.valid_from is None or _moment(fact.valid_from) <= moment) and (
        fact.valid_to is None or moment < _moment(fact.valid_to)
    )


def _moment(text: str) -> str:
    try:
        return parse_instant(text)
    except InvalidInput:
        return text


def fact_order(fact: Fact) -> tuple[str, str, str, str]:
    """By subject, predicate, begin (open ones first) and id."""
    return (fact.subject, fact.predicate, fact.valid_from or "", fact.fact_id)


def neighbor_order(relation: Relation, near: str) -> tuple[str, str, str]:
    """By type, the end that is not `near`, and id."""
    forward = relation.source_entity_id == near
    far = relation.target_entity_id if forward else relation.source_entity_id
    return (relation.type, far, relation.rel_id)

"""What every backend decides alike: what equals what, what is visible, what comes first.

Backends share these pure rules so that they can differ in speed only.
"""

from typing import NamedTuple

import msgspec

from quipu.errors import CorruptStore, InvalidInput, SpaceMismatch
from quipu.records.ids import Kind
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation
from quipu.records.schema import EntityType
from quipu.records.scope import Scope
from quipu.text import name_key
from quipu.when.instants import parse_instant

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


def encode(record: Record) -> bytes:
    """The record as a store keeps it; two records are the same when these bytes are."""
    return _ENCODER.encode(record)


def decode(kind: Kind, body: bytes) -> Record:
    """The record that `encode` made into `body`; CorruptStore for anything else."""
    try:
        return _DECODERS[kind].decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptStore(
            f"a {kind} in the store is damaged ({error}): `quipu doctor` says in which file; "
            "restore a backup (quipu restore), or keep what can be read (quipu doctor --salvage)"
        ) from error


def storable(text: str) -> bool:
    """Whether `text` is valid Unicode: a lone surrogate can be asked for, never stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def require_namespace(name: str) -> None:
    """InvalidInput for a namespace that cannot be stored."""
    require_text(name, "a namespace")


def require_text(name: str, of: str) -> None:
    """InvalidInput unless every store can keep `name`; `of` says what it names."""
    if not name or "\0" in name or not (name.isascii() or storable(name)):
        raise InvalidInput(
            f"{name!r} cannot name {of}: give text that is not empty, valid Unicode and without "
            "NUL characters"
        )


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

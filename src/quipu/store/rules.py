"""What every backend decides alike: what equals what, what is visible, what comes first.

Backends share these pure rules so that they can differ in speed only.
"""

import msgspec

from quipu.errors import CorruptStore, InvalidInput, SpaceMismatch
from quipu.ports import KIND_OF
from quipu.records.ids import Kind
from quipu.records.record import Entity, Fact, Record
from quipu.text import name_key
from quipu.when.instants import parse_instant

KINDS = tuple(KIND_OF.values())
_ENCODER = msgspec.json.Encoder(order="deterministic")
_DECODERS: dict[Kind, msgspec.json.Decoder[Record]] = {
    kind: msgspec.json.Decoder(record_type) for record_type, kind in KIND_OF.items()
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


def document_properties(document: Entity | None) -> tuple[str, str, str]:
    """A Document's type, status and domain as scopes name them; "" for what it lacks."""
    properties = document.properties if document else {}
    values = (properties.get(key) for key in ("type", "status", "domain"))
    kind, status, domain = (v if isinstance(v, str) else "" for v in values)
    return kind, status, domain


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

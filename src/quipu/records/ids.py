"""Deterministic, tagged identifiers.

An id is a short tag, an underscore and 24 hexadecimal digits of SHA-256 over the parts it is
made from, so the same source gives the same id on every machine and in every store. The tag
says which record the id names. A `Name` entity is the exception: it has no row of its own
(its mentions are postings), so its id carries its key and can be resolved without a table.

What is known by its name has an id made of it, and names are compared by kind: packages follow
PEP 503 (case and runs of `-_.` do not count); owners and services ignore case, accents, a leading @
and the difference between spaces, hyphens and underscores; what code is told from outside
(environment variables, settings, options) is called as it is written. Symbols and documents are
never known by name alone: homonyms in different files stay apart.
"""

import hashlib
import re
from typing import Literal

from quipu.records.refs import FILE
from quipu.text import name_key as folded

Kind = Literal["episode", "chunk", "entity", "relation", "fact"]

TAGS: dict[str, Kind] = {
    "ep": "episode",
    "ch": "chunk",
    "en": "entity",
    "re": "relation",
    "fa": "fact",
    "name": "entity",
}
_TAG_OF: dict[Kind, str] = {
    "episode": "ep",
    "chunk": "ch",
    "entity": "en",
    "relation": "re",
    "fact": "fa",
}
_PACKAGE_RUN = re.compile(r"[-_.]+")
_LOOSE_RUN = re.compile(r"[\s_\-.]+")
_EXACT = frozenset({"URL", "EnvironmentVariable", "Setting", "Option"})
CONSTRUCTORS = ("__init__", "__new__", "__construct", "constructor", "initialize")
"""What languages call the method that makes a thing of a type, where not by the type's own name."""
_LOOSE = frozenset({"Owner", "Service", "Application", "Infra", "Workflow", "Registry", "API"})
_NAME_PREFIX = "name:"


def make_id(kind: Kind, *parts: str) -> str:
    """The id of a record of `kind` made from `parts`; order matters, no two splits collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{_TAG_OF[kind]}_{digest.hexdigest()[:24]}"


def episode_id_of(namespace: str, source_type: str, ref: str, content_hash: str) -> str:
    """The id of the observation of this content under this reference."""
    return make_id("episode", namespace, source_type, ref, content_hash)


READERS = "2"
"""The version of the readers of files: raised by a change after which the same bytes give more.
What an earlier version read is read again by the next `quipu index`."""


def read_episode_id(namespace: str, source_type: str, ref: str, content_hash: str) -> str:
    """The id of the observation of a text by the present readers. Of a file, which can be read
    again, another version of them makes another observation, which replaces the one before."""
    version = (READERS,) if source_type == FILE else ()
    return make_id("episode", namespace, source_type, ref, content_hash, *version)


def kind_of(record_id: str) -> Kind | None:
    """Which kind of record an id names, or None when it is not one of ours."""
    if record_id.startswith(_NAME_PREFIX):
        return "entity"
    tag, _, rest = record_id.partition("_")
    return TAGS.get(tag) if rest else None


def name_id(key: str) -> str:
    """The id of the `Name` entity whose folded name is `key`."""
    return _NAME_PREFIX + key


def name_key(entity_id: str) -> str | None:
    """The folded name inside a `Name` entity's id, or None for any other id."""
    return entity_id.removeprefix(_NAME_PREFIX) if entity_id.startswith(_NAME_PREFIX) else None


def order_key(chunk_id: str) -> int:
    """The first 64 bits of a chunk id's digest: ties in a ranking break by this number.

    It orders chunk ids as the ids themselves do and fits an index column.
    """
    return int(chunk_id.partition("_")[2][:16], 16)


def identity_key(type: str, name: str) -> str:  # noqa: A002 - the record's own word
    """What an entity of `type` called `name` is compared by."""
    if type in _EXACT:
        return name
    if type == "Package":
        return _PACKAGE_RUN.sub("-", name.strip()).lower()
    if type in _LOOSE:
        return _LOOSE_RUN.sub("-", folded(name.lstrip("@"))).strip("-")
    return folded(name)


def named_entity_id(namespace: str, type: str, name: str) -> str:  # noqa: A002
    """The id of an entity that is known by its name in the whole namespace."""
    return make_id("entity", namespace, type, identity_key(type, name))


def document_entity_id(namespace: str, path: str) -> str:
    """The id a document gets where it is first seen at `path`; it keeps it when renamed."""
    return make_id("entity", namespace, "Document", path)


def symbol_entity_id(namespace: str, document_id: str, qualified: str) -> str:
    """The id of a symbol: its document and its dotted name there."""
    return make_id("entity", namespace, "Symbol", document_id, qualified)


def relation_id(namespace: str, source_id: str, type: str, target_id: str) -> str:  # noqa: A002
    """The id of the one relation of `type` from source to target."""
    return make_id("relation", namespace, source_id, type, target_id)

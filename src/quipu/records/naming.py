"""When two written names are one thing, and the ids of entities that are known by name.

Packages follow PEP 503 (case and runs of `-_.` do not count); owners and services ignore case,
accents, a leading @ and the difference between spaces, hyphens and underscores; what code is told
from outside (environment variables, settings, options) is called as it is written. Symbols and
documents are never known by name alone: homonyms in different files stay apart.
"""

import re

from quipu.records.ids import make_id
from quipu.text import name_key

_PACKAGE_RUN = re.compile(r"[-_.]+")
_LOOSE_RUN = re.compile(r"[\s_\-.]+")
_EXACT = frozenset({"URL", "EnvironmentVariable", "Setting", "Option"})
CONSTRUCTORS = ("__init__", "__new__", "__construct", "constructor", "initialize")
"""What languages call the method that makes a thing of a type, where not by the type's own name."""
_LOOSE = frozenset({"Owner", "Service", "Application", "Infra", "Workflow", "Registry", "API"})


def identity_key(type: str, name: str) -> str:  # noqa: A002 - the record's own word
    """What an entity of `type` called `name` is compared by."""
    if type in _EXACT:
        return name
    if type == "Package":
        return _PACKAGE_RUN.sub("-", name.strip()).lower()
    if type in _LOOSE:
        return _LOOSE_RUN.sub("-", name_key(name.lstrip("@"))).strip("-")
    return name_key(name)


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

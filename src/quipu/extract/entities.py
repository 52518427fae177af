"""The entities a document is the source of: itself, its symbols and the things it defines.

They depend on the document alone, so a catalogue can be filled with them before any relation
is looked for.
"""

import re
from collections.abc import Iterator

from quipu.records.document import Definition, Document
from quipu.records.ids import make_id, named_entity_id, symbol_entity_id
from quipu.records.record import Entity, Properties, Value
from quipu.text import excerpt

_DOCUMENT_KEYS = ("id", "domain", "lifecycle", "status")
_USED_AS = {
    "base": "bases",
    "call": "calls",
    "delegate": "delegates",
    "raise": "raises",
    "set": "sets",
}
"""Under which property a symbol holds the names that it uses so."""
_MOST_USED = 40
_NUMBERED = re.compile(r"([^\W\d_][\w ]{0,40}?[ #_-]?\d[\w.-]{0,20}?)\s*(?::|\s[–—-])\s+\S")
_AS_ENTITY = {"adr": "ADR", "policy": "Policy"}


def entities_of(document: Document, *, document_id: str, namespace: str) -> list[Entity]:
    """The document first, then its symbols by line, then what else it defines."""
    return [
        _document_entity(document, document_id),
        *_symbols(document, document_id, namespace),
        *_things(document, document_id, namespace),
    ]


def own_thing_id(document: Document, *, document_id: str, namespace: str) -> str | None:
    """The id of the ADR or Policy entity that the document itself is, if it is one."""
    type_ = _AS_ENTITY.get(document.type)
    return make_id("entity", namespace, type_, document_id) if type_ else None


def _document_entity(document: Document, document_id: str) -> Entity:
    properties: Properties = {
        **document.properties,
        "title": document.title,
        "type": document.type,
        "file_path": document.path,
        "language": document.language,
        "content_hash": document.content_hash,
    }
    for key in _DOCUMENT_KEYS:
        properties.setdefault(key, document_id if key == "id" else None)
    return Entity(
        entity_id=document_id,
        type="Document",
        name=document.title,
        updated_at=document.updated_at,
        source_sha=document.source_sha,
        aliases=_aliases(document),
        description=excerpt(document.description) if document.description else "",
        properties=dict(sorted(properties.items())),
        first_seen=document.updated_at,
        last_seen=document.updated_at,
    )


def _aliases(document: Document) -> tuple[str, ...]:
    """Its path, what its front matter says it is also called, and the name with a number that its
    title begins with (`ADR 7` of "ADR 7: Use SQLite")."""
    stated = [document.properties.get(key) for key in ("aliases", "alias")]
    listed = [each for value in stated for each in (value if isinstance(value, list) else [value])]
    named = [each.strip() for each in listed if isinstance(each, str) and each.strip()]
    numbered = _NUMBERED.match(document.title)
    begins = [str(numbered[1])] if numbered else []
    names = dict.fromkeys([document.path, *named, *begins])
    return tuple(name for name in names if name != document.title)


def _symbols(document: Document, document_id: str, namespace: str) -> Iterator[Entity]:
    seen: set[str] = set()
    uses = _uses(document)
    for definition in document.definitions:
        if definition.qualified not in seen:
            seen.add(definition.qualified)
            used = uses.get(definition.qualified, {})
            yield _symbol(definition, used, document, document_id, namespace)


def _uses(document: Document) -> dict[str, dict[str, Value]]:
    """By the definition, what it raises, calls, sets …, each name once as it is written."""
    found: dict[str, dict[str, list[Value]]] = {}
    for use in document.uses:
        key = _USED_AS.get(use.kind)
        if key is None or not use.within:
            continue
        named = found.setdefault(use.within, {}).setdefault(key, [])
        name = use.name.removeprefix(".").removeprefix("self.") or use.name
        if name not in named and len(named) < _MOST_USED:
            named.append(name)
    return {within: dict[str, Value](used) for within, used in found.items()}


def _symbol(
    definition: Definition,
    used: dict[str, Value],
    document: Document,
    document_id: str,
    namespace: str,
) -> Entity:
    properties: Properties = {
        "document_id": document_id,
        "end_line": definition.end_line,
        "kind": definition.kind,
        "language": document.language,
        "parameters": definition.parameters,
        "path": document.path,
        "qualified_name": definition.qualified,
        "start_line": definition.start_line,
    }
    if definition.value:
        properties["value"] = definition.value
    if definition.returns:
        properties["returns"] = definition.returns
    if definition.takes:
        properties["takes"] = [*definition.takes]
    if definition.fields:
        properties["fields"] = [*definition.fields]
    properties |= used
    return Entity(
        entity_id=symbol_entity_id(namespace, document_id, definition.qualified),
        type="Symbol",
        name=definition.qualified,
        updated_at=document.updated_at,
        source_sha=document.source_sha,
        aliases=(definition.name,) if definition.name != definition.qualified else (),
        description=excerpt(definition.doc.partition("\n\n")[0]) if definition.doc else "",
        properties=properties,
        first_seen=document.updated_at,
        last_seen=document.updated_at,
    )


def _things(document: Document, document_id: str, namespace: str) -> Iterator[Entity]:
    own_id = own_thing_id(document, document_id=document_id, namespace=namespace)
    if own_id is not None:
        written_id = document.properties.get("id")
        yield _thing(
            document,
            own_id,
            _AS_ENTITY[document.type],
            document.title,
            aliases=(written_id,) if isinstance(written_id, str) and written_id else (),
            properties={"document_id": document_id, "status": document.properties.get("status")},
        )
    for thing in document.things:
        yield _thing(
            document,
            named_entity_id(namespace, thing.type, thing.name),
            thing.type,
            thing.name,
            description=excerpt(thing.description) if thing.description else "",
            properties=thing.properties | ({"document_id": document_id} if thing.own else {}),
        )


def _thing(
    document: Document,
    entity_id: str,
    type: str,  # noqa: A002 - the record's own word
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    description: str = "",
    properties: Properties | None = None,
) -> Entity:
    return Entity(
        entity_id=entity_id,
        type=type,
        name=name,
        updated_at=document.updated_at,
        source_sha=document.source_sha,
        aliases=aliases,
        description=description,
        properties=properties or {},
        first_seen=document.updated_at,
        last_seen=document.updated_at,
    )

"""Documents to claims: the graph that is read without a model.

`local_claims` is what a document asserts by itself. For what it says of others, fill a
`Catalogue` with every document and ask for its `linked_claims`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quipu.extract.asserting import Assertions, PassageText, Unresolved
from quipu.extract.catalogue import Catalogue, Defined, defined_by
from quipu.extract.entities import entities_of
from quipu.extract.fact_claims import (
    asked_facts,
    dated_facts,
    observed_facts,
    recorded_facts,
    stated_facts,
)
from quipu.extract.imports import assert_imports
from quipu.extract.links import (
    assert_addresses,
    assert_links,
    assert_owners,
    assert_stated_relations,
)
from quipu.extract.uses import NAMED_IN_PROSE, assert_uses, named_symbol
from quipu.facts.attributes import SHIPPED, Attributes
from quipu.records.batch import Claim
from quipu.records.document import Document
from quipu.records.record import Entity, Episode
from quipu.records.stated import PROPOSING, trust_of
from quipu.text import looks_like_identifier

__all__ = [
    "Catalogue",
    "Defined",
    "Unresolved",
    "asked_facts",
    "defined_by",
    "entities_of",
    "linked_claims",
    "local_claims",
    "stated_facts",
]

_HEADING_NOISE = re.compile(
    r"^(?:class|function|method|def|module|service|the|tool)\s+|\s+(?:service|tool|class|function)$"
    r"|\(.*\)$|`",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExtractedClaims:
    """The claims of a document, and what it names that is not there, by line."""

    claims: tuple[Claim, ...]
    unresolved: tuple[Unresolved, ...]


def local_claims(
    document: Document,
    chunks: Sequence[PassageText],
    episode: Episode,
    *,
    namespace: str,
    attributes: Attributes = SHIPPED,
) -> list[Claim]:
    """What `document` asserts whatever else there is: itself, what it defines, the addresses
    outside that it links to, and its dated facts, in that order.

    The same record may be claimed more than once; `resolve` makes one claim of them.
    """
    document_id = episode.document_id or ""
    found = Assertions(document, document_id, episode.episode_id, namespace, chunks)
    things = {thing.name: thing.line for thing in document.things}
    for entity in entities_of(document, document_id=document_id, namespace=namespace):
        line = _line_of(entity, things)
        found.entity(entity, line)
        if entity.entity_id != document_id:
            found.relation(entity.entity_id, "DEFINED_IN", document_id, line)
    assert_addresses(found)
    for fact, line in dated_facts(document, document_id=document_id, namespace=namespace):
        if trust_of(episode.group) in PROPOSING:
            fact.provenance["group"] = episode.group
        found.claims.append(Claim(fact, episode.episode_id, found.evidence(line)))
    if document.family == "prose":
        found.claims += observed_facts(document, chunks, episode, namespace=namespace)
        found.claims += stated_facts(
            document.text,
            chunks,
            episode,
            namespace=namespace,
            about=document.title,
            speaker=str(document.properties.get("speaker") or ""),
            attributes=attributes,
        )
    elif document.language == "jsonl":
        found.claims += recorded_facts(document.text, chunks, episode, namespace=namespace)
    return found.claims


def linked_claims(
    document: Document, chunks: Sequence[PassageText], episode: Episode, catalogue: Catalogue
) -> ExtractedClaims:
    """What `document` asserts of the rest of the tree, given all of it in `catalogue`.

    Works without the document's text. The same record may be claimed more than once.
    """
    document_id = episode.document_id or ""
    found = Assertions(document, document_id, episode.episode_id, catalogue.namespace, chunks)
    imported = assert_imports(found, catalogue)
    assert_uses(found, catalogue, imported)
    assert_links(found, catalogue)
    assert_stated_relations(found, catalogue)
    assert_owners(found, catalogue)
    _assert_described(found, catalogue)
    return ExtractedClaims(tuple(found.claims), tuple(sorted(found.unresolved)))


def _line_of(entity: Entity, things: dict[str, int]) -> int:
    start = entity.properties.get("start_line")
    return start if isinstance(start, int) else things.get(entity.name, 1)


def _is_lower_word(name: str) -> bool:
    """Whether a heading is one word that begins small, as titles do not but names of code do."""
    return name.isidentifier() and name[0].islower()


def _assert_described(found: Assertions, catalogue: Catalogue) -> None:
    """DESCRIBES: a section headed by the name of a symbol, a service or a tool."""
    if found.document.family != "prose":
        return
    for section in found.document.sections:
        if not section.path:
            continue
        name = _HEADING_NOISE.sub("", section.path[-1]).strip()
        thing = catalogue.thing_of_any(name, ("Service", "Tool"))
        target = thing[0] if thing else None
        if target is None and (looks_like_identifier(name) or _is_lower_word(name)):
            symbol = named_symbol(name, catalogue)
            target = symbol.entity_id if symbol else None
        if target:
            found.relation(
                found.document_id,
                "DESCRIBES",
                target,
                section.start_line,
                confidence=NAMED_IN_PROSE,
            )

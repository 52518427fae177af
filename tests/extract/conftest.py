"""A tree of files as text, and what its documents assert together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from quipu.chunk import chunk
from quipu.extract import Catalogue, Unresolved, linked_claims, local_claims
from quipu.read import SourceFile, content_hash, read_document
from quipu.records.batch import Claim
from quipu.records.document import Document
from quipu.records.ids import document_entity_id
from quipu.records.record import Entity, Episode, Fact, Relation
from quipu.resolve import resolve

MOMENT = "2024-05-06T07:08:09.000Z"


@dataclass(frozen=True, slots=True)
class Asserted:
    """What a tree asserts. `claims` are by path."""

    claims: dict[str, list[Claim]]
    unresolved: list[Unresolved]
    lines: dict[str, tuple[int, int]]

    def records(self) -> list[Entity | Relation | Fact]:
        return [claim.record for claims in self.claims.values() for claim in claims]

    def entities(self) -> dict[str, Entity]:
        return {r.entity_id: r for r in self.records() if isinstance(r, Entity)}

    def names(self, type_: str) -> set[str]:
        return {e.name for e in self.entities().values() if e.type == type_}

    def triples(self, *types: str) -> set[tuple[str, str, str]]:
        """Relations by the names of their ends; documents go by their paths."""
        shown = {i: _shown(e) for i, e in self.entities().items()}
        return {
            (shown[r.source_entity_id], r.type, shown[r.target_entity_id])
            for r in self.records()
            if isinstance(r, Relation) and (not types or r.type in types)
        }


def _shown(entity: Entity) -> str:
    if entity.type == "Document":
        return str(entity.properties["file_path"])
    if entity.type == "Symbol":
        return f"{entity.properties['path']}:{entity.name}"
    return entity.name


def _episode(document: Document) -> Episode:
    return Episode(
        episode_id=f"ep_{document.path}",
        source_type="file",
        source_ref=document.path,
        observed_at=MOMENT,
        ingested_at=MOMENT,
        content_hash=document.content_hash,
        source_sha=document.source_sha,
        document_id=document_entity_id("n", document.path),
    )


@pytest.fixture(scope="session")
def extract() -> Callable[[Mapping[str, str]], Asserted]:
    def extract_tree(files: Mapping[str, str]) -> Asserted:
        documents: list[Document] = []
        for path, text in files.items():
            hashed = content_hash(text.encode())
            documents.append(read_document(SourceFile(path, text.encode(), hashed, hashed, MOMENT)))
        catalogue = Catalogue("n")
        for document in documents:
            catalogue.add(document, document_entity_id("n", document.path))
        claims: dict[str, list[Claim]] = {}
        unresolved: list[Unresolved] = []
        lines: dict[str, tuple[int, int]] = {}
        for document in documents:
            episode = _episode(document)
            chunks = chunk(
                document, episode_id=episode.episode_id, document_id=episode.document_id or ""
            )
            lines |= {c.chunk_id: (c.start_line, c.end_line) for c in chunks}
            linked = linked_claims(document, chunks, episode, catalogue)
            local = local_claims(document, chunks, episode, namespace="n")
            claims[document.path] = resolve([*local, *linked.claims])
            unresolved += linked.unresolved
        return Asserted(claims, unresolved, lines)

    return extract_tree

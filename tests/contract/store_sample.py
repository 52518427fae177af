"""A small invented corpus and seeded streams of operations for testing stores."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from quipu.index.blobs import FieldHead
from quipu.index.segments import FieldPart
from quipu.ports import Store
from quipu.records.batch import Batch, Claim, Embedding, IndexedChunk
from quipu.records.ids import make_id
from quipu.records.record import Chunk, Entity, Episode, Fact, Relation
from quipu.records.schema import EntityType
from quipu.store.backend import FIELD, PAGE
from quipu.store.derived import DerivedStore

SPACES = {"small": 8, "other": 4}
WORDS = tuple(
    "cord knot tie red blue ledger tax llama road bridge harvest store maize record year".split()
)
NAMES = ("ada quispe", "cuzco", "río urubamba", "tax office", "o'brien; --", "знак")
TYPES = ("DEPENDS_ON", "REFERS_TO", "SAME_AS", "OWNED_BY")
SOURCES = tuple(f"docs/{name}.md" for name in "abcdef")


def moment(n: int) -> str:
    """The `n`-th instant of the sample's time."""
    return f"2026-01-{n // 1440 % 28 + 1:02d}T{n // 60 % 24:02d}:{n % 60:02d}:00.000Z"


def document_id(source_ref: str) -> str:
    """The Document of a source."""
    return make_id("entity", "Document", source_ref)


def episode(source_ref: str, version: str, *, at: str, group: str = "g0") -> Episode:
    """One version of one source."""
    return Episode(
        episode_id=make_id("episode", source_ref, version),
        source_type="file" if source_ref < "docs/d" else "session",
        source_ref=source_ref,
        observed_at=at,
        ingested_at=at,
        content_hash=version,
        source_sha=version,
        document_id=document_id(source_ref),
        group=group,
    )


def chunk(of: Episode, position: int, text: str, *, profile: str = "prose") -> IndexedChunk:
    """A passage whose words are its terms; its id follows its text, so it survives an edit."""
    terms: dict[str, int] = {}
    for word in text.split():
        terms[word] = terms.get(word, 0) + 1
    document = of.document_id or ""
    return IndexedChunk(
        Chunk(
            chunk_id=make_id("chunk", document, text),
            episode_id=of.episode_id,
            document_id=document,
            profile=profile,
            position=position,
            text=text,
            start_line=position + 1,
            end_line=position + 1,
        ),
        fields={
            "prose": terms,
            "title": {of.source_ref: 1},
            "name": {name: 1 for name in NAMES if name.split()[0] in text},
        },
        columns=text.encode(errors="replace")[:5],
    )


def document(of: Episode, **properties: Any) -> Entity:
    """The Document that an episode is a version of."""
    return Entity(
        entity_id=of.document_id or "",
        type=EntityType.DOCUMENT.value,
        name=of.source_ref,
        updated_at=of.observed_at,
        source_sha=of.source_sha,
        properties=properties,
    )


def thing(name: str, *, at: str, kind: str = "concept", aliases: tuple[str, ...] = ()) -> Entity:
    """An entity with a name."""
    return Entity(
        entity_id=make_id("entity", kind, name),
        type=kind,
        name=name,
        updated_at=at,
        source_sha="sha",
        aliases=aliases,
        description=f"{name} as of {at}",
    )


def relation(source: str, kind: str, target: str, *, at: str, weight: float = 1.0) -> Relation:
    """An edge between two ids."""
    return Relation(
        rel_id=make_id("relation", source, kind, target),
        source_entity_id=source,
        target_entity_id=target,
        type=kind,
        created_at=at,
        updated_at=at,
        source_sha="sha",
        weight=weight,
    )


def fact(
    subject: str,
    predicate: str,
    value: str,
    *,
    at: str,
    valid_from: str | None = None,
    valid_to: str | None = None,
) -> Fact:
    """A dated statement; its id leaves the dates out, so they can be corrected."""
    return Fact(
        fact_id=make_id("fact", subject, predicate, value),
        subject=subject,
        predicate=predicate,
        object=value,
        updated_at=at,
        source_sha="sha",
        valid_from=valid_from,
        valid_to=valid_to,
    )


def embedding(chunk_id: str, space: str, seed: int) -> Embedding:
    """Random unit vectors: one for the chunk and up to three for its parts."""
    chooser = np.random.default_rng(seed)
    rows = chooser.standard_normal((1 + seed % 4, SPACES[space]))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Embedding(chunk_id, space, rows[0], rows[1:])


VERSION_A = episode("docs/a.md", "A", at=moment(1))
VERSION_B = episode("docs/a.md", "B", at=moment(2))
OTHER = episode("docs/b.md", "A", at=moment(3), group="g1")


def one_source(of: Episode, *texts: str, at: int, **more: Any) -> Batch:
    """A batch that brings a version of one source, a chunk a text, in place of what it was."""
    chunks = tuple(chunk(of, n, text) for n, text in enumerate(texts))
    return Batch(
        recorded_at=moment(at),
        episodes=(of,),
        chunks=chunks,
        replaces=(of.source_ref,),
        **more,
    )


def claimed(by: Episode, *records: Entity | Relation | Fact) -> tuple[Claim, ...]:
    """That an episode states these."""
    return tuple(Claim(record, by.episode_id) for record in records)


def texts(store: Store, **terms: float) -> list[str]:
    """The texts that a search for weighted prose terms finds, best first."""
    return [c.text for c in store.chunks(store.match_text("prose", terms).numbers)]


@dataclass(frozen=True, slots=True)
class Forget:
    """An operation: erase sources."""

    source_refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropSpace:
    """An operation: erase a space."""

    space: str


Operation: TypeAlias = Batch | Forget | DropSpace


@dataclass(slots=True)
class Sampler:
    """Makes operations that fit what it has made before."""

    chooser: random.Random
    clock: int = 0
    live: dict[str, Episode] = field(default_factory=dict[str, Episode])
    chunk_ids: list[str] = field(default_factory=list[str])
    known: list[str] = field(default_factory=list[str])
    last: Batch | None = None

    def operation(self) -> Operation:
        """The next operation."""
        draw = self.chooser.random()
        if draw < 0.04 and self.live:
            refs = tuple(self.chooser.sample(sorted(self.live), 1))
            for ref in refs:
                del self.live[ref]
            return Forget(refs)
        if draw < 0.06:
            return DropSpace(self.chooser.choice(sorted(SPACES)))
        if draw < 0.12 and self.last is not None:
            return self.last
        self.clock += self.chooser.choice((0, 1, 1, 90))
        self.last = self._batch()
        return self.last

    def _batch(self) -> Batch:
        at, choose = moment(self.clock), self.chooser
        refs = choose.sample(SOURCES, choose.randint(0, 2))
        gone = [
            ref for ref in choose.sample(SOURCES, 1) if ref not in refs and choose.random() < 0.2
        ]
        for ref in gone:
            self.live.pop(ref, None)
        episodes: list[Episode] = []
        for ref in refs:
            made = episode(
                ref, choose.choice("AB"), at=moment(choose.randint(0, 50)), group=f"g{len(ref) % 2}"
            )
            self.live[ref] = made
            episodes.append(made)
        chunks = [item for each in episodes for item in self._chunks(each)]
        self.chunk_ids = sorted({*self.chunk_ids, *(item.chunk.chunk_id for item in chunks)})
        claims = self._claims(at)
        self.known = sorted({*self.known, *(_id(claim) for claim in claims)})
        ended = min(len(self.known), choose.choice((0, 0, 1, 2)))
        return Batch(
            recorded_at=at,
            episodes=tuple(episodes),
            chunks=tuple(chunks),
            claims=tuple(claims),
            embeddings=tuple(self._embeddings()),
            replaces=(*refs, *gone),
            ends=tuple(choose.sample(self.known, ended)),
        )

    def _chunks(self, of: Episode) -> list[IndexedChunk]:
        choose = self.chooser
        words = (*WORDS, *(name.split()[0] for name in NAMES))
        texts = {" ".join(choose.choices(words, k=choose.randint(1, 9))) for _ in range(3)}
        texts.add(f"always {of.content_hash}")
        return [
            chunk(of, position, text, profile=choose.choice(("prose", "code")))
            for position, text in enumerate(sorted(texts))
        ]

    def _claims(self, at: str) -> list[Claim]:
        choose = self.chooser
        claims: list[Claim] = []
        for ref in sorted(self.live):
            by = self.live[ref]
            if choose.random() < 0.5:
                claims.append(
                    Claim(document(by, type=choose.choice(("adr", "guide"))), by.episode_id)
                )
            claims += (
                Claim(self._asserted(at), by.episode_id, self._stands_in())
                for _ in range(choose.randint(0, 2))
            )
        return claims

    def _asserted(self, at: str) -> Entity | Relation | Fact:
        choose = self.chooser
        name, other = choose.choices(WORDS[:6], k=2)
        draw = choose.random()
        if draw < 0.4:
            return thing(name, at=at, aliases=tuple(choose.sample(NAMES, choose.randint(0, 2))))
        if draw < 0.8:
            ends = [thing(each, at=at).entity_id for each in (name, other)]
            if choose.random() < 0.2:
                ends[1] = "name:" + choose.choice(NAMES)
            return relation(
                ends[0], choose.choice(TYPES), ends[1], at=at, weight=choose.randint(1, 3)
            )
        begin = choose.choice((None, "2025-01-01", "2025-06-01"))
        return fact(name, choose.choice(("owner", "colour")), other, at=at, valid_from=begin)

    def _stands_in(self) -> tuple[str, ...]:
        return tuple(self.chooser.sample(self.chunk_ids, min(len(self.chunk_ids), 1)))

    def _embeddings(self) -> list[Embedding]:
        choose = self.chooser
        chosen = choose.sample(self.chunk_ids, min(len(self.chunk_ids), choose.randint(0, 4)))
        return [
            embedding(chunk_id, choose.choice(sorted(SPACES)), choose.randint(0, 50))
            for chunk_id in chosen
        ]


def _id(claim: Claim) -> str:
    match claim.record:
        case Entity():
            return claim.record.entity_id
        case Relation():
            return claim.record.rel_id
        case Fact():
            return claim.record.fact_id


def operations(seed: int, count: int) -> Sequence[Operation]:
    """A stream of `count` operations; the same seed gives the same stream."""
    sampler = Sampler(random.Random(seed))
    return [sampler.operation() for _ in range(count)]


def old_pages(part: FieldPart) -> tuple[FieldHead, list[tuple[int, bytes]]]:
    """The head and the pages of a field as 0.1.0 kept them, a directory of all terms first."""
    widths = part.rows.dtype.itemsize, part.tf.dtype.itemsize
    directory = b"".join(each.tobytes() for each in (part.high, part.low, part.counts))
    spans = [slice(start, start + 8192) for start in range(0, len(part.rows), 8192)]
    pages = [part.rows[span].tobytes() + part.tf[span].tobytes() for span in spans]
    head = FieldHead(*widths, part.lengths.astype("<u4").tobytes(), directory)
    return head, list(enumerate(pages))


def keep_words_as_0_1_0(store: DerivedStore) -> None:
    """Write the fields of every segment as 0.1.0 did."""
    session, postings = store._session, store._postings
    with session.writing():
        postings.refresh()
        kept = {head.segment: postings.whole(head.segment)[0].fields for head in postings.heads()}
        for table in (PAGE, FIELD):
            session.delete(table, {"segment": list(kept)})
        for segment, fields in kept.items():
            for name, part in fields.items():
                head, pages = old_pages(part)
                session.insert(FIELD, [(segment, name, *head)])
                session.insert(PAGE, [(segment, name, page, blob) for page, blob in pages])
        postings.clear()

"""References resolved across files: the second half of indexing.

What a file says by itself is asserted by the episode of its content. What its references mean
depends on the other files, so that is asserted by a second episode of the same source, of type
`links`, whose content is the resolution. When what can be referred to comes, changes or goes, every
document's references are resolved again from what was kept of them (`stamps.py`), and only where
the outcome differs is anything written; when only texts change, those of the changed ones. So the
outcome never depends on the order in which files came, and equals that of indexing everything at
once.
"""

import base64
import dataclasses
import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import msgspec

from quipu.extract import Catalogue, defined_by, linked_claims
from quipu.limits import TEXTS_AT_ONCE
from quipu.ports import Progress, Source, Store
from quipu.records.batch import Batch, Claim
from quipu.records.document import Document
from quipu.records.ids import episode_id_of
from quipu.records.record import Asserted, Chunk, Entity, Episode, Fact, Relation
from quipu.resolve import Authority, authorised, resolve
from quipu.when.instants import Clock
from quipu.write.lock import WriteLock
from quipu.write.stamps import Resolutions, Resolved


class ChunkLines(msgspec.Struct, frozen=True, array_like=True):
    """Where a chunk stands in its document."""

    chunk_id: str
    start_line: int
    end_line: int


class References(msgspec.Struct, frozen=True, array_like=True):
    """A document without its text, and the lines of its chunks."""

    document: Document
    chunks: tuple[ChunkLines, ...]

    @classmethod
    def of(cls, document: Document, chunks: Sequence[Chunk]) -> Self:
        """What is kept of a document that was just read."""
        definitions = tuple(
            d._replace(doc="", parameters="", takes=(), returns="", fields=())
            for d in document.definitions
        )
        bare = dataclasses.replace(
            document,
            text="",
            problems=(),
            spans=(),
            redactions={},
            definitions=definitions,
            uses=tuple(use for use in document.uses if use.kind not in _OF_ITSELF),
            observations=(),
        )
        return cls(bare, tuple(ChunkLines(c.chunk_id, c.start_line, c.end_line) for c in chunks))


_OF_ITSELF = frozenset({"set", "delegate"})
"""Uses that are told of a symbol as they are written, and refer to nothing."""
_MOST_BYTES = 100_000_000
"""More than the references of the largest file that is read come to."""
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(References)


def pack(references: References) -> str:
    """Text for an episode's properties: about a quarter of what JSON would take."""
    return base64.b64encode(zlib.compress(_ENCODER.encode(references), 1)).decode()


def unpack(packed: str) -> References | None:
    """Return what `pack` was given; None for anything else, as an import may bring it, and for what
    unfolds to more than `_MOST_BYTES`."""
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(base64.b64decode(packed), _MOST_BYTES)
        return None if inflater.unconsumed_tail else _DECODER.decode(data)
    except (ValueError, zlib.error, msgspec.DecodeError):
        return None


LINKS = "links"
"""The source type of the episodes written here."""

_CLAIMS = 4_000


class Linked(NamedTuple):
    """A source's own episode and what its references resolve to; no links, no episode."""

    episode: Episode
    links: Episode | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Linker:
    """Resolves references in `store`; `kept` knows what they came to before."""

    store: Store
    kept: Resolutions
    turns: WriteLock
    clock: Clock
    authority: Authority
    progress: Progress | None = None

    def link(self, every: Sequence[Source]) -> int:
        """Resolve the references of `every` source against all of them, write what differs, and
        return how many references have no target.

        Those of a source that was resolved before are resolved again only when something that they
        could mean has come, changed or gone since.
        """
        sources = [s for s in every if s.source_type != LINKS]
        present = {s.source_ref: s.episode_id for s in every if s.source_type == LINKS}
        before = self.kept.get()
        rows = self._rows(sources, before)
        known = {row.episode_id: row for row in before} if _is_quiet(before, rows) else {}
        due = [
            row
            for row in rows
            if row.defined is not None
            and (
                (stored := known.get(row.episode_id)) is None
                or stored.links_id != present.get(row.ref, "")
            )
        ]
        done = {row.episode_id: row for row in self._resolved(due, rows, present)}
        rows = [done.get(row.episode_id, row) for row in rows]
        if rows != before:
            self.kept.set(rows)
        return sum(row.missing for row in rows)

    def _rows(self, sources: Sequence[Source], before: Sequence[Resolved]) -> list[Resolved]:
        """A row a source, with what it defines: as it was kept, else from the store."""
        known = {(row.episode_id, row.document_id): row for row in before}
        fresh = [s for s in sources if (s.episode_id, s.document_id or "") not in known]
        defined = {
            episode.episode_id: defined_by(
                references.document, episode.document_id or "", self.store.namespace
            )
            for episode, references in self._episodes([s.episode_id for s in fresh])
        }
        return [
            known.get((s.episode_id, s.document_id or ""))
            or Resolved(s.source_ref, s.episode_id, s.document_id or "", defined.get(s.episode_id))
            for s in sources
        ]

    def _resolved(
        self, due: Sequence[Resolved], rows: Sequence[Resolved], present: Mapping[str, str]
    ) -> Iterator[Resolved]:
        """Each of `due` with what its references come to among `rows`, written where that differs
        from the links that are `present`."""
        if not due:
            return
        catalogue = Catalogue(self.store.namespace)
        for row in rows:
            if row.defined is not None:
                catalogue.take(row.defined)
        claims, waiting = 0, list[Linked]()
        by_id = {row.episode_id: row for row in due}
        for done, (episode, references) in enumerate(self._episodes(list(by_id)), 1):
            linked, missing = self._resolve(episode, references, catalogue)
            links_id = linked.links.episode_id if linked.links else ""
            own = by_id[episode.episode_id]
            yield msgspec.structs.replace(own, links_id=links_id, missing=missing)
            if present.get(episode.source_ref, "") != links_id:
                waiting.append(linked)
                claims += len(linked.claims)
            if claims >= _CLAIMS or len(waiting) >= TEXTS_AT_ONCE:
                self._write(waiting)
                waiting, claims = [], 0
            if self.progress and done % 100 == 0:
                self.progress("link", done, len(due))
        self._write(waiting)

    def _episodes(self, episode_ids: Sequence[str]) -> Iterator[tuple[Episode, References]]:
        """Those of the episodes that keep references, in order, a page at a time."""
        for at in range(0, len(episode_ids), TEXTS_AT_ONCE):
            ids = episode_ids[at : at + TEXTS_AT_ONCE]
            found = self.store.get(ids)
            for episode in map(found.get, ids):
                if isinstance(episode, Episode):
                    packed = episode.properties.get("references")
                    references = unpack(packed) if isinstance(packed, str) else None
                    if references is not None:
                        yield episode, references

    def _resolve(
        self, episode: Episode, references: References, catalogue: Catalogue
    ) -> tuple[Linked, int]:
        """What the references of a source come to, and how many have no target."""
        extracted = linked_claims(references.document, references.chunks, episode, catalogue)
        resolved, missing = resolve(extracted.claims), len(extracted.unresolved)
        kind = references.document.type
        found = authorised(resolved, episode, self.authority, document_type=kind)
        if not found:
            return Linked(episode, None, ()), missing
        digest = hashlib.sha256()
        for claim in found:
            digest.update(msgspec.json.encode(_said(claim), order="deterministic"))
        content_hash = digest.hexdigest()
        namespace = self.store.namespace
        links_id = episode_id_of(namespace, LINKS, episode.source_ref, content_hash)
        links = msgspec.structs.replace(
            episode,
            episode_id=links_id,
            source_type=LINKS,
            ingested_at=self.clock(),
            content_hash=content_hash,
            preview_text="",
            properties={},
        )
        claims = tuple(Claim(c.record, links_id, c.chunk_ids) for c in found)
        return Linked(episode, links, claims), missing

    def _write(self, waiting: Sequence[Linked]) -> None:
        """Write those whose source is still the one that was resolved; its episode comes along, so
        that replacing the source ends only the earlier links."""
        if not waiting:
            return
        with self.turns.taken():
            live = self.store.get([w.episode.episode_id for w in waiting])
            due = [w for w in waiting if w.episode.episode_id in live]
            self.store.write(
                Batch(
                    recorded_at=self.clock(),
                    episodes=tuple(e for w in due for e in (w.episode, w.links) if e is not None),
                    claims=tuple(c for w in due for c in w.claims),
                    replaces=tuple(w.episode.source_ref for w in due),
                )
            )


def _is_quiet(before: Sequence[Resolved], rows: Sequence[Resolved]) -> bool:
    """Whether all that references can mean is what it was."""
    return len(before) == len(rows) and all(
        old is new or (old.ref == new.ref and old.defined == new.defined)
        for old, new in zip(before, rows, strict=True)
    )


def _said(claim: Claim) -> tuple[Asserted, tuple[str, ...]]:
    """A claim without its times: when a file was last touched is no part of what it says."""
    record = claim.record
    match record:
        case Entity():
            record = msgspec.structs.replace(record, updated_at="", first_seen="", last_seen="")
        case Relation():
            record = msgspec.structs.replace(record, updated_at="", created_at="")
        case Fact():
            record = msgspec.structs.replace(record, updated_at="")
    return record, claim.chunk_ids

"""One batch into the tables, a set of rows at a time."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np

from quipu.errors import UnknownRecord
from quipu.index import segments
from quipu.index.postings import Postings
from quipu.records.batch import IndexedChunk
from quipu.records.ids import Kind, kind_of
from quipu.records.record import Entity, Episode, Fact, Record, Relation
from quipu.store import rules
from quipu.store.backend import CHANGE, CHUNK, COLUMNS, NAME, SPACE, SUPPORT, Row, Where
from quipu.store.checking import Checked
from quipu.store.derived.indexed import (
    add_segment,
    drop_vectors,
    put_vectors,
    retire_chunks,
    settle_segments,
)
from quipu.store.derived.session import Session

_EPISODE, _CHUNK = rules.KINDS.index("episode"), rules.KINDS.index("chunk")


class _Live(NamedTuple):
    """A live support row."""

    row: int
    kind: int
    record_id: str
    episode_id: str
    recorded_at: str
    chunk_ids: str
    body: bytes


class _Numbered(NamedTuple):
    """A live chunk's row in the indexes."""

    number: int
    digest: bytes


class BatchWrite:
    """One write, inside a transaction that the caller holds."""

    def __init__(self, session: Session, postings: Postings, batch: Checked) -> None:
        self._session = session
        self._postings = postings
        self._batch = batch
        self._touched: set[tuple[int, str]] = set()
        self._ended: list[_Live] = []
        self._new: list[tuple[int, str, str, tuple[str, ...], Record | IndexedChunk, bytes]] = []
        self._numbered: dict[str, _Numbered] = {}
        self._gone: dict[str, int] = {}

    def apply(self) -> tuple[int, int]:
        """Bring the batch in; the sequence number after it and how many changes it logged."""
        retired = self._retired()
        self._require_episodes(retired)
        self._require_dimensions()
        self._plan_ends(retired)
        self._plan_puts()
        self._end_rows()
        numbers = self._insert_rows()
        self._insert_past()
        embedded = put_vectors(self._session, self._batch.embeddings, numbers)
        return self._log(embedded)

    def _retired(self) -> set[str]:
        where = {"kind": _EPISODE, "known_until": None, "near": self._batch.replaces}
        rows = self._session.select(SUPPORT, ("record_id",), where)
        return {episode_id for (episode_id,) in rows} - self._batch.episodes.keys()

    def _require_episodes(self, retired: set[str]) -> None:
        named = {item.chunk.episode_id for item, _ in self._batch.chunks.values()}
        named |= {claim.episode_id for claim in self._batch.claims.values()}
        named -= self._batch.episodes.keys()
        live = {row.record_id for row in self._live("episode", named)} - retired
        for episode_id in sorted(named - live):
            raise UnknownRecord(
                f"the batch speaks of the episode {episode_id!r}, which is not live here: "
                "write the episode first or in the same batch"
            )

    def _require_dimensions(self) -> None:
        if not self._batch.embeddings:
            return
        known: dict[str, int] = dict(self._session.select(SPACE, ("name", "dimension"), {}))
        for vector in self._batch.embeddings.values():
            stored = known.setdefault(vector.space, len(vector.vector))
            rules.require_dimension(vector.space, stored, len(vector.vector))

    def _live(self, kind: Kind, record_ids: Collection[str]) -> list[_Live]:
        return self._rows({"kind": rules.KINDS.index(kind), "record_id": record_ids})

    def _rows(self, where: Where) -> list[_Live]:
        live = {**where, "known_until": None}
        return list(map(_Live._make, self._session.select(SUPPORT, _Live._fields, live)))

    def _plan_ends(self, retired: set[str]) -> None:
        if retired:
            for row in self._rows({"episode_id": retired}):
                self._end(row)
        already = {row.row for row in self._ended}
        for kind in ("entity", "relation", "fact"):
            named = [each for each in self._batch.ends if kind_of(each) == kind]
            for row in self._live(kind, named) if named else ():
                claim = self._batch.claims.get((row.record_id, row.episode_id))
                same = claim is not None and (claim.body, _listed(claim.chunk_ids)) == (
                    row.body,
                    row.chunk_ids,
                )
                if not same and row.row not in already:
                    self._end(row)

    def _plan_puts(self) -> None:
        live: dict[tuple[str, str], _Live] = {}
        elsewhere: dict[str, list[_Live]] = {}
        for kind, ids in self._affected():
            for row in self._live(kind, ids):
                live[row.record_id, row.episode_id] = row
                if kind == "chunk":
                    elsewhere.setdefault(row.record_id, []).append(row)
        for row in self._ended:
            live.pop((row.record_id, row.episode_id), None)
        self._load_numbered()
        for episode_id, (episode, body) in self._batch.episodes.items():
            self._put(live, _EPISODE, episode_id, episode_id, (), episode, body)
        for chunk_id, (item, body) in self._batch.chunks.items():
            for row in elsewhere.get(chunk_id, ()):
                if row.episode_id != item.chunk.episode_id and (chunk_id, row.episode_id) in live:
                    self._end(live.pop((chunk_id, row.episode_id)))
            self._put(live, _CHUNK, chunk_id, item.chunk.episode_id, (), item, body)
        for claim in self._batch.claims.values():
            self._put(
                live,
                rules.KINDS.index(claim.kind),
                claim.record_id,
                claim.episode_id,
                claim.chunk_ids,
                claim.record,
                claim.body,
            )

    def _affected(self) -> list[tuple[Kind, list[str]]]:
        affected: dict[Kind, dict[str, None]] = {kind: {} for kind in rules.KINDS}
        affected["episode"] = dict.fromkeys(self._batch.episodes)
        affected["chunk"] = dict.fromkeys(self._batch.chunks)
        for claim in self._batch.claims.values():
            affected[claim.kind][claim.record_id] = None
        return [(kind, list(ids)) for kind, ids in affected.items() if ids]

    def _load_numbered(self) -> None:
        ended = [row.record_id for row in self._ended if row.kind == _CHUNK]
        where = {"live": 1, "chunk_id": [*ended, *self._batch.chunks]}
        rows = self._session.select(CHUNK, ("chunk_id", "number", "digest"), where)
        self._numbered = {chunk_id: _Numbered(*rest) for chunk_id, *rest in rows}

    def _put(
        self,
        live: dict[tuple[str, str], _Live],
        kind: int,
        record_id: str,
        episode_id: str,
        chunk_ids: tuple[str, ...],
        record: Record | IndexedChunk,
        body: bytes,
    ) -> None:
        known = live.get((record_id, episode_id))
        if known is not None:
            if (known.body, known.chunk_ids) == (body, _listed(chunk_ids)):
                if isinstance(record, IndexedChunk):
                    self._renumber(record, known.row)
                return
            self._end(known)
        self._new.append((kind, record_id, episode_id, chunk_ids, record, body))
        self._touched.add((kind, record_id))

    def _renumber(self, item: IndexedChunk, row: int) -> None:
        """The same chunk, perhaps with other terms or columns."""
        chunk_id = item.chunk.chunk_id
        known = self._numbered[chunk_id]
        if known.digest != self._batch.digests[item.chunk.chunk_id]:
            self._new.append((_CHUNK, chunk_id, str(row), (), item, b""))
            self._touched.add((_CHUNK, chunk_id))

    def _end(self, row: _Live) -> None:
        self._ended.append(row)
        self._touched.add((row.kind, row.record_id))

    def _end_rows(self) -> None:
        moment = self._batch.recorded_at
        self._session.update(
            SUPPORT,
            ("known_until",),
            ((max(row.recorded_at, moment), row.row) for row in self._ended),
        )
        names = [row.row for row in self._ended if rules.KINDS[row.kind] == "entity"]
        if names:
            self._session.delete(NAME, {"support": names})
        ended = {row.record_id for row in self._ended if row.kind == _CHUNK}
        self._gone = {
            chunk_id: self._numbered[chunk_id].number
            for chunk_id in sorted(ended - self._batch.chunks.keys())
        }

    def _insert_rows(self) -> dict[str, int]:
        """Insert what is new; the numbers of the chunks it numbered."""
        row = self._session.take("row", sum(bool(new[-1]) for new in self._new)) - 1
        support: list[Row] = []
        names: list[Row] = []
        chunks: list[tuple[IndexedChunk, int]] = []
        for kind, record_id, episode_id, chunk_ids, record, body in self._new:
            if not body:  # a chunk whose support stands: only its place in the indexes is new
                assert isinstance(record, IndexedChunk)
                chunks.append((record, int(episode_id)))
                continue
            row += 1
            if isinstance(record, IndexedChunk):
                chunks.append((record, row))
            elif isinstance(record, Entity):
                names += ((key, record_id, row) for key in sorted(rules.entity_keys(record)))
            support.append(
                (
                    row,
                    kind,
                    record_id,
                    episode_id,
                    self._batch.since(record_id, episode_id),
                    None,
                    _listed(chunk_ids),
                    *_looked_up_by(record),
                    body,
                )
            )
        self._session.insert(SUPPORT, support)
        self._session.insert(NAME, names)
        return self._index(chunks)

    def _insert_past(self) -> None:
        """Insert the ended periods that are not there yet."""
        for claim, recorded_at, known_until in self._batch.past:
            kind = rules.KINDS.index(claim.kind)
            moment = (recorded_at, known_until, _listed(claim.chunk_ids))
            of = dict(zip(("recorded_at", "known_until", "chunk_ids"), moment, strict=True))
            # An episode asserts little; a record may have been asserted by very many.
            of |= {"episode_id": claim.episode_id, "kind": kind, "record_id": claim.record_id}
            if (claim.body,) in self._session.select(SUPPORT, ("body",), of):
                continue
            row = (claim.record_id, claim.episode_id, *moment, *_looked_up_by(claim.record))
            self._session.insert(SUPPORT, [(self._session.take("row"), kind, *row, claim.body)])
            self._touched.add((kind, claim.record_id))

    def _index(self, chunks: list[tuple[IndexedChunk, int]]) -> dict[str, int]:
        posted: list[segments.Posted] = []
        rows: list[Row] = []
        moved: list[Row] = []
        numbers: dict[str, int] = {}
        new = [each for each in chunks if not self._stands(each[0])]
        number = self._session.take("number", len(new)) if new else 0
        for item, support in chunks:
            chunk, digest = item.chunk, self._batch.digests[item.chunk.chunk_id]
            known = self._numbered.get(chunk.chunk_id)
            if known is not None and self._stands(item):
                moved.append((chunk.episode_id, chunk.position, support, known.number))
                continue
            if known is not None:
                self._gone[chunk.chunk_id] = known.number
            numbers[chunk.chunk_id] = number
            where = (chunk.chunk_id, chunk.document_id, chunk.episode_id)
            rows.append((number, 1, *where, chunk.profile, chunk.position, digest, support))
            posted.append(segments.Posted(number, chunk.chunk_id, item.fields))
            number += 1
        self._session.update(CHUNK, ("episode_id", "position", "support"), moved)
        self._drop_gone()
        self._session.insert(CHUNK, rows)
        columns = ((numbers[i.chunk.chunk_id], i.columns) for i, _ in new if i.columns)
        self._session.insert(COLUMNS, columns)
        if posted:
            add_segment(self._session, segments.build(posted))
        if posted or self._gone:
            settle_segments(self._session, self._postings)
        return numbers

    def _stands(self, item: IndexedChunk) -> bool:
        """Whether the indexes hold the chunk as it is."""
        known = self._numbered.get(item.chunk.chunk_id)
        return known is not None and known.digest == self._batch.digests[item.chunk.chunk_id]

    def _drop_gone(self) -> None:
        if not self._gone:
            return
        numbers = sorted(self._gone.values())
        self._session.update(CHUNK, ("live",), ((0, number) for number in numbers))
        drop_vectors(self._session, numbers)
        self._postings.refresh()
        retire_chunks(self._session, self._postings, np.array(numbers, dtype=np.int64))

    def _log(self, embedded: set[str]) -> tuple[int, int]:
        lines: list[tuple[str, str, str]] = []
        ended = self._no_longer_live()
        touched: tuple[list[str], ...] = tuple([] for _ in rules.KINDS)
        for kind, record_id in self._touched:
            touched[kind].append(record_id)
        for kind, ids in enumerate(touched):
            ids.sort()
            name, gone = rules.KINDS[kind], ended[kind]
            lines += [(name, each, "end" if each in gone else "put") for each in ids]
        lines += (("vector", chunk_id, "put") for chunk_id in sorted(embedded))
        return log(self._session, lines), len(lines)

    def _no_longer_live(self) -> list[set[str]]:
        """The touched records that nothing asserts any more, by kind."""
        ended: list[set[str]] = [set() for _ in rules.KINDS]
        for kind, record_id in self._touched.difference([new[:2] for new in self._new]):
            ended[kind].add(record_id)
        for kind, unsure in zip(rules.KINDS, ended, strict=True):
            if unsure:
                unsure -= {row.record_id for row in self._live(kind, unsure)}
        return ended


def log(session: Session, lines: Sequence[tuple[str, str, str]]) -> int:
    """Append lines (kind, record id, operation) to the change log; the sequence after them."""
    if not lines:
        return session.last("sequence")
    first = session.take("sequence", len(lines))
    session.insert(CHANGE, ((n, *line) for n, line in enumerate(lines, first)))
    return first + len(lines) - 1


@lru_cache(maxsize=64)  # all that one passage states comes together
def _listed(chunk_ids: tuple[str, ...]) -> str:
    return msgspec.json.encode(chunk_ids).decode() if chunk_ids else ""


def _looked_up_by(record: Record | IndexedChunk) -> tuple[str | None, str | None, str | None]:
    match record:
        case Episode():
            return record.source_ref, record.observed_at, record.source_type
        case Relation():
            return record.source_entity_id, record.target_entity_id, record.type
        case Fact():
            return record.subject, None, record.predicate
        case _:
            return None, None, None

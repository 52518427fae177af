"""One batch into SQLite: the steps of the reference store, a set at a time."""

from collections.abc import Iterable
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
from quipu.store.checking import Checked
from quipu.store.sqlite import blobs
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.log import log
from quipu.store.sqlite.schema import KEY_BITS, NUMBER_MASK
from quipu.store.sqlite.vectors import drop_vectors, put_vectors

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

    key: int
    digest: bytes


_LIVE = "SELECT row, kind, record_id, episode_id, recorded_at, chunk_ids, body FROM support"


class Writing:
    """One write, inside a transaction that the caller holds."""

    def __init__(self, database: Database, postings: Postings, batch: Checked) -> None:
        self._db = database
        self._postings = postings
        self._batch = batch
        self._ns = database.ns
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
        embedded = put_vectors(self._db, self._batch.embeddings, numbers)
        return self._log(embedded)

    def _retired(self) -> set[str]:
        rows = self._db.rows(
            "SELECT record_id FROM support WHERE ns = ? AND kind = 0 AND known_until IS NULL"
            " AND near IN (SELECT value FROM json_each(?))",
            self._ns,
            as_list(self._batch.replaces),
        )
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
        known: dict[str, int] = {}
        for vector in self._batch.embeddings.values():
            if vector.space not in known:
                stored = self._db.value(
                    "SELECT dimension FROM space WHERE ns = ? AND name = ?", self._ns, vector.space
                )
                known[vector.space] = stored or len(vector.vector)
            rules.require_dimension(vector.space, known[vector.space], len(vector.vector))

    def _live(self, kind: Kind, record_ids: Iterable[str]) -> list[_Live]:
        rows = self._db.rows(
            f"{_LIVE} WHERE ns = ? AND kind = ? AND known_until IS NULL"
            " AND record_id IN (SELECT value FROM json_each(?))",
            self._ns,
            rules.KINDS.index(kind),
            as_list(record_ids),
        )
        return [_Live(*row) for row in rows]

    def _plan_ends(self, retired: set[str]) -> None:
        if retired:
            rows = self._db.rows(
                f"{_LIVE} WHERE ns = ? AND known_until IS NULL"
                " AND episode_id IN (SELECT value FROM json_each(?))",
                self._ns,
                as_list(retired),
            )
            for row in map(_Live._make, rows):
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
        for kind, ids in self._wanted():
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

    def _wanted(self) -> list[tuple[Kind, list[str]]]:
        wanted: dict[Kind, dict[str, None]] = {kind: {} for kind in rules.KINDS}
        wanted["episode"] = dict.fromkeys(self._batch.episodes)
        wanted["chunk"] = dict.fromkeys(self._batch.chunks)
        for claim in self._batch.claims.values():
            wanted[claim.kind][claim.record_id] = None
        return [(kind, list(ids)) for kind, ids in wanted.items() if ids]

    def _load_numbered(self) -> None:
        ended = [row.record_id for row in self._ended if row.kind == _CHUNK]
        rows = self._db.rows(
            "SELECT chunk_id, key, digest FROM chunk WHERE ns = ? AND live = 1"
            " AND chunk_id IN (SELECT value FROM json_each(?))",
            self._ns,
            as_list([*ended, *self._batch.chunks]),
        )
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
        self._db.run_many(
            "UPDATE support SET known_until = ? WHERE row = ?",
            ((max(row.recorded_at, moment), row.row) for row in self._ended),
        )
        self._db.run_many(
            "DELETE FROM name WHERE support = ?",
            ((row.row,) for row in self._ended if rules.KINDS[row.kind] == "entity"),
        )
        ended = {row.record_id for row in self._ended if row.kind == _CHUNK}
        self._gone = {
            chunk_id: self._numbered[chunk_id].key
            for chunk_id in sorted(ended - self._batch.chunks.keys())
        }

    def _insert_rows(self) -> dict[str, int]:
        """Insert what is new; the keys of the chunks it numbered."""
        row = self._db.value("SELECT coalesce(max(row), 0) FROM support")
        support: list[tuple[object, ...]] = []
        names: list[tuple[object, ...]] = []
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
                names += (
                    (self._ns, key, record_id, row) for key in sorted(rules.entity_keys(record))
                )
            support.append(
                (
                    row,
                    self._ns,
                    kind,
                    record_id,
                    episode_id,
                    self._batch.since(record_id, episode_id),
                    _listed(chunk_ids),
                    *_looked_up_by(record),
                    body,
                )
            )
        self._db.run_many(
            "INSERT INTO support (row, ns, kind, record_id, episode_id, recorded_at, chunk_ids,"
            " near, far, label, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            support,
        )
        self._db.run_many("INSERT INTO name VALUES (?, ?, ?, ?)", names)
        return self._index(chunks)

    def _insert_past(self) -> None:
        """Insert the ended periods that are not there yet."""
        for past in self._batch.past:
            moment = (past.recorded_at, past.known_until, _listed(past.chunk_ids))
            known = self._db.rows(
                # An episode asserts little; a record may have been asserted by very many.
                "SELECT body FROM support INDEXED BY support_episode WHERE ns = ?"
                " AND episode_id = ? AND kind = ? AND record_id = ?"
                " AND recorded_at = ? AND known_until = ? AND chunk_ids = ?",
                self._ns,
                past.episode_id,
                rules.KINDS.index(past.kind),
                past.record_id,
                *moment,
            )
            if (past.body,) in known:
                continue
            self._db.run(
                "INSERT INTO support (ns, kind, record_id, episode_id, recorded_at, known_until,"
                " chunk_ids, near, far, label, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                self._ns,
                rules.KINDS.index(past.kind),
                past.record_id,
                past.episode_id,
                *moment,
                *_looked_up_by(past.record),
                past.body,
            )
            self._touched.add((rules.KINDS.index(past.kind), past.record_id))

    def _index(self, chunks: list[tuple[IndexedChunk, int]]) -> dict[str, int]:
        next_number = self._db.value("SELECT next_number FROM namespace WHERE ns = ?", self._ns)
        posted: list[segments.Posted] = []
        rows: list[tuple[object, ...]] = []
        columns: list[tuple[int, bytes]] = []
        keys: dict[str, int] = {}
        moved: list[tuple[object, ...]] = []
        for item, support in chunks:
            chunk, digest = item.chunk, self._batch.digests[item.chunk.chunk_id]
            known = self._numbered.get(chunk.chunk_id)
            if known is not None and known.digest == digest:
                moved.append((chunk.episode_id, chunk.position, support, known.key))
                continue
            if known is not None:
                self._gone[chunk.chunk_id] = known.key
            key = self._ns << KEY_BITS | next_number
            keys[chunk.chunk_id] = key
            rows.append(
                (
                    key,
                    self._ns,
                    chunk.chunk_id,
                    chunk.document_id,
                    chunk.episode_id,
                    chunk.profile,
                    chunk.position,
                    digest,
                    support,
                )
            )
            if item.columns:
                columns.append((key, item.columns))
            posted.append(segments.Posted(next_number, chunk.chunk_id, item.fields))
            next_number += 1
        self._db.run_many(
            "UPDATE chunk SET episode_id = ?, position = ?, support = ? WHERE key = ?", moved
        )
        self._drop_gone()
        self._db.run_many("INSERT INTO chunk VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._db.run_many("INSERT INTO chunk_columns VALUES (?, ?)", columns)
        if posted:
            self._db.run("UPDATE namespace SET next_number = ? WHERE ns = ?", next_number, self._ns)
            blobs.add(self._db, segments.build(posted))
        if posted or self._gone:
            blobs.settle(self._db, self._postings)
        return keys

    def _drop_gone(self) -> None:
        if not self._gone:
            return
        keys = sorted(self._gone.values())
        self._db.run_many("UPDATE chunk SET live = 0 WHERE key = ?", ((key,) for key in keys))
        drop_vectors(self._db, keys)
        self._postings.refresh()
        blobs.retire(self._db, self._postings, np.array(keys, dtype=np.int64) & NUMBER_MASK)

    def _log(self, embedded: set[str]) -> tuple[int, int]:
        lines: list[tuple[str, str, str]] = []
        live = self._still_live()
        for kind, record_id in sorted(self._touched):
            lines.append(
                (rules.KINDS[kind], record_id, "put" if (kind, record_id) in live else "end")
            )
        lines += (("vector", chunk_id, "put") for chunk_id in sorted(embedded))
        return log(self._db, lines), len(lines)

    def _still_live(self) -> set[tuple[int, str]]:
        live = {(kind, record_id) for kind, record_id, *_ in self._new}
        for number, kind in enumerate(rules.KINDS):
            unsure = [i for k, i in self._touched - live if k == number]
            if unsure:
                live |= {(number, row.record_id) for row in self._live(kind, unsure)}
        return live


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

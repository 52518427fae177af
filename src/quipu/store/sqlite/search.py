"""Words, names and vectors, from SQLite: the indexes of this handle, and rows by number."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import UnknownRecord
from quipu.index import ranking, similarity
from quipu.index.postings import Mask
from quipu.index.vector_file import decoded
from quipu.ports import Cosines, Frequencies, Numbers, Occurrence, Ranking, Vectors
from quipu.records.record import Chunk
from quipu.records.scope import EVERYTHING, Filter, Scope
from quipu.store import rules
from quipu.store.sqlite.database import as_list
from quipu.store.sqlite.handle import Handle
from quipu.store.sqlite.schema import KEY_BITS, NUMBER_MASK


class IndexReads(Handle):
    """The half of the store that searches: mixed into the store."""

    def _mask(self, scope: Scope) -> Mask | None:
        if scope == EVERYTHING:
            return None
        mask = self._scopes.mask(scope, self._sequence())
        if scope.chunk_ids:
            rows, found = self._postings.rows_of(self._numbers(sorted(scope.chunk_ids)))
            named = np.zeros(len(mask), dtype=np.bool_)
            named[rows[found]] = True
            mask &= named
        return mask

    def match_text(
        self,
        field: str,
        terms: Mapping[str, float],
        *,
        scope: Scope = EVERYTHING,
        limit: int = 100,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> Ranking:
        """BM25 over the posting segments."""
        with self._db.reading():
            self._fresh()
            return ranking.best(
                self._postings, field, terms, mask=self._mask(scope), limit=limit, k1=k1, b=b
            )

    def match_vector(
        self,
        vector: NDArray[np.float32],
        *,
        space: str,
        scope: Scope = EVERYTHING,
        limit: int = 100,
    ) -> Ranking:
        """Cosine over the space's index."""
        with self._db.reading():
            self._fresh()
            nearest = self._nearest(space)
            if nearest is None:
                return ranking.empty()
            rules.require_dimension(space, nearest.dimension, len(vector))
            return nearest.search(vector, self._mask(scope), limit)

    def frequencies(self, field: str, terms: Sequence[str], numbers: Numbers) -> Frequencies:
        """Term statistics of given chunks."""
        with self._db.reading():
            self._fresh()
            statistics = self._postings.statistics(field)
            lists = self._postings.lists(field, terms)
            rows, found = self._postings.rows_of(numbers)
        tf = np.zeros((len(numbers), len(terms)), dtype=np.int32)
        for column, posted in enumerate(lists):
            tf[:, column] = posted.tf_at(rows)
        tf[~found] = 0
        lengths = np.zeros(len(numbers), dtype=np.int32)
        lengths[found] = statistics.lengths[rows[found]]
        return Frequencies(
            tf=tf,
            lengths=lengths,
            df=np.array([len(posted.rows) for posted in lists], dtype=np.int64),
            count=statistics.count,
            average_length=statistics.average,
        )

    def occurrences(
        self, field: str, terms: Sequence[str], *, scope: Scope = EVERYTHING, limit: int = 100
    ) -> dict[str, Occurrence]:
        """Where each term stands."""
        with self._db.reading():
            self._fresh()
            mask = self._mask(scope)
            lists = self._postings.lists(field, terms)
            numbers, most = self._postings.numbers, max(limit, 0)
        if mask is not None:
            lists = [posted.among(mask) for posted in lists]
        df = [len(posted.rows) for posted in lists]
        if not most:
            none, nowhere = numbers[:0], np.zeros(0, dtype=np.int32)
            return {t: Occurrence(count, none, nowhere) for t, count in zip(terms, df, strict=True)}
        found = numbers[np.concatenate([numbers[:0], *(posted.rows[:most] for posted in lists)])]
        ends = accumulate(min(count, most) for count in df)
        return {
            term: Occurrence(count, found[start:end], posted.tf[:most].astype(np.int32))
            for term, count, posted, (start, end) in zip(
                terms, df, lists, pairwise((0, *ends)), strict=True
            )
        }

    def vectors(self, numbers: Numbers, space: str) -> Vectors:
        """Vectors of given chunks."""
        with self._db.reading():
            self._fresh()
            nearest = self._nearest(space)
            if nearest is None:
                return np.zeros((len(numbers), 0), dtype=np.float32)
            return nearest.gather(numbers)

    def parts(self, numbers: Numbers, space: str) -> list[Vectors]:
        """Part vectors of given chunks."""
        together, counts = self._all_parts(numbers, space)
        return [together[start:end] for start, end in pairwise((0, *accumulate(counts)))]

    def best_parts(self, numbers: Numbers, space: str, vector: NDArray[np.float32]) -> Cosines:
        """The best part of each."""
        together, counts = self._all_parts(numbers, space)
        if together.shape[1] != len(vector):
            return np.full(len(counts), -1.0)
        return similarity.best_of(together, counts, vector)

    def _all_parts(self, numbers: Numbers, space: str) -> tuple[Vectors, list[int]]:
        """The parts of all chunks, one below the other, and how many each has."""
        with self._db.reading():
            info, key = self._rows.space(space), self._rows.space_key(space)
            blobs = self._parts(key, numbers)
        if info is None:
            return np.zeros((0, 0), dtype=np.float32), [0] * len(blobs)
        rows = decoded(np.frombuffer(b"".join(blobs), dtype=np.uint8))
        counts = [len(blob) // (2 * info.dimension) for blob in blobs]
        return rows.reshape(-1, info.dimension), counts

    def _parts(self, space: int, numbers: Numbers) -> list[bytes]:
        if space < 0:
            return [b""] * len(numbers)
        low = space << KEY_BITS
        wanted = numbers.tolist()
        found = dict(
            self._db.rows(
                "SELECT key & ?, parts FROM part WHERE key IN (SELECT value FROM json_each(?))",
                NUMBER_MASK,
                _as_keys(low | number for number in wanted if number >= 0),
            )
        )
        return [found.get(number, b"") for number in wanted]

    def columns(self, numbers: Numbers) -> list[bytes]:
        """Packed profile data."""
        with self._db.reading():
            found = self._by_number(
                "SELECT chunk.key, columns FROM chunk LEFT JOIN chunk_columns USING (key)"
                " WHERE chunk.key",
                numbers,
            )
        return [columns or b"" for columns in found]

    def chunks(self, numbers: Numbers) -> list[Chunk]:
        """The chunks themselves."""
        with self._db.reading():
            bodies = self._by_number(
                "SELECT chunk.key, body FROM chunk JOIN support ON support.row = chunk.support"
                " WHERE chunk.key",
                numbers,
            )
        return list(map(_chunk, bodies))

    def chunk_ids(self, numbers: Numbers) -> list[str]:
        """Their ids."""
        return [chunk_id for chunk_id, _ in self._ids_of(numbers)]

    def document_ids(self, numbers: Numbers) -> list[str]:
        """Their documents."""
        return [document_id for _, document_id in self._ids_of(numbers)]

    def _ids_of(self, numbers: Numbers) -> list[tuple[str, str]]:
        """Chunk and document of each number; a chunk that has ended is read every time."""
        wanted = numbers.tolist()
        ended: dict[int, tuple[str, str]] = {}
        with self._db.reading():
            self._ids.at(self._ended())
            if unknown := self._ids.unknown(wanted):
                base = self._db.ns << KEY_BITS
                rows = self._db.rows(
                    "SELECT key & ?, chunk_id, document_id, live FROM chunk"
                    " WHERE key IN (SELECT value FROM json_each(?))",
                    NUMBER_MASK,
                    _as_keys(base | number for number in unknown if number >= 0),
                )
                self._ids.put(row[:3] for row in rows if row[3])
                ended = {row[0]: (row[1], row[2]) for row in rows if not row[3]}
            found = [self._ids.of(number) or ended.get(number) for number in wanted]
        return [each or _unknown(number) for each, number in zip(found, wanted, strict=True)]

    def _by_number(self, sql: str, numbers: Numbers) -> list[Any]:
        """The second column of each number's row; `sql` selects by key and lacks the list."""
        base = self._db.ns << KEY_BITS
        keys = [base | number for number in numbers.tolist() if number >= 0]
        listed = f"{sql} IN (SELECT value FROM json_each(?))"
        found: dict[int, Any] = dict(self._db.rows(listed, _as_keys(keys)))
        for number in numbers.tolist():
            if number < 0 or base | number not in found:
                _unknown(number)
        return [found[key] for key in keys]

    def numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        """Their numbers."""
        with self._db.reading():
            return self._numbers(chunk_ids)

    def _numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        self._ids.at(self._ended())
        unknown = self._ids.unknown_ids(chunk_ids)
        if unknown:
            rows = self._db.rows(
                "SELECT key & ?, chunk_id, document_id FROM chunk WHERE ns = ? AND live = 1"
                " AND chunk_id IN (SELECT value FROM json_each(?))",
                NUMBER_MASK,
                self._db.ns,
                as_list(unknown),
            )
            self._ids.put(rows)
        return np.array([self._ids.number(c) for c in chunk_ids], dtype=np.int64)

    def admits(self, numbers: Numbers, scope: Scope) -> NDArray[np.bool_]:
        """Which of them a scope lets be seen."""
        with self._db.reading():
            self._fresh()
            mask = self._mask(scope)
            rows, found = self._postings.rows_of(numbers)
        return found if mask is None or not len(mask) else found & mask[rows]

    def filter_values(self, name: Filter) -> list[str]:
        """The values of a scope's set."""
        with self._db.reading():
            self._fresh()
            return self._scopes.values(name, self._sequence())

    def numbers_in(self, document_ids: Sequence[str]) -> dict[str, Numbers]:
        """The chunks of documents."""
        inside: dict[str, list[int]] = {each: [] for each in document_ids}
        with self._db.reading():
            rows = self._db.rows(
                "SELECT document_id, key & ? FROM chunk WHERE ns = ? AND live = 1"
                " AND document_id IN (SELECT value FROM json_each(?))"
                " ORDER BY document_id, position, key",
                NUMBER_MASK,
                self._db.ns,
                as_list(inside),
            )
        for document_id, number in rows:
            inside[document_id].append(number)
        return {each: np.array(found, dtype=np.int64) for each, found in inside.items()}

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The embedding spaces."""
        with self._db.reading():
            if profiles:
                return self._rows.counted_spaces_of(profiles)
            return self._rows.counted_spaces()

    def profiles(self) -> dict[str, int]:
        """Chunks by profile."""
        with self._db.reading():
            base = self._db.ns << KEY_BITS
            rows = self._db.rows(
                "SELECT profile, count(*) FROM chunk WHERE key BETWEEN ? AND ? AND live = 1"
                " GROUP BY profile ORDER BY profile",
                base,
                base | NUMBER_MASK,
            )
        return dict(rows)

    def unembedded(
        self, space: str, *, limit: int = 1000, profiles: Collection[str] = ()
    ) -> list[Chunk]:
        """What still lacks a vector."""
        with self._db.reading():
            base = self._db.ns << KEY_BITS
            key = self._rows.space_key(space)
            done = (key, frozenset(profiles))
            among = "AND c.profile IN (SELECT value FROM json_each(?))" if profiles else ""
            rows = self._db.rows(
                "SELECT c.key, s.body FROM chunk c JOIN support s ON s.row = c.support"
                f" WHERE c.key BETWEEN ? AND ? AND c.live = 1 {among} AND NOT EXISTS"
                " (SELECT 1 FROM vector v WHERE v.key = ? | (c.key & ?))"
                " ORDER BY c.key LIMIT ?",
                self._embedded_below.get(done, base),
                base | NUMBER_MASK,
                *((as_list(profiles),) if profiles else ()),
                key << KEY_BITS,
                NUMBER_MASK,
                max(limit, 0),
            )
            # New passages come above all others, and a live one never loses its vector.
            if key >= 0 and limit > 0 and self._db.snapshot:
                sql = "SELECT next_number FROM namespace WHERE ns = ?"
                self._embedded_below[done] = (
                    rows[0][0] if rows else base | self._db.value(sql, self._db.ns)
                )
        return [_chunk(body) for _, body in rows]


def _chunk(body: bytes) -> Chunk:
    chunk = rules.decode("chunk", body)
    assert isinstance(chunk, Chunk)
    return chunk


def _unknown(number: int) -> NoReturn:
    raise UnknownRecord(
        f"no chunk has the number {number}: search again, it may have been forgotten"
    )


def _as_keys(keys: Iterable[int]) -> str:
    return msgspec.json.encode(list(keys)).decode()

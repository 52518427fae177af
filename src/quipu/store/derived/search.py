"""Words, names and vectors: the indexes of this handle, and rows by number."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from quipu.errors import UnknownRecord
from quipu.index import parts, ranking
from quipu.index.nearest import SpaceInfo
from quipu.index.postings import Mask, Statistics
from quipu.ports import Cosines, Frequencies, Numbers, Occurrence, Ranking, Vectors
from quipu.records.record import Chunk
from quipu.records.scope import EVERYTHING, Filter, Scope
from quipu.store import rules
from quipu.store.backend import CHUNK, COLUMNS, PART, SUPPORT, VECTOR, Above
from quipu.store.derived.state import StoreState


class IndexReads(StoreState):
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
        with self._session.reading():
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
        with self._session.reading():
            self._fresh()
            nearest = self._nearest(space)
            if nearest is None:
                return ranking.empty()
            rules.require_dimension(space, nearest.dimension, len(vector))
            return nearest.search(vector, self._mask(scope), limit)

    def frequencies(self, field: str, terms: Sequence[str], numbers: Numbers) -> Frequencies:
        """Term statistics of given chunks."""
        with self._session.reading():
            self._fresh()
            statistics = self._postings.statistics(field)
            if not len(numbers):
                df = self._postings.first(field, terms, 0).df
                return _nowhere(len(terms), df, statistics)
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
        with self._session.reading():
            self._fresh()
            mask = self._mask(scope)
            found = self._postings.first(field, terms, max(limit, 0), mask)
            numbers = self._postings.numbers[found.rows]
        ends = accumulate(found.counts.tolist())
        return {
            term: Occurrence(df, numbers[start:end], found.tf[start:end])
            for term, df, (start, end) in zip(
                terms, found.df.tolist(), pairwise((0, *ends)), strict=True
            )
        }

    def vectors(self, numbers: Numbers, space: str) -> Vectors:
        """Vectors of given chunks."""
        with self._session.reading():
            self._fresh()
            nearest = self._nearest(space)
            if nearest is None:
                return np.zeros((len(numbers), 0), dtype=np.float32)
            return nearest.gather(numbers)

    def parts(self, numbers: Numbers, space: str) -> list[Vectors]:
        """Part vectors of given chunks."""
        info, blobs = self._all_parts(numbers, space)
        if info is None:
            return [np.zeros((0, 0), dtype=np.float32) for _ in blobs]
        together, counts = parts.unpack(blobs, info.dimension)
        return [together[start:end] for start, end in pairwise((0, *accumulate(counts)))]

    def best_parts(self, numbers: Numbers, space: str, vector: NDArray[np.float32]) -> Cosines:
        """The best part of each."""
        info, blobs = self._all_parts(numbers, space)
        if info is None or info.dimension != len(vector):
            return np.full(len(blobs), -1.0)
        return parts.best_of(blobs, vector)

    def _all_parts(self, numbers: Numbers, space: str) -> tuple[SpaceInfo | None, list[bytes]]:
        """The parts of each chunk as they are kept; none in an unknown space."""
        with self._session.reading():
            return self._rows.space(space), self._parts(self._rows.space_key(space), numbers)

    def _parts(self, space: int, numbers: Numbers) -> list[bytes]:
        if space < 0:
            return [b""] * len(numbers)
        requested = numbers.tolist()
        where = {"space": space, "number": set(requested)}
        found = dict(self._session.select(PART, ("number", "parts"), where))
        return [found.get(number, b"") for number in requested]

    def columns(self, numbers: Numbers) -> list[bytes]:
        """Packed profile data."""
        with self._session.reading():
            where = {"number": numbers.tolist()}
            found = dict(self._session.select(COLUMNS, COLUMNS.columns, where))
            if len(found) < len(numbers):
                self._ids_of([n for n in numbers.tolist() if n not in found])
        return [found.get(number, b"") for number in numbers.tolist()]

    def chunks(self, numbers: Numbers) -> list[Chunk]:
        """The chunks themselves."""
        with self._session.reading():
            bodies = self._bodies(numbers.tolist())
            return [_chunk(bodies[n]) if n in bodies else _unknown(n) for n in numbers.tolist()]

    def _bodies(self, numbers: Collection[int]) -> dict[int, bytes]:
        """The bodies of the chunks with these numbers, those that there are."""
        rows = self._session.select(CHUNK, ("number", "support"), {"number": numbers})
        where = {"row": [row for _, row in rows]}
        bodies = dict(self._session.select(SUPPORT, ("row", "body"), where))
        return {number: bodies[row] for number, row in rows}

    def chunk_ids(self, numbers: Numbers) -> list[str]:
        """Their ids."""
        return [chunk_id for chunk_id, _ in self._ids_of(numbers.tolist())]

    def document_ids(self, numbers: Numbers) -> list[str]:
        """Their documents."""
        return [document_id for _, document_id in self._ids_of(numbers.tolist())]

    def _ids_of(self, numbers: Sequence[int]) -> list[tuple[str, str]]:
        """Chunk and document of each number; a chunk that has ended is read every time."""
        ended: dict[int, tuple[str, str]] = {}
        with self._session.reading():
            self._ids.at(self._ended())
            if unknown := self._ids.unknown(numbers):
                columns = ("number", "chunk_id", "document_id", "live")
                rows = self._session.select(CHUNK, columns, {"number": unknown})
                self._ids.put((n, chunk, document) for n, chunk, document, live in rows if live)
                ended = {n: (chunk, document) for n, chunk, document, live in rows if not live}
            found = [self._ids.of(number) or ended.get(number) for number in numbers]
        return [each or _unknown(number) for each, number in zip(found, numbers, strict=True)]

    def numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        """Their numbers."""
        with self._session.reading():
            return self._numbers(chunk_ids)

    def _numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        self._ids.at(self._ended())
        unknown = self._ids.unknown_ids(chunk_ids)
        if unknown:
            columns = ("number", "chunk_id", "document_id")
            rows = self._session.select(CHUNK, columns, {"live": 1, "chunk_id": unknown})
            self._ids.put((n, chunk, document) for n, chunk, document in rows)
        return np.array([self._ids.number(c) for c in chunk_ids], dtype=np.int64)

    def admits(self, numbers: Numbers, scope: Scope) -> NDArray[np.bool_]:
        """Which of them a scope lets be seen."""
        with self._session.reading():
            self._fresh()
            mask = self._mask(scope)
            rows, found = self._postings.rows_of(numbers)
        return found if mask is None or not len(mask) else found & mask[rows]

    def filter_values(self, name: Filter) -> list[str]:
        """The values of a scope's set."""
        with self._session.reading():
            self._fresh()
            return self._scopes.values(name, self._sequence())

    def numbers_in(self, document_ids: Sequence[str]) -> dict[str, Numbers]:
        """The chunks of documents."""
        inside: dict[str, list[int]] = {each: [] for each in document_ids}
        with self._session.reading():
            rows = self._session.select(
                CHUNK,
                ("document_id", "number"),
                {"live": 1, "document_id": list(inside)},
                order=("document_id", "position", "number"),
            )
        for document_id, number in rows:
            inside[document_id].append(number)
        return {each: np.array(found, dtype=np.int64) for each, found in inside.items()}

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The embedding spaces, their vectors counted once while nothing changes."""
        with self._session.reading():
            # Every change of a vector is in the change log; what is not written yet has no moment.
            at = self._session.last("sequence"), frozenset(profiles)
            if at != self._counted_at or not self._session.snapshot:
                counts = self._count_vectors(profiles)
                named = self._rows.spaces().items()
                self._counted = {name: counts.get(space, 0) for name, (space, _) in named}
                self._counted_at = at
            return dict(self._counted)

    def _count_vectors(self, profiles: Collection[str]) -> dict[int, int]:
        """How many vectors each space holds, of live chunks of the `profiles`, if any are named."""
        among = set(self._live_numbers(profiles)) if profiles else None
        counts: dict[int, int] = {}
        for space, _ in self._rows.spaces().values():
            rows = self._session.select(VECTOR, ("number",), {"space": space})
            counts[space] = sum(among is None or n in among for (n,) in rows)
        return counts

    def _live_numbers(
        self, profiles: Collection[str], after: int = -1, limit: int | None = None
    ) -> list[int]:
        where: dict[str, Any] = {"live": 1, "number": Above(after)}
        if profiles:
            where["profile"] = frozenset(profiles)
        rows = self._session.select(CHUNK, ("number",), where, order=("number",), limit=limit)
        return [number for (number,) in rows]

    def profiles(self) -> dict[str, int]:
        """Chunks by profile."""
        with self._session.reading():
            rows = self._session.select(CHUNK, ("profile",), {"live": 1})
        return dict(sorted(Counter(profile for (profile,) in rows).items()))

    def unembedded(
        self, space: str, *, limit: int = 1000, profiles: Collection[str] = ()
    ) -> list[Chunk]:
        """What still lacks a vector."""
        with self._session.reading():
            key = self._rows.space_key(space)
            done = (key, frozenset(profiles))
            after = self._embedded_up_to.get(done, -1)
            lacking: list[int] = []
            size = limit
            while len(lacking) < limit:
                page = self._live_numbers(profiles, after, size)
                where = {"space": key, "number": page}
                embedded = {n for (n,) in self._session.select(VECTOR, ("number",), where)}
                missing = [n for n in page if n not in embedded]
                if not lacking and self._session.snapshot and key >= 0:
                    # New passages come above all others; a live one never loses its vector.
                    upto = missing[0] - 1 if missing else max(page, default=after)
                    self._embedded_up_to[done] = upto
                lacking += missing
                if len(page) < size:
                    break
                after, size = page[-1], 2 * size
            chosen = lacking[: max(limit, 0)]
            bodies = self._bodies(chosen)
            return [_chunk(bodies[number]) for number in chosen]


def _nowhere(terms: int, df: NDArray[np.int64], statistics: Statistics) -> Frequencies:
    """Of terms in no chunk."""
    none = np.zeros((0, terms), dtype=np.int32)
    return Frequencies(
        tf=none,
        lengths=none[:, 0] if terms else np.zeros(0, dtype=np.int32),
        df=df,
        count=statistics.count,
        average_length=statistics.average,
    )


def _chunk(body: bytes) -> Chunk:
    chunk = rules.decode("chunk", body)
    assert isinstance(chunk, Chunk)
    return chunk


def _unknown(number: int) -> NoReturn:
    raise UnknownRecord(
        f"no chunk has the number {number}: search again, it may have been forgotten"
    )

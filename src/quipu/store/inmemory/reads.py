"""Words, names and vectors, by looking at every chunk."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.errors import UnknownRecord
from quipu.index import bm25, similarity
from quipu.ports import Cosines, Frequencies, Numbers, Occurrence, Ranking, Vectors
from quipu.records.ids import order_key
from quipu.records.record import Chunk
from quipu.records.scope import EVERYTHING, Filter, Scope
from quipu.store import rules
from quipu.store.inmemory.state import Numbered, State


class IndexReads:
    """The half of the store that searches: mixed into the store."""

    _state: State

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
        """BM25, a chunk at a time."""
        count, average = self._statistics(field)
        usable = bm25.usable(terms)
        weights = {
            term: weight * bm25.idf(len(self._state.numbers_with(field, term)), count)
            for term, weight in usable
        }
        scored: list[tuple[int, float]] = []
        for number in self._state.live_numbers(scope):
            found = self._state.numbered[number].fields.get(field, {})
            norm = bm25.norm(float(sum(found.values())), average or 1.0, k1, b)
            score = 0.0
            for term, _ in usable:
                if found.get(term):
                    score += bm25.contribution(float(found[term]), norm, weights[term], k1)
            if score > 0:
                scored.append((number, score))
        return self._ranking(scored, limit)

    def match_vector(
        self,
        vector: NDArray[np.float32],
        *,
        space: str,
        scope: Scope = EVERYTHING,
        limit: int = 100,
    ) -> Ranking:
        """Cosine, a chunk at a time."""
        known = self._state.spaces.get(space)
        if known is None:
            return self._ranking([], limit)
        rules.require_dimension(space, known.dimension, len(vector))
        query = similarity.unit(vector)
        if not query.any():
            return self._ranking([], limit)
        scored = [
            (number, float(similarity.cosines(known.vectors[number][None], query)[0]))
            for number in self._state.live_numbers(scope)
            if number in known.vectors
        ]
        return self._ranking(scored, limit)

    def _ranking(self, scored: list[tuple[int, float]], limit: int) -> Ranking:
        def best_first(pair: tuple[int, float]) -> tuple[float, int, int]:
            number, score = pair
            return (-score, order_key(self._state.numbered[number].chunk.chunk_id), number)

        best = sorted(scored, key=best_first)[: max(limit, 0)]
        return Ranking(
            np.array([n for n, _ in best], dtype=np.int64),
            np.array([s for _, s in best], dtype=np.float64),
        )

    def _statistics(self, field: str) -> tuple[int, float]:
        lengths = [self._length(n, field) for n in self._state.live_numbers()]
        having = [length for length in lengths if length]
        return len(having), (sum(having) / len(having) if having else 0.0)

    def _length(self, number: int, field: str) -> int:
        item = self._state.numbered.get(number)
        return sum(item.fields.get(field, {}).values()) if item and item.live else 0

    def frequencies(self, field: str, terms: Sequence[str], numbers: Numbers) -> Frequencies:
        """Term statistics of given chunks."""
        count, average = self._statistics(field)
        tf = np.zeros((len(numbers), len(terms)), dtype=np.int32)
        for i, number in enumerate(numbers.tolist()):
            item = self._state.numbered.get(number)
            for j, term in enumerate(terms):
                tf[i, j] = item.fields.get(field, {}).get(term, 0) if item and item.live else 0
        return Frequencies(
            tf=tf,
            lengths=np.array([self._length(n, field) for n in numbers.tolist()], dtype=np.int32),
            df=np.array([len(self._state.numbers_with(field, t)) for t in terms], dtype=np.int64),
            count=count,
            average_length=average,
        )

    def occurrences(
        self, field: str, terms: Sequence[str], *, scope: Scope = EVERYTHING, limit: int = 100
    ) -> dict[str, Occurrence]:
        """Where each term stands."""
        admitted = set(self._state.live_numbers(scope))
        found: dict[str, Occurrence] = {}
        for term in terms:
            numbers = [n for n in self._state.numbers_with(field, term) if n in admitted]
            first = numbers[: max(limit, 0)]
            tf = [self._state.numbered[n].fields[field][term] for n in first]
            found[term] = Occurrence(
                len(numbers), np.array(first, dtype=np.int64), np.array(tf, dtype=np.int32)
            )
        return found

    def vectors(self, numbers: Numbers, space: str) -> Vectors:
        """Vectors of given chunks."""
        known = self._state.spaces.get(space)
        dimension = known.dimension if known else 0
        rows = np.zeros((len(numbers), dimension), dtype=np.float32)
        for i, number in enumerate(numbers.tolist()):
            if known and number in known.vectors:
                rows[i] = known.vectors[number]
        return rows

    def parts(self, numbers: Numbers, space: str) -> list[Vectors]:
        """Part vectors of given chunks."""
        known = self._state.spaces.get(space)
        empty = np.zeros((0, known.dimension if known else 0), dtype=np.float16)
        parts = known.parts if known else {}
        return [parts.get(n, empty).astype(np.float32) for n in numbers.tolist()]

    def best_parts(self, numbers: Numbers, space: str, vector: NDArray[np.float32]) -> Cosines:
        """The best part of each."""
        parts = self.parts(numbers, space)
        if not parts or parts[0].shape[1] != len(vector):
            return np.full(len(parts), -1.0)
        return similarity.best_of(np.concatenate(parts), [len(each) for each in parts], vector)

    def _at(self, number: int) -> Numbered:
        try:
            return self._state.numbered[number]
        except KeyError:
            raise UnknownRecord(
                f"no chunk has the number {number}: search again, it may have been forgotten"
            ) from None

    def columns(self, numbers: Numbers) -> list[bytes]:
        """Packed profile data."""
        return [self._at(n).columns for n in numbers.tolist()]

    def chunks(self, numbers: Numbers) -> list[Chunk]:
        """The chunks themselves."""
        return [self._at(n).chunk for n in numbers.tolist()]

    def chunk_ids(self, numbers: Numbers) -> list[str]:
        """Their ids."""
        return [self._at(n).chunk.chunk_id for n in numbers.tolist()]

    def document_ids(self, numbers: Numbers) -> list[str]:
        """Their documents."""
        return [self._at(n).chunk.document_id for n in numbers.tolist()]

    def numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        """Their numbers."""
        return np.array([self._state.number_of.get(c, -1) for c in chunk_ids], dtype=np.int64)

    def admits(self, numbers: Numbers, scope: Scope) -> NDArray[np.bool_]:
        """Which of them a scope lets be seen."""
        return np.isin(numbers, self._state.live_numbers(scope))

    def filter_values(self, name: Filter) -> list[str]:
        """The values of a scope's set."""
        places = map(self._state.place, self._state.live_numbers())
        return sorted({rules.filter_value(place, name) for place in places} - {""})

    def numbers_in(self, document_ids: Sequence[str]) -> dict[str, Numbers]:
        """The chunks of documents."""
        found: dict[str, Numbers] = {}
        for document_id in document_ids:
            inside = [
                (item.chunk.position, number)
                for number, item in self._state.numbered.items()
                if item.live and item.chunk.document_id == document_id
            ]
            found[document_id] = np.array([n for _, n in sorted(inside)], dtype=np.int64)
        return found

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The embedding spaces."""
        spaces = self._state.spaces
        wanted = set(self._of_profiles(profiles))
        return {name: len(wanted & spaces[name].vectors.keys()) for name in sorted(spaces)}

    def profiles(self) -> dict[str, int]:
        """Chunks by profile."""
        each = (self._state.numbered[n].chunk.profile for n in self._state.live_numbers())
        return dict(sorted(Counter(each).items()))

    def unembedded(
        self, space: str, *, limit: int = 1000, profiles: Collection[str] = ()
    ) -> list[Chunk]:
        """What still lacks a vector."""
        known = self._state.spaces.get(space)
        lacking = [n for n in self._of_profiles(profiles) if not known or n not in known.vectors]
        return [self._state.numbered[n].chunk for n in lacking[: max(limit, 0)]]

    def _of_profiles(self, profiles: Collection[str]) -> list[int]:
        return self._state.live_numbers(Scope(profiles=frozenset(profiles)))

"""A store as it reads when what was merged is one thing: the half that searches.

A passage that mentions a merged thing by one of its names counts as mentioning it by all of
them: names lead to it, and words that make up one of the names stand in it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.ports import Cosines, Frequencies, Numbers, Occurrence, Planner, Ranking, Vectors
from quipu.records.ids import order_key
from quipu.records.mentions import key_words
from quipu.records.record import Chunk
from quipu.records.scope import EVERYTHING, Filter, Scope
from quipu.resolve.merges import Merges
from quipu.text import stem_words

__all__ = ["ResolvedIndex"]

_SPOKEN = frozenset({"prose", "turn"})
"""The fields whose terms are the stems of running text."""

_MENTIONS = 300
"""Passages of one name, at most, that are read as if they had the others."""


class ResolvedIndex:
    """What searches in `store`, with the names of each merged thing read as one."""

    def __init__(self, store: Planner, merges: Merges) -> None:
        """Reads names as `merges` say."""
        self._store = store
        self._merges = merges
        self._stems = {key: _stems_of(key) for key in merges.names}

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
        """The best chunks by BM25; those that say a name in other words are scored as if they
        said it in these."""
        found = self._store.match_text(field, terms, scope=scope, limit=limit, k1=k1, b=b)
        keys = [other for key in self._said(field, terms) for other in self._merges.names[key]]
        at = self._store.occurrences("name", keys, scope=scope, limit=_MENTIONS)
        mentioned = np.unique(np.concatenate([each.numbers for each in at.values()] or [_NONE]))
        if not len(mentioned):
            return found
        scores = self._scores(field, terms, mentioned, k1, b)
        best = dict(zip(found.numbers.tolist(), found.scores.tolist(), strict=True))
        best |= {n: s for n, s in zip(mentioned.tolist(), scores.tolist(), strict=True) if s > 0}
        ids = dict(zip(best, self._store.chunk_ids(np.array(list(best), np.int64)), strict=True))
        first = sorted(best, key=lambda n: (-best[n], order_key(ids[n]), n))[: max(limit, 0)]
        return Ranking(
            np.array(first, dtype=np.int64),
            np.array([best[n] for n in first], dtype=np.float64),
        )

    def _scores(
        self, field: str, terms: Mapping[str, float], numbers: Numbers, k1: float, b: float
    ) -> NDArray[np.float64]:
        usable = bm25.usable(terms)
        found = self.frequencies(field, [term for term, _ in usable], numbers)
        scores = np.zeros(len(numbers))
        if not found.count:
            return scores
        norm = bm25.norm(found.lengths.astype(np.float64), found.average_length, k1, b)
        for column, (_, weight) in enumerate(usable):
            tf = found.tf[:, column].astype(np.float64)
            worth = weight * bm25.idf(int(found.df[column]), found.count)
            scores += bm25.contribution(tf, norm, worth, k1)
        scores[found.lengths == 0] = 0.0
        return scores

    def match_vector(
        self,
        vector: NDArray[np.float32],
        *,
        space: str,
        scope: Scope = EVERYTHING,
        limit: int = 100,
    ) -> Ranking:
        """The nearest chunks by cosine."""
        return self._store.match_vector(vector, space=space, scope=scope, limit=limit)

    def frequencies(self, field: str, terms: Sequence[str], numbers: Numbers) -> Frequencies:
        """Term statistics of the given chunks; a chunk that calls a thing otherwise has the words
        of the name that `terms` hold, as often as it calls it, and they are the less rare."""
        found = self._store.frequencies(field, terms, numbers)
        said = self._said(field, terms)
        if not said:
            return found
        tf, df = found.tf.copy(), found.df.copy()
        for key in said:
            columns = [i for i, term in enumerate(terms) if term in self._stems[key]]
            others = [other for other in self._merges.names[key] if other != key]
            for at in self._store.occurrences("name", others, limit=_MENTIONS).values():
                df[columns] = np.minimum(df[columns] + at.df, found.count)
                _, here, there = np.intersect1d(numbers, at.numbers, return_indices=True)
                for column in columns:
                    tf[here, column] = np.maximum(tf[here, column], at.tf[there])
        tf[found.lengths == 0] = found.tf[found.lengths == 0]
        return replace(found, tf=tf, df=df)

    def _said(self, field: str, terms: Iterable[str]) -> list[str]:
        """The names, all of whose words are among the terms."""
        if field not in _SPOKEN or not self._stems:
            return []
        held = frozenset(terms)
        return [key for key, stems in self._stems.items() if stems and stems <= held]

    def occurrences(
        self, field: str, terms: Sequence[str], *, scope: Scope = EVERYTHING, limit: int = 100
    ) -> dict[str, Occurrence]:
        """Where each term stands; the name of a merged thing stands where any of its names do."""
        found = self._store.occurrences(field, terms, scope=scope, limit=limit)
        if field not in ("name", "title"):
            return found
        for term in terms:
            keys = self._merges.names.get(term, ())
            if len(keys) > 1:
                found[term] = self._together(field, keys, scope, limit)
        return found

    def _together(self, field: str, keys: Sequence[str], scope: Scope, limit: int) -> Occurrence:
        """Where any of the names stands; exactly counted, so all of it is read."""
        most = sum(
            at.df for at in self._store.occurrences(field, keys, scope=scope, limit=0).values()
        )
        every = self._store.occurrences(field, keys, scope=scope, limit=most)
        often: dict[int, int] = {}
        for at in every.values():
            for number, tf in zip(at.numbers.tolist(), at.tf.tolist(), strict=True):
                often[number] = max(often.get(number, 0), tf)
        first = sorted(often)[: max(limit, 0)]
        return Occurrence(
            len(often),
            np.array(first, dtype=np.int64),
            np.array([often[number] for number in first], dtype=np.int32),
        )

    def _keys_of(self, canonical: str) -> list[str]:
        """The keys that mean the thing which this record stands for."""
        return [key for key, thing in self._merges.meant.items() if thing == canonical]

    def vectors(self, numbers: Numbers, space: str) -> Vectors:
        """A row a chunk."""
        return self._store.vectors(numbers, space)

    def parts(self, numbers: Numbers, space: str) -> list[Vectors]:
        """Each chunk's part vectors."""
        return self._store.parts(numbers, space)

    def best_parts(self, numbers: Numbers, space: str, vector: NDArray[np.float32]) -> Cosines:
        """The best cosine of each chunk's parts."""
        return self._store.best_parts(numbers, space, vector)

    def columns(self, numbers: Numbers) -> list[bytes]:
        """Each chunk's packed profile data."""
        return self._store.columns(numbers)

    def chunks(self, numbers: Numbers) -> list[Chunk]:
        """The chunks themselves."""
        return self._store.chunks(numbers)

    def chunk_ids(self, numbers: Numbers) -> list[str]:
        """Their ids."""
        return self._store.chunk_ids(numbers)

    def document_ids(self, numbers: Numbers) -> list[str]:
        """Their documents."""
        return self._store.document_ids(numbers)

    def numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        """Their numbers."""
        return self._store.numbers(chunk_ids)

    def admits(self, numbers: Numbers, scope: Scope) -> NDArray[np.bool_]:
        """Which of them a scope lets be seen."""
        return self._store.admits(numbers, scope)

    def filter_values(self, name: Filter) -> list[str]:
        """The values of a scope's set."""
        return self._store.filter_values(name)

    def numbers_in(self, document_ids: Sequence[str]) -> dict[str, Numbers]:
        """The chunks of documents."""
        return self._store.numbers_in(document_ids)

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The embedding spaces."""
        return self._store.spaces(profiles)

    def profiles(self) -> dict[str, int]:
        """How many chunks each profile has."""
        return self._store.profiles()

    def unembedded(
        self, space: str, *, limit: int = 1000, profiles: Collection[str] = ()
    ) -> list[Chunk]:
        """What still lacks a vector."""
        return self._store.unembedded(space, limit=limit, profiles=profiles)


_NONE: Numbers = np.zeros(0, dtype=np.int64)


def _stems_of(key: str) -> frozenset[str]:
    return frozenset(stem_words(list(key_words(key))))

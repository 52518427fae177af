"""Several embedding spaces seen as one: each content type is looked at in its own space.

A vector of the multispace holds a block a space. A passage has zeros in all blocks but its own,
so a product with the question's vector is the cosine in the passage's space: vectors of two
models never meet. The nearest of each space are found with the question's vector of that space,
and the lists are fused by rank (Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms
Condorcet", 2009, k = 60).
"""

from collections.abc import Collection, Iterator
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import SpaceMismatch
from quipu.ports import Cosines, Numbers, Planner, Ranking, Vectors
from quipu.records.ids import order_key
from quipu.records.scope import EVERYTHING, Scope
from quipu.records.spaces import SpacePart, space_parts

__all__ = ["multispace_planner"]

_K = 60.0


def multispace_planner(planner: Planner, name: str) -> Planner:
    """`planner`, which also knows the multispace `name`."""
    return cast(
        "Planner", _MultispacePlanner(planner, name)
    )  # what it does not define, `planner` does


class _MultispacePlanner:
    def __init__(self, planner: Planner, name: str) -> None:
        self._planner = planner
        self._name = name
        self._parts = space_parts(name)
        self._dimension = sum(part.dimension for part in self._parts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._planner, name)

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The spaces, and the multispace: how many chunks have a vector in their own."""
        found = self._planner.spaces(profiles)
        held = 0
        for part in self._parts:
            wanted = part.profiles & frozenset(profiles) if profiles else part.profiles
            held += self._planner.spaces(wanted).get(part.space, 0) if wanted else 0
        return found | {self._name: held}

    def match_vector(
        self,
        vector: NDArray[np.float32],
        *,
        space: str,
        scope: Scope = EVERYTHING,
        limit: int = 100,
    ) -> Ranking:
        """The lists of the spaces, fused by rank; a score is 1 / (60 + rank)."""
        if space != self._name:
            return self._planner.match_vector(vector, space=space, scope=scope, limit=limit)
        numbers: list[int] = []
        scores: list[float] = []
        for part, block in self._blocks(vector):
            profiles = part.profiles & scope.profiles if scope.profiles else part.profiles
            if not profiles:
                continue
            within = msgspec.structs.replace(scope, profiles=profiles)
            found = self._planner.match_vector(block, space=part.space, scope=within, limit=limit)
            numbers += found.numbers.tolist()
            scores += [1.0 / (_K + rank) for rank in range(1, len(found.numbers) + 1)]
        return self._ordered(numbers, scores, limit)

    def _ordered(self, numbers: list[int], scores: list[float], limit: int) -> Ranking:
        ids = self._planner.chunk_ids(np.array(numbers, dtype=np.int64))
        keys = [(-score, order_key(i), n) for score, i, n in zip(scores, ids, numbers, strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)[: max(limit, 0)]
        return Ranking(
            np.array([numbers[i] for i in order], dtype=np.int64),
            np.array([scores[i] for i in order], dtype=np.float64),
        )

    def vectors(self, numbers: Numbers, space: str) -> Vectors:
        """A row a chunk, zero outside of its own space's block."""
        if space != self._name:
            return self._planner.vectors(numbers, space)
        rows = np.zeros((len(numbers), self._dimension), dtype=np.float32)
        for part, first, own in self._own(numbers):
            found = self._planner.vectors(numbers[own], part.space)
            if found.shape[1] == part.dimension:
                rows[own, first : first + part.dimension] = found
        return rows

    def parts(self, numbers: Numbers, space: str) -> list[Vectors]:
        """Each chunk's part vectors, zero outside of its own space's block."""
        if space != self._name:
            return self._planner.parts(numbers, space)
        none = np.zeros((0, self._dimension), dtype=np.float32)
        wide = [none] * len(numbers)
        for part, first, own in self._own(numbers):
            found = self._planner.parts(numbers[own], part.space)
            for place, rows in zip(np.flatnonzero(own).tolist(), found, strict=True):
                if rows.shape[1] == part.dimension:
                    wide[place] = np.zeros((len(rows), self._dimension), dtype=np.float32)
                    wide[place][:, first : first + part.dimension] = rows
        return wide

    def best_parts(self, numbers: Numbers, space: str, vector: NDArray[np.float32]) -> Cosines:
        """The best cosine of each chunk's parts in its own space; -1 where it has none."""
        if space != self._name:
            return self._planner.best_parts(numbers, space, vector)
        best = np.full(len(numbers), -1.0)
        blocks = {part.space: block for part, block in self._blocks(vector)}
        for part, _, own in self._own(numbers):
            best[own] = self._planner.best_parts(numbers[own], part.space, blocks[part.space])
        return best

    def _own(self, numbers: Numbers) -> Iterator[tuple[SpacePart, int, NDArray[np.bool_]]]:
        """Each part, where its block begins, and which of the chunks it is for."""
        first = 0
        for part in self._parts:
            own = self._planner.admits(numbers, Scope(profiles=part.profiles))
            if own.any():
                yield part, first, own
            first += part.dimension

    def _blocks(self, vector: NDArray[np.float32]) -> Iterator[tuple[SpacePart, Any]]:
        if len(vector) != self._dimension:
            raise SpaceMismatch(
                f"a vector of length {len(vector)} is none of {self._name!r}, which has "
                f"{self._dimension}: embed the question with its models"
            )
        first = 0
        for part in self._parts:
            yield part, vector[first : first + part.dimension]
            first += part.dimension

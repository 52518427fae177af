"""Several embedding spaces seen as one: each content type is looked at in its own space.

A vector of the multispace holds a block a space. A passage has zeros in all blocks but its own, so
a product with the question's vector is the cosine in the passage's space: vectors of two models
never meet. The nearest of each space are found with the question's vector of that space, and the
lists are fused by rank (Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms
Condorcet", 2009, k = 60). Questions are embedded by all models, passages by the one that their
content type has.

The name of several spaces, `all-MiniLM-L6-v2/…/384[prose] +
azure:text-embedding-ada-002/1536[code]`, names the models that really run, and what each of them
reads.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import SpaceMismatch
from quipu.index.asked import known_vectors
from quipu.ports import Cosines, Embedded, Embedder, Numbers, Planner, Ranking, Vectors
from quipu.records.ids import order_key
from quipu.records.scope import EVERYTHING, Scope

__all__ = ["MultispaceEmbedder", "multispace_name", "multispace_planner", "space_parts"]

_K = 60.0

_BETWEEN = " + "
_NAMED_PART = re.compile(
    r"(?P<space>\S+/(?P<dimension>[0-9]+))\[(?P<profiles>[a-z]+(?:,[a-z]+)*)\]"
)


class _SpacePart(NamedTuple):
    """A space, the length of its vectors, and the profiles of the passages that it is for."""

    space: str
    dimension: int
    profiles: frozenset[str]


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
        count = 0
        for part in self._parts:
            shared = part.profiles & frozenset(profiles) if profiles else part.profiles
            count += self._planner.spaces(shared).get(part.space, 0) if shared else 0
        return found | {self._name: count}

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
        how = {"exact"}
        for part, block in self._blocks(vector):
            profiles = part.profiles & scope.profiles if scope.profiles else part.profiles
            if not profiles:
                continue
            within = msgspec.structs.replace(scope, profiles=profiles)
            found = self._planner.match_vector(block, space=part.space, scope=within, limit=limit)
            numbers += found.numbers.tolist()
            how.add(found.found)
            scores += [1.0 / (_K + rank) for rank in range(1, len(found.numbers) + 1)]
        return self._ordered(numbers, scores, limit)._replace(
            found="ann" if "ann" in how else "exact"
        )

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

    def _own(self, numbers: Numbers) -> Iterator[tuple[_SpacePart, int, NDArray[np.bool_]]]:
        """Each part, where its block begins, and which of the chunks it is for."""
        first = 0
        for part in self._parts:
            own = self._planner.admits(numbers, Scope(profiles=part.profiles))
            if own.any():
                yield part, first, own
            first += part.dimension

    def _blocks(self, vector: NDArray[np.float32]) -> Iterator[tuple[_SpacePart, Any]]:
        if len(vector) != self._dimension:
            raise SpaceMismatch(
                f"a vector of length {len(vector)} is none of {self._name!r}, which has "
                f"{self._dimension}: embed the question with its models"
            )
        first = 0
        for part in self._parts:
            yield part, vector[first : first + part.dimension]
            first += part.dimension


def multispace_name(parts: Iterable[tuple[str, Iterable[str]]]) -> str:
    """The name of spaces with their profiles, whatever their order."""
    return _BETWEEN.join(sorted(f"{space}[{','.join(sorted(of))}]" for space, of in parts))


def space_parts(name: str) -> tuple[_SpacePart, ...]:
    """The parts of such a name, in its order; none where it names a single space."""
    found: list[_SpacePart] = []
    for each in name.split(_BETWEEN):
        match = _NAMED_PART.fullmatch(each)
        if match is None:
            return ()
        profiles = frozenset(match["profiles"].split(","))
        found.append(_SpacePart(match["space"], int(match["dimension"]), profiles))
    return tuple(found)


class MultispaceEmbedder:
    """Embedders of different spaces, each for its content types."""

    def __init__(self, parts: Iterable[tuple[Embedder, frozenset[str]]]) -> None:
        ordered = sorted(parts, key=lambda part: multispace_name([(part[0].space, part[1])]))
        self._embedders = [embedder for embedder, _ in ordered]
        self._space = multispace_name((embedder.space, of) for embedder, of in ordered)

    @property
    def space(self) -> str:
        """The name of the spaces."""
        return self._space

    @property
    def dimension(self) -> int:
        """Of all blocks together."""
        return sum(each.dimension for each in self._embedders)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d]; each block of length 1."""
        return np.concatenate([each.embed(texts) for each in self._embedders], axis=1)

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and one for each span."""
        return self._joined(lambda each: each.embed_parts(text, spans))

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector and its windows. Models cut differently: the windows of the one that
        cuts finest lead, beside each stands another's window of about the same place."""

        def made(each: Embedder) -> Embedded:
            known = known_vectors(each, text) if (size, stride) == (6, 3) else None
            return known or each.embed_windows(text, size=size, stride=stride)

        return self._joined(made)

    def _joined(self, make: Callable[[Embedder], Embedded]) -> Embedded:
        made = [make(each) for each in self._embedders]
        count = max(len(each.parts) for each in made)
        return Embedded(
            np.concatenate([each.vector for each in made]),
            np.concatenate([_stretched(each.parts, count) for each in made], axis=1),
        )


def _stretched(rows: Vectors, count: int) -> Vectors:
    """`count` rows in the same order; zeros where there are none."""
    if not len(rows):
        return np.zeros((count, rows.shape[1]), dtype=np.float32)
    return rows[np.arange(count) * len(rows) // max(count, 1)]

"""The store on a Neo4j server."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import numpy as np

from quipu.index.nearest import EXACT_UP_TO
from quipu.records.batch import Batch, Written
from quipu.store import rules
from quipu.store.backend import CHUNK, VECTOR, Row
from quipu.store.derived import DerivedStore
from quipu.store.neo4j import schema
from quipu.store.neo4j.connection import Address, Connection, patiently
from quipu.store.neo4j.graph import MirroredGraph
from quipu.store.neo4j.tables import Neo4jBackend

__all__ = ["Neo4jStore"]

T = TypeVar("T")


class Neo4jStore(DerivedStore):
    """A handle on one namespace of a database; threads may share it."""

    def __init__(
        self,
        url: str,
        *,
        namespace: str,
        read_only: bool = False,
        exact_up_to: int = EXACT_UP_TO,
    ) -> None:
        rules.require_namespace(namespace)
        link = Connection(Address.of(url))
        try:
            if not read_only:
                schema.prepare(link)
            self._backend = Neo4jBackend(link, namespace=namespace, read_only=read_only)
        except BaseException:
            link.close()
            raise
        super().__init__(self._backend, exact_up_to=exact_up_to)
        self._read_only = read_only
        self._indexed: set[int] = set()
        self._graph = MirroredGraph(self._backend, self.get)
        self._backend.before_commit = self._before_commit
        if not read_only:
            self._write_buckets()

    def _before_commit(self, changes: Sequence[Row], since: int, ended: Sequence[int]) -> None:
        self._graph.follow(changes, since, ended)
        if any(operation == "forget" for *_, operation in changes):
            self._backend.erase()

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        if not self._read_only:
            spaces = sorted({(each.space, np.size(each.vector)) for each in batch.embeddings})
            dimensions = [dimension for _, dimension in spaces if dimension]
            if not self._indexed.issuperset(dimensions):
                schema.prepare_vectors(self._backend.link, dimensions)
                written = super().write(batch)
                schema.prepare_vectors(self._backend.link, dimensions)
                return written
        return super().write(batch)

    def _commit(self, once: Callable[[], T], *, durable: bool) -> T:
        """Call `once`, again where it failed in passing."""
        del durable
        return patiently(once)

    def _count_vectors(self, profiles: Collection[str]) -> dict[int, int]:
        """Vectors by space, counted where they are."""
        if profiles:
            return super()._count_vectors(profiles)
        return self._backend.count(VECTOR, {}, "space")

    def profiles(self) -> dict[str, int]:
        """Chunks by profile, counted where they are."""
        with self._session.reading():
            return self._backend.count(CHUNK, {"live": 1}, "profile")

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all, and what was taken away before, from the database."""
        erased = super().forget(source_refs)
        if not erased:  # what erases records does it in the same transaction
            self.atomically(self._backend.erase)
        return erased

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors, and the index that no other space fits."""
        super().drop_space(space)
        schema.drop_vectors(self._backend.link)
        self._indexed.clear()

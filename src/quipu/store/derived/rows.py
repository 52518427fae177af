"""What is asked of the tables as they are: scopes' columns, vectors, segments, the change log, and
the accepted writes."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from quipu.index.blobs import FieldHead, SegmentHead
from quipu.index.nearest import SpaceInfo, StoredVector
from quipu.index.scopes import ScopedChunk
from quipu.ports import Change, JobRow
from quipu.records.record import Entity
from quipu.store import rules
from quipu.store.backend import (
    CHANGE,
    CHUNK,
    FIELD,
    JOB,
    PAGE,
    PAYLOAD,
    SEGMENT,
    SPACE,
    VECTOR,
    Above,
    Where,
)
from quipu.store.derived.records import Records
from quipu.store.derived.session import Session


class _Group(msgspec.Struct, frozen=True):
    """What a scope asks of an episode's body."""

    group: str


_PAGE = 16_384  # vectors that are read at a time

_GROUP = msgspec.json.Decoder(_Group)


class IndexRows:
    """What the indexes ask of the tables."""

    def __init__(self, session: Session, records: Records, identity: Callable[[], str]) -> None:
        """`identity` tells this store's spaces from those of another, in files beside it."""
        self._session = session
        self._records = records
        self._identity = identity
        self._spaces: tuple[int, dict[str, tuple[int, SpaceInfo]]] = (0, {})

    def standings(self) -> Iterator[ScopedChunk]:
        """Every live chunk."""
        return self._standings({"live": 1})

    def standings_of(
        self, chunk_ids: Sequence[str], episode_ids: Sequence[str]
    ) -> Iterator[ScopedChunk]:
        """The live chunks with these ids or of these episodes."""
        ids = set(chunk_ids)
        if episode_ids:
            rows = self._session.periods(("record_id",), {"kind": 1, "episode_id": episode_ids})
            ids.update(chunk_id for (chunk_id,) in rows)
        return self._standings({"live": 1, "chunk_id": sorted(ids)})

    def _standings(self, where: Where) -> Iterator[ScopedChunk]:
        columns = ("number", "document_id", "profile", "episode_id")
        rows = self._session.select(CHUNK, columns, where)
        episodes = self._episodes({row[3] for row in rows})
        for number, document_id, profile, episode_id in rows:
            yield ScopedChunk(number, document_id, profile, *episodes[episode_id])

    def _episodes(self, episode_ids: set[str]) -> dict[str, tuple[str, str, str]]:
        where = {"kind": 0, "record_id": episode_ids}
        rows = self._session.periods(("record_id", "body", "label", "far"), where)
        return {
            episode_id: (_GROUP.decode(body).group, source_type, observed_at)
            for episode_id, body, source_type, observed_at in rows
        }

    def entities_of(self, episode_ids: Sequence[str]) -> set[str]:
        """The entities that these episodes assert."""
        where = {"kind": 2, "episode_id": episode_ids}
        return {i for (i,) in self._session.periods(("record_id",), where, distinct=True)}

    def document_properties(self, document_ids: Sequence[str]) -> dict[str, tuple[str, str, str]]:
        """Type, status and domain of documents."""
        found = self._records.get(document_ids)
        return {i: rules.document_properties(r) for i, r in found.items() if isinstance(r, Entity)}

    def space(self, space: str) -> SpaceInfo | None:
        """The space."""
        found = self.spaces().get(space)
        return found[1] if found else None

    def space_key(self, space: str) -> int:
        """The number that the space's vectors are kept under; -1 when unknown."""
        found = self.spaces().get(space)
        return found[0] if found else -1

    def spaces(self) -> dict[str, tuple[int, SpaceInfo]]:
        """The spaces with their numbers, by name; read once in a snapshot."""
        snapshot, known = self._spaces
        if not snapshot or snapshot != self._session.snapshot:
            rows = self._session.select(SPACE, ("name", "space", "dimension"), {}, order=("name",))
            of = self._identity() if rows else ""
            known = {name: (n, SpaceInfo(f"{of}/{n}", dimension)) for name, n, dimension in rows}
            self._spaces = self._session.snapshot, known
        return known

    def every_vector(self, space: str) -> Iterator[StoredVector]:
        """All vectors, by number."""
        of, after = self.space_key(space), -1
        while True:
            rows = self._session.select(
                VECTOR,
                ("number", "vector"),
                {"space": of, "number": Above(after)},
                order=("number",),
                limit=_PAGE,
            )
            yield from map(StoredVector._make, rows)
            if len(rows) < _PAGE:
                return
            after = rows[-1][0]

    def vectors_of(self, space: str, chunk_ids: Sequence[str]) -> Iterable[StoredVector]:
        """The vectors of these chunks."""
        chunks = self._session.select(CHUNK, ("number",), {"live": 1, "chunk_id": chunk_ids})
        where = {"space": self.space_key(space), "number": [number for (number,) in chunks]}
        return map(StoredVector._make, self._session.select(VECTOR, ("number", "vector"), where))

    def changes_after(self, sequence: int, limit: int) -> list[Change]:
        """The change log."""
        where = {"sequence": Above(sequence)}
        columns, order = CHANGE.columns, ("sequence",)
        rows = self._session.select(CHANGE, columns, where, order=order, limit=limit)
        return [Change(*row) for row in rows]


class SegmentRows:
    """Reads the posting segments."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def segments(self) -> list[SegmentHead]:
        """The segments, by id."""
        columns = ("segment", "size", "dead_count")
        rows = self._session.select(SEGMENT, columns, {}, order=("segment",))
        return [SegmentHead(*row) for row in rows]

    def arrays(self, segment: int) -> bytes:
        """The chunks' numbers and order keys."""
        return self._session.select(SEGMENT, ("arrays",), {"segment": segment})[0][0]

    def dead(self, segment: int) -> bytes:
        """The bitmap of the rows that have left."""
        return self._session.select(SEGMENT, ("dead",), {"segment": segment})[0][0]

    def fields(self, segment: int) -> list[str]:
        """The names of the fields the segment has."""
        where = {"segment": segment}
        return [
            name for (name,) in self._session.select(FIELD, ("field",), where, order=("field",))
        ]

    def field(self, segment: int, field: str) -> FieldHead | None:
        """A field's head."""
        where = {"segment": segment, "field": field}
        rows = self._session.select(FIELD, FieldHead._fields, where)
        return FieldHead(*rows[0]) if rows else None

    def buckets(self, field: str, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, bytes]]:
        """The buckets among (segment, bucket) pairs that are not empty, by segment."""
        found: list[tuple[int, bytes]] = []
        for segment in dict.fromkeys(segment for segment, _ in wanted):
            buckets = [bucket for of, bucket in wanted if of == segment]
            where = {"segment": segment, "field": field, "page": buckets}
            rows = self._session.select(PAGE, ("postings",), where, order=("page",))
            found += [(segment, postings) for (postings,) in rows]
        return found

    def every_bucket(self, segment: int, field: str) -> list[bytes]:
        """The buckets of a field, in order."""
        where = {"segment": segment, "field": field}
        rows = self._session.select(PAGE, ("postings",), where, order=("page",))
        return [postings for (postings,) in rows]


class JobTable:
    """The accepted writes; what is changed stands inside `Session.writing`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def last(self) -> int:
        """The number of the job that was put down last."""
        with self._session.reading():
            found = self._session.select(JOB, ("job",), {}, order=("-job",), limit=1)
        return found[0][0] if found else 0

    def rows(self, *, live: bool = False, job_ids: Collection[str] = ()) -> list[JobRow]:
        """Jobs, oldest first."""
        where: Where = {"live": 1} if live else {"job_id": list(job_ids)} if job_ids else {}
        with self._session.reading():
            rows = self._session.select(JOB, JOB.columns, where, order=("job",))
        return [JobRow(*row) for row in rows]

    def payload(self, job: int) -> bytes | None:
        """What the job is to write."""
        with self._session.reading():
            found = self._session.select(PAYLOAD, ("payload",), {"job": job})
        return found[0][0] if found else None

    def add(self, row: JobRow, payload: bytes | None) -> None:
        """Put down a new job."""
        self._session.insert(JOB, [row])
        self.put_payload(row.job, payload)

    def change(self, row: JobRow) -> None:
        """Replace all of a job but its number and id."""
        self._session.update(JOB, JOB.columns[2:], [(*row[2:], row.job)])

    def put_payload(self, job: int, payload: bytes | None) -> None:
        """Replace what the job is to write."""
        self._session.delete(PAYLOAD, {"job": job})
        if payload is not None:
            self._session.insert(PAYLOAD, [(job, payload)])

    def drop(self, jobs: Collection[int]) -> None:
        """Erase jobs."""
        for table in (PAYLOAD, JOB):
            self._session.delete(table, {"job": list(jobs)})

"""The accepted writes of a namespace, as rows beside its records."""

from collections.abc import Collection

from quipu.ports import JobRow
from quipu.store.backend import JOB, PAYLOAD, Where
from quipu.store.derived.session import Session

__all__ = ["JobTable"]


class JobTable:
    """Reads and changes jobs; what is changed stands inside `Session.writing`."""

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

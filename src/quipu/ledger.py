"""Operational state beside the memory: jobs, checkpoints, keys, the usage log.

It is no memory: it asserts nothing, has no history and is never exported. Each entry has a
version, and a change names the version it replaces, so two processes never overwrite each other.
"""

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import apsw

from quipu.errors import CorruptStore, StoreUnavailable
from quipu.files import checked, private
from quipu.files.identity import Identity

LEDGER = "ops.db"
"""Its name in the local state."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID
"""


_CHECKED = 1
"""The version of a file whose pages have checksums."""


def _begin(connection: Any) -> None:
    connection.execute(_SCHEMA)
    _mark(connection)


def _mark(connection: Any) -> None:
    connection.execute(f"PRAGMA user_version = {_CHECKED}")


class Entry(NamedTuple):
    """What stands under a kind and a key; `version` counts from 1."""

    key: str
    version: int
    value: bytes


class Ledger:
    """The entries in the SQLite file at `path`, made when it is not there."""

    def __init__(self, path: str | Path, *, timeout_s: float = 10.0) -> None:
        self._path = Path(path)
        self._lock = threading.RLock()
        self._files = Identity()
        with self._errors():
            if path != ":memory:":
                checked.ready(self._path, _begin)
                private.narrow(checked.beside(self._path))
            self._connection: Any = checked.connect(path)
            self._require_checksums()
            self._connection.set_busy_timeout(int(timeout_s * 1000))
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA synchronous = FULL")  # what was accepted survives a power cut
            self._run(_SCHEMA)
            self._files = Identity(self._path, self._path.with_name(f"{self._path.name}-wal"))

    def _require_checksums(self) -> None:
        """A ledger of before gets them when nobody else has it open."""
        if str(self._path) == ":memory:":
            return
        checked.require_whole_log(self._connection, self._path)
        if checked.verifies(self._connection):
            return
        if self._connection.execute("PRAGMA user_version").get == _CHECKED:
            raise apsw.CorruptError("its pages have checksums and its header denies it")
        self._connection.close()
        checked.add_checksums(self._path, _mark)
        self._connection = checked.connect(self._path)

    def get(self, kind: str, key: str) -> Entry | None:
        """The entry, or None."""
        rows = self._run(
            "SELECT key, version, value FROM entry WHERE kind = ? AND key = ?", kind, key
        )
        return Entry(*rows[0]) if rows else None

    def put_if(
        self, kind: str, key: str, expected_version: int, value: bytes, *, durable: bool = True
    ) -> bool:
        """Put `value` if the entry has `expected_version` (0: if there is none); whether it
        was put. What is not `durable` a power cut may take back; a killed process does not."""
        if expected_version == 0:
            sql = "INSERT INTO entry VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING RETURNING 1"
            return bool(self._run(sql, kind, key, value, durable=durable))
        sql = (
            "UPDATE entry SET version = version + 1, value = ?"
            " WHERE kind = ? AND key = ? AND version = ? RETURNING 1"
        )
        return bool(self._run(sql, value, kind, key, expected_version, durable=durable))

    def put_hints(self, kind: str, entries: Mapping[str, bytes]) -> None:
        """Put entries that nobody relies on, by key, whatever stands there; not durable."""
        sql = (
            "INSERT INTO entry VALUES (?, ?, 1, ?)"
            " ON CONFLICT DO UPDATE SET version = version + 1, value = excluded.value"
        )
        with self._errors(), self._lazily(), self._connection:
            self._connection.executemany(sql, [(kind, *each) for each in sorted(entries.items())])

    def put_new(self, entries: Mapping[tuple[str, str], bytes]) -> bool:
        """Put entries by kind and key, all of them or, when one is there already, none; whether
        they were put."""
        with self._errors():
            try:
                with self._connection:
                    self._connection.executemany(
                        "INSERT INTO entry VALUES (?, ?, 1, ?)",
                        [(kind, key, value) for (kind, key), value in entries.items()],
                    )
            except apsw.ConstraintError:
                return False
        return True

    def list(self, kind: str, *, after: str = "", limit: int = 1000) -> list[Entry]:
        """The entries of a kind with keys above `after`, by key."""
        rows = self._run(
            "SELECT key, version, value FROM entry WHERE kind = ? AND key > ? ORDER BY key LIMIT ?",
            kind,
            after,
            limit,
        )
        return [Entry(*row) for row in rows]

    def delete(self, kind: str, key: str, *, durable: bool = True) -> bool:
        """Delete the entry; whether there was one."""
        sql = "DELETE FROM entry WHERE kind = ? AND key = ? RETURNING 1"
        return bool(self._run(sql, kind, key, durable=durable))

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, sql: str, *values: Any, durable: bool = True) -> "list[Any]":
        with self._errors(), nullcontext() if durable else self._lazily():
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _lazily(self) -> Generator[None]:
        """Leave it to the operating system when the block's commits reach the disk."""
        self._connection.execute("PRAGMA synchronous = NORMAL")
        try:
            yield
        finally:
            self._connection.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def _errors(self) -> Generator[None]:
        try:
            with self._lock:
                self._files.require()
                yield
                self._files.require()  # what is acknowledged is in the file at this path
        except (apsw.Error, UnicodeDecodeError) as error:
            if isinstance(error, apsw.Error) and not checked.is_damage(error):
                raise self._unusable(error) from error
            raise CorruptStore(
                f"{str(self._path)!r} is damaged ({error}): delete it; it holds no memory, only "
                "jobs and checkpoints"
            ) from error
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"{str(self._path)!r} cannot be used ({error}): check its rights, the disk, and "
            "whether another process holds it"
        )

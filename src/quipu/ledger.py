"""Operational state beside the memory: checkpoints, API keys, runs.

It is no memory: it asserts nothing, has no history and is never exported. Each entry has a
version, and a change names the version it replaces, so two processes never overwrite each other.
"""

import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Self

import apsw

from quipu.errors import CorruptStore, StoreUnavailable
from quipu.files import checked, private
from quipu.files.checked import Identity

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


_PUT = (
    "INSERT INTO entry VALUES (?, ?, 1, ?)"
    " ON CONFLICT DO UPDATE SET version = version + 1, value = excluded.value"
)
_CHECKED = 1
"""The version of a file whose pages have checksums, and whose freed pages were always wiped."""


def _begin(connection: Any) -> None:
    connection.execute(_SCHEMA)
    connection.execute(f"PRAGMA user_version = {_CHECKED}")


_ASIDE = ".damaged-"

KEYS_MAY_BE_LOST = ("salvaged", "api_key")
"""The kind and key of an entry that stands in a ledger in the place of a damaged one: a server
without keys is open, and with this one it stays closed."""


class LedgerEntry(NamedTuple):
    """What stands under a kind and a key; `version` counts from 1."""

    key: str
    version: int
    value: bytes


class Salvaged(NamedTuple):
    """Where a damaged ledger stands now; None for one that was whole and stayed as it was."""

    aside: Path | None


class Ledger:
    """The entries in the SQLite file at `path`, made when it is not there."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._lock = threading.RLock()
        self._files = Identity()
        with self._errors():
            if not self._is_volatile():
                checked.ready(self._path, _begin)
                private.narrow(checked.database_files(self._path))
            self._connection: Any = checked.connect(self._path)
            self._require_checksums()
            self._connection.set_busy_timeout(10_000)
            self._run("PRAGMA trusted_schema = OFF")  # a file may have come with a folder
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA synchronous = FULL")  # what was accepted survives a power cut
            self._run("PRAGMA secure_delete = ON")  # what is deleted may be forgotten later
            self._run("PRAGMA temp_store = MEMORY")
            self._run(_SCHEMA)
            self._files = Identity(self._path, self._path.with_name(f"{self._path.name}-wal"))

    def _is_volatile(self) -> bool:
        return str(self._path) == ":memory:"

    def _require_checksums(self) -> None:
        if not self._is_volatile():
            checked.require_whole_log(self._connection, self._path)
            if not checked.verifies(self._connection):
                raise apsw.CorruptError("its pages have checksums and its header denies it")

    def get(self, kind: str, key: str) -> LedgerEntry | None:
        """The entry, or None."""
        rows = self._run(
            "SELECT key, version, value FROM entry WHERE kind = ? AND key = ?", kind, key
        )
        return LedgerEntry(*rows[0]) if rows else None

    def put_if(self, kind: str, key: str, expected_version: int, value: bytes) -> bool:
        """Put `value` if the entry has `expected_version` (0: if there is none); whether it
        was put."""
        if expected_version == 0:
            sql = "INSERT INTO entry VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING RETURNING 1"
            return bool(self._run(sql, kind, key, value))
        sql = (
            "UPDATE entry SET version = version + 1, value = ?"
            " WHERE kind = ? AND key = ? AND version = ? RETURNING 1"
        )
        return bool(self._run(sql, value, kind, key, expected_version))

    def change(
        self,
        *,
        put: Mapping[tuple[str, str], bytes] | None = None,
        delete: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Put entries, whatever stands there, and delete others, by kind and key: all of it or
        nothing."""
        with self._errors(), self._connection:
            rows = [(kind, key, value) for (kind, key), value in sorted((put or {}).items())]
            self._connection.executemany(_PUT, rows)
            gone = sorted(delete)
            self._connection.executemany("DELETE FROM entry WHERE kind = ? AND key = ?", gone)

    def erase(self) -> None:
        """Leave no copy of what was deleted or replaced: in the file, in its log, or in a damaged
        one that was put aside. Raises StoreUnavailable while somebody still reads from the log."""
        with self._errors():
            busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        for aside in self._path.parent.glob(f"{self._path.name}{_ASIDE}*"):
            aside.unlink(missing_ok=True)
        if busy:
            raise StoreUnavailable(
                f"another process reads {str(self._path)!r} and keeps what is forgotten in its "
                "log: let it finish, then run the same command again"
            )

    def list(self, kind: str, *, after: str = "", limit: int = 1000) -> list[LedgerEntry]:
        """The entries of a kind with keys above `after`, by key."""
        rows = self._run(
            "SELECT key, version, value FROM entry WHERE kind = ? AND key > ? ORDER BY key LIMIT ?",
            kind,
            after,
            limit,
        )
        return [LedgerEntry(*row) for row in rows]

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, sql: str, *values: Any) -> "list[Any]":
        with self._errors():
            return self._connection.execute(sql, values).fetchall()

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
            raise damaged(self._path, str(error)) from error
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"{str(self._path)!r} cannot be used ({error}): check its rights, the disk, and "
            "whether another process holds it"
        )


def damaged(path: Path, why: str) -> CorruptStore:
    """What is to be raised about a damaged ledger."""
    return CorruptStore(
        f"{str(path)!r} is damaged ({why}). It holds API keys and runs, and may hold writes that "
        "an earlier version accepted: restore a backup, or begin another: `quipu jobs --salvage`"
    )


def salvage(path: Path) -> Salvaged:
    """Put a damaged ledger aside and begin another: keys are to be made again. No other process
    should be using it. Raises StoreUnavailable."""
    from quipu.files.whole import faults  # needs numpy, and is seldom needed

    if not faults(path):
        return Salvaged(None)
    fresh = path.with_name(f"{path.name}.fresh")
    taken = (path.with_name(f"{path.name}{_ASIDE}{n}") for n in count(1))
    aside = next(each for each in taken if not each.exists())
    try:
        fresh.unlink(missing_ok=True)
        with Ledger(fresh) as ledger:
            ledger.change(put={KEYS_MAY_BE_LOST: b""})
        for suffix in ("", "-wal"):  # a log that stays would be taken for the new file's
            file = path.with_name(path.name + suffix)
            if file.exists():
                file.replace(aside.with_name(aside.name + suffix))
        path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
        fresh.replace(path)
    except OSError as error:
        raise StoreUnavailable(
            f"{str(path)!r} cannot be put aside ({error}): check the rights of its folder"
        ) from error
    return Salvaged(aside)

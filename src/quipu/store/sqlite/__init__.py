"""The default store: one SQLite file, embedded, shared by processes."""

from pathlib import Path

from quipu.ports import Store
from quipu.store.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore", "open_sqlite"]


def open_sqlite(
    path: str | Path,
    *,
    namespace: str = "default",
    read_only: bool = False,
    vector_files: bool = True,
) -> Store:
    """A handle on the SQLite file at `path`."""
    return SQLiteStore(
        Path(path), namespace=namespace, read_only=read_only, vector_files=vector_files
    )

"""Where memory is kept: one contract, and a backend a kind of address."""

from pathlib import Path
from typing import TYPE_CHECKING

from quipu.errors import InvalidInput
from quipu.ports import Store

if TYPE_CHECKING:
    from quipu.store.inmemory import Shelf

__all__ = ["open_store"]

_SHELVES: "dict[str, Shelf]" = {}


def open_store(
    url: str, *, namespace: str = "default", read_only: bool = False, vector_files: bool = True
) -> Store:
    """A handle on the store at `url`, bound to `namespace`.

    `memory:` is a new store in this process; `memory:NAME` one that handles of the same name
    share. `sqlite:///PATH` (a fourth slash begins an absolute path) or a plain path is a SQLite
    file, made when it is not there (unless `read_only`). Without `vector_files` the index files
    that lie beside it are left alone: somebody else may have made them.
    """
    if url.startswith("memory:"):
        return _open_memory(url.removeprefix("memory:"), namespace, read_only)
    path = url.removeprefix("sqlite:///")
    if "://" in path:
        raise InvalidInput(
            f"{url!r} names no store that is built in: use memory:, sqlite:///path or a path"
        )
    from quipu.store.sqlite import open_sqlite

    path = str(Path(path.removeprefix("sqlite:")).expanduser())
    return open_sqlite(path, namespace=namespace, read_only=read_only, vector_files=vector_files)


def _open_memory(name: str, namespace: str, read_only: bool) -> Store:
    from quipu.store.inmemory import InMemoryStore, Shelf

    shelf = _SHELVES.setdefault(name, Shelf()) if name else Shelf()
    return InMemoryStore(shelf, namespace=namespace, read_only=read_only)

"""Where memory is kept: one contract, and a backend a kind of address.

A backend is found by an entry point of the group `quipu.stores`, whose name is the scheme of its
addresses and which leads to an `Opener`: those on servers are ours, another package brings others.
The two that need nothing else, a file and this process, are opened without looking for any.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.kind import plugins
from quipu.ports import Store
from quipu.store.addresses import shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from quipu.store.inmemory import Shelf

__all__ = ["GROUP", "Opener", "brought", "namespaces_of", "open_store"]

GROUP = "quipu.stores"
_SHELVES: "dict[str, Shelf]" = {}


class Opener(Protocol):
    """Opens the stores of a scheme."""

    def __call__(self, url: str, *, namespace: str, read_only: bool) -> Store:
        """A handle on the store at `url`, bound to `namespace`; made when it is not there, unless
        `read_only`. Raises StoreUnavailable when it cannot be had, MissingExtra when a library
        that it needs is not installed; no message holds a password of `url`."""
        ...


def open_store(
    url: str, *, namespace: str = "default", read_only: bool = False, vector_files: bool = True
) -> Store:
    """A handle on the store at `url`, bound to `namespace`.

    `memory:` is a new store in this process; `memory:NAME` one that handles of the same name
    share. `sqlite:///PATH` (a fourth slash begins an absolute path) or a plain path is a SQLite
    file, made when it is not there (unless `read_only`). Without `vector_files` the index files
    that lie beside it are left alone: somebody else may have made them. `SCHEME://…` is a store of
    whoever brings the scheme; InvalidInput when nobody does.
    """
    if url.startswith("memory:"):
        return _open_memory(url.removeprefix("memory:"), namespace, read_only)
    path = url.removeprefix("sqlite:///")
    if "://" in path:
        return _opener(url)(url, namespace=namespace, read_only=read_only)
    from quipu.store.sqlite import SQLiteStore

    return SQLiteStore(
        Path(path.removeprefix("sqlite:")).expanduser(),
        namespace=namespace,
        read_only=read_only,
        vector_files=vector_files,
    )


def namespaces_of(path: Path) -> list[str]:
    """The namespaces in the SQLite file at `path`, by name."""
    from quipu.store.sqlite import namespaces

    return namespaces(path)


def _opener(url: str) -> Opener:
    """What opens the stores of the scheme of `url`."""
    found = brought()
    scheme = url.partition("://")[0].lower()
    if scheme not in found:
        others = "".join(f", {each}://…" for each in sorted(found))
        raise InvalidInput(
            f"{shown(url)!r} names no store that is known here: use memory:, sqlite:///path, a path"
            f"{others}, or install the package that brings {scheme}://"
        )
    try:
        return cast("Opener", found[scheme].load())
    except (ImportError, AttributeError) as error:
        raise StoreUnavailable(
            f"the stores of {scheme}:// cannot be used: {found[scheme].value!r} does not load "
            f"({error}); update or uninstall its package"
        ) from error


def brought() -> "Mapping[str, EntryPoint]":
    """The schemes that can be opened; of two for one, the first by what it leads to."""
    return {point.name.lower(): point for point in reversed(plugins(GROUP))}


def _open_memory(name: str, namespace: str, read_only: bool) -> Store:
    from quipu.store.inmemory import InMemoryStore, Shelf

    shelf = _SHELVES.setdefault(name, Shelf()) if name else Shelf()
    return InMemoryStore(shelf, namespace=namespace, read_only=read_only)

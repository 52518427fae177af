"""Where a memory lives: its store, its home folder, and its local state beside it."""

import logging
import shlex
from pathlib import Path
from typing import NamedTuple

from quipu.config import find_upward
from quipu.errors import InvalidInput, StoreUnavailable, UntrustedFolder
from quipu.store.addresses import shown
from quipu.trust import mark, standing

STATE = ".quipu"
DATABASE = f"{STATE}/quipu.db"

_log = logging.getLogger(__name__)


class Home(NamedTuple):
    """`url` opens the store. Paths inside `folder` are written relative to it. `state` keeps the
    report files, the ledger and caches; None keeps nothing (a store in memory)."""

    url: str
    folder: Path
    state: Path | None

    @property
    def shown(self) -> str:
        """`url` as messages and files may hold it: without a password."""
        return shown(self.url)

    @property
    def name(self) -> str:
        """What the local state calls the store, however its URL was written; it stays when the
        folder with its state is moved."""
        path = database_path(self.url)
        if path is None or self.state is None:
            return self.shown
        parent = self.state.parent.resolve()
        return path.relative_to(parent).as_posix() if path.is_relative_to(parent) else str(path)

    @property
    def database(self) -> Path | None:
        """The SQLite file of this memory; None for a store that is none."""
        return database_path(self.url)


def database_path(url: str) -> Path | None:
    """The file that a URL names; None where it names none. Raises InvalidInput for a path that
    no file can have."""
    if url.startswith("memory:") or ("://" in url and not url.startswith("sqlite:///")):
        return None
    try:
        path = Path(url.removeprefix("sqlite:///").removeprefix("sqlite:")).expanduser().resolve()
        str(path).encode()
    except (OSError, RuntimeError, ValueError) as error:  # no user, links that go round, no text
        raise InvalidInput(f"the store {url!r} names no file: {error}") from error
    return path


def find_home(url: str | Path | None, home: Path | None = None) -> Home:
    """The home of the store at `url`; without one, of the nearest `.quipu/quipu.db` upward.

    A database in a folder `.quipu` belongs to the folder that holds it; any other database to
    its own folder. `home` names the folder outright. Raises StoreUnavailable when there is no
    store to be found, UntrustedFolder when what is found is a link to another one.
    """
    if not url:
        found = find_upward(DATABASE, home)
        if found is None:
            raise StoreUnavailable(
                f"there is no {DATABASE} in {str(home or Path.cwd())!r} or above it: run "
                "`quipu init` in the folder to remember, or name a store with --store"
            )
        if found.is_symlink() or found.parent.is_symlink():
            raise UntrustedFolder(
                f"{str(found)!r} is a link to {str(found.resolve())!r}, and a store is not looked "
                "for behind a link: name that one with --store, or as store.url in your own "
                "quipu.toml"
            )
        url = found
    text = str(url)
    if text == "memory:":
        folder = (home or Path.cwd()).resolve()
        return Home(text, folder, folder / STATE if home else None)
    database = database_path(text)
    if database is None:
        nearest = find_upward(STATE, home)
        folder = nearest.parent if nearest else (home or Path.cwd()).resolve()
        return Home(text, folder, folder / STATE)
    inside = database.parent.name == STATE
    folder = home.resolve() if home else database.parent.parent if inside else database.parent
    return Home(text, folder, database.parent if inside else folder / STATE)


def needed(*, url: object, namespace: str | None, embedding: bool) -> set[str]:
    """The settings without which a memory would be another than the one that was meant."""
    needs = set[str]() if url else {"store.url"}
    if namespace is None:
        needs.add("store.namespace")
    return needs | {"embed"} if embedding else needs


def admit(home: Home, *, named: bool, read_only: bool) -> bool:
    """Let a memory be opened at `home`, and remember a `.quipu` that is made by it; whether what
    lies there besides the database can be used.

    A store that the user named (`named`) counts whoever made it. One that was only found, in a
    `.quipu` that was not made here, is read, and said so; UntrustedFolder when it is to be
    written.
    """
    if home.state is None or home.url == "memory:":
        return True
    stands = standing(home.state)
    database = None if read_only or stands != "none" else database_path(home.url)
    if database is not None and database.parent == home.state:
        mark(home.state)
    if stands != "foreign" or named:
        return True
    why = (
        f"{str(home.state)!r} was not made by you on this machine (it came with the folder, was "
        "moved, or is of an earlier Quipu)"
    )
    remedy = f"if it is yours, `quipu trust {shlex.quote(str(home.folder))}`"
    if not read_only:
        raise UntrustedFolder(f"{why}, so nothing is written there: {remedy}; else remove it")
    _log.warning("%s: it is only read; %s", why, remedy)
    return False

"""Where a memory lives: its store, its home folder, and its local state beside it."""

from pathlib import Path
from typing import NamedTuple

from quipu.config import find_upward
from quipu.errors import StoreUnavailable

STATE = ".quipu"
DATABASE = f"{STATE}/quipu.db"


class Home(NamedTuple):
    """`url` opens the store. Paths inside `folder` are written relative to it. `state` keeps the
    report files, the ledger and caches; None keeps nothing (a store in memory)."""

    url: str
    folder: Path
    state: Path | None

    @property
    def name(self) -> str:
        """What the local state calls the store, however its URL was written; it stays when the
        folder with its state is moved."""
        path = database_path(self.url)
        if path is None or self.state is None:
            return self.url
        parent = self.state.parent.resolve()
        return path.relative_to(parent).as_posix() if path.is_relative_to(parent) else str(path)


def database_path(url: str) -> Path | None:
    """The file that a URL names; None where it names none."""
    if url == "memory:" or ("://" in url and not url.startswith("sqlite:")):
        return None
    return Path(url.removeprefix("sqlite:///").removeprefix("sqlite:")).expanduser().resolve()


def find_home(url: str | Path | None, home: Path | None = None) -> Home:
    """The home of the store at `url`; without one, of the nearest `.quipu/quipu.db` upward.

    A database in a folder `.quipu` belongs to the folder that holds it; any other database to
    its own folder. `home` names the folder outright. Raises StoreUnavailable when there is no
    store to be found.
    """
    if not url:
        found = find_upward(DATABASE, home)
        if found is None:
            raise StoreUnavailable(
                f"there is no {DATABASE} in {str(home or Path.cwd())!r} or above it: run "
                "`quipu init` in the folder to remember, or name a store with --store"
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


def database_of(home: Home) -> Path | None:
    """The SQLite file of this memory; None for a store that is none."""
    path = home.url.removeprefix("sqlite:///")
    if path.startswith("memory:") or "://" in path:
        return None
    return Path(path.removeprefix("sqlite:")).expanduser()

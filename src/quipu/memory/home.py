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
    if "://" in text and not text.startswith("sqlite:"):
        nearest = find_upward(STATE, home)
        folder = nearest.parent if nearest else (home or Path.cwd()).resolve()
        return Home(text, folder, folder / STATE)
    database = Path(text.removeprefix("sqlite:///").removeprefix("sqlite:")).expanduser().resolve()
    inside = database.parent.name == STATE
    folder = home.resolve() if home else database.parent.parent if inside else database.parent
    return Home(text, folder, database.parent if inside else folder / STATE)


def database_of(home: Home) -> Path | None:
    """The SQLite file of this memory; None for a store that is none."""
    path = home.url.removeprefix("sqlite:///")
    if path.startswith("memory:") or "://" in path:
        return None
    return Path(path.removeprefix("sqlite:")).expanduser()

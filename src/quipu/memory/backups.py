"""Backups of a memory, and a memory put back from one."""

from pathlib import Path

from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE, Home, database_of, find_home
from quipu.transfer.backup import BackedUp, backup, restore
from quipu.trust import sealing_key
from quipu.when.instants import Clock

__all__ = ["back_up", "put_back"]


def back_up(home: Home, path: Path, *, clock: Clock, overwrite: bool) -> BackedUp:
    """Write the memory's files to `path`."""
    database = database_of(home)
    if database is None:
        raise InvalidInput(
            f"{home.url!r} is not kept in a file: `quipu export` writes what it holds"
        )
    return backup(database, home.state, path, store=home.name, clock=clock, overwrite=overwrite)


def put_back(path: Path, url: str | Path | None = None) -> BackedUp:
    """Make the memory at `url` (default: `.quipu/quipu.db` here) from the backup at `path`.

    What was accepted and not written yet is done by the next command that writes.
    """
    from quipu.ledger import Ledger
    from quipu.write.jobs import adopt_jobs

    def adopt(file: Path, store: str) -> None:
        with Ledger(file) as ledger:
            adopt_jobs(ledger, store, home.name, key=sealing_key())

    home = find_home(url or Path.cwd() / DATABASE)
    database = database_of(home)
    if database is None or home.state is None:
        raise InvalidInput(f"{home.url!r} is not kept in a file: name a path with --store")
    return restore(path, database, home.state, adopt=adopt)

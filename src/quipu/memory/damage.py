"""What is damaged in the files of a memory; each is looked at, none is changed."""

from collections.abc import Iterator
from pathlib import Path

from quipu.files.whole import faults
from quipu.handle.home import Home, database_of
from quipu.ledger import LEDGER

__all__ = ["damage"]


def damage(home: Home) -> Iterator[tuple[Path, list[str]]]:
    """The files that are not as they were written, each with what is wrong with it: the database
    and the ledger. (An index of vectors that is damaged is made again when it is next read.)"""
    database = database_of(home)
    ledger = home.state / LEDGER if home.state else None
    for path in (database, ledger):
        if path is not None and path.is_file() and (found := faults(path)):
            yield path, found

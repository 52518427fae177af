"""What is damaged in the files of a memory, and what can be kept of a damaged one."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.files.whole import faults
from quipu.handle.home import Home, find_home
from quipu.ledger import KEYS_MAY_BE_LOST, LEDGER, Ledger
from quipu.records.record import Episode
from quipu.when.instants import Clock

if TYPE_CHECKING:
    from quipu.ports import Store
    from quipu.records.batch import Period
    from quipu.store.salvage import KeptRecords

__all__ = ["SalvagedRecords", "damage", "salvage_into"]


class SalvagedRecords(msgspec.Struct, frozen=True, kw_only=True):
    """What was kept: rows by kind, history included, the accepted writes among them; `lost`
    counts the rows that are missing by the source they were of; `damaged_pages` of `pages`."""

    path: Annotated[str, "where the new database is"]
    records: Annotated[int, "how many records it holds, history included"]
    jobs: Annotated[int, "accepted writes that were taken over"]
    lost: Annotated[dict[str, int], "how many records are lost, by the source they were of"]
    pages: Annotated[int, "how many pages the damaged file has"]
    damaged_pages: Annotated[int, "how many of them are not as they were written"]


def damage(home: Home) -> Iterator[tuple[Path, list[str]]]:
    """The files that are not as they were written, each with what is wrong with it: the database
    and the ledger. (An index of vectors that is damaged is made again when it is next read.)"""
    database = home.database
    ledger = home.state / LEDGER if home.state else None
    for path in (database, ledger):
        if path is not None and path.is_file() and (found := faults(path)):
            yield path, found


def salvage_into(home: Home, path: Path, *, clock: Clock) -> SalvagedRecords:
    """Write what can be kept of the memory at `home` into a new one at `path`.

    Indexes are made anew; vectors by the next indexing run. A source of which something is lost
    is read again by that run, if it is a file. Raises InvalidInput when something is at `path`.
    """
    from quipu.store import open_store
    from quipu.store.salvage import salvage
    from quipu.transfer.import_ import write_periods

    database = home.database
    if database is None or not database.is_file():
        raise InvalidInput(f"{home.shown!r} is no file: there is nothing to salvage")
    if path.exists():
        raise InvalidInput(f"{str(path)!r} is there already: name a new file")
    kept, rows = salvage(database)
    lost: dict[str, int] = {}
    for each in kept:
        with open_store(str(path), namespace=each.namespace) as store:
            write_periods(store, _without_half_links(each), clock=clock)
            store.atomically(partial(_put_jobs, store, each), durable=True)
        lost.update(each.lost)
    _keep_closed(home, path)
    return SalvagedRecords(
        path=str(path),
        records=sum(len(each.periods) for each in kept),
        jobs=sum(row.live for each in kept for row, _ in each.jobs),
        lost=lost,
        pages=rows.pages,
        damaged_pages=len(rows.damaged),
    )


def _without_half_links(kept: "KeptRecords") -> Iterator["Period"]:
    """What references mean is worked out again by the next indexing run, where it is missing."""
    from quipu.write.links import LINKS

    half = {
        p.record.episode_id
        for p in kept.periods
        if isinstance(p.record, Episode)
        and p.record.source_type == LINKS
        and p.record.episode_id in kept.incomplete
    }
    return (p for p in kept.periods if p.episode_id not in half or p.known_until is not None)


def _put_jobs(store: "Store", kept: "KeptRecords") -> None:
    for row, payload in kept.jobs:
        store.jobs.add(row, payload)


def _keep_closed(home: Home, path: Path) -> None:
    """Have a server over the new memory ask for a key, as one over the damaged memory did."""
    new = find_home(path)
    if home.state is None or new.state is None or not (home.state / LEDGER).is_file():
        return
    if not (new.state / LEDGER).exists():
        with Ledger(new.state / LEDGER) as ledger:
            ledger.change(put={KEYS_MAY_BE_LOST: b""})

"""Erasing sources from SQLite, history and all."""

from collections.abc import Sequence

import numpy as np

from quipu.index.postings import Postings
from quipu.store import rules
from quipu.store.sqlite import blobs
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.log import log
from quipu.store.sqlite.schema import NUMBER_MASK
from quipu.store.sqlite.vectors import drop_vectors


def forget(database: Database, postings: Postings, source_refs: Sequence[str]) -> int:
    """Erase every episode of these sources with all that only they supported; how many."""
    episodes = database.rows(
        "SELECT DISTINCT record_id FROM support WHERE ns = ? AND kind = 0"
        " AND near IN (SELECT value FROM json_each(?))",
        database.ns,
        as_list(source_refs),
    )
    if not episodes:
        return 0
    named = as_list(episode_id for (episode_id,) in episodes)
    asserted = database.rows(
        "SELECT kind, record_id, max(known_until IS NULL) FROM support WHERE ns = ?"
        " AND episode_id IN (SELECT value FROM json_each(?)) GROUP BY kind, record_id"
        " ORDER BY kind, record_id",
        database.ns,
        named,
    )
    _drop_chunks(database, postings, named)
    database.run(
        "DELETE FROM support WHERE ns = ? AND episode_id IN (SELECT value FROM json_each(?))",
        database.ns,
        named,
    )
    lines: list[tuple[str, str, str]] = []
    for kind, record_id, was_live in asserted:
        operation = _what_is_left(database, kind, record_id)
        if operation == "forget" or was_live:
            lines.append((rules.KINDS[int(kind)], record_id, operation))
    log(database, lines)
    return len(episodes)


def _drop_chunks(database: Database, postings: Postings, episodes: str) -> None:
    rows = database.rows(
        "SELECT key, live FROM chunk WHERE ns = ?"
        " AND support IN (SELECT row FROM support WHERE ns = ?"
        " AND episode_id IN (SELECT value FROM json_each(?))) ORDER BY key",
        database.ns,
        database.ns,
        episodes,
    )
    live = [key for key, live in rows if live]
    drop_vectors(database, live)
    postings.refresh()
    if live:
        blobs.retire(database, postings, np.array(live) & NUMBER_MASK)
    blobs.purge(database, postings)


def _what_is_left(database: Database, kind: int, record_id: str) -> str:
    left = database.rows(
        "SELECT max(known_until IS NULL) FROM support WHERE ns = ? AND kind = ? AND record_id = ?",
        database.ns,
        kind,
        record_id,
    )[0][0]
    return "forget" if left is None else "put" if left else "end"

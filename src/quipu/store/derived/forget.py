"""Erasing sources, history and all."""

from collections.abc import Sequence

import numpy as np

from quipu.index.postings import Postings
from quipu.store import rules
from quipu.store.backend import CHUNK, COLUMNS, NAME, SUPPORT
from quipu.store.derived import blobs
from quipu.store.derived.session import Session
from quipu.store.derived.vectors import drop_vectors
from quipu.store.derived.writes import log


def forget(session: Session, postings: Postings, source_refs: Sequence[str]) -> int:
    """Erase every episode of these sources with all that only they supported; how many."""
    named = {"kind": 0, "near": list(source_refs)}
    episodes = {i for (i,) in session.select(SUPPORT, ("record_id",), named)}
    if not episodes:
        return 0
    columns = ("row", "kind", "record_id", "known_until")
    rows = session.select(SUPPORT, columns, {"episode_id": sorted(episodes)})
    live: dict[tuple[int, str], bool] = {}
    for _, kind, record_id, until in rows:
        live[kind, record_id] = live.get((kind, record_id), False) or until is None
    _drop_chunks(session, postings, [row[0] for row in rows if row[1] == 1])
    session.delete(NAME, {"support": [row[0] for row in rows if row[1] == 2]})
    session.delete(SUPPORT, {"row": [row[0] for row in rows]})
    left = _what_is_left(session, live)
    lines: list[tuple[str, str, str]] = []
    for (kind, record_id), was_live in sorted(live.items()):
        operation = left.get((kind, record_id), "forget")
        if operation == "forget" or was_live:
            lines.append((rules.KINDS[kind], record_id, operation))
    log(session, lines)
    return len(episodes)


def _drop_chunks(session: Session, postings: Postings, support: Sequence[int]) -> None:
    rows = session.select(CHUNK, ("number", "live"), {"support": support}, order=("number",))
    live = [number for number, live in rows if live]
    drop_vectors(session, live)
    for table in (COLUMNS, CHUNK):
        session.delete(table, {"number": [number for number, _ in rows]})
    postings.refresh()
    if live:
        blobs.retire(session, postings, np.array(live, dtype=np.int64))
    blobs.purge(session, postings)


def _what_is_left(
    session: Session, asserted: dict[tuple[int, str], bool]
) -> dict[tuple[int, str], str]:
    left: dict[tuple[int, str], str] = {}
    for kind in {kind for kind, _ in asserted}:
        ids = [record_id for of, record_id in asserted if of == kind]
        where = {"kind": kind, "record_id": ids}
        for record_id, until in session.select(SUPPORT, ("record_id", "known_until"), where):
            if until is None or (kind, record_id) not in left:
                left[kind, record_id] = "end" if until else "put"
    return left

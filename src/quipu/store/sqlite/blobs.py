"""Posting segments as rows of blobs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.index import segments as seg
from quipu.index.blobs import FieldHead, SegmentHead, pack_arrays, pack_dead, pack_head, pack_pages
from quipu.index.postings import Postings
from quipu.store.sqlite.database import Database


class SegmentRows:
    """Reads the segments of the handle's namespace."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def segments(self) -> list[SegmentHead]:
        """The segments, by id."""
        rows = self._db.rows(
            "SELECT segment, size, dead_count FROM segment WHERE ns = ? ORDER BY segment",
            self._db.ns,
        )
        return [SegmentHead(*row) for row in rows]

    def arrays(self, segment: int) -> bytes:
        """The chunks' numbers and order keys."""
        return self._blob("arrays", segment)

    def dead(self, segment: int) -> bytes:
        """The bitmap of the rows that have left."""
        return self._blob("dead", segment)

    def _blob(self, column: str, segment: int) -> bytes:
        return self._db.value(
            f"SELECT {column} FROM segment WHERE ns = ? AND segment = ?", self._db.ns, segment
        )

    def fields(self, segment: int) -> list[str]:
        """The names of the fields the segment has."""
        rows = self._db.rows(
            "SELECT field FROM segment_field WHERE ns = ? AND segment = ? ORDER BY field",
            self._db.ns,
            segment,
        )
        return [name for (name,) in rows]

    def field(self, segment: int, field: str) -> FieldHead | None:
        """A field's head."""
        rows = self._db.rows(
            "SELECT row_width, tf_width, lengths, directory FROM segment_field"
            " WHERE ns = ? AND segment = ? AND field = ?",
            self._db.ns,
            segment,
            field,
        )
        return FieldHead(*rows[0]) if rows else None

    def pages(self, segment: int, field: str, pages: Sequence[int]) -> list[bytes]:
        """The given pages."""
        sql = (
            "SELECT postings FROM posting_page"
            " WHERE ns = ? AND segment = ? AND field = ? AND page = ?"
        )
        ns = self._db.ns
        return [self._db.value(sql, ns, segment, field, page) for page in pages]


def add(database: Database, segment: seg.Segment) -> None:
    """Store a new segment after all others."""
    ns = database.ns
    number = database.value("SELECT next_segment FROM namespace WHERE ns = ?", ns)
    database.run("UPDATE namespace SET next_segment = ? WHERE ns = ?", number + 1, ns)
    database.run(
        "INSERT INTO segment VALUES (?, ?, ?, 0, ?, x'')",
        ns,
        number,
        len(segment.numbers),
        pack_arrays(segment),
    )
    for name, part in segment.fields.items():
        head = pack_head(part)
        database.run(
            "INSERT INTO segment_field VALUES (?, ?, ?, ?, ?, ?, ?)", ns, number, name, *head
        )
        database.run_many(
            "INSERT INTO posting_page VALUES (?, ?, ?, ?, ?)",
            ((ns, number, name, page, blob) for page, blob in pack_pages(part)),
        )


def retire(database: Database, postings: Postings, numbers: NDArray[np.int64]) -> None:
    """Take chunks out of their segments; `postings` was refreshed in this transaction."""
    sizes = {head.segment: head for head in postings.heads()}
    for segment, rows in postings.segment_of(numbers).items():
        alive = postings.alive_in(segment).copy()
        alive[rows] = False
        database.run(
            "UPDATE segment SET dead_count = ?, dead = ? WHERE ns = ? AND segment = ?",
            sizes[segment].size - int(np.count_nonzero(alive)),
            pack_dead(alive),
            database.ns,
            segment,
        )


def settle(database: Database, postings: Postings, *, purge: bool = False) -> None:
    """Merge what is due and rewrite what is mostly dead (with `purge`: whatever has dead rows).

    Segments keep the order of their numbers: a run is replaced from its first to the last
    segment, so the ones after it must go with it.
    """
    while True:
        postings.refresh()
        heads = postings.heads()
        run = seg.due([head.size - head.dead for head in heads])
        for position, head in enumerate(heads):
            if head.dead * 2 > head.size or (purge and head.dead):
                run = max(run, len(heads) - position)
        if not run:
            return
        _replace(database, postings, heads[len(heads) - run :], split=purge)


def _replace(
    database: Database, postings: Postings, heads: Sequence[SegmentHead], *, split: bool
) -> None:
    whole = [postings.whole(head.segment) for head in heads]
    groups = [[each] for each in whole] if split else [whole]
    for head in heads:
        database.run("DELETE FROM segment WHERE ns = ? AND segment = ?", database.ns, head.segment)
    for group in groups:
        merged = seg.merge([s for s, _ in group], [alive for _, alive in group])
        if len(merged.numbers):
            add(database, merged)

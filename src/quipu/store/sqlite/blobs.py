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


def settle(database: Database, postings: Postings) -> None:
    """Merge what is due, and what is mostly dead with all that follows it.

    A new segment is the last one, so what is replaced always reaches to the end: the segments
    stay in the order of their numbers.
    """
    while True:
        postings.refresh()
        heads = postings.heads()
        run = seg.due([head.size - head.dead for head in heads])
        for position, head in enumerate(heads):
            if head.dead * 2 > head.size:
                run = max(run, len(heads) - position)
        if not run:
            return
        whole = _taken(database, postings, heads[len(heads) - run :])
        _add_merged(database, whole)


def purge(database: Database, postings: Postings) -> None:
    """Rewrite the segments so that nothing of a dead row is left in them."""
    postings.refresh()
    heads = postings.heads()
    first = next((n for n, head in enumerate(heads) if head.dead), len(heads))
    for each in _taken(database, postings, heads[first:]):
        _add_merged(database, [each])
    settle(database, postings)


def _taken(
    database: Database, postings: Postings, heads: Sequence[SegmentHead]
) -> list[tuple[seg.Segment, NDArray[np.bool_]]]:
    """The segments, read whole and deleted."""
    whole = [postings.whole(head.segment) for head in heads]
    database.run_many(
        "DELETE FROM segment WHERE ns = ? AND segment = ?",
        ((database.ns, head.segment) for head in heads),
    )
    return whole


def _add_merged(database: Database, whole: Sequence[tuple[seg.Segment, NDArray[np.bool_]]]) -> None:
    merged = seg.merge([segment for segment, _ in whole], [alive for _, alive in whole])
    if len(merged.numbers):
        add(database, merged)

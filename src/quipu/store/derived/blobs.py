"""Posting segments, written as rows of blobs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.index import segments as seg
from quipu.index.blobs import SegmentHead, pack_arrays, pack_dead, pack_head, pack_pages
from quipu.index.postings import Postings
from quipu.store.backend import FIELD, PAGE, SEGMENT
from quipu.store.derived.session import Session


def add(session: Session, segment: seg.Segment) -> None:
    """Store a new segment after all others."""
    number = session.take("segment")
    session.insert(SEGMENT, [(number, len(segment.numbers), 0, pack_arrays(segment), b"")])
    for name, part in segment.fields.items():
        session.insert(FIELD, [(number, name, *pack_head(part))])
        session.insert(PAGE, ((number, name, page, blob) for page, blob in pack_pages(part)))


def retire(session: Session, postings: Postings, numbers: NDArray[np.int64]) -> None:
    """Take chunks out of their segments; `postings` was refreshed in this transaction."""
    sizes = {head.segment: head for head in postings.heads()}
    for segment, rows in postings.segment_of(numbers).items():
        alive = postings.alive_in(segment).copy()
        alive[rows] = False
        dead = sizes[segment].size - int(np.count_nonzero(alive))
        session.update(SEGMENT, ("dead_count", "dead"), [(dead, pack_dead(alive), segment)])


def settle(session: Session, postings: Postings) -> None:
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
        whole = _taken(session, postings, heads[len(heads) - run :])
        _add_merged(session, whole)


def purge(session: Session, postings: Postings) -> None:
    """Rewrite the segments so that nothing of a dead row is left in them."""
    postings.refresh()
    heads = postings.heads()
    first = next((n for n, head in enumerate(heads) if head.dead), len(heads))
    for each in _taken(session, postings, heads[first:]):
        _add_merged(session, [each])
    settle(session, postings)


def _taken(
    session: Session, postings: Postings, heads: Sequence[SegmentHead]
) -> list[tuple[seg.Segment, NDArray[np.bool_]]]:
    """The segments, read whole and deleted."""
    whole = [postings.whole(head.segment) for head in heads]
    taken = {"segment": [head.segment for head in heads]}
    for table in (PAGE, FIELD, SEGMENT):
        session.delete(table, taken)
    return whole


def _add_merged(session: Session, whole: Sequence[tuple[seg.Segment, NDArray[np.bool_]]]) -> None:
    merged = seg.merge([segment for segment, _ in whole], [alive for _, alive in whole])
    if len(merged.numbers):
        add(session, merged)

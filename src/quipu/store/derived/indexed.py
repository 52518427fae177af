"""What the indexes are caches of, written as rows: the segments of postings, as blobs, and the
vectors."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.index import segments as seg
from quipu.index.blobs import SegmentHead, pack_arrays, pack_buckets, pack_dead
from quipu.index.parts import pack
from quipu.index.postings import Postings
from quipu.store.backend import CHUNK, FIELD, PAGE, PART, SEGMENT, SPACE, VECTOR
from quipu.store.checking import Vector
from quipu.store.derived.session import Session


def add_segment(session: Session, segment: seg.Segment) -> None:
    """Store a new segment after all others."""
    number = session.take("segment")
    session.insert(SEGMENT, [(number, len(segment.numbers), 0, pack_arrays(segment), b"")])
    for name, part in segment.fields.items():
        head, buckets = pack_buckets(part)
        session.insert(FIELD, [(number, name, *head)])
        session.insert(PAGE, ((number, name, bucket, blob) for bucket, blob in buckets))


def retire_chunks(session: Session, postings: Postings, numbers: NDArray[np.int64]) -> None:
    """Take chunks out of their segments; `postings` was refreshed in this transaction."""
    sizes = {head.segment: head for head in postings.heads()}
    for segment, rows in postings.segment_of(numbers).items():
        alive = postings.alive_in(segment).copy()
        alive[rows] = False
        dead = sizes[segment].size - int(np.count_nonzero(alive))
        session.update(SEGMENT, ("dead_count", "dead"), [(dead, pack_dead(alive), segment)])


def settle_segments(session: Session, postings: Postings) -> None:
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


def purge_segments(session: Session, postings: Postings) -> None:
    """Rewrite the segments so that nothing of a dead row is left in them."""
    postings.refresh()
    heads = postings.heads()
    first = next((n for n, head in enumerate(heads) if head.dead), len(heads))
    for each in _taken(session, postings, heads[first:]):
        _add_merged(session, [each])
    settle_segments(session, postings)


def rewrite_segments(session: Session, postings: Postings) -> None:
    """Store every segment anew, in the order they have, without the rows that are dead."""
    postings.refresh()
    for head in postings.heads():
        _add_merged(session, _taken(session, postings, [head]))


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
        add_segment(session, merged)


def put_vectors(
    session: Session, embeddings: Mapping[tuple[str, str], Vector], new_numbers: Mapping[str, int]
) -> set[str]:
    """Store the embeddings of live chunks; the ids of those whose vectors changed.

    `new_numbers` are the chunks that this transaction has numbered itself. What is no longer (or
    not yet) live is left out: the embedder may be late.
    """
    if not embeddings:
        return set()
    older = {chunk_id for chunk_id, _ in embeddings} - new_numbers.keys()
    rows = session.select(CHUNK, ("chunk_id", "number"), {"live": 1, "chunk_id": older})
    numbers = {**dict(rows), **new_numbers}
    by_space: dict[str, dict[int, Vector]] = {}
    for each in embeddings.values():
        if each.chunk_id in numbers:
            by_space.setdefault(each.space, {})[numbers[each.chunk_id]] = each
    return {i for space, vectors in by_space.items() for i in _put(session, space, vectors)}


def _put(session: Session, name: str, vectors: Mapping[int, Vector]) -> set[str]:
    space = _space(session, name, len(next(iter(vectors.values())).vector))
    known = _known(session, space, vectors.keys())
    parts = pack([each.parts for each in vectors.values()])
    given = {
        n: (each.vector.tobytes(), packed)
        for (n, each), packed in zip(vectors.items(), parts, strict=True)
    }
    changed = {n: given[n] for n in given if known.get(n) != given[n]}
    _delete(session, [space], changed.keys() & known.keys())
    session.insert(VECTOR, ((space, n, vector) for n, (vector, _) in changed.items()))
    session.insert(PART, ((space, n, parts) for n, (_, parts) in changed.items()))
    return {vectors[n].chunk_id for n in changed}


def _known(session: Session, space: int, numbers: Iterable[int]) -> dict[int, tuple[bytes, bytes]]:
    where = {"space": space, "number": list(numbers)}
    parts = dict(session.select(PART, ("number", "parts"), where))
    return {n: (each, parts[n]) for n, each in session.select(VECTOR, VECTOR.columns[1:], where)}


def _space(session: Session, name: str, dimension: int) -> int:
    found = session.select(SPACE, ("space",), {"name": name})
    if found:
        return found[0][0]
    space = session.take("space")
    session.insert(SPACE, [(space, name, dimension)])
    return space


def drop_vectors(session: Session, numbers: Iterable[int]) -> None:
    """Erase the vectors, in every space, of the chunks with these numbers."""
    spaces = [space for (space,) in session.select(SPACE, ("space",), {})]
    _delete(session, spaces, list(numbers))


def _delete(session: Session, spaces: Iterable[int], numbers: Iterable[int]) -> None:
    where = {"space": list(spaces), "number": list(numbers)}
    for table in (PART, VECTOR) if where["space"] and where["number"] else ():
        session.delete(table, where)


def drop_space(session: Session, name: str) -> bool:
    """Erase a space and its vectors; whether it was there."""
    found = session.select(SPACE, ("space",), {"name": name})
    for (space,) in found:
        for table in (PART, VECTOR, SPACE):
            session.delete(table, {"space": space})
    return bool(found)

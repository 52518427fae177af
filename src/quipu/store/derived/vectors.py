"""Vectors as rows: the truth that every vector index is a cache of."""

from collections.abc import Iterable, Mapping

from quipu.store.backend import CHUNK, PART, SPACE, VECTOR
from quipu.store.checking import Vector
from quipu.store.derived.session import Session


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
    given = {n: (each.vector.tobytes(), each.parts.tobytes()) for n, each in vectors.items()}
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

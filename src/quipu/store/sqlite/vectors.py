"""Vectors as rows: the truth that every vector index is a cache of."""

from collections.abc import Iterable, Mapping

from quipu.store.checking import Vector
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.schema import KEY_BITS, NUMBER_MASK


def put_vectors(
    database: Database,
    embeddings: Mapping[tuple[str, str], Vector],
    new_keys: Mapping[str, int],
) -> set[str]:
    """Store the embeddings of live chunks; the ids of those whose vectors changed.

    `new_keys` are the chunks that this transaction has numbered itself. What is no longer (or
    not yet) live is left out: the embedder may be late.
    """
    keys = _keys(database, {chunk_id for chunk_id, _ in embeddings} - new_keys.keys())
    keys.update(new_keys)
    spaces: dict[str, int] = {}
    changed: set[str] = set()
    for each in embeddings.values():
        key = keys.get(each.chunk_id)
        if key is None:
            continue
        if each.space not in spaces:
            spaces[each.space] = _space(database, each.space, len(each.vector))
        if _put(database, spaces[each.space] << KEY_BITS | key & NUMBER_MASK, each):
            changed.add(each.chunk_id)
    return changed


def _keys(database: Database, chunk_ids: Iterable[str]) -> dict[str, int]:
    return dict(
        database.rows(
            "SELECT chunk_id, key FROM chunk WHERE ns = ? AND live = 1"
            " AND chunk_id IN (SELECT value FROM json_each(?))",
            database.ns,
            as_list(chunk_ids),
        )
    )


def _put(database: Database, at: int, each: Vector) -> bool:
    vector, parts = each.vector.tobytes(), each.parts.tobytes()
    known = database.rows(
        "SELECT vector, parts FROM vector JOIN part USING (key) WHERE key = ?", at
    )
    if known == [(vector, parts)]:
        return False
    if known:
        database.run("DELETE FROM vector WHERE key = ?", at)
    database.run("INSERT INTO vector VALUES (?, ?)", at, vector)
    database.run("INSERT INTO part VALUES (?, ?)", at, parts)
    return True


def _space(database: Database, name: str, dimension: int) -> int:
    database.run(
        "INSERT OR IGNORE INTO space (ns, name, dimension) VALUES (?, ?, ?)",
        database.ns,
        name,
        dimension,
    )
    return database.value("SELECT space FROM space WHERE ns = ? AND name = ?", database.ns, name)


def drop_vectors(database: Database, keys: Iterable[int]) -> None:
    """Erase the vectors, in every space, of the chunks with these keys."""
    spaces = database.rows("SELECT space FROM space WHERE ns = ?", database.ns)
    wanted = [key & NUMBER_MASK for key in keys]
    for (space,) in spaces:
        database.run_many(
            "DELETE FROM vector WHERE key = ?", ((space << KEY_BITS | n,) for n in wanted)
        )

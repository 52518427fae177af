"""What the indexes ask of the database: scopes' columns, vectors and the change log."""

from collections.abc import Iterable, Iterator, Sequence

from quipu.index.nearest import SpaceInfo, Stored
from quipu.index.scopes import Standing
from quipu.ports import Change
from quipu.records.record import Entity
from quipu.store import rules
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.records import Records
from quipu.store.sqlite.schema import KEY_BITS, NUMBER_MASK


class IndexRows:
    """What the indexes ask of the database."""

    def __init__(self, database: Database, records: Records) -> None:
        self._db = database
        self._records = records
        self._spaces: tuple[int, dict[str, tuple[int, SpaceInfo] | None]] = (0, {})

    def standings(self) -> Iterator[Standing]:
        """Every live chunk."""
        return self._standings("", ())

    def standings_of(
        self, chunk_ids: Sequence[str], episode_ids: Sequence[str]
    ) -> Iterator[Standing]:
        """The live chunks with these ids or of these episodes."""
        yield from self._standings(
            "AND chunk_id IN (SELECT value FROM json_each(?))", (as_list(chunk_ids),)
        )
        if episode_ids:
            rows = self._db.rows(
                "SELECT DISTINCT c.record_id FROM support c INDEXED BY support_episode"
                " WHERE c.ns = ? AND c.kind = 1 AND c.known_until IS NULL"
                " AND c.episode_id IN (SELECT value FROM json_each(?))",
                self._db.ns,
                as_list(episode_ids),
            )
            again = {chunk_id for (chunk_id,) in rows} - set(chunk_ids)
            if again:
                yield from self.standings_of(sorted(again), ())

    def _standings(self, clause: str, values: tuple[str, ...]) -> Iterator[Standing]:
        rows = self._db.rows(
            "SELECT key, document_id, profile, episode_id FROM chunk"
            f" WHERE ns = ? AND live = 1 {clause}",
            self._db.ns,
            *values,
        )
        episodes = self._episodes({row[3] for row in rows})
        for key, document_id, profile, episode_id in rows:
            yield Standing(key & NUMBER_MASK, document_id, profile, *episodes[episode_id])

    def _episodes(self, episode_ids: set[str]) -> dict[str, tuple[str, str, str]]:
        rows = self._db.rows(
            "SELECT record_id, body ->> 'group', label, far FROM support"
            " WHERE ns = ? AND kind = 0 AND known_until IS NULL"
            " AND record_id IN (SELECT value FROM json_each(?))",
            self._db.ns,
            as_list(episode_ids),
        )
        return {
            episode_id: (group, source_type, observed_at)
            for episode_id, group, source_type, observed_at in rows
        }

    def entities_of(self, episode_ids: Sequence[str]) -> set[str]:
        """The entities that these episodes assert."""
        rows = self._db.rows(
            "SELECT DISTINCT record_id FROM support INDEXED BY support_episode"
            " WHERE ns = ? AND kind = 2 AND known_until IS NULL"
            " AND episode_id IN (SELECT value FROM json_each(?))",
            self._db.ns,
            as_list(episode_ids),
        )
        return {entity_id for (entity_id,) in rows}

    def document_properties(self, document_ids: Sequence[str]) -> dict[str, tuple[str, str, str]]:
        """Type, status and domain of documents."""
        found = self._records.get(document_ids)
        return {i: rules.document_properties(r) for i, r in found.items() if isinstance(r, Entity)}

    def space(self, space: str) -> SpaceInfo | None:
        """The space."""
        found = self._space(space)
        return found[1] if found else None

    def space_key(self, space: str) -> int:
        """The number that the space's vectors have above their chunk's; -1 when unknown."""
        found = self._space(space)
        return found[0] if found else -1

    def _space(self, space: str) -> tuple[int, SpaceInfo] | None:
        """Read once in a snapshot."""
        snapshot, known = self._spaces
        if not snapshot or snapshot != self._db.snapshot:
            known = {}
            self._spaces = self._db.snapshot, known
        if space not in known:
            known[space] = self._read_space(space) if rules.storable(space) else None
        return known[space]

    def _read_space(self, space: str) -> tuple[int, SpaceInfo] | None:
        rows = self._db.rows(
            "SELECT file.id, space, dimension FROM space, file WHERE ns = ? AND name = ?",
            self._db.ns,
            space,
        )
        if not rows:
            return None
        file, key, dimension = rows[0]
        return key, SpaceInfo(f"{file}/{key}", dimension)

    def counted_spaces(self) -> dict[str, int]:
        """The spaces, by name, and how many vectors each has."""
        count = "vectors"
        if self._db.value("PRAGMA user_version") < 3:
            count = f"(SELECT count(*) FROM vector WHERE key >> {KEY_BITS} = space)"
        return dict(
            self._db.rows(
                f"SELECT name, {count} FROM space WHERE ns = ? ORDER BY name", self._db.ns
            )
        )

    def counted_spaces_of(self, profiles: Iterable[str]) -> dict[str, int]:
        """The spaces, by name, and how many chunks of these profiles each has vectors of."""
        rows = self._db.rows(
            "SELECT name, (SELECT count(*) FROM vector v JOIN chunk c"
            "  ON c.key = (? | (v.key & ?)) AND c.live = 1"
            "  AND c.profile IN (SELECT value FROM json_each(?))"
            "  WHERE v.key BETWEEN space << ? AND (space << ?) | ?)"
            " FROM space WHERE ns = ? ORDER BY name",
            self._db.ns << KEY_BITS,
            NUMBER_MASK,
            as_list(profiles),
            KEY_BITS,
            KEY_BITS,
            NUMBER_MASK,
            self._db.ns,
        )
        return dict(rows)

    def drop_space(self, space: str) -> bool:
        """Erase a space and its vectors; whether it was there."""
        key = self.space_key(space)
        if key < 0:
            return False
        low = key << KEY_BITS
        self._db.run("DELETE FROM vector WHERE key BETWEEN ? AND ?", low, low | NUMBER_MASK)
        self._db.run("DELETE FROM space WHERE space = ?", key)
        return True

    def every_vector(self, space: str) -> Iterator[Stored]:
        """All vectors, by number."""
        low = self.space_key(space) << KEY_BITS
        rows = self._db.rows(
            "SELECT key & ?, vector FROM vector WHERE key BETWEEN ? AND ? ORDER BY key",
            NUMBER_MASK,
            low,
            low | NUMBER_MASK,
        )
        return map(Stored._make, rows)

    def vectors_of(self, space: str, chunk_ids: Sequence[str]) -> Iterable[Stored]:
        """The vectors of these chunks."""
        rows = self._db.rows(
            "SELECT c.key & ?, v.vector FROM chunk c JOIN vector v ON v.key = ? | (c.key & ?)"
            " WHERE c.ns = ? AND c.live = 1"
            " AND c.chunk_id IN (SELECT value FROM json_each(?))",
            NUMBER_MASK,
            self.space_key(space) << KEY_BITS,
            NUMBER_MASK,
            self._db.ns,
            as_list(chunk_ids),
        )
        return map(Stored._make, rows)

    def changes_after(self, sequence: int, limit: int) -> list[Change]:
        """The change log."""
        rows = self._db.rows(
            "SELECT sequence, kind, record_id, operation FROM change"
            " WHERE ns = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            self._db.ns,
            sequence,
            limit,
        )
        return [Change(*row) for row in rows]

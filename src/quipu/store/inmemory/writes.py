"""One batch, applied to a namespace in memory, step by step as the contract tells it."""

from collections.abc import Sequence

from quipu.errors import UnknownRecord
from quipu.ports import Change
from quipu.records.batch import IndexedChunk
from quipu.records.ids import Kind
from quipu.records.record import Episode
from quipu.store import rules
from quipu.store.checking import Checked
from quipu.store.inmemory.state import Row, Space, State, indexed


class Writing:
    """One write: what it touches is logged when it is done."""

    def __init__(self, state: State, batch: Checked) -> None:
        self._state = state
        self._batch = batch
        self._touched: set[tuple[int, str]] = set()
        self._embedded: set[str] = set()

    def apply(self) -> int:
        """Bring the batch in; returns how many changes were logged. Raises before it changes
        anything when the batch does not fit what is stored."""
        retired = self._retired()
        self._require_episodes(retired)
        self._require_dimensions()
        self._end_episodes(retired)
        self._end_records()
        self._put_episodes()
        self._put_chunks()
        self._put_claims()
        self._put_embeddings()
        self._put_past()
        return self._log()

    def _retired(self) -> set[str]:
        return {
            episode.episode_id
            for episode in self._state.records(Episode)
            if episode.source_ref in self._batch.replaces
            and episode.episode_id not in self._batch.episodes
        }

    def _require_episodes(self, retired: set[str]) -> None:
        named = {item.chunk.episode_id for item, _ in self._batch.chunks.values()}
        named |= {claim.episode_id for claim in self._batch.claims.values()}
        for episode_id in sorted(named - self._batch.episodes.keys()):
            if episode_id in retired or not self._state.is_live(episode_id):
                raise UnknownRecord(
                    f"the batch speaks of the episode {episode_id!r}, which is not live here: "
                    "write the episode first or in the same batch"
                )

    def _require_dimensions(self) -> None:
        known = {name: space.dimension for name, space in self._state.spaces.items()}
        for vector in self._batch.embeddings.values():
            stored = known.setdefault(vector.space, len(vector.vector))
            rules.require_dimension(vector.space, stored, len(vector.vector))

    def _end_episodes(self, retired: set[str]) -> None:
        for row in list(self._state.all_rows()):
            if row.known_until is None and row.episode_id in retired:
                self._end(row)

    def _end_records(self) -> None:
        for record_id in self._batch.ends:
            for row in self._state.rows.get(record_id, ()):
                if row.known_until is not None or row.kind in ("episode", "chunk"):
                    continue
                claim = self._batch.claims.get((record_id, row.episode_id))
                if claim is None or (claim.body, claim.chunk_ids) != (row.body, row.chunk_ids):
                    self._end(row)

    def _put_episodes(self) -> None:
        for episode_id, (_, body) in self._batch.episodes.items():
            self._put(episode_id, "episode", episode_id, (), body)

    def _put_chunks(self) -> None:
        for chunk_id, (item, body) in self._batch.chunks.items():
            for row in self._state.rows.get(chunk_id, ()):
                if row.known_until is None and row.episode_id != item.chunk.episode_id:
                    self._end(row)
            self._number(item, chunk_id)
            self._put(chunk_id, "chunk", item.chunk.episode_id, (), body)
        for chunk_id in list(self._state.number_of):
            if not self._state.is_live(chunk_id):
                self._unnumber(chunk_id)

    def _number(self, item: IndexedChunk, chunk_id: str) -> None:
        state, digest = self._state, self._batch.digests[item.chunk.chunk_id]
        number = state.number_of.get(chunk_id)
        if number is not None and state.numbered[number].digest == digest:
            state.numbered[number].chunk = item.chunk
            return
        if number is not None:
            self._unnumber(chunk_id)
            self._touched.add((rules.KINDS.index("chunk"), chunk_id))
        state.number_of[chunk_id] = state.next_number
        state.numbered[state.next_number] = indexed(item, digest)
        state.next_number += 1

    def _unnumber(self, chunk_id: str) -> None:
        number = self._state.number_of.pop(chunk_id)
        self._state.numbered[number].live = False
        for space in self._state.spaces.values():
            space.vectors.pop(number, None)
            space.parts.pop(number, None)

    def _put_claims(self) -> None:
        for claim in self._batch.claims.values():
            self._put(claim.record_id, claim.kind, claim.episode_id, claim.chunk_ids, claim.body)

    def _put_embeddings(self) -> None:
        for each in self._batch.embeddings.values():
            number = self._state.number_of.get(each.chunk_id)
            if number is None:
                continue
            space = self._state.spaces.setdefault(each.space, Space(len(each.vector)))
            known = space.vectors.get(number), space.parts.get(number)
            if (
                known[0] is not None
                and known[1] is not None
                and known[0].tobytes() == each.vector.tobytes()
                and known[1].tobytes() == each.parts.tobytes()
            ):
                continue
            space.vectors[number], space.parts[number] = each.vector, each.parts
            self._embedded.add(each.chunk_id)

    def _put_past(self) -> None:
        for past in self._batch.past:
            row = Row(past.record_id, past.kind, past.episode_id, past.recorded_at,
                      past.chunk_ids, past.body, past.known_until)  # fmt: skip
            rows = self._state.rows.setdefault(past.record_id, [])
            if row not in rows:
                rows.insert(0, row)
                self._touched.add((rules.KINDS.index(past.kind), past.record_id))

    def _put(
        self, record_id: str, kind: Kind, episode_id: str, chunk_ids: Sequence[str], body: bytes
    ) -> None:
        live = self._state.live_row(record_id, episode_id)
        if live is not None:
            if (live.body, live.chunk_ids) == (body, tuple(chunk_ids)):
                return
            self._end(live)
        since = self._batch.since(record_id, episode_id)
        row = Row(record_id, kind, episode_id, since, tuple(chunk_ids), body)
        self._state.rows.setdefault(record_id, []).append(row)
        self._touched.add((rules.KINDS.index(kind), record_id))

    def _end(self, row: Row) -> None:
        row.known_until = max(row.recorded_at, self._batch.recorded_at)
        self._touched.add((rules.KINDS.index(row.kind), row.record_id))

    def _log(self) -> int:
        log = self._state.changes
        before = len(log)
        for kind, record_id in sorted(self._touched):
            live = self._state.is_live(record_id)
            log.append(Change(len(log) + 1, rules.KINDS[kind], record_id, "put" if live else "end"))
        for chunk_id in sorted(self._embedded):
            log.append(Change(len(log) + 1, "vector", chunk_id, "put"))
        return len(log) - before


def forget(state: State, source_refs: Sequence[str]) -> int:
    """Erase sources; returns how many episodes were erased."""
    refs = set(source_refs)
    episodes = {
        row.record_id
        for row in state.all_rows()
        if row.kind == "episode" and _source_ref(row) in refs
    }
    touched: list[tuple[int, str, bool]] = []
    for record_id in sorted(state.rows):
        rows = state.rows[record_id]
        kept = [row for row in rows if row.episode_id not in episodes]
        if len(kept) < len(rows):
            was_live = any(row.known_until is None for row in rows if row not in kept)
            touched.append((rules.KINDS.index(rows[0].kind), record_id, was_live))
            state.rows[record_id] = kept
    for number in [n for n, i in state.numbered.items() if i.chunk.episode_id in episodes]:
        chunk_id = state.numbered.pop(number).chunk.chunk_id
        if state.number_of.get(chunk_id) == number:
            del state.number_of[chunk_id]
        for space in state.spaces.values():
            space.vectors.pop(number, None)
            space.parts.pop(number, None)
    for kind, record_id, was_live in sorted(touched):
        if not state.rows[record_id]:
            del state.rows[record_id]
            operation = "forget"
        elif was_live:
            operation = "put" if state.is_live(record_id) else "end"
        else:
            continue
        state.changes.append(
            Change(len(state.changes) + 1, rules.KINDS[kind], record_id, operation)
        )
    return len(episodes)


def _source_ref(row: Row) -> str:
    episode = rules.decode("episode", row.body)
    assert isinstance(episode, Episode)
    return episode.source_ref

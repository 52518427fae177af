"""What can be kept of a damaged database: its records, and of which sources some are lost."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

import msgspec

from quipu.errors import CorruptStore
from quipu.files.rows import Row, Rows, read_rows
from quipu.ports import JobRow
from quipu.records.batch import Period
from quipu.records.record import Episode
from quipu.store import rules

__all__ = ["KeptRecords", "salvage"]

_SUPPORT = (int, int, str, str, str, (str, type(None)), str)
_JOB = [int, int, str, int, str, bytes, bytes]
_EPISODE = "ep_"


class KeptRecords(NamedTuple):
    """What a namespace's records are now, episode by episode, and what is missing: the episodes
    that lack something, and by source (or episode, where that is not known any more) how many rows
    are lost. `jobs` are the accepted writes, each with what it is to write."""

    namespace: str
    periods: list[Period]
    incomplete: frozenset[str]
    lost: dict[str, int]
    jobs: list[tuple[JobRow, bytes | None]]


class _Support(NamedTuple):
    ns: int
    episode_id: str
    period: Period


def salvage(path: Path) -> tuple[list[KeptRecords], Rows]:
    """Every record of the database at `path` that is as it was written; nothing is changed."""
    scratch = Path(tempfile.mkdtemp(prefix="quipu-salvage-"))
    try:
        rows = read_rows(path, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    support = dict(_support(rows.tables))
    names = _namespaces(rows.tables)
    lost = _lost(rows, support)
    found: list[KeptRecords] = []
    jobs = _jobs(rows.tables)
    for ns in sorted({s.ns for s in support.values()} | lost.keys() | jobs.keys()):
        incomplete = lost.get(ns, {})
        periods = list(_whole([s for s in support.values() if s.ns == ns], incomplete))
        by_source = _by_source(support, rows, ns, incomplete)
        name = names.get(ns, f"namespace {ns}")
        kept = KeptRecords(name, periods, frozenset(incomplete), by_source, jobs.get(ns, []))
        found.append(kept)
    return found, rows


def _support(tables: list[Row]) -> Iterator[tuple[int, _Support]]:
    """The rows of `support`, by rowid: told from other tables' by their columns."""
    for rowid, values in tables:
        if not _is_support(values):
            continue
        _, ns, kind, _, episode_id, recorded_at, until, chunk_ids, _, _, _, body = values
        assert isinstance(ns, int)
        assert isinstance(kind, int)
        assert isinstance(body, bytes)
        try:
            record = rules.decode(rules.KINDS[kind], body)
            named = tuple(msgspec.json.decode(str(chunk_ids), type=list[str])) if chunk_ids else ()
        except (CorruptStore, LookupError, msgspec.DecodeError, UnicodeDecodeError):
            continue  # without checksums: it is lost
        period = Period(
            record, str(episode_id), str(recorded_at), str(until) if until else None, named
        )
        yield rowid, _Support(ns, str(episode_id), period)


def _is_support(values: tuple[object, ...]) -> bool:
    return (
        len(values) == 12
        and values[0] is None
        and all(isinstance(v, k) for v, k in zip(values[1:8], _SUPPORT, strict=True))
        and isinstance(values[11], bytes)
    )


def _jobs(tables: list[Row]) -> dict[int, list[tuple[JobRow, bytes | None]]]:
    """The jobs by namespace, each with what it is to write, if that is left."""
    rows: dict[tuple[int, int], JobRow] = {}
    payloads: dict[tuple[int, int], bytes] = {}
    for _, values in tables:
        if [type(value) for value in values] == [int, int, bytes]:
            payloads[values[0], values[1]] = values[2]  # type: ignore[index, assignment]
        elif [type(value) for value in values] == _JOB:
            rows[values[0], values[1]] = JobRow(*values[1:])  # type: ignore[arg-type, index]
    found: dict[int, list[tuple[JobRow, bytes | None]]] = {}
    for (ns, number), row in sorted(rows.items()):
        found.setdefault(ns, []).append((row, payloads.get((ns, number))))
    return found


def _namespaces(tables: list[Row]) -> dict[int, str]:
    found: dict[int, str] = {}
    for rowid, values in tables:
        numbered = len(values) == 5 and all(isinstance(v, int) for v in values[2:])
        if numbered and values[0] is None and isinstance(values[1], str):
            found[rowid] = values[1]
    return found


def _lost(rows: Rows, support: dict[int, _Support]) -> dict[int, dict[str, int]]:
    """By namespace and episode, how many rows an index knows that no table gives, and how many
    are of an episode that is lost itself."""
    found: dict[int, dict[str, int]] = {}
    missing = {
        (ns, text, rowid)
        for ns, text, rowid in _entries(rows)
        if text.startswith(_EPISODE) and rowid not in support
    }
    live = {
        (s.ns, s.episode_id)
        for s in support.values()
        if isinstance(s.period.record, Episode) and s.period.known_until is None
    }
    missing |= {
        (s.ns, s.episode_id, rowid)
        for rowid, s in support.items()
        if s.period.known_until is None and (s.ns, s.episode_id) not in live
    }
    for ns, episode_id, _ in sorted(missing):
        episodes = found.setdefault(ns, {})
        episodes[episode_id] = episodes.get(episode_id, 0) + 1
    return found


def _entries(rows: Rows) -> Iterator[tuple[int, str, int]]:
    """Entries of the indexes of `support` by episode and by source."""
    for _, values in rows.indexes:
        if _is_entry(values):
            yield values


def _is_entry(values: tuple[object, ...]) -> TypeGuard[tuple[int, str, int]]:
    return len(values) == 3 and [type(v) for v in values] == [int, str, int]


def _whole(support: list[_Support], incomplete: dict[str, int]) -> Iterator[Period]:
    """Episode by episode; what is of an episode that is lost itself cannot be kept. One that
    lacks something forgets the digest of its text: the next indexing run reads it again."""
    by_episode: dict[str, list[Period]] = {}
    for each in support:
        by_episode.setdefault(each.episode_id, []).append(each.period)
    live = {
        e: next((p for p in ps if isinstance(p.record, Episode) and p.known_until is None), None)
        for e, ps in by_episode.items()
    }
    for episode_id, periods in sorted(by_episode.items(), key=lambda e: (_source(e[1]), e[0])):
        own = live[episode_id]
        if own is not None and isinstance(own.record, Episode):
            record = own.record
            if episode_id in incomplete:
                record = msgspec.structs.replace(record, content_hash="")
            yield Period(record, own.episode_id, own.recorded_at)
        for period in periods:
            if period is not own and (own is not None or period.known_until is not None):
                yield period


def _source(periods: list[Period]) -> str:
    return next((p.record.source_ref for p in periods if isinstance(p.record, Episode)), "")


def _by_source(
    support: dict[int, _Support], rows: Rows, ns: int, incomplete: dict[str, int]
) -> dict[str, int]:
    known = {
        s.episode_id: s.period.record.source_ref
        for s in support.values()
        if s.ns == ns and isinstance(s.period.record, Episode)
    }
    # The row of an episode that is lost is named by its source in another index.
    of_row = {
        rowid: text for of, text, rowid in _entries(rows) if of == ns and text[:3] != _EPISODE
    }
    rowids = {
        rowid: text
        for of, text, rowid in _entries(rows)
        if of == ns and text[:3] == _EPISODE and rowid in of_row
    }
    known.update({text: of_row[rowid] for rowid, text in rowids.items() if text not in known})
    found: dict[str, int] = {}
    for episode_id, count in sorted(incomplete.items()):
        source = known.get(episode_id, episode_id)
        found[source] = found.get(source, 0) + count
    return found

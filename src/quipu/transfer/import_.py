"""A file to a store; of its lines only those of records that keep the rules of the schema."""

import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, cast

import msgspec

from quipu.errors import InvalidInput, Mistake, NewerStore
from quipu.kind import source_types
from quipu.ports import Graph, Progress, Store
from quipu.profiles import profile
from quipu.read import redact
from quipu.read.redact import Redactor
from quipu.records.batch import Batch, Claim, Embedding, IndexedChunk, Period
from quipu.records.misfit import why
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation, record_id
from quipu.soundness import end_fault, faults
from quipu.transfer.lines import (
    DECODER,
    HEADER,
    NOTHING,
    VERSION,
    EntityLine,
    EpisodeLine,
    Line,
    Moved,
    Refused,
    TimedLine,
    VectorLine,
    embedding,
    kind_of_line,
    period_of,
)
from quipu.when.instants import Clock

_CLAIMS = 5_000
_MOST = 1 << 31


@dataclass(slots=True)
class Pending:
    """Whole sources, waiting to be written together; `first` is the line they begin in. They are
    written from `most_chunks` on."""

    most_chunks: ClassVar[int] = 1_000
    first: int = 0
    episodes: list[Episode] = field(default_factory=list[Episode])
    chunks: list[IndexedChunk] = field(default_factory=list[IndexedChunk])
    claims: list[Claim] = field(default_factory=list[Claim])
    embeddings: list[Embedding] = field(default_factory=list[Embedding])
    past: list[Period] = field(default_factory=list[Period])
    known_since: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return len(self.chunks) >= self.most_chunks or len(self.claims) + len(self.past) >= _CLAIMS

    def take(self, line: Line) -> None:
        """Take in a line of a file, which somebody else may have written."""
        if isinstance(line, VectorLine):
            self.take_own(line)
            return
        period = redacted_period(period_of(line))
        _require_ranges(period.record)
        self.take_period(period)

    def take_own(self, line: Line) -> None:
        """Take in a line of a store, as it is."""
        if isinstance(line, VectorLine):
            self.embeddings.append(embedding(line))
        else:
            self.take_period(period_of(line))

    def take_period(self, period: Period) -> None:
        """Take in what an episode asserted."""
        if period.known_until is not None:
            self.past.append(period)
            return
        if period.recorded_at:
            self.known_since[record_id(period.record), period.episode_id] = period.recorded_at
        match period.record:
            case Episode() as episode:
                self.episodes.append(episode)
            case Chunk() as chunk:
                self.chunks.append(profile(chunk.profile).index_chunk(chunk))
            case Entity() | Relation() | Fact() as asserted:
                self.claims.append(Claim(asserted, period.episode_id, period.chunk_ids))

    def batch(self, now: str) -> Batch:
        """All of it."""
        return Batch(
            recorded_at=now,
            episodes=tuple(self.episodes),
            chunks=tuple(self.chunks),
            claims=tuple(self.claims),
            embeddings=tuple(self.embeddings),
            replaces=tuple(dict.fromkeys(e.source_ref for e in self.episodes)),
            past=tuple(self.past),
            known_since=self.known_since,
        )


def import_(store: Store, path: Path, *, clock: Clock, progress: Progress | None = None) -> Moved:
    """Take in what `export` wrote, its history included; a source that is there already becomes
    what the file says.

    Sources come in whole, in batches; what was imported before changes nothing. Ids are made from
    the namespace, so the store must have the one that was exported. A record that breaks a rule
    of the schema is left out and named in `refused`. Raises InvalidInput with the line that cannot
    be used; what stands before it is in by then.
    """
    counts = NOTHING.copy()
    changes = 0
    pending = Pending()
    try:
        sieve = Sieve(store, _entity_types(path, store.namespace))
        with path.open("rb") as stream:
            _check_header(stream, path, store.namespace)
            for number, line in _lines(stream, path):
                if not sieve.admits(line, number):
                    continue
                if pending.full and begins_source(line, pending):
                    changes += _write(store, pending, clock(), path)
                    pending = Pending()
                    if progress:
                        progress("import", number, 0)
                _take(pending, line, f"{path}:{number}")
                pending.first = pending.first or number
                counts[kind_of_line(line)] += 1
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    changes += _write(store, pending, clock(), path)
    return Moved(**counts, changes=changes, refused=tuple(sieve.refused))


def _entity_types(path: Path, namespace: str) -> dict[str, str]:
    """The type of every sound entity in the file, wherever it stands: relations may come first.
    From a line on that cannot be used there are none; the import itself tells of it."""
    types: dict[str, str] = {}
    sound = False
    with path.open("rb") as stream:
        _check_header(stream, path, namespace)
        try:
            for data in stream:
                line = DECODER.decode(data)
                if isinstance(line, EpisodeLine):
                    sound = not any(faults(line.record))
                elif sound and isinstance(line, EntityLine) and not any(faults(line.record)):
                    types[line.record.entity_id] = line.record.type
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    return types


def write_periods(store: Store, periods: Iterable[Period], *, clock: Clock) -> None:
    """Write records, which come source by source, each episode before what it asserted."""
    pending = Pending()
    for period in periods:
        if pending.full and _is_of_next(period.record, pending):
            store.write(pending.batch(clock()))
            pending = Pending()
        pending.take_period(period)
    store.write(pending.batch(clock()))


def _require_ranges(record: Record) -> None:
    """InvalidInput for a number that no writer gives: what reads it later counts with it."""
    match record:
        case Chunk(position=position, start_line=start, end_line=end):
            sound = 0 <= position < _MOST and 0 <= start <= end < _MOST
        case Entity(mention_count=count):
            sound = 1 <= count < _MOST
        case Relation(confidence=confidence, weight=weight):
            sound = 0 <= confidence <= 1 and 0 < weight <= sys.float_info.max
        case Fact(confidence=confidence):
            sound = 0 <= confidence <= 1
        case Episode():
            sound = True
    if not sound:
        raise InvalidInput(f"a number of {record_id(record)!r} is out of its range")


def _write(store: Store, pending: Pending, now: str, path: Path) -> int:
    try:
        return store.write(pending.batch(now)).changes
    except Mistake as error:
        raise InvalidInput(
            f"{path}:{pending.first}: from here on it cannot be used ({error}): export again, the "
            "file is damaged"
        ) from error


def begins_source(line: Line, pending: Pending) -> bool:
    """Whether a line is an episode of another source than the one that is pending."""
    return isinstance(line, EpisodeLine) and _is_of_next(line.record, pending)


def _is_of_next(record: Record, pending: Pending) -> bool:
    """Whether the record is an episode of another source than the one before."""
    if not isinstance(record, Episode):
        return False
    return not pending.episodes or record.source_ref != pending.episodes[-1].source_ref


def _take(pending: Pending, line: Line, place: str) -> None:
    try:
        if not (pending.episodes or pending.past or isinstance(line, EpisodeLine)):
            raise InvalidInput("the first record must be an episode")
        pending.take(line)
    except (Mistake, ValueError) as error:
        raise InvalidInput(
            f"{place}: cannot be used ({error}): export again, the file is damaged"
        ) from error


def _check_header(stream: IO[bytes], path: Path, namespace: str) -> None:
    line = stream.readline()
    try:
        header = HEADER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"{path}:1: is not the header of a Quipu export ({why(error, line)}): give a file that "
            "`quipu export` wrote"
        ) from error
    if header.version > VERSION:
        raise NewerStore(
            f"{path} has export version {header.version} and this Quipu reads up to {VERSION}: "
            "upgrade quipu-memory"
        )
    if header.namespace != namespace:
        raise InvalidInput(
            f"{path} was exported from the namespace {header.namespace!r} and this is "
            f"{namespace!r}: ids are made from the namespace, so import it with --namespace "
            f"{header.namespace}"
        )


def _lines(stream: IO[bytes], path: Path) -> Iterator[tuple[int, Line]]:
    for number, data in enumerate(stream, 2):
        try:
            yield number, DECODER.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidInput(
                f"{path}:{number}: cannot be used ({why(error, data)}): export again, the file is "
                "damaged"
            ) from error


_PACKED = "references"
"""A property of ours that is no text: it is made from what was redacted."""


def redacted_period(period: Period) -> Period:
    """The period with its record's texts redacted, itself where they hold no secret: a file from
    elsewhere, or one of an earlier version, may hold some. Ids and dates hold none."""
    plain: dict[str, Any] = msgspec.to_builtins(period.record)
    lines: list[str] = []
    texts: list[str] = []
    for key, value in strings_of(plain, ""):
        lines.append(f'{key} = "{value}"' if "\n" not in value else key)
        if "\n" in value:  # what stands on its lines tells of each other
            texts.append(value)
    if not any(redact(text)[1] for text in ("\n\n".join(lines), *texts)):
        return period  # by far the most
    redactor = Redactor()
    clean = redactor.properties(plain)
    kept = plain.get("properties", {}).get(_PACKED)
    properties = clean.get("properties")
    if kept is not None and isinstance(properties, dict):
        properties[_PACKED] = kept
    record = msgspec.convert(clean, type(period.record))
    return dataclasses.replace(period, record=record)


def strings_of(value: object, key: str) -> Iterator[tuple[str, str]]:
    """Every text in `value`, keys included, with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for inner, each in cast("dict[str, object]", value).items():
            if inner != _PACKED:
                yield from strings_of(each, inner)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from strings_of(each, key)


class Sieve:
    """Tells the lines that may come in, in the order of the file; `refused` holds the others."""

    def __init__(self, graph: Graph, types: Mapping[str, str]) -> None:
        """`types` of the file's entities, by id; other ends of relations are looked for in
        `graph`."""
        self._graph = graph
        self._types = dict(types)
        self._left_out: set[str] = set()
        self._skipping = False
        self._may_wait = False
        self.refused: list[Refused] = []

    def admits(self, line: Line, number: int) -> bool:
        """Whether a line may come in; one that may not is noted. With an episode all that it
        brought stays out, with a chunk its vectors."""
        if isinstance(line, VectorLine):
            return line.chunk_id not in self._left_out and not self._skipping
        if isinstance(line, EpisodeLine):
            self._skipping = False
            self._may_wait = line.record.source_type in source_types("ahead")
        elif self._skipping:
            return False
        wrong = list(self._faults(line))
        if not wrong:
            return True
        if isinstance(line, EpisodeLine):
            self._skipping = True
            wrong.append("all that it brought was left out")
        own = record_id(line.record)
        self._left_out.add(own)
        self.refused.append(Refused(line=number, record_id=own, error="; ".join(wrong)))
        return False

    def _faults(self, line: TimedLine) -> Iterator[str]:
        """What is wrong with a record; nothing with one that has ended: history comes in as it
        was."""
        record = line.record
        if line.known_until is not None:
            return
        yield from faults(record)
        if isinstance(record, Relation):
            yield from self._end_faults(record)
        if isinstance(record, Chunk) and self._type_of(record.document_id) is None:
            yield f"its document {record.document_id!r} is neither in the file nor in the store"

    def _end_faults(self, relation: Relation) -> Iterator[str]:
        types: list[str] = []
        for end in (relation.source_entity_id, relation.target_entity_id):
            known = self._type_of(end)
            if known is None and end and not self._may_wait:
                yield f"it ends at {end!r}, which is neither in the file nor in the store"
            types.append(known or "")
        if all(types) and (wrong := end_fault(relation, *types)):
            yield wrong

    def _type_of(self, entity_id: str) -> str | None:
        """The type of an entity, "" for one that is gone, None for one that never was."""
        if entity_id not in self._types:
            stored = self._graph.get([entity_id]).get(entity_id)
            if isinstance(stored, Entity):
                self._types[entity_id] = stored.type
            elif self._graph.support([entity_id]).get(entity_id):
                self._types[entity_id] = ""
        return self._types.get(entity_id)

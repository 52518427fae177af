"""A store to another store, of whatever kind: streamed, resumed where it stopped, and compared."""

import hashlib
from itertools import zip_longest
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.ports import Progress, Store
from quipu.records.record import record_id
from quipu.transfer.export import lines_of
from quipu.transfer.import_ import Pending, begins_source
from quipu.transfer.lines import ENCODER, NOTHING, Counts, Line, VectorLine, kind_of_line
from quipu.when.instants import Clock

__all__ = ["Migrated", "migrate"]


class Migrated(msgspec.Struct, frozen=True, kw_only=True):
    """What a migration found in both stores, compared to the last byte."""

    episodes: Annotated[int, "observations of sources"]
    chunks: Annotated[int, "passages"]
    claims: Annotated[int, "assertions of entities, relations and facts"]
    vectors: Annotated[int, "vectors, carried as they are"]
    past: Annotated[int, "records of any kind that have ended"]
    changes: Annotated[int, "how many changes it made; 0 when all was there"]
    kept: Annotated[int, "episodes that an earlier run had brought"]
    sha256: Annotated[str, "of all records and vectors, the same on both sides"]


def migrate(
    source: Store, target: Store, *, clock: Clock, progress: Progress | None = None
) -> Migrated:
    """Bring all that `source` holds into `target`, history and vectors included, and compare both.

    Sources come whole, in batches, each in one transaction of the target: a run that was killed
    goes on with the first source that is not there. Reports are left out, which `reflect` makes
    again. Raises InvalidInput when the namespaces differ, since ids are made from them, or when
    the target holds what the source does not, or what the source has changed since.
    """
    if source.namespace != target.namespace:
        raise InvalidInput(
            f"the namespaces are {source.namespace!r} and {target.namespace!r}: ids are made from "
            "the namespace, so both must have one"
        )
    with source.moment():
        shared = _shared_episodes(source, target)
        changes = _bring(source, target, shared, clock, progress)
        counts, sha256 = _compared(source, target, progress)
    return Migrated(**counts, changes=changes, kept=len(shared), sha256=sha256)


def _shared_episodes(source: Store, target: Store) -> frozenset[str]:
    """The live episodes of the source that the target has, whole since a batch is."""
    there = {each.episode_id for each in target.sources()}
    return frozenset(each.episode_id for each in source.sources() if each.episode_id in there)


def _bring(
    source: Store, target: Store, shared: frozenset[str], clock: Clock, progress: Progress | None
) -> int:
    changes = 0
    pending = Pending()
    for done, line in enumerate(lines_of(source, vectors=True, without=shared)):
        if pending.full and begins_source(line, pending):
            changes += target.write(pending.batch(clock())).changes
            pending = Pending()
            if progress:
                progress("migrate", done, 0)
        pending.take_own(line)
    return changes + target.write(pending.batch(clock())).changes


def _compared(source: Store, target: Store, progress: Progress | None) -> tuple[Counts, str]:
    """What both hold, counted, and its sum. Raises InvalidInput where it is not the same."""
    counts, sha256 = NOTHING.copy(), hashlib.sha256()
    with target.moment():
        pairs = zip_longest(lines_of(source, vectors=True), lines_of(target, vectors=True))
        for done, (line, other) in enumerate(pairs):
            if line is None or other is None:
                more = "the target" if line is None else "the source"
                raise _differing(f"{more} holds {_named(line or other)}, and the other does not")
            encoded = ENCODER.encode(line)
            if encoded != ENCODER.encode(other):
                raise _differing(
                    f"the stores differ where {_named(line)} and {_named(other)} stand"
                )
            counts[kind_of_line(line)] += 1
            sha256.update(encoded)
            if progress and done % 10_000 == 0:
                progress("compare", done, 0)
    return counts, sha256.hexdigest()


def _differing(where: str) -> InvalidInput:
    return InvalidInput(
        f"{where}: migrate into an empty namespace, or forget there what is not to stay"
    )


def _named(line: Line | None) -> str:
    if line is None:
        return "nothing"
    if isinstance(line, VectorLine):
        return f"the vector of {line.chunk_id!r} in {line.space!r}"
    return repr(record_id(line.record))

"""What a store holds, searched again for secrets with the rules of today."""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from quipu.files.target import replacing
from quipu.ports import Store
from quipu.read.redact import secrets_in
from quipu.records.batch import Period
from quipu.records.record import Episode
from quipu.transfer.export import lines_of
from quipu.transfer.import_ import redacted_period, strings_of, write_periods
from quipu.transfer.lines import DECODER, ENCODER, VectorLine, period_line, period_of
from quipu.when.instants import Clock

__all__ = ["secret_sources", "take_back", "write_without_secrets"]


def secret_sources(store: Store) -> list[str]:
    """The sources of which a record holds what is a secret by the rules of today, sorted."""
    refs = _refs(store)
    return sorted(
        {
            refs.get(period.episode_id, "")
            for period in _every(store)
            if redacted_period(period) is not period
        }
        - {""}
    )


def write_without_secrets(store: Store, refs: Sequence[str], path: Path) -> None:
    """Write what these sources assert, without its secrets, to `path`; whole or not at all. What
    is a secret in one of their texts is one in all that was read out of it."""
    of, chosen = _refs(store), frozenset(refs)
    secrets: dict[str, str] = {}
    for period in _every(store):
        if of.get(period.episode_id) in chosen:
            secrets |= _secrets_of(period)
    with replacing(path, for_owner=True) as stream:
        for period in _every(store):
            if of.get(period.episode_id) in chosen:
                line = period_line(_without(redacted_period(period), secrets))
                stream.write(ENCODER.encode(line) + b"\n")


_SHORTEST = 6
"""A secret with fewer characters is not looked for where no rule finds it."""


def _secrets_of(period: Period) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in strings_of(msgspec.to_builtins(period.record), ""):
        found |= secrets_in(value) | secrets_in(f'{key} = "{value}"')
    return {secret: kind for secret, kind in found.items() if len(secret) >= _SHORTEST}


def _without(period: Period, secrets: dict[str, str]) -> Period:
    """The period whose record holds none of these."""
    body = msgspec.json.encode(period.record).decode()
    for secret in sorted(secrets, key=lambda each: (-len(each), each)):
        written = msgspec.json.encode(secret).decode()[1:-1]
        body = body.replace(written, f"[redacted:{secrets[secret]}]")
    record = msgspec.json.decode(body, type=type(period.record))
    return dataclasses.replace(period, record=record)


def take_back(store: Store, path: Path, *, clock: Clock) -> None:
    """Write what `write_without_secrets` wrote into the store, and remove the file."""
    with path.open("rb") as stream:
        lines = (DECODER.decode(line) for line in stream)
        periods = (period_of(line) for line in lines if not isinstance(line, VectorLine))
        write_periods(store, periods, clock=clock)
    path.unlink()


def _every(store: Store) -> Iterator[Period]:
    with store.moment():
        for line in lines_of(store, vectors=False):
            if not isinstance(line, VectorLine):
                yield period_of(line)


def _refs(store: Store) -> dict[str, str]:
    """The source of each episode that there ever was, by the episode's id."""
    refs = {source.episode_id: source.source_ref for source in store.sources(ended=True)}
    for period in _every(store):
        if isinstance(period.record, Episode):
            refs[period.episode_id] = period.record.source_ref
    return refs

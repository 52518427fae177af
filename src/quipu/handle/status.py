"""How a memory is: what it holds, how old its index is, what still lacks a vector."""

from pathlib import Path
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.expiring import expired_sources
from quipu.ports import Store
from quipu.when.instants import Clock, parse_instant, to_epoch


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory is. Without a model, `unembedded` counts for the fullest space."""

    counts: Annotated[dict[str, int], "live records by kind; `name` counts distinct names"]
    generation: Annotated[int, "the store's sequence number; grows with every change"]
    spaces: Annotated[dict[str, int], "how many vectors each embedding space holds"]
    age_s: Annotated[float | None, "seconds since the last indexing run, or null"]
    stale: Annotated[bool, "whether that is longer than `index.stale_hours`"]
    unembedded: Annotated[int, "passages without a vector in the model's space"]
    model: Annotated[str | None, "the embedding space of the present model, or null"]
    store: Annotated[str, "what opens the store"]
    namespace: Annotated[str, "the namespace"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()
    expired: Annotated[int, "sources that have expired: stored, and no longer recalled"] = 0


class _Generated(msgspec.Struct, frozen=True):
    generated_at: str


def status(
    store: Store,
    *,
    url: str,
    model: str | None,
    unembedded: int,
    indexed_at: str | None,
    clock: Clock,
    stale_hours: float,
    notes: tuple[str, ...],
) -> Status:
    """The state of `store` at this moment."""
    counts = store.counts()
    # The local state is shared by the namespaces: the last run of one that is empty was another's.
    age_s = age(indexed_at if any(counts.values()) else None, clock)
    return Status(
        counts=counts,
        generation=store.sequence(),
        spaces=store.spaces(),
        age_s=age_s,
        stale=is_stale(age_s, stale_hours),
        unembedded=max(unembedded, 0),
        model=model,
        store=url,
        namespace=store.namespace,
        notes=notes,
        expired=len(expired_sources(store, clock())),
    )


def age(indexed_at: str | None, clock: Clock) -> float | None:
    """Seconds since `indexed_at` (never negative), or None."""
    return max(to_epoch(clock()) - to_epoch(indexed_at), 0.0) if indexed_at else None


def is_stale(age_s: float | None, stale_hours: float) -> bool:
    """Whether an index that is `age_s` old is called old."""
    return age_s is not None and age_s > stale_hours * 3600


def last_indexed(state: Path | None) -> str | None:
    """When the last run in this local state ended, from `index_metadata.json`; a file that says
    something else than a date counts for none."""
    if state is None:
        return None
    try:
        read = msgspec.json.decode((state / "index_metadata.json").read_bytes(), type=_Generated)
        return parse_instant(read.generated_at)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError, InvalidInput):
        return None


def age_notes(state: Path | None, clock: Clock, *, stale_hours: float) -> tuple[str, ...]:
    """That the index is old, if it is."""
    age_s = age(last_indexed(state), clock)
    if age_s is None or not is_stale(age_s, stale_hours):
        return ()
    return (f"the index is {age_s / 3600:.0f} hours old: run `quipu index`",)

"""How a memory is: what it holds, how old its index is, what still lacks a vector."""

from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.expiry import expired_sources
from quipu.handle.handle import Handle
from quipu.when.instants import parse_instant, to_epoch


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


def status(handle: Handle) -> Status:
    """The state of a memory at this moment."""
    store = handle.store
    model, unembedded = handle.models.coverage(store)
    counts = store.counts()
    # The local state is shared by the namespaces: the last run of one that is empty was another's.
    age_s = _age(handle) if any(counts.values()) else None
    return Status(
        counts=counts,
        generation=store.sequence(),
        spaces=store.spaces(),
        age_s=age_s,
        stale=_is_stale(handle, age_s),
        unembedded=max(unembedded, 0),
        model=model,
        store=handle.home.shown,
        namespace=store.namespace,
        notes=handle.models.notes,
        expired=len(expired_sources(store, handle.clock())),
    )


def age_notes(handle: Handle) -> tuple[str, ...]:
    """That the index is old, if it is."""
    age_s = _age(handle)
    if age_s is None or not _is_stale(handle, age_s):
        return ()
    return (f"the index is {age_s / 3600:.0f} hours old: run `quipu index`",)


def _age(handle: Handle) -> float | None:
    """Seconds since the last run in this local state ended (never negative), by
    `index_metadata.json`; a file that says something else than a date counts for none."""
    state = handle.home.state
    if state is None:
        return None
    try:
        read = msgspec.json.decode((state / "index_metadata.json").read_bytes(), type=_Generated)
        ended = to_epoch(parse_instant(read.generated_at))
    except (OSError, UnicodeDecodeError, msgspec.DecodeError, InvalidInput):
        return None
    return max(to_epoch(handle.clock()) - ended, 0.0)


def _is_stale(handle: Handle, age_s: float | None) -> bool:
    return age_s is not None and age_s > handle.config.index.stale_hours * 3600

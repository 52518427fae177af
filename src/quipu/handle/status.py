"""How a memory is: what it holds, how old its index is, what still lacks a vector."""

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.expiry import expired_sources
from quipu.handle.handle import Handle
from quipu.when.instants import parse_instant, to_epoch


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """`generation` is the store's sequence number; it grows with every change and only then.

    `spaces` counts the vectors of each embedding space; `unembedded` the passages without one in
    the model's space (in the fullest space when there is no model). `age_s` is the time since
    the last indexing run, None when none is known; `stale` says that it is longer than
    `index.stale_hours`. `expired` counts the sources that are no longer recalled and still stored.
    """

    counts: dict[str, int]
    generation: int
    spaces: dict[str, int]
    age_s: float | None
    stale: bool
    unembedded: int
    model: str | None
    store: str
    namespace: str
    notes: tuple[str, ...] = ()
    expired: int = 0


class _Generated(msgspec.Struct, frozen=True):
    generated_at: str


def status(handle: Handle) -> Status:
    """The state of a memory at this moment."""
    store = handle.store
    model, unembedded = handle.models.held(store)
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
        store=handle.home.url,
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

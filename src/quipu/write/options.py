"""What a caller may choose about indexing."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from quipu.facts.attributes import SHIPPED, Attributes
from quipu.ports import Embedder
from quipu.resolve import Authority
from quipu.write.limits import UNLIMITED, Limits

if TYPE_CHECKING:  # pragma: no cover
    from quipu.write.cluster import Cluster


class EmbeddedProfiles(NamedTuple):
    """Passages of some profiles (none named: all), the model that embeds them, loaded when it is
    asked for, and what stands in for a remote one."""

    profiles: frozenset[str]
    embedder: Callable[[], Embedder | None]
    fallback: Callable[[], Embedder | None]


class Upkeep(NamedTuple):
    """A run that nobody asked for: what was forgotten stays out. Of more than `most_bytes` only
    `refs` are read; `alone`, nothing else is looked at."""

    refs: frozenset[str] = frozenset()
    most_bytes: float = math.inf
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """`include` and `exclude` are patterns as in .gitignore, and so are `credentials`, the
    files that are read though they exist to hold some; 0 `workers` or `threads` means one
    a core; 0 `cache_bytes` no cache of vectors. Without `extract` nothing is read from texts and
    turns that are given: they are stored and found, and assert nothing. Without `refuse_junk`
    everything that is said is kept. `limits` bound what reading one source takes; `authority` says
    who may assert what. `attributes` tells which wordings of facts say the same. `cluster` is whose
    nodes read and embed in place of this machine."""

    max_bytes: int = 5_000_000
    limits: Limits = UNLIMITED
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    credentials: tuple[str, ...] = ()
    workers: int = 0
    threads: int = 0
    cache_bytes: int = 512_000_000
    extract: bool = True
    refuse_junk: bool = True
    authority: Authority = field(default_factory=Authority)
    attributes: Attributes = SHIPPED
    cluster: "Cluster | None" = None

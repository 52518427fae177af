"""What a caller may choose about indexing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """`include` and `exclude` are patterns as in .gitignore; 0 `workers` or `threads` means one
    a core; 0 `cache_bytes` no cache of vectors. Without `extract` nothing is read from texts and
    turns that are given: they are stored and found, and assert nothing. Without `refuse_junk`
    everything that is said is kept."""

    max_bytes: int = 5_000_000
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    workers: int = 0
    threads: int = 0
    cache_bytes: int = 512_000_000
    extract: bool = True
    refuse_junk: bool = True

"""What a caller may choose about indexing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """`include` and `exclude` are patterns as in .gitignore; 0 `workers` or `threads` means one
    a core; 0 `cache_bytes` no cache of vectors."""

    max_bytes: int = 5_000_000
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    workers: int = 0
    threads: int = 0
    cache_bytes: int = 512_000_000

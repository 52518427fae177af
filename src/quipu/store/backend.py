"""What a store writes itself: ten methods over thirteen tables. `derived/` makes the rest of them.

A backend keeps the tables of one namespace in whatever it has: SQL tables, labelled nodes,
dictionaries. It knows nothing of what is in them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, get_args

Row: TypeAlias = tuple[Any, ...]
Counter: TypeAlias = Literal["sequence", "row", "number", "segment", "space"]
COUNTERS: tuple[Counter, ...] = get_args(Counter)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns, those that tell rows apart, and those that rows are looked up by."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    lookups: tuple[str, ...] = ()


SUPPORT = Table(
    "support",
    (
        "row",
        "kind",
        "record_id",
        "episode_id",
        "recorded_at",
        "known_until",
        "chunk_ids",
        "near",
        "far",
        "label",
        "body",
    ),
    key=("row",),
    lookups=("record_id", "episode_id", "near", "far", "label"),
)
"""A row a period of support; `known_until` is None while it is live, `kind` a place in
`rules.KINDS`, `chunk_ids` a list in JSON or "". An episode's `near`, `far` and `label` are its
source reference, observation time and source type, a relation's its source, target and type, a
fact's its subject, None and its predicate."""

NAME = Table(
    "name", ("key", "entity_id", "support"), ("key", "entity_id", "support"), ("key", "support")
)
"""What live support calls an entity, folded; `support` is a row of that table."""

CHUNK = Table(
    "chunk",
    (
        "number",
        "live",
        "chunk_id",
        "document_id",
        "episode_id",
        "profile",
        "position",
        "digest",
        "support",
    ),
    key=("number",),
    lookups=("chunk_id", "document_id", "support"),
)
"""A numbered passage; `live` is 1, or 0 when it has left the indexes."""

COLUMNS = Table("chunk_columns", ("number", "columns"), ("number",))
CHANGE = Table("change", ("sequence", "kind", "record_id", "operation"), ("sequence",))
SEGMENT = Table("segment", ("segment", "size", "dead_count", "arrays", "dead"), ("segment",))
FIELD = Table(
    "segment_field",
    ("segment", "field", "row_width", "tf_width", "lengths", "directory"),
    ("segment", "field"),
    ("segment",),
)
PAGE = Table(
    "posting_page",
    ("segment", "field", "page", "postings"),
    ("segment", "field", "page"),
    ("segment",),
)
SPACE = Table("space", ("space", "name", "dimension"), ("space",))
VECTOR = Table("vector", ("space", "number", "vector"), ("space", "number"), ("space",))
PART = Table("part", ("space", "number", "parts"), ("space", "number"), ("space",))
JOB = Table(
    "job", ("job", "job_id", "live", "worker", "seal", "body"), ("job",), ("job_id", "live")
)
"""An accepted write, numbered as it was accepted; `live` is 1 until it has ended."""

PAYLOAD = Table("job_payload", ("job", "payload"), ("job",))
"""What a job that has not ended is to write."""

TABLES = (
    SUPPORT,
    NAME,
    CHUNK,
    COLUMNS,
    CHANGE,
    SEGMENT,
    FIELD,
    PAGE,
    SPACE,
    VECTOR,
    PART,
    JOB,
    PAYLOAD,
)


Order: TypeAlias = Sequence[str]
"""The columns that rows are ordered by, ascending; one that begins with `-` (`-job`) descending."""


class Above(NamedTuple):
    """In a `Where`: greater than a value."""

    value: Any


class Beginning(NamedTuple):
    """In a `Where`: a text that begins with this one."""

    text: str


Where: TypeAlias = Mapping[str, int | str | bytes | Above | Beginning | Collection[Any] | None]
"""What holds for each row that is meant: a column equals the value, is among the values, is
`Above` one or begins with a text. Any text may be asked for: what cannot be stored (NUL
characters, lone surrogates) equals nothing."""


class Backend(Protocol):
    """The tables of one namespace, for one handle, which lets one thread at a time in. All but
    `close` is called inside `reading` or `writing`, where errors that are not Quipu's own are
    mapped to those that are."""

    @property
    def namespace(self) -> str: ...

    def reading(self) -> AbstractContextManager[None]:
        """All that is read in the block is of one moment; it may be nested, in `writing` too."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """All changes of the block or, if it raises, none; StoreUnavailable for a handle that only
        reads."""
        ...

    def last(self, counter: Counter) -> int:
        """The last number taken; none that is there is above it. `sequence` begins at 1."""
        ...

    def take(self, counter: Counter, count: int = 1) -> int:
        """The first of `count` consecutive numbers that were never taken; only those of a `row`
        that is deleted may be."""
        ...

    def select(
        self,
        table: Table,
        columns: Sequence[str],
        where: Where,
        *,
        order: Order = (),
        limit: int | None = None,
        distinct: bool = False,
    ) -> list[Row]:
        """The columns of the rows where all of `where` holds, each but once if `distinct`; text is
        ordered by code points."""
        ...

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """New rows, with all columns."""
        ...

    def update(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Set columns of the rows whose key ends each of `rows`; the key is one column."""
        ...

    def delete(self, table: Table, where: Where) -> None:
        """Delete the rows where all of `where` holds."""
        ...

    def close(self) -> None:
        """Give back what the handle holds."""
        ...

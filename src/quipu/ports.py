"""Every seam of the house. A `Store` is a `Graph`, an `Index` and a `Writer`.

A handle is bound to one namespace for life; nothing crosses namespaces, statistics included.
Backends differ in speed, never in contract: `tests/contract/store_contract.py` states it.
A new one writes the ten methods of `store/backend.py` and is given all of these by `DerivedStore`.

Inside one store every live chunk has a *number* (a non-negative int, never used twice). Numbers
are what the indexes speak; they mean nothing outside the store and change when a chunk is
replaced. Rankings break ties by `ids.order_key` of the chunk id, so two stores agree.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quipu.records.batch import Batch, Claim, Period, Written
from quipu.records.ids import Kind
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation, Support, record_id
from quipu.records.scope import EVERYTHING, Filter, Scope

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with (stage, done, total) as work goes on; total is 0 while it is not known."""


Numbers: TypeAlias = NDArray[np.int64]
Vectors: TypeAlias = NDArray[np.float32]
Cosines: TypeAlias = NDArray[np.float64]
Direction: TypeAlias = Literal["out", "in", "both"]
R = TypeVar("R", Episode, Chunk, Entity, Relation, Fact)
T = TypeVar("T")


class Ranking(NamedTuple):
    """Chunk numbers, best first, and their scores (float64, same length). `found` is `ann` where a
    server's index proposed what was scored, and may have left out a few."""

    numbers: Numbers
    scores: NDArray[np.float64]
    found: Literal["exact", "ann"] = "exact"


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often terms stand in given chunks, with the statistics BM25 needs.

    `tf` int32[n, t]; `lengths` int32[n] (terms a chunk has in the field, 0 when it lacks the
    field); `df` int64[t] over the live chunks; `count` live chunks that have the field;
    `average_length` their mean length.
    """

    tf: NDArray[np.int32]
    lengths: NDArray[np.int32]
    df: NDArray[np.int64]
    count: int
    average_length: float


class Occurrence(NamedTuple):
    """In how many live chunks a term stands, the first of them by number (bounded), and how
    often it stands in each of those (int32, same length)."""

    df: int
    numbers: Numbers
    tf: NDArray[np.int32]


class Source(NamedTuple):
    """A live episode's source: what incremental indexing compares against."""

    source_ref: str
    content_hash: str
    episode_id: str
    document_id: str | None
    source_type: str


class Change(NamedTuple):
    """One line of the change log; `sequence` only grows."""

    sequence: int
    kind: Literal["episode", "chunk", "entity", "relation", "fact", "vector"]
    record_id: str
    operation: Literal["put", "end", "forget"]


class Graph(Protocol):
    """Records, relations, facts and their history. It cannot reach a vector."""

    @property
    def namespace(self) -> str: ...

    def moment(self) -> AbstractContextManager[None]:
        """All that this thread reads inside the block is of one moment of the store. The others
        that share the handle wait, so the block should be short; nothing is written in it."""
        ...

    def visit(self) -> AbstractContextManager[None]:
        """All reads of one question: of one moment, and in few round trips, where the store is on
        a server; a store on this machine lets others read in between. Nothing is written in it."""
        ...

    def sequence(self) -> int:
        """The number of the last change; 0 when nothing was ever written."""
        ...

    def get(self, ids: Sequence[str], *, known_at: str | None = None) -> dict[str, Record]:
        """The records among `ids` that are live (or were, at `known_at`); unknown ids are absent.

        An entity, relation or fact is merged from the support that was live at that moment. A
        relation is live only while both its ends are.
        """
        ...

    def scan(self, kind: Kind, *, after: str = "", limit: int = 1000) -> list[Record]:
        """Live records of `kind` with ids above `after`, by id."""
        ...

    def named(self, keys: Sequence[str]) -> dict[str, list[Entity]]:
        """Live entities whose folded name or alias (`text.name_key`) is one of `keys`, by id."""
        ...

    def neighbors(
        self,
        ids: Sequence[str],
        *,
        direction: Direction = "out",
        types: frozenset[str] = frozenset(),
        limit_per_id: int = 100,
        known_at: str | None = None,
    ) -> dict[str, list[Relation]]:
        """The live relations exactly one hop from each id (no types: all), by
        (type, other end, id). Of more than `limit_per_id` the types take turns, each with its
        first (`nearest_neighbors`). Every asked id is a key."""
        ...

    def support(self, ids: Sequence[str]) -> dict[str, list[Support]]:
        """All support of each record, ended ones included, by (recorded_at, episode_id)."""
        ...

    def claims(self, episode_ids: Sequence[str]) -> dict[str, list[Claim]]:
        """What each episode asserts now, as it asserted it (not merged), by record id. Every
        asked id is a key."""
        ...

    def periods(self, episode_ids: Sequence[str]) -> dict[str, list[Period]]:
        """All that each episode ever asserted, itself and its chunks included, live and ended, by
        (record id, recorded_at, known_until; live ones last). Every asked id is a key."""
        ...

    def facts(
        self,
        subject: str | Collection[str] | None = None,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
    ) -> list[Fact]:
        """Live facts of a subject, of several or of all, by (subject, predicate, valid_from, id);
        `as_of` keeps the valid ones."""
        ...

    def with_property(self, name: str) -> list[Entity]:
        """Live entities that hold text under the property `name`, by id. It looks at every
        entity: fit for status and upkeep, not for a search."""
        ...

    def sources(
        self,
        source_types: frozenset[str] = frozenset(),
        *,
        refs: Collection[str] = (),
        prefix: str = "",
        ended: bool = False,
    ) -> list[Source]:
        """Every live episode's source, by (source_ref, episode_id); only those that `refs` name,
        if any are named, and those that begin with `prefix`. With `ended`, the episodes that have
        ended stand among them, each once."""
        ...

    def changes(self, after: int, *, limit: int = 10_000) -> list[Change]:
        """The change log above `after`, in order."""
        ...

    def counts(self, kinds: Collection[str] = ()) -> dict[str, int]:
        """How many live records of each kind there are, and `name` (distinct mention keys);
        only of the `kinds` that are named, if any are: counting them all reads much."""
        ...


class Index(Protocol):
    """Words, names and vectors of the live chunks."""

    def match_text(
        self,
        field: str,
        terms: Mapping[str, float],
        *,
        scope: Scope = EVERYTHING,
        limit: int = 100,
        k1: float = 1.2,
        b: float = 0.75,
    ) -> Ranking:
        """The best chunks by BM25 (`index/bm25.py`), `terms` with their query weights.

        Only chunks with at least one of the terms, scores > 0.
        """
        ...

    def match_vector(
        self,
        vector: NDArray[np.float32],
        *,
        space: str,
        scope: Scope = EVERYTHING,
        limit: int = 100,
    ) -> Ranking:
        """The nearest chunks by cosine. An unknown space gives nothing; a wrong length raises
        SpaceMismatch."""
        ...

    def frequencies(self, field: str, terms: Sequence[str], numbers: Numbers) -> Frequencies:
        """Term statistics of the given chunks."""
        ...

    def occurrences(
        self, field: str, terms: Sequence[str], *, scope: Scope = EVERYTHING, limit: int = 100
    ) -> dict[str, Occurrence]:
        """Where each term stands: `mentioned_by` with field "name". Every asked term is a key."""
        ...

    def vectors(self, numbers: Numbers, space: str) -> Vectors:
        """float32[n, d], a row a chunk; a zero row where the chunk has no vector (d is 0 when
        the space is unknown)."""
        ...

    def parts(self, numbers: Numbers, space: str) -> list[Vectors]:
        """Each chunk's part vectors, float32[m, d]; [0, d] where it has none."""
        ...

    def best_parts(self, numbers: Numbers, space: str, vector: NDArray[np.float32]) -> Cosines:
        """float64[n]: the best cosine of each chunk's part vectors with `vector`, of length 1;
        -1 where it has none."""
        ...

    def columns(self, numbers: Numbers) -> list[bytes]:
        """Each chunk's packed profile data, as written."""
        ...

    def chunks(self, numbers: Numbers) -> list[Chunk]:
        """The chunks themselves, in the order asked."""
        ...

    def chunk_ids(self, numbers: Numbers) -> list[str]:
        """The ids of the given numbers, in the order asked."""
        ...

    def document_ids(self, numbers: Numbers) -> list[str]:
        """The document each of the given chunks belongs to, in the order asked; no text is
        read."""
        ...

    def numbers(self, chunk_ids: Sequence[str]) -> Numbers:
        """The numbers of the given chunk ids, in the order asked; -1 where it is not live."""
        ...

    def admits(self, numbers: Numbers, scope: Scope) -> NDArray[np.bool_]:
        """bool[n]: which of the numbers are live chunks that `scope` lets a search see."""
        ...

    def filter_values(self, name: Filter) -> list[str]:
        """The distinct values that live chunks have under a set of a scope, sorted; no blanks."""
        ...

    def numbers_in(self, document_ids: Sequence[str]) -> dict[str, Numbers]:
        """The live chunks of each document, by position. Every asked id is a key."""
        ...

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The embedding spaces, and how many live chunks each holds a vector for; only chunks of
        the `profiles` that are named count, if any are."""
        ...

    def profiles(self) -> dict[str, int]:
        """How many live chunks there are of each profile."""
        ...

    def unembedded(
        self, space: str, *, limit: int = 1000, profiles: Collection[str] = ()
    ) -> list[Chunk]:
        """Live chunks without a vector in `space`, by number; of the `profiles`, if any are
        named."""
        ...


class JobRow(NamedTuple):
    """An accepted write: `job` counts them, `live` is 1 until it has ended, `worker` who works on
    it, `seal` and `body` are what `write/jobs.py` makes of it."""

    job: int
    job_id: str
    live: int
    worker: str
    seal: bytes
    body: bytes


class StoredJobs(Protocol):
    """The accepted writes of one namespace: operational state, which has no history and is never
    exported. They are changed inside `Writer.atomically`."""

    def last(self) -> int:
        """The greatest number of a job; 0 when there is none."""
        ...

    def rows(self, *, live: bool = False, job_ids: Collection[str] = ()) -> list[JobRow]:
        """The jobs, oldest first; those that are `live`, or have these ids, if that is asked."""
        ...

    def payload(self, job: int) -> bytes | None:
        """What the job is to write; None when nothing is left of it."""
        ...

    def add(self, row: JobRow, payload: bytes | None) -> None:
        """Put down a new job."""
        ...

    def change(self, row: JobRow) -> None:
        """Replace all of a job but its number and id."""
        ...

    def put_payload(self, job: int, payload: bytes | None) -> None:
        """Replace what the job is to write; None erases it."""
        ...

    def drop(self, jobs: Collection[int]) -> None:
        """Erase jobs."""
        ...


class Writer(Protocol):
    """The only way in."""

    @property
    def jobs(self) -> StoredJobs: ...

    def atomically(self, do: Callable[[], T], *, durable: bool = False) -> T:
        """Call `do`, which may read, `write` and change jobs: all of it is stored, or nothing, and
        nobody else writes meanwhile. It may be called again where a server asks for that. What is
        `durable` outlives a power cut once this returns."""
        ...

    def write(self, batch: Batch) -> Written:
        """Store `batch` whole or not at all; the same batch again changes nothing."""
        ...

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase every episode of these sources, live or ended, with all that only they
        supported, from records, indexes and history; returns how many episodes were erased."""
        ...

    def drop_space(self, space: str) -> None:
        """Erase every vector of one embedding space."""
        ...

    def close(self) -> None: ...


class Store(Graph, Index, Writer, Protocol):
    """All three: what a backend is, and what only `memory`, `ingest` and `move` may hold."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Planner(Graph, Index, Protocol):
    """What planning and retrieval hold: everything that reads, nothing that writes."""


class Embedded(NamedTuple):
    """A text's vector float32[d] and the vectors of its parts float32[m, d], rows of length 1."""

    vector: NDArray[np.float32]
    parts: Vectors


Passage: TypeAlias = tuple[str, Sequence[tuple[int, int]]]
"""A text and the character spans that are its parts."""


class Layers(NamedTuple):
    """What an encoder's layers say of each word piece of a text.

    `starts` and `ends` int64[t], characters of the text, ascending; `vectors` float32[t, d].
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    vectors: NDArray[np.float32]


ReadLayers: TypeAlias = Callable[[str], Layers]
"""Reads a text with the local encoder."""


@runtime_checkable
class LayerReader(Protocol):
    """An encoder whose layers can be read."""

    def read(self, text: str) -> Layers:
        """What its layers say of each word piece of `text`."""
        ...


class Embedder(Protocol):
    """Turns text into vectors of one space; the same text gives the same bytes in any batch."""

    @property
    def space(self) -> str:
        """Model, version, precision and dimension that really ran."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d], a row a text, each of length 1 (zero for a text without tokens)."""
        ...

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and, from the same pass, the mean of the tokens in each character
        span; a zero row where no token lies in it."""
        ...

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector and, from the same pass, the means of `size` consecutive tokens
        every `stride` tokens."""
        ...


@runtime_checkable
class ManyEmbedder(Embedder, Protocol):
    """Embeds many passages at a time, and sees itself to what runs beside what."""

    def at_once(self) -> int:
        """How many passages it is best given."""
        ...

    def embed_passages(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Each passage's vector and parts, in order."""
        ...


class ChatReply(NamedTuple):
    """What a model said: text, the tokens it took, the model that really ran."""

    text: str
    tokens: int = 0
    model: str = ""


class Chat(Protocol):
    """A language model: an option, never a need. What it says is data until it was checked."""

    @property
    def name(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """The next message; with `schema` its text is to be JSON of that shape."""
        ...

    def stream(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[str | ChatReply]:
        """Pieces of text as they come, then the whole as one ChatReply."""
        ...


KIND_OF: Mapping[type[Record], Kind] = {
    Episode: "episode",
    Chunk: "chunk",
    Entity: "entity",
    Relation: "relation",
    Fact: "fact",
}
"""In the order in which one write logs its changes; vectors come last."""


def every(graph: Graph, of: type[R]) -> Iterator[R]:
    """Every live record of a class, by id, read page by page."""
    after = ""
    while page := graph.scan(KIND_OF[of], after=after):
        yield from (record for record in page if isinstance(record, of))
        after = record_id(page[-1])


def changes_after(graph: Graph, sequence: int) -> Iterator[Change]:
    """The whole change log above `sequence`, in order, read page by page."""
    while page := graph.changes(sequence):
        yield from page
        sequence = page[-1].sequence

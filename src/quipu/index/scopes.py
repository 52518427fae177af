"""Which rows a `Scope` admits, from columns kept by chunk number.

The columns are read once, when the first scope asks, and then follow the change log. Values are
small integers; times are compared by their place among the times seen, which is the order of
their texts.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.index.postings import Mask, Postings
from quipu.ports import Change
from quipu.records.scope import Filter, Scope

_OF_DOCUMENTS: tuple[Filter, ...] = ("document_types", "statuses", "domains")
_FOLLOW = 5000  # changes beyond which reading everything again is quicker


class ScopedChunk(NamedTuple):
    """What a scope asks about a live chunk, apart from its document's properties."""

    number: int
    document_id: str
    profile: str
    group: str
    source_type: str
    observed_at: str


class ScopeRows(Protocol):
    """What a backend answers about live chunks; all in the moment of the call."""

    def standings(self) -> Iterable[ScopedChunk]:
        """Every live chunk."""
        ...

    def standings_of(
        self, chunk_ids: Sequence[str], episode_ids: Sequence[str]
    ) -> Iterable[ScopedChunk]:
        """The live chunks with these ids or of these episodes."""
        ...

    def entities_of(self, episode_ids: Sequence[str]) -> set[str]:
        """The entities that these episodes assert."""
        ...

    def document_properties(self, document_ids: Sequence[str]) -> dict[str, tuple[str, str, str]]:
        """Type, status and domain of documents, "" where unknown."""
        ...

    def changes_after(self, sequence: int, limit: int) -> list[Change]:
        """The change log."""
        ...


_Moment: TypeAlias = tuple[int, Mask, Scope]


def _same(one: _Moment, other: _Moment) -> bool:
    """Whether nothing has changed; rows that moved or died are another array."""
    return one[0] == other[0] and one[1] is other[1] and one[2] == other[2]


class _Column:
    """Text values by chunk number, as codes; -1 where there is no chunk."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.by_number = np.full(0, -1, dtype=np.int32)

    def extend(self, size: int) -> None:
        if size > len(self.by_number):
            more = np.full(size + size // 8 - len(self.by_number), -1, dtype=np.int32)
            self.by_number = np.concatenate((self.by_number, more))

    def put(self, numbers: NDArray[np.int64], values: Sequence[str]) -> None:
        codes = self.codes
        coded = np.fromiter(
            (codes.setdefault(v, len(codes)) for v in values), dtype=np.int32, count=len(values)
        )
        self.by_number[numbers] = coded


class ScopeColumns:
    """The columns of one namespace; bound to the postings whose rows it answers for."""

    def __init__(self, rows: ScopeRows, postings: Postings) -> None:
        self._rows = rows
        self._postings = postings
        self.clear()

    def clear(self) -> None:
        """Drop everything that was read."""
        self._last: tuple[_Moment, Mask] | None = None
        self._sequence = -1
        self._columns = {name: _Column() for name in ScopedChunk._fields[1:]}
        self._documents = np.zeros((0, 3), dtype=np.int32)
        self._properties: dict[str, int] = {}
        self._gathered: dict[str, NDArray[np.int32]] = {}
        self._gathered_for: NDArray[np.int64] | None = None

    def mask(self, scope: Scope, sequence: int) -> Mask:
        """The live rows that `scope` admits; `chunk_ids` is the caller's to add. A search asks for
        the same scope again and again: the last one is remembered."""
        moment = sequence, self._postings.alive, scope
        if self._last is None or not _same(self._last[0], moment):
            self._last = moment, self._made(scope, sequence)
        return self._last[1].copy()

    def values(self, name: Filter, sequence: int) -> list[str]:
        """The values that live rows have under a set of a scope, sorted; no blanks."""
        self._follow(sequence)
        alive = self._postings.alive
        if name == "source_types":
            cells, codes = self._gather("source_type")[alive], self._columns["source_type"].codes
        else:
            documents = self._gather("document_id")[alive]
            cells, codes = self._documents[documents, _OF_DOCUMENTS.index(name)], self._properties
        present = set(np.unique(cells).tolist())
        return sorted(value for value, code in codes.items() if value and code in present)

    def _made(self, scope: Scope, sequence: int) -> Mask:
        self._follow(sequence)
        mask = self._postings.alive.copy()
        for name, allowed in (
            ("profile", scope.profiles),
            ("group", scope.groups),
            ("source_type", scope.source_types),
            ("document_id", scope.document_ids),
        ):
            if allowed:
                mask &= self._among(self._gather(name), self._columns[name].codes, allowed)
        for position, name in enumerate(_OF_DOCUMENTS):
            if allowed := getattr(scope, name):
                values = self._documents[:, position][self._gather("document_id")]
                mask &= self._among(values, self._properties, allowed)
        self._bound(mask, scope)
        return mask

    def _among(
        self, values: NDArray[np.int32], codes: dict[str, int], allowed: Collection[str]
    ) -> Mask:
        known = [codes[w] for w in allowed if w in codes]
        if len(known) == 1:
            return values == known[0]
        admitted = np.zeros(len(codes) + 1, dtype=np.bool_)
        admitted[known] = True
        return admitted[values]  # -1 looks at the last entry, which is never admitted

    def _bound(self, mask: Mask, scope: Scope) -> None:
        if scope.before is None and scope.after is None:
            return
        ranks = self._gather("rank")
        if scope.before is not None:
            mask &= ranks < bisect_left(self._times, scope.before)
        if scope.after is not None:
            mask &= ranks >= bisect_left(self._times, scope.after)

    def _gather(self, name: str) -> NDArray[np.int32]:
        known = self._gathered.get(name)
        if known is None:
            if name == "rank":
                codes = self._columns["observed_at"].codes
                self._times = sorted(codes)
                rank = np.full(len(codes) + 1, -1, dtype=np.int32)
                rank[[codes[t] for t in self._times]] = np.arange(len(codes), dtype=np.int32)
                known = rank[self._gather("observed_at")]
            else:
                column, numbers = self._columns[name], self._postings.numbers
                if len(numbers):  # dead rows may stand above the last live one
                    column.extend(int(numbers.max()) + 1)
                known = column.by_number[numbers]
            self._gathered[name] = known
        return known

    def _follow(self, sequence: int) -> None:
        if sequence != self._sequence:
            if self._sequence < 0 or not self._catch_up():
                self.clear()
                self._put(self._rows.standings())
                self._read_documents(list(self._columns["document_id"].codes))
            self._sequence, self._gathered_for = sequence, None
        if self._gathered_for is not self._postings.numbers:
            self._gathered, self._gathered_for = {}, self._postings.numbers

    def _catch_up(self) -> bool:
        changes = self._rows.changes_after(self._sequence, _FOLLOW)
        if len(changes) == _FOLLOW:
            return False
        known = len(self._columns["document_id"].codes)
        chunks = [c.record_id for c in changes if c.kind == "chunk" and c.operation == "put"]
        episodes = [c.record_id for c in changes if c.kind == "episode" and c.operation == "put"]
        if chunks or episodes:
            self._put(self._rows.standings_of(chunks, episodes))
        codes = self._columns["document_id"].codes
        touched = {c.record_id for c in changes if c.kind == "entity"}
        if episodes:  # when they were observed decides which of a document's sources is believed
            touched |= self._rows.entities_of(episodes)
        touched &= codes.keys()
        self._read_documents([*sorted(touched), *list(codes)[known:]])
        return True

    def _put(self, standings: Iterable[ScopedChunk]) -> None:
        rows = list(standings)
        if not rows:
            return
        numbers = np.array([row.number for row in rows], dtype=np.int64)
        for position, (_, column) in enumerate(self._columns.items(), 1):
            column.extend(int(numbers.max()) + 1)
            column.put(numbers, [str(row[position]) for row in rows])

    def _read_documents(self, document_ids: Sequence[str]) -> None:
        codes = self._columns["document_id"].codes
        if len(codes) > len(self._documents):
            more = np.full((len(codes) - len(self._documents), 3), -1, dtype=np.int32)
            self._documents = np.concatenate((self._documents, more))
        found = self._rows.document_properties(document_ids) if document_ids else {}
        for document_id in document_ids:
            values = found.get(document_id, ("", "", ""))
            self._documents[codes[document_id]] = [
                self._properties.setdefault(v, len(self._properties)) for v in values
            ]

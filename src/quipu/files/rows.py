"""Rows out of the pages of a SQLite file that may be damaged, page by page.

A page that is as it was written is read though the pages that lead to it are not, which SQLite
itself cannot do. https://sqlite.org/fileformat2.html
"""

import shutil
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

import apsw

from quipu.files import checked, private
from quipu.files.checked import page_size
from quipu.files.whole import damaged_pages

__all__ = ["Row", "Rows", "read_rows"]

Value: TypeAlias = "int | float | str | bytes | None"
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)


class Row(NamedTuple):
    """A row of a table, with its rowid, or an entry of an index (0)."""

    rowid: int
    values: tuple[Value, ...]


class Rows(NamedTuple):
    """All rows that can be read; `pages` how many there are, `damaged` which are not whole."""

    tables: list[Row]
    indexes: list[Row]
    pages: int
    damaged: list[int]


def read_rows(path: Path, scratch: Path) -> Rows:
    """The rows of the file at `path` and of its log, as far as it is whole; neither is changed.
    `scratch` is a folder for a copy."""
    copy = scratch / "copy.db"
    for source, target in zip(
        checked.database_files(path)[:2], checked.database_files(copy)[:2], strict=True
    ):
        if source.is_file():
            private.touch(target)
            shutil.copyfile(source, target)
    with suppress(apsw.Error):  # what cannot be opened has no log that is of use
        connection = checked.connect(copy)
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            connection.close(True)
    reader = _Reader(copy)
    tables, indexes = reader.rows()
    return Rows(tables, indexes, reader.count, reader.damaged)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._size = page_size(self._data[:100]) or checked.PAGE_BYTES
        self.count = -(-len(self._data) // self._size)
        self.damaged = damaged_pages(path, self._size)
        self._usable = self._size - checked.RESERVED
        self._bad = frozenset(self.damaged)

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Rows of tables, entries of indexes."""
        tables: list[Row] = []
        indexes: list[Row] = []
        for number in range(1, self.count + 1):
            page = self._page(number)
            start = 100 if number == 1 else 0
            kind = page[start] if len(page) == self._size else 0
            if kind in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR):
                (tables if kind == _TABLE_LEAF else indexes).extend(self._cells(page, start, kind))
        return tables, indexes

    def _page(self, number: int) -> bytes:
        if number in self._bad:
            return b""
        return self._data[(number - 1) * self._size : number * self._size]

    def _cells(self, page: bytes, start: int, kind: int) -> Iterator[Row]:
        head = start + (12 if kind == _INDEX_INTERIOR else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for cell in range(count):
            at = int.from_bytes(page[head + 2 * cell : head + 2 * cell + 2], "big")
            with suppress(ValueError, IndexError, struct.error):  # no cell of a page that is whole
                yield self._row(page, at + (4 if kind == _INDEX_INTERIOR else 0), kind)

    def _row(self, page: bytes, at: int, kind: int) -> Row:
        length, at = _varint(page, at)
        rowid = 0
        if kind == _TABLE_LEAF:
            rowid, at = _varint(page, at)
        return Row(rowid, _values(self._payload(page, at, length, kind)))

    def _payload(self, page: bytes, at: int, length: int, kind: int) -> bytes:
        """What stands in the page, then what overflows."""
        usable = self._usable
        least = (usable - 12) * 32 // 255 - 23
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return page[at : at + length]
        fits = least + (length - least) % (usable - 4)
        here = fits if fits <= most else least
        pieces = [page[at : at + here]]
        following, missing = int.from_bytes(page[at + here : at + here + 4], "big"), length - here
        while missing > 0:
            more = self._page(following)
            if not following or len(more) < self._size:
                raise ValueError(f"page {following} is damaged")
            pieces.append(more[4 : 4 + min(missing, usable - 4)])
            missing -= len(pieces[-1])
            following = int.from_bytes(more[:4], "big")
        return b"".join(pieces)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for n in range(9):
        byte = data[at + n]
        if n == 8:
            value = value << 8 | byte
            return value - (1 << 64 if value >> 63 else 0), at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    raise ValueError("no number")


def _values(payload: bytes) -> tuple[Value, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at != len(payload):
        raise ValueError("a row of another length")
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind in (8, 9):
        return kind - 8, at
    if kind < len(_INTEGER_BYTES):
        width = _INTEGER_BYTES[kind]
        return (
            int.from_bytes(payload[at : at + width], "big", signed=True) if kind else None,
            at + width,
        )
    if kind == 7:
        return struct.unpack(">d", payload[at : at + 8])[0], at + 8
    width = (kind - 12) // 2
    piece = payload[at : at + width]
    return (piece.decode() if kind % 2 else piece), at + width

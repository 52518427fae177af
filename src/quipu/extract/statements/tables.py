"""What a table says of the thing that each of its rows names: a table of Markdown, Org or AsciiDoc,
or text of which every line has the same columns.

    | service | owner |        the owner of ratequote is Mikkel
    |---------|-------|   →
    | ratequote | Mikkel |

The first column names, so what stands there is a name and stands in one table once; the heads of
the others say what is told. Columns of prose, tables of data, and the many tables of a reference
are none.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.extract.statements.statement import Statement, clean, is_name, is_object
from quipu.records.fact_keys import TABLED

__all__ = ["table_statements"]

_CONFIDENCE = 0.85
_MOST_TABLES, _MOST_ROWS, _MOST_COLUMNS, _LEAST_COLUMNS, _LEAST_ROWS = 5, 200, 12, 2, 2
_LONGEST_NAME, _LONGEST_HEAD, _LONGEST_CELL = 6, 4, 8
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*[|+])*\s*:?-{2,}:?\s*\|?\s*")
_FENCE = "|==="
_CELL = re.compile(r"(?:(?<=\s)|^)[a-z]?(?<!\\)\|")
_PIPE = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_MARKS = re.compile(r"[`*]|(?<!\w)_|_(?!\w)")
_NOTHING = frozenset({"", "-", "–", "—", "?", "n/a", "na", "tbd", "todo", "…", "..."})
_DELIMITERS = ",;\t"
_SENTENCE = re.compile(r"[.!?]\W*$")


class _Row(NamedTuple):
    """The cells of a line, and where that stands in the text."""

    cells: tuple[str, ...]
    start: int
    end: int


def table_statements(text: str) -> Iterator[Statement]:
    """The statements of the tables in `text`, row by row."""
    lines = list(_lines(text))
    tables = [*_piped(lines), *_fenced(lines), *_delimited(lines)]
    counted = Counter(row.cells[0] for _, rows in tables for row in rows)
    for head, rows in tables if len(tables) <= _MOST_TABLES else ():
        if all(counted[row.cells[0]] == 1 and _is_named(row.cells[0]) for row in rows):
            yield from _of_table(head, rows)


def _is_named(cell: str) -> bool:
    return is_name(cell, longest=_LONGEST_NAME) and any(c.isalpha() for c in cell)


def _lines(text: str) -> Iterator[tuple[str, int]]:
    start = 0
    for line in text.split("\n"):
        yield line, start
        start += len(line) + 1


def _piped(lines: Sequence[tuple[str, int]]) -> Iterator[tuple[_Row, list[_Row]]]:
    """The tables of Markdown and Org: a head, a rule, and rows."""
    at = 1
    while at < len(lines):
        head, at = lines[at - 1], at + 1
        if "|" not in head[0] or not _RULE.fullmatch(lines[at - 1][0]):
            continue
        first = at
        while at < len(lines) and "|" in lines[at][0]:
            at += 1
        yield _row(*head), [_row(*line) for line in lines[first:at]]


def _fenced(lines: Sequence[tuple[str, int]]) -> Iterator[tuple[_Row, list[_Row]]]:
    """The tables of AsciiDoc: cells between two fences, as many in a row as on the first line."""
    fences = [at for at, (line, _) in enumerate(lines) if line.strip() == _FENCE]
    for first, last in zip(fences[::2], fences[1::2], strict=False):
        cells: list[_Row] = []
        width = 0
        for line, start in lines[first + 1 : last]:
            before, *found = _CELL.split(line)
            end = start + len(line)
            if before.strip() and cells:
                said = (f"{cells[-1].cells[0]} {_plain(before)}".strip(),)
                cells[-1] = cells[-1]._replace(cells=said, end=end)
            cells += [_Row((_plain(cell),), start, end) for cell in found]
            width = width or len(found)
        rows = [
            _Row(tuple(c.cells[0] for c in row), row[0].start, row[-1].end)
            for row in (cells[at : at + width] for at in range(0, len(cells), width or 1))
        ]
        if rows:
            yield rows[0], rows[1:]


def _row(line: str, start: int) -> _Row:
    return _Row(_cells(line), start, start + len(line))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(_plain(cell) for cell in _PIPE.split(line.strip().strip("|")))


def _delimited(lines: Sequence[tuple[str, int]]) -> Iterator[tuple[_Row, list[_Row]]]:
    """A text that is a table as a whole: comma, semicolon or tab stand between its columns."""
    written = [(line, start) for line, start in lines if line.strip()]
    if not _LEAST_ROWS < len(written) <= _MOST_ROWS + 1:
        return
    for delimiter in _DELIMITERS:
        if delimiter in written[0][0]:
            rows = [
                _Row(_split(line, delimiter), start, start + len(line)) for line, start in written
            ]
            if len({len(row.cells) for row in rows}) == 1 and not _ends_sentences(written):
                yield rows[0], rows[1:]
                return


def _split(line: str, delimiter: str) -> tuple[str, ...]:
    return tuple(_plain(cell) for cell in next(csv.reader([line], delimiter=delimiter), ()))


def _ends_sentences(lines: Sequence[tuple[str, int]]) -> bool:
    """Whether a line may as well be a sentence with commas."""
    return any(_SENTENCE.search(line) for line, _ in lines)


def _plain(cell: str) -> str:
    """A cell without its marks; nothing, where it is a sentence."""
    bare = _MARKS.sub("", _LINK.sub(r"\1", cell.replace("\\|", "|")))
    return "" if _SENTENCE.search(bare) else clean(bare)


def _of_table(head: _Row, rows: Sequence[_Row]) -> Iterator[Statement]:
    width = len(head.cells)
    known = bool(head.cells[0]) and len(set(head.cells)) == width
    if not (known and _LEAST_COLUMNS <= width <= _MOST_COLUMNS and len(rows) <= _MOST_ROWS):
        return
    told = [at for at in range(1, width) if _is_attribute(head.cells[at])]
    for row in rows:
        for at in told:
            if at < len(row.cells) and _is_value(row.cells[at]):
                yield _statement(row, head.cells[at], row.cells[at])


def _is_attribute(head: str) -> bool:
    words = head.split()
    return 0 < len(words) <= _LONGEST_HEAD and words[0][0].isalpha()


def _is_value(cell: str) -> bool:
    short = len(cell.split()) <= _LONGEST_CELL
    return short and cell.lower() not in _NOTHING and is_object(cell)


def _statement(row: _Row, attribute: str, value: str) -> Statement:
    return Statement(
        row.cells[0],
        attribute.replace("_", " ").lower(),
        value,
        None,
        None,
        row.start,
        row.end,
        TABLED,
        _CONFIDENCE,
        single=True,
        noun=True,
        since=True,
    )

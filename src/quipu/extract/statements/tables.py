"""What a table says of the thing that each of its rows names: a table of Markdown, Org or AsciiDoc,
text that is CSV as a whole, or records of JSON, one a line.

    | service | owner |        the owner of ratequote is Mikkel
    |---------|-------|   →
    | ratequote | Mikkel |

The first column names, so what stands there is a name and stands in one table once; the heads of
the others say what is told. A number names only with a head that says so: 1042 under `order_id` is
"order 1042". Of JSON it is the first key of that kind that names the record. Columns of prose,
tables of data, and the many tables of a reference are none.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from quipu.extract.statements.statement import CONFIDENCE, Statement, clean, is_name, is_object
from quipu.facts.keys import TABLED

__all__ = ["table_statements"]

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
_NAMING = re.compile(r"(?:(.*)[_\s-])?(?:id|key|no|nr|number|№)", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class _Row(NamedTuple):
    """The cells of a line, and where that stands in the text."""

    cells: tuple[str, ...]
    start: int
    end: int


def table_statements(text: str) -> Iterator[Statement]:
    """The statements of the tables in `text`, row by row."""
    lines = list(_lines(text))
    found = [*_piped(lines), *_fenced(lines), *_delimited(lines), *_records(lines)]
    tables = [(head, _with_names(head, rows)) for head, rows in found]
    counted = Counter(row.cells[0] for _, rows in tables for row in rows)
    for head, rows in tables if len(tables) <= _MOST_TABLES else ():
        if all(counted[row.cells[0]] == 1 and _is_named(row.cells[0]) for row in rows):
            yield from _of_table(head, rows)


def _is_named(cell: str) -> bool:
    return is_name(cell, longest=_LONGEST_NAME) and any(c.isalpha() for c in cell)


def _with_names(head: _Row, rows: Sequence[_Row]) -> list[_Row]:
    """The rows, of which numbers in the first column are names with what its head counts."""
    naming = _naming(head.cells[0])
    if naming is None:
        return list(rows)
    counted = (naming[1] or head.cells[0]).replace("_", " ").lower()
    return [
        row._replace(cells=(f"{counted} {row.cells[0]}", *row.cells[1:]))
        if row.cells[0].isdigit()
        else row
        for row in rows
    ]


def _naming(head: str) -> re.Match[str] | None:
    """What a head says of what it tells apart (`order` of `order_id`, `orderId`), if it does."""
    return _NAMING.fullmatch(_CAMEL.sub("_", head))


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
    for delimiter in _DELIMITERS:
        rows = _split(lines, delimiter)
        if _LEAST_ROWS < len(rows) <= _MOST_ROWS + 1:
            yield rows[0], rows[1:]
            return


def _split(lines: Sequence[tuple[str, int]], delimiter: str) -> list[_Row]:
    """The rows of CSV, each with the lines that it takes: a quoted cell may go over several. None
    where the columns are not the same in each, or a row may as well be a sentence with commas."""
    reader = csv.reader((line + "\n" for line, _ in lines), delimiter=delimiter, strict=True)
    rows: list[_Row] = []
    first = 0
    try:
        for cells in reader:
            line, start = lines[reader.line_num - 1]
            if any(map(str.strip, cells)):
                rows.append(_Row(tuple(map(_plain, cells)), lines[first][1], start + len(line)))
                uneven = len(cells) < _LEAST_COLUMNS or len(cells) != len(rows[0].cells)
                if uneven or line.rstrip().endswith((".", "!", "?")):
                    return []
            if len(rows) > _MOST_ROWS + 1:
                return []
            first = reader.line_num
    except csv.Error:
        return []
    return rows


def _records(lines: Sequence[tuple[str, int]]) -> Iterator[tuple[_Row, list[_Row]]]:
    """Records of JSON, one a line, as the rows of one table: its heads are their keys."""
    written = [(line, start) for line, start in lines if line.strip()]
    if len(written) > _MOST_ROWS or not all(line.lstrip()[0] == "{" for line, _ in written):
        return
    try:
        records = [cast("dict[str, object]", json.loads(line)) for line, _ in written]
    except (ValueError, RecursionError):
        return
    heads = list(dict.fromkeys(key for record in records for key in record))
    naming = next((key for key in heads if _naming(key)), None)
    if naming is None:
        return
    heads.remove(naming)
    rows = [
        _Row(
            tuple(_plain(_shown(record.get(key))) for key in (naming, *heads)),
            start,
            start + len(line),
        )
        for record, (line, start) in zip(records, written, strict=True)
    ]
    yield _Row((naming, *heads), 0, 0), rows


def _shown(value: object) -> str:
    """A value of JSON as a cell; nothing for what is nested."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


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
        CONFIDENCE,
        single=True,
        noun=True,
        since=True,
    )

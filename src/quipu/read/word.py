"""Word documents by python-docx, turned into Markdown, which the Markdown reader then reads."""

import io
import re
import zipfile
from collections.abc import Iterator

import docx
from docx.table import Table, _Cell  # pyright: ignore[reportPrivateUsage]
from docx.text.paragraph import Paragraph

from quipu.errors import InvalidInput
from quipu.read.decode import normalised

_LARGEST_UNPACKED = 100_000_000
_HEADING = re.compile(r"(?i)heading\s*(\d)")


def word_as_markdown(data: bytes) -> tuple[str, str]:
    """The document's text as Markdown, and its title property ("" without one).

    Raises InvalidInput for what is no whole Word document.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
        if unpacked > _LARGEST_UNPACKED:
            raise InvalidInput(f"would unpack to {unpacked} bytes; it was left out")
        document = docx.Document(io.BytesIO(data))
        text = "\n\n".join(_blocks(document.iter_inner_content()))
        title = document.core_properties.title or ""
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(f"cannot be read as a Word document: {error!s:.200}") from error
    return normalised(text), " ".join(normalised(title).split())


def _blocks(content: Iterator[Paragraph | Table]) -> Iterator[str]:
    items: list[str] = []
    for block in content:
        if isinstance(block, Table):
            written = _table(block)
        else:
            written = _paragraph(block)
            if written.startswith("- "):
                items.append(written)
                continue
        if items:
            yield "\n".join(items)
            items = []
        if written:
            yield written
    if items:
        yield "\n".join(items)


def _paragraph(paragraph: Paragraph) -> str:
    text = " ".join(paragraph.text.split())
    style = paragraph.style.name if paragraph.style and paragraph.style.name else ""
    if not text:
        return ""
    if heading := _HEADING.match(style):
        return f"{'#' * min(int(heading[1]) or 1, 6)} {text}"
    if style == "Title":
        return f"# {text}"
    return f"- {text}" if style.startswith("List") else text


def _table(table: Table) -> str:
    # Not `row.cells`: it repeats a cell for every column that it says it spans, and looks for the
    # first cell of a column by recursion.
    rows = [
        ["" if tc.vMerge == "continue" else _cell_text(_Cell(tc, table)) for tc in row._tr.tc_lst]  # pyright: ignore[reportPrivateUsage]
        for row in table.rows
    ]
    if not rows:
        return ""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join((head, f"|{' --- |' * len(rows[0])}", *body))


def _cell_text(cell: _Cell) -> str:
    return " ".join(cell.text.split()).replace("|", "/")

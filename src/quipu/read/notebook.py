"""Jupyter notebooks, turned into Markdown: prose as it is, code in fences, outputs left out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from quipu.errors import InvalidInput

_FENCES = re.compile(r"`{3,}")


def notebook_as_markdown(text: str) -> str:
    """The cells of a notebook. Raises InvalidInput for what is none, or not whole."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"is no whole notebook: {error}") from error
    notebook = _table(data)
    cells = notebook.get("cells")
    if cells is None:  # before version 4 they stood in worksheets
        sheets = notebook.get("worksheets")
        listed = cast("list[object]", sheets) if isinstance(sheets, list) else []
        cells = _table(listed[0] if listed else None).get("cells")
    if not isinstance(cells, list):
        raise InvalidInput("is no notebook: it has no cells")
    language = _language(_table(notebook.get("metadata")))
    return "\n\n".join(_cells(cast("list[object]", cells), language)) + "\n"


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _language(metadata: Mapping[str, Any]) -> str:
    for key, inner in (("language_info", "name"), ("kernelspec", "language")):
        name = _table(metadata.get(key)).get(inner)
        if isinstance(name, str) and name:
            return name
    return "python"


def _cells(cells: list[object], language: str) -> Iterator[str]:
    for cell in cells:
        table = _table(cell)
        source = table.get("source", table.get("input", ""))
        if isinstance(source, list):
            source = "".join(str(line) for line in cast("list[object]", source))
        if not isinstance(source, str) or not source.strip():
            continue
        source = source.strip("\n")
        if table.get("cell_type") == "code":
            marks = max((len(run) for run in _FENCES.findall(source)), default=2) + 1
            fence = "`" * max(marks, 3)
            yield f"{fence}{language}\n{source}\n{fence}"
        else:
            yield source

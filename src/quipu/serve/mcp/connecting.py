"""The profile `search-fetch`: `search(query)` and `fetch(id)`, as research connectors expect."""

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import quote

import msgspec
from msgspec import Meta

from quipu.errors import UnknownRecord
from quipu.memory import Memory
from quipu.memory.excerpts import read_lines
from quipu.records.record import Chunk, Entity, Episode
from quipu.serve.operations import Tool, operation

__all__: list[str] = []

_RESULTS = 10
_LONGEST = 100_000


class SearchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A result."""

    id: Annotated[str, "what `fetch` takes"]
    title: Annotated[str, "what it is called"]
    url: Annotated[str, "its address"]


class SearchRows(msgspec.Struct, frozen=True, kw_only=True):
    """`search`."""

    results: Annotated[tuple[SearchRow, ...], "the documents, best first"]


class FetchedText(msgspec.Struct, frozen=True, kw_only=True):
    """`fetch`: the whole text, and where it comes from."""

    id: Annotated[str, "what was fetched"]
    title: Annotated[str, "what it is called"]
    text: Annotated[str, "the whole text"]
    url: Annotated[str, "its address"]
    metadata: Annotated[dict[str, str], "its type and time, and whether it was cut"]


@operation("read", Tool("search", "Search"))
def search(
    memory: Memory, query: Annotated[str, "what to look for", Meta(max_length=20_000)]
) -> SearchRows:
    """Search the memory. Gives ids, titles and addresses; fetch reads one."""
    rows: dict[str, SearchRow] = {}
    for hit in memory.search(query, limit=_RESULTS * 2).hits:
        row = SearchRow(id=hit.path, title=hit.title or hit.path, url=_address(hit.path))
        rows.setdefault(hit.path, row)
    return SearchRows(results=tuple(rows.values())[:_RESULTS])


@operation("read", Tool("fetch", "Fetch"))
def fetch(
    memory: Memory,
    id: Annotated[str, "an id that search gave"],  # noqa: A002
) -> FetchedText:
    """Read one document of the memory, whole, by the id that search gave."""
    found = read_lines(memory, id, max_characters=_LONGEST)
    title, metadata = _about(memory, id)
    metadata |= {"truncated": "true"} if found.truncated else {}
    return FetchedText(
        id=id, title=title or id, text=found.text, url=_address(id), metadata=metadata
    )


def _address(path: str) -> str:
    """A URL: the source's own if it is one, else a name that only this memory resolves."""
    return path if path.startswith(("http://", "https://")) else f"quipu://{quote(path)}"


def _about(memory: Memory, ref: str) -> tuple[str, dict[str, str]]:
    try:
        record = memory.get(ref)
    except UnknownRecord:
        return "", {}
    if isinstance(record, Entity):
        return record.name, _plain(
            [("type", record.properties.get("type")), ("updated_at", record.updated_at)]
        )
    if isinstance(record, Episode):
        return record.preview_text[:80], _plain(
            [("source_type", record.source_type), ("observed_at", record.observed_at)]
        )
    return (record.title, {}) if isinstance(record, Chunk) else ("", {})


def _plain(pairs: Iterable[tuple[str, object]]) -> dict[str, str]:
    return {key: str(value) for key, value in pairs if value}

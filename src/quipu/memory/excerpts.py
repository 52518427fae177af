"""Reading back what is remembered, by lines: files, entries, sessions and single turns.

Nothing is opened: the text comes from the store, so no path leads out of it.
"""

import re
from typing import TYPE_CHECKING

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.handle.lookup import Passage, chunks_of, lines_of, look_up
from quipu.kinds.reports.model import REPORT
from quipu.memory.freshness import CHANGED
from quipu.records.record import Chunk, Entity, Episode, Record
from quipu.records.refs import session_ref

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["read_lines"]

_SESSION = re.compile(r"session:(?P<id>[^#]+)(?:#(?P<first>\d+)(?:-(?P<last>\d+))?)?")
_END = 10**9


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """Lines `start_line` to `end_line` of `path`; `truncated` when more was asked for than
    fits, `changed` where its file is not as it was read."""

    path: str
    text: str
    start_line: int
    end_line: int
    truncated: bool
    changed: str | msgspec.UnsetType = msgspec.UNSET


def read_lines(
    memory: "Memory",
    path: str,
    *,
    first: int = 1,
    count: int | None = None,
    max_characters: int = 20_000,
) -> Excerpt:
    """`count` lines of `path` from line `first` (1-based; default: all), as they are remembered.

    `path` is a file's, an entry's id, a report's reference, `session:<id>` (a line a turn) or
    `session:<id>#4-9`. Raises UnknownRecord with the nearest, InvalidInput for lines that are
    no range.
    """
    if first < 1 or (count is not None and count < 1):
        raise InvalidInput(f"from {first!r} with {count!r} lines is no range: count from 1")
    lines, changed = _lines_of(memory, path)
    last = _END if count is None else first + count - 1
    chosen = {number: line for number, line in lines.items() if first <= number <= last}
    if not chosen:
        end = max(lines, default=0)
        raise UnknownRecord(f"{path!r} has no text from line {first}; it ends at line {end}")
    excerpt = _within(path, chosen, max_characters)
    return msgspec.structs.replace(excerpt, changed=CHANGED) if changed else excerpt


def _within(path: str, lines: dict[int, str], room: int) -> Excerpt:
    taken: list[str] = []
    start = end = min(lines)
    whole = True
    for number in range(start, max(lines) + 1):
        line = lines.get(number, "")
        if len(line) + 1 > room:
            whole = False
            taken = taken or [line[:room]]
            break
        taken.append(line)
        end = number
        room -= len(line) + 1
    text = "\n".join(taken)
    return Excerpt(path=path, text=text, start_line=start, end_line=end, truncated=not whole)


def _lines_of(memory: "Memory", path: str) -> tuple[dict[int, str], bool]:
    """The lines, and whether the file that they are of has changed since it was read."""
    if match := _SESSION.fullmatch(path.strip()):
        return _said(memory, match), False
    found, changes = memory.freshness.looked_up(lambda: look_up(memory.graph, path))
    return _text_of(memory, path, found), bool(changes)


def _text_of(memory: "Memory", path: str, found: Record | Passage) -> dict[int, str]:
    if isinstance(found, Passage):
        rows = found.text.split("\n")
        return dict(enumerate(rows, found.start_line))
    if isinstance(found, Episode) and found.document_id:
        return lines_of(chunks_of(memory.store, found.document_id))
    if isinstance(found, Episode) and found.source_type == REPORT:
        return dict(enumerate((found.summary_text or "").split("\n"), 1))
    if isinstance(found, Entity):
        if lines := lines_of(chunks_of(memory.store, found.entity_id)):
            return lines
        raise UnknownRecord(f"{path!r} is a {found.type}, which has no text of its own")
    if isinstance(found, Chunk):
        return dict(enumerate(found.text.split("\n"), found.start_line))
    raise UnknownRecord(f"{path!r} names no text: give a path, an entry's id or a session")


def _said(memory: "Memory", match: re.Match[str]) -> dict[int, str]:
    """A session's turns, a line each and numbered as they are; of one turn, its own lines."""
    session = memory.get(session_ref(match["id"]))
    document_id = session.entity_id if isinstance(session, Entity) else None
    if document_id is None:
        raise UnknownRecord(f"{match.group()!r} names no session that is remembered")
    chunks = chunks_of(memory.store, document_id)
    if match["first"] is None:
        return {chunk.position: _turn(chunk) for chunk in chunks}
    first = int(match["first"])
    last = int(match["last"] or first)
    asked = [chunk for chunk in chunks if first <= chunk.position <= last]
    if first == last and asked:
        return dict(enumerate(asked[0].text.split("\n"), 1))
    return {chunk.position: _turn(chunk) for chunk in asked}


def _turn(chunk: Chunk) -> str:
    said = " ".join(chunk.text.split())
    return f"{chunk.title}: {said}" if chunk.title else said

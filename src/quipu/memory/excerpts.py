"""Reading back what is remembered, by lines: files, entries, sessions and single turns.

Nothing is opened: the text comes from the store, so no path leads out of it.
"""

import re
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.handle.lookup import Passage, chunks_of, lines_of, look_up
from quipu.limits import LONGEST_PASSAGE
from quipu.memory.freshness import CHANGED
from quipu.records.record import Chunk, Entity, Episode
from quipu.records.refs import session_ref

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Lines", "read_lines"]

_SESSION = re.compile(r"session:(?P<id>[^#]+)(?:#(?P<first>\d+)(?:-(?P<last>\d+))?)?")
_END = 10**9


class Lines(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`memory_get`."""

    path: Annotated[str, "what was read"]
    text: Annotated[str, "the lines"]
    start_line: Annotated[int, "the first of them, from 1"]
    end_line: Annotated[int, "the last, included"]
    truncated: Annotated[bool, "more was asked for than fits"]
    changed: Annotated[
        str | msgspec.UnsetType,
        "`changed since it was read`, where the file is not as it was read",
    ] = msgspec.UNSET


def read_lines(memory: "Memory", path: str, *, first: int = 1, count: int | None = None) -> Lines:
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
    excerpt = _within(path, chosen, LONGEST_PASSAGE)
    return msgspec.structs.replace(excerpt, changed=CHANGED) if changed else excerpt


def _within(path: str, lines: dict[int, str], room: int) -> Lines:
    """The first lines that fit, and at least what fits of the first one."""
    start = end = min(lines)
    taken: list[str] = []
    for number in range(start, max(lines) + 1):
        line = lines.get(number, "")
        room -= len(line) + 1
        if room < 0:
            taken = taken or [line[: room + len(line) + 1]]
            break
        taken.append(line)
        end = number
    return Lines(
        path=path, text="\n".join(taken), start_line=start, end_line=end, truncated=room < 0
    )


def _lines_of(memory: "Memory", path: str) -> tuple[dict[int, str], bool]:
    """The lines, and whether the file that they are of has changed since it was read."""
    if match := _SESSION.fullmatch(path.strip()):
        return _turns(memory, match), False
    found, changes = memory.freshness.looked_up(lambda: look_up(memory.graph, path))
    match found:
        case Passage() | Chunk():
            lines = dict(enumerate(found.text.split("\n"), found.start_line))
        case Episode(source_type="report"):
            lines = dict(enumerate((found.summary_text or "").split("\n"), 1))
        case Episode():
            lines = lines_of(chunks_of(memory.store, found.document_id or ""))
        case Entity():
            lines = lines_of(chunks_of(memory.store, found.entity_id))
        case _:
            lines = {}
    if not lines:
        raise UnknownRecord(f"{path!r} has no text: give a path, an entry's id or a session")
    return lines, bool(changes)


def _turns(memory: "Memory", match: re.Match[str]) -> dict[int, str]:
    """A session's turns, a line each and numbered as they are; of one turn, its own lines."""
    session = memory.get(session_ref(match["id"]))
    if not isinstance(session, Entity):
        raise UnknownRecord(f"{match.group()!r} names no session that is remembered")
    first = int(match["first"] or 0)
    last = int(match["last"] or first or _END)
    chunks = chunks_of(memory.store, session.entity_id)
    asked = [chunk for chunk in chunks if first <= chunk.position <= last]
    if first == last and asked:
        return dict(enumerate(asked[0].text.split("\n"), 1))
    return {chunk.position: _turn(chunk) for chunk in asked}


def _turn(chunk: Chunk) -> str:
    said = " ".join(chunk.text.split())
    return f"{chunk.title}: {said}" if chunk.title else said

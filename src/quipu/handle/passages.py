"""Lines of what is remembered: of a document, of one turn of a session, of several turns."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.ports import Planner
from quipu.records.naming import document_entity_id
from quipu.records.record import Chunk
from quipu.records.refs import session_ref

__all__ = ["Passage", "passage", "turns_at"]

_TURNS = re.compile(
    r"session:(?P<session>.+)#(?P<from>\d+)(?:-(?P<to>\d+))?"
    r"(?:(?::|#L)(?P<first>\d+)(?:-L?(?P<last>\d+))?)?",
    re.DOTALL,
)


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a document as they are remembered; both ends are lines that are really there.

    Lines of a turn (`session:s#3`) are counted within it; of several turns (`session:s#3-5`),
    within them one after the other.
    """

    path: Annotated[str, "the document's path"]
    start_line: Annotated[int, "its first line, from 1"]
    end_line: Annotated[int, "its last line, included"]
    text: Annotated[str, "those lines"]
    document_id: Annotated[str, "the document"]
    chunk_ids: Annotated[tuple[str, ...], "the chunks the lines lie in"]


def passage(path: str, document_id: str, chunks: Sequence[Chunk], first: int, last: int) -> Passage:
    """Lines `first` to `last` of what `chunks` hold; InvalidInput for no range, UnknownRecord
    where no line is."""
    if not 1 <= first <= last:
        raise InvalidInput(f"lines {first}-{last} are no range: count from 1, first before last")
    lines = _lines(chunks)
    held = [n for n in sorted(lines) if first <= n <= last]
    if not held:
        end = max(lines, default=0)
        raise UnknownRecord(f"{path!r} has no text in lines {first}-{last}; it ends at line {end}")
    text = "\n".join(lines.get(n, "") for n in range(held[0], held[-1] + 1))
    return Passage(
        path=path,
        start_line=held[0],
        end_line=held[-1],
        text=text,
        document_id=document_id,
        chunk_ids=tuple(c.chunk_id for c in chunks if c.start_line <= last and c.end_line >= first),
    )


def turns_at(planner: Planner, ref: str) -> Passage | None:
    """The turn or turns that `ref` names (`session:s#3`, `session:s#3-5`, `session:s#3:2`); None
    when it names none that are here."""
    match = _TURNS.fullmatch(ref)
    if match is None:
        return None
    begin = int(match["from"])
    end = int(match["to"] or begin)
    document_id = document_entity_id(planner.namespace, session_ref(match["session"]))
    numbers = planner.numbers_in([document_id])[document_id]

    def offset(place: int) -> int:
        return planner.chunks(numbers[place : place + 1])[0].position

    places = range(len(numbers))  # by offset, so a long session need not be read
    low, high = bisect_left(places, begin, key=offset), bisect_right(places, end, key=offset)
    turns = _one_below_the_other(planner.chunks(numbers[low:high]))
    if not turns:
        return None
    path = session_ref(match["session"], begin, end)
    first = int(match["first"] or 1)
    last = int(match["last"] or match["first"] or turns[-1].end_line)
    return passage(path, document_id, turns, first, last)


def _one_below_the_other(turns: Sequence[Chunk]) -> list[Chunk]:
    placed: list[Chunk] = []
    line = 0
    for turn in sorted(turns, key=lambda c: (c.position, c.chunk_id)):
        moved = msgspec.structs.replace(
            turn, start_line=turn.start_line + line, end_line=turn.end_line + line
        )
        placed.append(moved)
        line = moved.end_line
    return placed


def _lines(chunks: Sequence[Chunk]) -> dict[int, str]:
    lines: dict[int, str] = {}
    for chunk in sorted(chunks, key=lambda c: (c.start_line, c.position, c.chunk_id)):
        for offset, line in enumerate(chunk.text.split("\n")):
            lines.setdefault(chunk.start_line + offset, line)
    return lines

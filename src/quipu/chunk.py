"""Documents to chunks: passages that a person would point at, with their lines.

Prose is packed by paragraphs up to about 220 model tokens inside one heading; code by
definitions, with what stands between them in chunks of its own. Every line that is not blank is
in exactly one chunk and a chunk's text is its lines, so `path:start-end` shows it as it is; only
a line too long for one chunk is cut, at white space where there is any.

A chunk's id is made from its episode, its title, its text and its place among equals. A chunk
belongs to one episode, and history shows it with the lines it had there, so a new version of
a file has new chunk ids even for unchanged passages; their vectors are found again by content
(`embed/cache.py`), so they are not computed twice.
"""

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from quipu.limits import LONGEST_LINE
from quipu.records.document import Definition, Document, Section, Span
from quipu.records.ids import make_id
from quipu.records.record import Chunk

PROSE_TOKENS = 220
CODE_TOKENS = 320
SMALL_CLASS_TOKENS = 160
LARGEST_SPAN = 32_000
_TOKENS_PER_WORD = 1.35
_CHARACTERS_PER_TOKEN = 5.0
_CODE_CHARACTERS_PER_TOKEN = 3.6
_ITEM = re.compile(r"\s{0,3}(?:[-*+]|\d+[.)])\s")
_JOINER = " › "
_Measure: TypeAlias = Callable[[str], float]


class _TitlePath(NamedTuple):
    """Where lines stand: what their chunk is called."""

    title: str
    heading_path: tuple[str, ...]
    symbol: str | None


class _Piece(NamedTuple):
    start: int
    end: int
    place: _TitlePath
    text: str | None = None  # only a piece of a cut line has its own


def chunk(document: Document, *, episode_id: str, document_id: str) -> list[Chunk]:
    """The chunks of `document` in the order of its lines; none for a blank document."""
    lines = document.text.split("\n")
    profile = "code" if document.family == "code" else "prose"
    pieces = _code(document, lines) if document.family == "code" else _prose(document, lines)
    equals: Counter[bytes] = Counter()
    chunks: list[Chunk] = []
    for piece in pieces:
        text = piece.text
        if text is None:
            text = "\n".join(lines[piece.start - 1 : piece.end])
        content = f"{piece.place.title}\0{text}"
        same = hashlib.sha256(content.encode("utf-8", "surrogatepass")).digest()
        equals[same] += 1
        chunks.append(
            Chunk(
                chunk_id=make_id("chunk", episode_id, same.hex(), str(equals[same])),
                episode_id=episode_id,
                document_id=document_id,
                profile=profile,
                position=len(chunks),
                text=text,
                start_line=piece.start,
                end_line=piece.end,
                title=piece.place.title,
                heading_path=piece.place.heading_path,
                symbol=piece.place.symbol,
            )
        )
    return chunks


def _title(*parts: str) -> str:
    kept: list[str] = []
    for part in parts:
        if part and (not kept or part != kept[-1]):
            kept.append(part)
    return _JOINER.join(kept)


# --- prose ---------------------------------------------------------------------------------


def _prose(document: Document, lines: Sequence[str]) -> Iterator[_Piece]:
    sections = list(document.sections)
    at = 0
    while at < len(sections):
        start = sections[at].start_line
        # A heading with nothing under it goes along with the section that follows.
        while at + 1 < len(sections) and _only_heading(sections[at], lines):
            at += 1
        section = sections[at]
        place = _TitlePath(_title(document.title, *section.path), section.path, None)
        blocks = _blocks(lines, start, section.end_line, document.spans)
        yield from _packed(blocks, lines, place, PROSE_TOKENS, _prose_tokens)
        at += 1


def _only_heading(section: Section, lines: Sequence[str]) -> bool:
    inside = lines[section.start_line - 1 : section.end_line]
    return bool(section.path) and sum(1 for line in inside if line.strip()) <= 1


def _prose_tokens(line: str) -> float:
    return max(len(line.split()) * _TOKENS_PER_WORD, len(line) / _CHARACTERS_PER_TOKEN)


def _code_tokens(line: str) -> float:
    return len(line.strip()) / _CODE_CHARACTERS_PER_TOKEN + 0.5


def _blocks(
    lines: Sequence[str], first: int, last: int, spans: Sequence[Span]
) -> Iterator[tuple[int, int, bool]]:
    """Runs of lines (start, end, whether it may be cut) without blank edges."""
    at = bisect_left(spans, (first, 0))
    number = first
    while number <= last:
        while at < len(spans) and spans[at].end_line < number:
            at += 1
        inside = at < len(spans) and spans[at].start_line <= number
        if inside:
            end = min(spans[at].end_line, last)
            start, stop = _trimmed(lines, number, end)
            if start <= stop:
                yield start, stop, sum(map(len, lines[start - 1 : stop])) > LARGEST_SPAN
            number = end + 1
        elif not lines[number - 1].strip():
            number += 1
        else:
            limit = spans[at].start_line - 1 if at < len(spans) else last
            end = number
            while end < min(limit, last) and lines[end].strip():
                end += 1
            yield number, end, True
            number = end + 1


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start <= end and not lines[start - 1].strip():
        start += 1
    while end >= start and not lines[end - 1].strip():
        end -= 1
    return start, end


def _packed(
    blocks: Iterable[tuple[int, int, bool]],
    lines: Sequence[str],
    place: _TitlePath,
    limit: float,
    measure: _Measure,
) -> Iterator[_Piece]:
    """Blocks put together while they fit; one that is too large is cut between lines."""
    start = end = 0
    size = 0.0
    for first, last, may_cut in blocks:
        weight = sum(map(measure, lines[first - 1 : last]))
        if start and size + weight > limit:
            yield _Piece(start, end, place)
            start, size = 0, 0.0
        if may_cut and weight > limit:
            if start:
                yield _Piece(start, end, place)
            *whole, (start, end, size) = _cut(lines, first, last, limit, measure)
            for piece_start, piece_end, _ in whole:
                yield from _whole_or_cut(piece_start, piece_end, lines, place)
            if start == end and len(lines[start - 1]) > LONGEST_LINE:
                yield from _whole_or_cut(start, end, lines, place)
                start, size = 0, 0.0
            continue
        start, end, size = start or first, last, size + weight
    if start:
        yield _Piece(start, end, place)


def _cut(
    lines: Sequence[str], first: int, last: int, limit: float, measure: _Measure
) -> list[tuple[int, int, float]]:
    """Lines first–last as runs of at most `limit`; list items begin a run where they can."""
    runs: list[tuple[int, int, float]] = []
    start, size = first, 0.0
    item = 0
    for number in range(first, last + 1):
        line = lines[number - 1]
        weight = measure(line)
        too_long = len(line) > LONGEST_LINE
        if number > start and (size + weight > limit or too_long):
            at = item if start < item and not too_long else number
            runs.append((start, at - 1, 0.0))
            start, size = at, sum(map(measure, lines[at - 1 : number - 1]))
        size += weight
        if too_long:
            runs.append((number, number, 0.0))
            start, size = number + 1, 0.0
        elif _ITEM.match(line) or not line.strip():
            item = number
    if start <= last:
        runs.append((start, last, size))
    return runs


def _whole_or_cut(
    start: int, end: int, lines: Sequence[str], place: _TitlePath
) -> Iterator[_Piece]:
    start, end = _trimmed(lines, start, end)
    if start > end:
        return
    line = lines[start - 1]
    if start != end or len(line) <= LONGEST_LINE:
        yield _Piece(start, end, place)
        return
    at = 0
    while at < len(line):
        stop = _line_cut(line, at)
        if piece := line[at:stop].strip():
            yield _Piece(start, end, place, piece)
        at = stop


def _line_cut(line: str, start: int) -> int:
    """Where to end the piece of `line` that begins at `start`: at white space if there is some,
    and never before a combining mark, a joiner or the second half of a surrogate pair."""
    stop = start + LONGEST_LINE // 2
    if stop >= len(line):
        return len(line)
    space = line.rfind(" ", start + LONGEST_LINE // 4, stop)
    if space > 0:
        return space + 1
    while stop < len(line) and _JOINED.match(line, stop):
        stop += 1
    return stop


_JOINED = re.compile("[\u0300-\u036f\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\udc00-\udfff]")


# --- code ----------------------------------------------------------------------------------


def _code(document: Document, lines: Sequence[str]) -> Iterator[_Piece]:
    units = _units(document.definitions)
    members: dict[str, list[Definition]] = {}
    for each in document.definitions:
        if each.kind != "variable":
            members.setdefault(each.qualified.rpartition(".")[0], []).append(each)
    for each in members.values():
        each.sort(key=_start_line)
    number = 1
    for unit in (*units, None):
        until = unit.start_line - 1 if unit else len(lines)
        if number <= until:
            place = _TitlePath(document.title, (), None)
            yield from _run(lines, number, until, place)
        if unit is None:
            return
        start = max(unit.start_line, number)
        if unit.kind in _HOLDERS:
            yield from _class(document, unit, start, lines, members)
        else:
            yield from _function(document, unit, start, lines)
        number = max(number, unit.end_line + 1)


_HOLDERS = frozenset({"class"})


def _start_line(definition: Definition) -> int:
    return definition.start_line


def _units(definitions: Sequence[Definition]) -> list[Definition]:
    """The outermost functions and classes, which do not overlap."""
    units: list[Definition] = []
    end = 0
    for each in definitions:
        if each.kind != "variable" and each.end_line > end:
            units.append(each)
            end = each.end_line
    return units


def _symbol_place(document: Document, unit: Definition, *, signature: bool = False) -> _TitlePath:
    shown = unit.qualified + (unit.parameters if signature else "")
    return _TitlePath(_title(document.title, shown), (), unit.qualified)


def _function(
    document: Document, unit: Definition, start: int, lines: Sequence[str]
) -> Iterator[_Piece]:
    start, end = _trimmed(lines, start, unit.end_line)
    if start > end:
        return
    size = sum(map(_code_tokens, lines[start - 1 : end]))
    if size <= CODE_TOKENS and max(map(len, lines[start - 1 : end])) <= LONGEST_LINE:
        yield _Piece(start, end, _symbol_place(document, unit))
        return
    place = _symbol_place(document, unit, signature=True)
    yield from _run(lines, start, end, place)


def _class(
    document: Document,
    unit: Definition,
    start: int,
    lines: Sequence[str],
    members: Mapping[str, Sequence[Definition]],
) -> Iterator[_Piece]:
    place = _symbol_place(document, unit)
    size = sum(map(_code_tokens, lines[start - 1 : unit.end_line]))
    if size <= SMALL_CLASS_TOKENS:
        yield from _run(lines, start, unit.end_line, place)
        return
    number = start
    inside = members.get(unit.qualified, ())
    for each in inside[bisect_left(inside, unit.start_line, key=_start_line) :]:
        if each.start_line > unit.end_line:
            break
        if each.start_line < unit.start_line or each.end_line > unit.end_line:
            continue  # of another class with the same name
        first = max(each.start_line, number)
        if first > each.end_line:
            continue
        yield from _run(lines, number, first - 1, place)
        if each.kind in _HOLDERS:
            yield from _class(document, each, first, lines, members)
        else:
            yield from _function(document, each, first, lines)
        number = each.end_line + 1
    yield from _run(lines, number, unit.end_line, place)


def _run(lines: Sequence[str], first: int, last: int, place: _TitlePath) -> Iterator[_Piece]:
    """Lines of code in pieces that fit, cut at blank lines, else before the least indented."""
    first, last = _trimmed(lines, first, last)
    start, size = first, 0.0
    best, best_rank = 0, 0
    for number in range(first, last + 1):
        line = lines[number - 1]
        weight = _code_tokens(line)
        if len(line) > LONGEST_LINE:
            yield from _whole_or_cut(start, number - 1, lines, place)
            yield from _whole_or_cut(number, number, lines, place)
            start, size, best, best_rank = number + 1, 0.0, 0, 0
            continue
        if number > start and size + weight > CODE_TOKENS:
            at = best if best > start else number
            yield from _whole_or_cut(start, at - 1, lines, place)
            start, best, best_rank = at, 0, 0
            size = sum(map(_code_tokens, lines[at - 1 : number - 1]))
        size += weight
        if size > CODE_TOKENS / 3 and number > start:
            rank = _cut_rank(lines, number)
            if rank >= best_rank:
                best, best_rank = number, rank
    yield from _whole_or_cut(start, last, lines, place)


def _cut_rank(lines: Sequence[str], number: int) -> int:
    """How good a place it is to cut before this line: after a blank line, little indentation."""
    line = lines[number - 1]
    if not line.strip():
        return 0
    indent = len(line) - len(line.lstrip())
    return max(1, 40 - indent) + (100 if not lines[number - 2].strip() else 0)

"""Impact: what a change touches, and who has to know.

diff → lines of files → definitions there → who uses them, tests, pages
→ owners of the files, decisions and incidents of the place

Of a hunk the added lines count, and the line before what is only taken away; lines of context do
not. Where a hunk claims more lines than it has, as a model writes them, the next file ends it. A
merge with two parents (`diff --cc`) names its files alone.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from quipu.agents.explore import Place, defined_in, first_of, lines_of, mentions, place_of
from quipu.answer.prompt import one_line
from quipu.errors import InvalidInput, UnknownRecord
from quipu.limits import AROUND, LONGEST_VALUE
from quipu.ports import Direction
from quipu.records.record import Entity, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.text import composed

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Impact", "TouchedFile", "impact", "read_change"]

Lines: TypeAlias = tuple[int, int]
"""The first and the last of some lines."""

_NOWHERE = "/dev/null"
_PREFIXES = "abciow12"
"""The letters that git puts before the two paths, by default and with `diff.mnemonicPrefix`."""
_GIT = re.compile(rf"diff --git \"?[{_PREFIXES}]/(?P<name>.+?)\"? \"?[{_PREFIXES}]/(?P=name)\"?")
_MOVED = re.compile(r"(?:rename (?:from|to)|copy to) (.+)")
_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?", re.DOTALL)

_MOST = 8
"""Records of one kind that are named of a file."""
_OUT: Mapping[str, str] = {
    str(RelationType.OWNED_BY): "Owned by",
    str(RelationType.GOVERNED_BY): "Governed by",
    str(RelationType.DECIDED_BY): "Decided by",
}
_IN: Mapping[str, str] = {
    str(RelationType.AFFECTS): "Incidents",
    str(RelationType.DECISION_FOR): "Decided by",
    str(RelationType.DESCRIBES): "Told in",
    str(RelationType.LINKS_TO): "Told in",
    str(RelationType.IMPORTS): "Imported by",
    str(RelationType.DEPENDS_ON): "Needed by",
}


class TouchedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the change."""

    path: Annotated[str, "its path"]
    known: Annotated[bool, "whether the memory holds it"]
    definitions: Annotated[tuple[Place, ...], "what is defined in the lines that change"]
    ties: Annotated[dict[str, tuple[str, ...]], "who owns, governs and imports it, by relation"]


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What a change touches."""

    text: Annotated[str, "all of it, as Markdown"]
    files: Annotated[tuple[TouchedFile, ...], "the files, in the order of the change"]


def impact(memory: "Memory", change: str) -> Impact:
    """Return what `change` touches: a unified diff, or paths (`src/pool.py`, `src/pool.py:10-40`),
    a line each.

    Of each definition that lies in the changed lines, who uses it, which tests and pages name it;
    of each file its owners, decisions, incidents and what imports it. A file that has changed is
    read again first. Raises InvalidInput where no file is named.
    """
    store = memory.store
    touched = read_change(change, is_path=lambda path: bool(store.sources(refs=[path])))
    if not touched:
        raise InvalidInput("no file is named: give a unified diff (git diff) or paths, a line each")
    looked_at = dict([*touched.items()][:AROUND])
    sequence = store.sequence()
    before = {path: _of_file(memory, path, lines) for path, lines in looked_at.items()}
    for path, (file, _) in before.items():
        if file.known:
            with suppress(UnknownRecord):  # it is gone
                memory.get(path)  # reads it again where it has changed
    told = [*before.values()]
    if store.sequence() != sequence:
        told = [
            _as_it_is(was, _of_file(memory, path, looked_at[path])) for path, was in before.items()
        ]
    blocks = [block for _, block in told]
    if len(touched) > len(looked_at):
        blocks.append(f"{len(touched) - len(looked_at)} more files of the change are left out.")
    return Impact(text="\n\n".join(blocks), files=tuple(file for file, _ in told))


def _as_it_is(
    before: tuple[TouchedFile, str], now: tuple[TouchedFile, str]
) -> tuple[TouchedFile, str]:
    """A file as it was read again; as it was before, where it is gone: who used it has to know."""
    return before if before[0].known and not now[0].known else now


def _of_file(memory: "Memory", path: str, lines: list[Lines]) -> tuple[TouchedFile, str]:
    heading = f"# {one_line(path)}"
    source = next(iter(memory.store.sources(refs=[path])), None)
    if source is None or not source.document_id:
        file = TouchedFile(path=path, known=False, definitions=(), ties={})
        return file, f"{heading}\nNo file of this memory.{_defined(memory, path)}"
    symbols = [*_innermost(defined_in(memory, [source.document_id]), lines)]
    ties = _ties(memory, source.document_id)
    parts = [heading, *(f"{words}: {', '.join(names)}" for words, names in ties.items())]
    places = [place_of(symbol, path, source.document_id, "source") for symbol in symbols]
    for symbol, place in zip(symbols, places, strict=True):
        parts += ["", f"## {one_line(f'{place.reference} · {place.title}')}"]
        parts += mentions(memory, symbol)
    file = TouchedFile(path=path, known=True, definitions=tuple(places), ties=ties)
    return file, "\n".join(parts)


def _defined(memory: "Memory", name: str) -> str:
    """A sentence on where what is so called is defined; "" where nothing is."""
    with suppress(UnknownRecord):
        symbol = memory.get(name)
        if isinstance(symbol, Entity) and symbol.type == EntityType.SYMBOL:
            first, last = lines_of(symbol)
            place = one_line(f"{symbol.properties.get('path')}:{first}-{last}")
            return f" It is defined in {place}: ask of that."
    return ""


def _innermost(symbols: list[Entity], lines: list[Lines]) -> Iterator[Entity]:
    """The definitions in which changed lines lie, without those around others that are told too."""

    def holds(symbol: Entity) -> bool:
        first, last = lines_of(symbol)
        return not lines or any(first <= end and start <= last for start, end in lines)

    held = [symbol for symbol in symbols if holds(symbol)]
    for symbol in held:
        first, last = lines_of(symbol)
        inner = [e for e in held if e is not symbol and _is_within(lines_of(e), (first, last))]
        covered = lines and all(
            any(_is_within(_cut(each, (first, last)), lines_of(e)) for e in inner)
            for each in lines
            if first <= each[1] and each[0] <= last
        )
        if not inner or not covered:
            yield symbol


def _is_within(one: Lines, other: Lines) -> bool:
    return other[0] <= one[0] and one[1] <= other[1]


def _cut(one: Lines, other: Lines) -> Lines:
    return max(one[0], other[0]), min(one[1], other[1])


def _ties(memory: "Memory", document_id: str) -> dict[str, tuple[str, ...]]:
    """The names of what a file is tied to, by what they are to it."""
    found: dict[str, list[str]] = {}
    sides: tuple[tuple[Direction, Mapping[str, str]], ...] = (("out", _OUT), ("in", _IN))
    for direction, words in sides:
        near = memory.graph.neighbors([document_id], direction=direction, types=frozenset(words))
        rows: list[Relation] = near[document_id]
        outward = direction == "out"
        ids = [r.target_entity_id if outward else r.source_entity_id for r in rows]
        ends = memory.graph.get(sorted(set(ids)))
        for row, id_ in zip(rows, ids, strict=True):
            if isinstance(end := ends.get(id_), Entity):
                found.setdefault(words[row.type], []).append(_named(end))
    return {key: first_of(names, _MOST) for key, names in sorted(found.items())}


def _named(end: Entity) -> str:
    path = end.properties.get("file_path")
    return one_line(path if isinstance(path, str) and path else end.name)


def read_change(
    change: str, *, is_path: Callable[[str], bool] = lambda _: False
) -> dict[str, list[Lines]]:
    """Return the lines that a diff changes as they are afterwards, by path; none: the whole file.

    What moves counts under both its names. What is no diff is a list of paths, with or without
    lines; blanks part them where what is around the blank is not one path (`is_path`).
    """
    lines = [line.removesuffix("\r") for line in change.split("\n")]
    found = _read_diff(lines)
    return _read_paths(lines, is_path) if found is None else found


def _read_diff(lines: list[str]) -> dict[str, list[Lines]] | None:
    """None for what is no diff."""
    found: dict[str, list[Lines]] = {}
    is_diff, path, at = False, "", 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("diff --"):
            is_diff, path = True, _named_by_git(line)
            found.setdefault(path, [])
        elif _is_head(lines, at - 1):
            is_diff, path = True, _changed_path(line[4:], lines[at][4:])
            found.setdefault(path, [])
            at += 1
        elif is_diff and (moved := _MOVED.fullmatch(line)):
            found.setdefault(_name(moved[1]), [])
        elif path and line.startswith("new mode "):
            found[path].append((0, 0))
        elif path and (hunk := _HUNK.match(line)):
            changed, at = _read_hunk(lines, at, hunk)
            if hunk[3] != "0" or hunk[2] != "0":  # else the file is gone
                found[path] += changed
    for nothing in ("", _NOWHERE):
        found.pop(nothing, None)
    return found if is_diff else None


def _named_by_git(line: str) -> str:
    """The file of a line `diff --git`; "" where the next lines name it."""
    match = _GIT.fullmatch(line) if len(line) <= 2 * LONGEST_VALUE else None
    if match is None:
        return ""
    return _name(f'"{match["name"]}"' if line.endswith('"') else match["name"])


def _is_head(lines: list[str], at: int) -> bool:
    """Whether `---` and `+++` stand there."""
    here = lines[at : at + 2]
    return len(here) == 2 and here[0].startswith("--- ") and here[1].startswith("+++ ")


def _read_hunk(lines: list[str], at: int, head: re.Match[str]) -> tuple[list[Lines], int]:
    """The changed lines of a hunk, as they are afterwards, and where its text ends."""
    before, line, after = int(head[1] or 1), int(head[2]), int(head[3] or 1)
    if not after:  # the hunk names the line before
        line += 1
    begin, first, changed, taken = at, line, list[int](), False
    while at < len(lines) and (before > 0 or after > 0):
        mark = lines[at][:1]
        if mark not in ("", " ", "+", "-", "\\") or _ends_file(lines, at, (before, after)):
            break
        at += 1
        if mark == "-":
            before, taken = before - 1, True
        elif mark == "+":
            changed.append(line)
            after, line, taken = after - 1, line + 1, False
        elif mark != "\\":  # "\ No newline at end of file"
            changed += [max(line - 1, 1)] if taken else []
            before, after, line, taken = before - 1, after - 1, line + 1, False
    changed += [max(line - 1, 1)] if taken else []
    return (_runs(changed) if at > begin else [(first, first + max(after, 1) - 1)]), at


def _runs(numbers: Sequence[int]) -> list[Lines]:
    """Ascending numbers as lines that follow each other."""
    found: list[Lines] = []
    for number in numbers:
        if found and number <= found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def _ends_file(lines: list[str], at: int, left: tuple[int, int]) -> bool:
    """Whether the next file begins there, though lines of the hunk are left."""
    if not _is_head(lines, at) or left == (1, 1):
        return False
    return at + 2 < len(lines) and _HUNK.match(lines[at + 2]) is not None


def _changed_path(before: str, after: str) -> str:
    """The path of the two that is there, without what git puts before it."""
    one, other = (_name(side.partition("\t")[0].strip()) for side in (before, after))
    path, beside = (one, other) if other == _NOWHERE else (other, one)
    if path[:1] in _PREFIXES and path[1:2] == "/" and path[:2] != beside[:2]:
        return path[2:]
    return path


def _name(written: str) -> str:
    """A name that git puts in quotes where it has marks, or bytes beyond ASCII, which it writes as
    octal numbers."""
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            plain = written[1:-1].encode().decode("unicode_escape")
            written = plain.encode("latin-1").decode("utf-8", "replace")
        except UnicodeError:
            written = written[1:-1]
    return composed(written)


def _read_paths(lines: list[str], is_path: Callable[[str], bool]) -> dict[str, list[Lines]]:
    found: dict[str, list[Lines]] = {}
    for line in map(str.strip, lines):
        whole = _PLACE.fullmatch(line)
        is_one = line.startswith('"') or (whole is not None and is_path(_path(whole)))
        for written in [line] if is_one else line.split():
            if match := _PLACE.fullmatch(written):
                held = found.setdefault(_path(match), [])
                if match["first"]:
                    held.append((int(match["first"]), int(match["last"] or match["first"])))
    return found


def _path(place: re.Match[str]) -> str:
    return _name(place["path"]).removeprefix("./")

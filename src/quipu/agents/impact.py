"""Impact: what a change touches, and who has to know.

diff → lines of files → definitions there → who uses them, tests, pages
→ owners of the files, decisions and incidents of the place
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec

from quipu.agents.change import Lines, read_change
from quipu.agents.explore import Place, defined_in, first_of, lines_of, mentions, place_of
from quipu.answer.prompt import one_line
from quipu.errors import InvalidInput, UnknownRecord
from quipu.limits import AROUND
from quipu.ports import Direction
from quipu.records.record import Entity, Relation
from quipu.records.schema import EntityType, RelationType

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Impact", "TouchedFile", "impact"]

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

"""Explore: one result with what is needed to work on a task, within a budget of tokens.

    task → source files, by the places of their passages → definitions, whole
         → who calls them, which tests and pages name them → other files, a line each

Source is searched apart from tests and prose: in the words of a task these would fill the list.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from quipu.agents.budget import CHARACTERS_A_TOKEN, cut, tokens
from quipu.answer.prompt import fenced, one_line
from quipu.kinds.files.code_records import end_of, path_of, start_of
from quipu.limits import NAMED
from quipu.records.record import Entity, Relation
from quipu.records.reply import Hit
from quipu.records.role import Role, role_of
from quipu.records.schema import EntityType, RelationType
from quipu.records.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = [
    "Explored",
    "Place",
    "defined_in",
    "explore",
    "first_of",
    "lines_of",
    "mentions",
    "place_of",
]

_SOURCE: frozenset[Role] = frozenset({"source", "manifest"})
_PASSAGES = 100
"""Passages of source that are asked for: the places of all of them rank their files."""
_FUSED = 60
"""The k of reciprocal rank fusion (Cormack and others, SIGIR 2009): a file's score is the sum of
1 / (k + place) over its passages."""
_FILES = 10
"""Files that are named; definitions are shown of the first half of them."""
_PAGES = 4
"""Passages of prose, turns, commits and incidents that are named."""
_ASIDE: frozenset[Role] = frozenset({"documentation", "changelog", "test", "example", "other"})
_LONGEST = 120
"""Lines of a definition that is shown whole; of a longer one the passage that was found."""
_TITLE = 100
"""Characters of a definition's name with its parameters, at most."""
_SHARES = (2, 4)
"""The first definition has at most a half of the room, each further one a quarter: of what is
longer the passage that was found is shown, so that the result is never one file alone."""
_DEFINES = frozenset({str(RelationType.DEFINED_IN)})
_NAMES_IT = frozenset(
    str(type_)
    for type_ in (
        RelationType.REFERS_TO,
        RelationType.DESCRIBES,
        RelationType.AFFECTS,
        RelationType.GOVERNED_BY,
        RelationType.DECISION_FOR,
        RelationType.OVERRIDES,
    )
)


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that bear on the task."""

    path: Annotated[str, "the path of its document"]
    start_line: Annotated[int, "its first line, from 1"]
    end_line: Annotated[int, "its last line, included"]
    title: Annotated[str, "the definition or heading"]
    role: Annotated[Role, "what its file is for: `source`, `documentation`, `test` …"]
    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the task"]
    shown: Annotated[bool, "whether its lines stand in `text`, or its place alone"] = False

    @property
    def reference(self) -> str:
        """`path:first-last`."""
        return f"{self.path}:{self.start_line}-{self.end_line}"


class Explored(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to work on a task."""

    text: Annotated[str, "definitions with who uses them, then places, as Markdown"]
    places: Annotated[tuple[Place, ...], "what `text` names, in its order"]
    token_count: Annotated[int, "about how many tokens `text` has"]
    left_out: Annotated[int, "how many places the budget kept out"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class _Block(NamedTuple):
    """A place with its lines, those of them that were found, and who names it."""

    place: Place
    text: str
    found: str
    found_lines: tuple[int, int]
    mentions: tuple[str, ...]

    @property
    def line(self) -> str:
        place = self.place
        return one_line(f"{place.reference} · {place.title}" if place.title else place.reference)

    def within(self, room: int, *, cut_lines: bool) -> str:
        """What of it fits into `room` characters, with `cut_lines` the first of the lines that were
        found; "" where nothing does."""
        first, last = self.found_lines
        for text in (self.text, self.found):
            of_it = "" if text == self.text else f"Lines {first}-{last} of it:"
            if len(written := self._written(text, of_it)) <= room:
                return written
        lines = self.found.splitlines()
        while cut_lines and len(lines) > 1:
            lines.pop()
            of_it = f"Lines {first}-{first + len(lines) - 1} of it:"
            if len(written := self._written("\n".join(lines), of_it)) <= room:
                return written
        return ""

    def _written(self, text: str, of_it: str) -> str:
        head = (f"## {self.line}", of_it) if of_it else (f"## {self.line}",)
        return "\n".join([*head, fenced(text), *self.mentions])


def explore(
    memory: "Memory", task: str, *, budget_tokens: int = 2000, scope: Scope = EVERYTHING
) -> Explored:
    """Return what is needed to work on `task`, within `budget_tokens` (about 4 characters each).

    First whole definitions of the source files that fit best, each with its callers, tests and the
    pages that name it; then further files, documents, commits and incidents, a line each. Files
    that have changed are read again first. A memory without code gives passages alone. Raises
    InvalidInput for an empty task.
    """
    source = _source_scope(memory, scope)
    code = memory.search(task, limit=_PASSAGES, scope=source).hits if source else ()
    other = memory.search(task, limit=_FILES * 2, scope=scope)
    ranked = _ranked_files(code)
    blocks = list(_definitions(memory, code, ranked)) if code else []
    aside = [hit for hit in other.hits if hit.role in _ASIDE or not source][:_PAGES]
    blocks += [_of_passage(hit) for hit in aside]
    text, places, left_out = _written(blocks, budget_tokens * CHARACTERS_A_TOKEN, bool(code))
    return Explored(
        text=text,
        places=places,
        token_count=tokens(text),
        left_out=left_out,
        notes=tuple(dict.fromkeys((*other.plan.notes, *other.notes))),
    )


def _source_scope(memory: "Memory", scope: Scope) -> Scope | None:
    """`scope` bounded to code that is neither test nor example; None where there is none."""
    ids = {
        source.document_id
        for source in memory.store.sources(frozenset({"file"}))
        if source.document_id and role_of(source.source_ref, code=True) in _SOURCE
    }
    inside = ids & scope.document_ids if scope.document_ids else ids
    if not inside:
        return None
    return msgspec.structs.replace(
        scope, document_ids=frozenset(inside), profiles=frozenset({"code"})
    )


def _ranked_files(hits: Sequence[Hit]) -> list[str]:
    """The files of `hits`, best first, by the places of all their passages; ties by path."""
    scores: defaultdict[str, float] = defaultdict(float)
    for place, hit in enumerate(hits, 1):
        scores[hit.path] += 1 / (_FUSED + place)
    return sorted(scores, key=lambda path: (-scores[path], path))[:_FILES]


def _definitions(memory: "Memory", hits: Sequence[Hit], ranked: Sequence[str]) -> Iterator[_Block]:
    """The best definition of each file, and a second one of the first files behind them."""
    by_path = {path: [hit for hit in hits if hit.path == path] for path in ranked}
    symbols = defined_in(memory, [found[0].document_id for found in by_path.values()])
    seconds: list[_Block] = []
    for found in by_path.values():
        seen: set[str] = set()
        blocks: list[_Block] = []
        for hit in found:
            symbol = _around(hit, symbols)
            block = _of_definition(memory, hit, symbol) if symbol else _of_passage(hit)
            if block.place.reference not in seen:
                seen.add(block.place.reference)
                blocks.append(block)
            if len(blocks) == 2:
                break
        yield blocks[0]
        seconds += blocks[1:]
    yield from seconds[: _FILES // 2]


def defined_in(memory: "Memory", document_ids: Sequence[str]) -> list[Entity]:
    """What is defined in documents, and in what is defined there, by place."""
    found: dict[str, Entity] = {}
    ids: Sequence[str] = list(dict.fromkeys(document_ids))
    for _ in range(2):  # functions and classes, then methods
        near = memory.graph.neighbors(ids, direction="in", types=_DEFINES, limit_per_id=1000)
        inner = {r.source_entity_id for rows in near.values() for r in rows} - set(found)
        records = memory.graph.get(sorted(inner))
        fresh = [
            e for e in records.values() if isinstance(e, Entity) and e.type == EntityType.SYMBOL
        ]
        found |= {e.entity_id: e for e in fresh}
        ids = [e.entity_id for e in fresh]
    return sorted(found.values(), key=lambda e: (lines_of(e), e.entity_id))


def _around(hit: Hit, symbols: Iterable[Entity]) -> Entity | None:
    """The innermost definition that a passage lies in, else the first that begins in it, if it is
    short enough to be shown."""
    here = [e for e in symbols if e.properties.get("path") == hit.path]
    short = [e for e in here if lines_of(e)[1] - lines_of(e)[0] < _LONGEST]
    around = [
        e for e in short if lines_of(e)[0] <= hit.start_line and hit.end_line <= lines_of(e)[1]
    ]
    if around:
        return around[-1]
    begun = [e for e in short if hit.start_line <= lines_of(e)[0] <= hit.end_line]
    return begun[0] if begun and begun[0].name in hit.title else None


def _of_definition(memory: "Memory", hit: Hit, symbol: Entity) -> _Block:
    first, last = lines_of(symbol)
    passage = memory.get(f"{hit.path}:{first}-{last}")
    text = getattr(passage, "text", hit.text)
    place = place_of(symbol, hit.path, hit.document_id, hit.role)
    return _block(place, text, hit, mentions(memory, symbol))


def place_of(symbol: Entity, path: str, document_id: str, role: Role) -> Place:
    """The lines of a definition, under its name with its parameters."""
    first, last = lines_of(symbol)
    signature = symbol.properties.get("parameters")
    return Place(
        path=path,
        start_line=first,
        end_line=last,
        title=f"{symbol.name}{signature if isinstance(signature, str) else ''}",
        role=role,
        graph_ids=(symbol.entity_id, document_id),
    )


def _of_passage(hit: Hit) -> _Block:
    place = Place(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        title=hit.title.removeprefix(hit.path).lstrip(" ›"),
        role=hit.role,
        graph_ids=hit.graph_ids[:NAMED],
    )
    return _block(place, hit.text, hit)


def _block(place: Place, text: str, hit: Hit, mentions: Iterable[str] = ()) -> _Block:
    place = msgspec.structs.replace(place, title=cut(place.title, _TITLE))
    return _Block(place, text, hit.text, (hit.start_line, hit.end_line), tuple(mentions))


def mentions(memory: "Memory", symbol: Entity) -> Iterator[str]:
    """A line each: who calls a definition, which tests and which pages name it."""
    near = memory.graph.neighbors([symbol.entity_id], direction="in", types=_NAMES_IT)
    rows = near[symbol.entity_id]
    ends = memory.graph.get(sorted({r.source_entity_id for r in rows}))
    told: dict[str, list[str]] = {"Used by": [], "Tests": [], "Told in": []}
    for row in rows:
        end = ends.get(row.source_entity_id)
        if isinstance(end, Entity):
            told[_said_of(end)].append(_where(end, row))
    for words, names in told.items():
        if names:
            yield f"{words}: {', '.join(first_of(names, NAMED))}"


def first_of(names: Iterable[str], most: int) -> tuple[str, ...]:
    """The first of the names, each once, and how many more there are."""
    distinct = sorted(dict.fromkeys(names))
    more = len(distinct) - most
    return (*distinct[:most], f"{more} more") if more > 0 else tuple(distinct)


def _said_of(end: Entity) -> str:
    role = role_of(_path(end), code=end.type == EntityType.SYMBOL)
    if role == "test":
        return "Tests"
    return "Used by" if end.type == EntityType.SYMBOL else "Told in"


def _where(end: Entity, row: Relation) -> str:
    """The name of what names a definition, and its place."""
    line = row.properties.get("line") or end.properties.get("start_line")
    path = _path(end)
    if not path:
        return end.name
    place = f"{path}:{line}" if isinstance(line, int) else path
    return f"{end.name} {place}" if end.type == EntityType.SYMBOL else place


def _path(entity: Entity) -> str:
    return path_of(entity) or (entity.name if "/" in entity.name else "")


def lines_of(symbol: Entity) -> tuple[int, int]:
    """The first and the last line of a definition; 0 where they are not known."""
    first = start_of(symbol)
    return first, end_of(symbol) or first


def _written(
    blocks: Sequence[_Block], room: int, has_code: bool
) -> tuple[str, tuple[Place, ...], int]:
    """The text of what fits into `room` characters, what it names, and how much does not fit.

    Lines of places have at most a half of the room; the first places are shown whole.
    """
    also, lines_room = "## Also", room // 2
    named: list[_Block] = []
    for block in blocks:
        cost = len(block.line) + len("- \n")
        if cost <= lines_room:
            named.append(block)
            lines_room -= cost
            room -= cost
    room -= len(also) + 2
    whole: dict[_Block, str] = {}
    most = room
    for block in named:
        share = most // _SHARES[bool(whole)] if has_code else most
        text = block.within(min(room, share), cut_lines=not whole)
        if text:
            whole[block] = text
            room -= len(text) - len(block.line)
    lines = [f"- {block.line}" for block in named if block not in whole]
    parts = list(whole.values())
    if lines:
        parts.append("\n".join([also, *lines]))
    shown = [msgspec.structs.replace(block.place, shown=True) for block in whole]
    rest = [block.place for block in named if block not in whole]
    return (
        "\n\n".join(parts) or "unknown: nothing here bears on the task",
        (*shown, *rest),
        len(blocks) - len(named),
    )

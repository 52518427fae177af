"""Look up the records of code that a name in a question means, and cite the lines that say them.

What a name means is decided by the records: source before tests and examples, what was found for
the question before the rest. Where more than three are left, none is meant.
"""

import re
from collections.abc import Iterable, Sequence

from quipu.answer.gate import Evidence
from quipu.answer.kinds import AnswerStatement
from quipu.answer.support import EvidencePool, chunks_of, from_chunk
from quipu.answer.wording import meant
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.ids import CONSTRUCTORS
from quipu.records.record import Chunk, Entity, Relation, Value
from quipu.records.role import role_of
from quipu.records.schema import EntityType, RelationType
from quipu.text import name_key

__all__ = ["CALLED", "MOST_TOLD", "CodeRecords", "end_of", "path_of", "start_of", "texts"]

MOST_TOLD = 3
"""Records of one name that are told; of more none is."""
CALLED = frozenset({"function", "method"})
_FAR = 12
"""Lines between two that are cited as one place, at most."""
_PASSAGES = 10
"""Passages found for the question whose files decide what a name means."""
_MOST_NEAR = 500
"""Relations followed from one record."""
_SETTINGS = (EntityType.ENVIRONMENT_VARIABLE, EntityType.SETTING, EntityType.OPTION)
_READING = frozenset({str(RelationType.READS_SETTING), str(RelationType.TAKES_OPTION)})
_DEFINED = frozenset({str(RelationType.DEFINED_IN)})
_OTHER_ROLES = ("test", "fixture", "example", "generated", "vendored")
_INDEXES = ("/__init__", "/index", "/mod", "/lib")


class CodeRecords:
    """The records of code, as one question asks for them."""

    def __init__(
        self, question: Question, planner: Planner, evidence: Sequence[Evidence], pool: EvidencePool
    ) -> None:
        self.question = question
        self.planner = planner
        self.evidence = evidence
        self.pool = pool

    # --- what a name means

    def symbols(self, name: str) -> list[Entity]:
        """Return the symbols that `name` means, at most three."""
        key = name_key(re.sub(r"::|->|#|\\", ".", name))
        last = key.rpartition(".")[2]
        named = self.planner.named([key, last])
        found = _of_type(named.get(key, ()), EntityType.SYMBOL)
        if not found and last != key:
            outer = set(key.split(".")[:-1])
            symbols = _of_type(named.get(last, ()), EntityType.SYMBOL)
            found = [e for e in symbols if outer <= _around(e)]
        found = self._of_source(meant(self.question, found))
        if len(found) > 1:
            paths = [passage.path for passage in self.evidence[:_PASSAGES]]
            near = [e for e in found if path_of(e) in paths] or found
            found = sorted(near, key=lambda e: (_place(paths, path_of(e)), e.entity_id))
        return found if len(found) <= MOST_TOLD else []

    def with_makers(self, symbols: Sequence[Entity]) -> list[Entity]:
        """Return the symbols, and what makes those that are types: its parameters are theirs."""
        types = [e for e in symbols if e.properties.get("kind") not in CALLED]
        keys = {
            name_key(f"{e.name}.{name}"): e
            for e in types
            for name in (*CONSTRUCTORS, e.name.rpartition(".")[2])
        }
        named = self.planner.named(list(keys)) if keys else {}
        makers = [
            maker
            for key, type_ in keys.items()
            for maker in _of_type(named.get(key, ()), EntityType.SYMBOL)
            if path_of(maker) == path_of(type_)
        ]
        return [*symbols, *makers]

    def found_symbols(self) -> list[Entity]:
        """Return the symbols that begin in the passages of code that were found, in their order."""
        passages = [passage for passage in self.evidence[:_PASSAGES] if passage.is_code]
        symbols = self.defined_in([passage.document_id for passage in passages])
        found = {
            symbol.entity_id: symbol
            for passage in passages
            for symbol in sorted(symbols, key=lambda e: (start_of(e), e.entity_id))
            if _begins_in(symbol, passage)
        }
        return self._of_source(list(found.values()))

    def defined_in(self, ids: Sequence[str]) -> list[Entity]:
        """Return the symbols that stand in documents or in other symbols."""
        rows = self._near(ids, _DEFINED, inward=True)
        return _of_type(self._entities(r.source_entity_id for r in rows), EntityType.SYMBOL)

    def documents(self, name: str) -> list[Entity]:
        """Return the files of code that `name` means: by path, by the name of a file that was found
        with or without its ending, or as a dotted module."""
        key = name_key(name)
        slashed = key if "/" in key else key.replace(".", "/")
        paths = dict.fromkeys(passage.path for passage in self.evidence)
        modules = [name_key(p) for p in paths if _is_module(p, slashed) or _is_module(p, key)]
        named = self.planner.named([key, *modules])
        for keys in ([key], modules):
            every = (e for each in keys for e in named.get(each, ()))
            if found := {e.entity_id: e for e in _of_type(every, EntityType.DOCUMENT)}:
                return list(found.values()) if len(found) <= MOST_TOLD else []
        return []

    def settings(self, name: str) -> list[Entity]:
        """Return the environment variables, settings and options of a name."""
        key = name_key(name)
        return [e for e in self.planner.named([key]).get(key, ()) if e.type in _SETTINGS]

    def settings_in(self, whole: str) -> list[Entity]:
        """Return all settings that are part of what is called so."""
        key = name_key(whole)
        ids = [e.entity_id for e in self.planner.named([key]).get(key, ())]
        rows = self._near(ids, frozenset({str(RelationType.PART_OF)}), inward=True)
        return self._entities(r.source_entity_id for r in rows)

    def settings_of(self, name: str) -> list[Entity]:
        """Return what the symbols or files of a name read, with what stands inside of them."""
        ids = [e.entity_id for e in (*self.symbols(name), *self.documents(name))]
        ids += [e.entity_id for e in self.defined_in(ids)]
        return self._entities(r.target_entity_id for r in self._near(ids, _READING))

    def readings(self, settings: Sequence[Entity]) -> list[tuple[Entity, Relation, Entity]]:
        """Return (setting, relation, reader) by place; those of source, or else of tests."""
        rows = self._near([e.entity_id for e in settings], _READING, inward=True)
        ends = {e.entity_id: e for e in self._entities(r.source_entity_id for r in rows)}
        by_id = {e.entity_id: e for e in settings}
        found = [
            (by_id[r.target_entity_id], r, ends[r.source_entity_id])
            for r in rows
            if r.source_entity_id in ends
        ]
        source = [row for row in found if not _is_aside(row[2])]
        return sorted(
            source or found, key=lambda row: (path_of(row[2]), _line(row[1]), row[1].rel_id)
        )

    def overriding(self, symbol: Entity, *, outward: bool) -> list[Entity]:
        """Return the methods that `symbol` overrides, or that override it."""
        rows = self._near(
            [symbol.entity_id], frozenset({str(RelationType.OVERRIDES)}), inward=not outward
        )
        ends = (r.target_entity_id if outward else r.source_entity_id for r in rows)
        return sorted(self._entities(ends), key=lambda e: (e.name, e.entity_id))

    def _of_source(self, symbols: Sequence[Entity]) -> list[Entity]:
        return [e for e in symbols if not _is_aside(e)] or list(symbols)

    def _near(
        self, ids: Sequence[str], types: frozenset[str], *, inward: bool = False
    ) -> list[Relation]:
        near = self.planner.neighbors(
            ids, direction="in" if inward else "out", types=types, limit_per_id=_MOST_NEAR
        )
        return [relation for id_ in dict.fromkeys(ids) for relation in near[id_]]

    def _entities(self, ids: Iterable[str]) -> list[Entity]:
        return [e for e in self.planner.get([*ids]).values() if isinstance(e, Entity)]

    # --- what says it

    def lines_of(
        self, entity: Entity, written: Sequence[str], *, pattern: str = "", within: bool = True
    ) -> list[Evidence]:
        """Return the lines of a record that first say each of `written`, or fit `pattern`, those
        near each other as one piece of evidence; else the line of its name; none where they may not
        be seen. `within`: only between its first and last line."""
        first, last = (start_of(entity), end_of(entity)) if within else (1, 0)
        if within and not last:
            return []
        sought = ["".join(each.split()) for each in written]
        for tried in (sought, [entity.name.rpartition(".")[2]] if within else []):
            found: dict[str, tuple[Chunk, int]] = {}
            for chunk in chunks_of(_document(entity), self.planner, self.pool.scope):
                for at, text in enumerate(chunk.text.split("\n"), chunk.start_line):
                    if at < first or (last and at > last):
                        continue
                    bare = "".join(text.split())
                    for each in tried:
                        fits = re.search(pattern, text) if pattern else each in bare
                        if fits and each not in found:
                            found[each] = chunk, at
            if found:
                return self.cited(found.values(), entity)
            pattern = ""
        return []

    def line_of_relation(
        self, setting: Entity, relation: Relation, reader: Entity
    ) -> list[Evidence]:
        """Return the line at which a setting is read."""
        line = _line(relation)
        for chunk in chunks_of(_document(reader), self.planner, self.pool.scope):
            if chunk.start_line <= line <= chunk.end_line:
                ids = (relation.rel_id, setting.entity_id, reader.entity_id)
                return [self._lines(chunk, ids, relation, line, line)]
        return []

    def cited(self, places: Iterable[tuple[Chunk, int]], entity: Entity) -> list[Evidence]:
        """Return places as evidence: of one passage from the first to the last that is near it."""
        by_chunk: dict[str, tuple[Chunk, list[int]]] = {}
        for chunk, line in sorted(places, key=lambda place: (place[1], place[0].chunk_id)):
            by_chunk.setdefault(chunk.chunk_id, (chunk, []))[1].append(line)
        document = entity.properties.get("document_id")
        ids = (entity.entity_id, *([document] if isinstance(document, str) else []))
        return [
            self._lines(chunk, ids, entity, at[0], max(n for n in at if n - at[0] < _FAR))
            for chunk, at in by_chunk.values()
        ][:MOST_TOLD]

    def joined(self, lines: Iterable[Evidence]) -> list[Evidence]:
        """Return lines that are near each other in one passage as one piece, for a passage is cited
        once."""
        by_id: dict[str, list[Evidence]] = {}
        for line in lines:
            by_id.setdefault(line.id, []).append(line)
        chunks = self.planner.get([*by_id])
        joined: list[Evidence] = []
        for id_, found in by_id.items():
            chunk, first = chunks.get(id_), min(line.start_line for line in found)
            last = max(line.end_line for line in found if line.end_line - first < _FAR)
            if isinstance(chunk, Chunk):
                text = _text(chunk, first, last)
                ids = tuple(dict.fromkeys(i for line in found for i in line.graph_ids))
                joined.append(
                    found[0]._replace(start_line=first, end_line=last, text=text, graph_ids=ids)
                )
        return joined

    def _lines(
        self, chunk: Chunk, ids: tuple[str, ...], record: Entity | Relation, first: int, last: int
    ) -> Evidence:
        whole = from_chunk(chunk, self.planner, ids, record)
        role = role_of(whole.path, code=True)
        text = _text(chunk, first, last)
        return whole._replace(start_line=first, end_line=last, text=text, role=role)

    def stated(
        self, text: str, symbol: Entity, written: Sequence[str] = (), *, pattern: str = ""
    ) -> list[AnswerStatement]:
        """Return a statement on a symbol with the lines that say it; none where none does."""
        lines = self.lines_of(symbol, written, pattern=pattern)
        return [AnswerStatement(text, tuple(lines), kind=symbol.type)] if lines else []


def path_of(entity: Entity) -> str:
    """Return the path of a symbol or document; "" where it has none."""
    path = entity.properties.get("path") or entity.properties.get("file_path")
    return path if isinstance(path, str) else ""


def start_of(symbol: Entity) -> int:
    """Return the first line of a symbol; 0 where it is not known."""
    start = symbol.properties.get("start_line")
    return start if isinstance(start, int) else 0


def texts(value: Value) -> list[str]:
    """Return a property that is one text or a list of them as a list."""
    listed = value if isinstance(value, list) else [value]
    return [text for text in listed if isinstance(text, str) and text]


def end_of(symbol: Entity) -> int:
    """Return the last line of a symbol; 0 where it is not known."""
    end = symbol.properties.get("end_line")
    return end if isinstance(end, int) else 0


def _document(entity: Entity) -> str:
    document = entity.properties.get("document_id")
    return document if isinstance(document, str) else entity.entity_id


def _text(chunk: Chunk, first: int, last: int) -> str:
    return "\n".join(chunk.text.split("\n")[first - chunk.start_line : last - chunk.start_line + 1])


def _line(relation: Relation) -> int:
    line = relation.properties.get("line")
    return line if isinstance(line, int) else 0


def _of_type(entities: Iterable[Entity], type_: EntityType) -> list[Entity]:
    return [e for e in entities if e.type == type_]


def _is_aside(entity: Entity) -> bool:
    return role_of(path_of(entity), code=True) in _OTHER_ROLES


def _place(paths: Sequence[str], path: str) -> int:
    return paths.index(path) if path in paths else len(paths)


def _around(symbol: Entity) -> set[str]:
    """The names that a symbol's own may be written after: of its types, its folders, its file."""
    *outer, _ = name_key(symbol.name).split(".")
    *folders, file = name_key(path_of(symbol)).split("/")
    return {*outer, *folders, file.partition(".")[0]}


def _begins_in(symbol: Entity, passage: Evidence) -> bool:
    """Whether a symbol begins in a passage, or the passage lies inside of it."""
    begins = passage.start_line <= start_of(symbol) <= passage.end_line
    return path_of(symbol) == passage.path and (
        begins or start_of(symbol) <= passage.start_line <= end_of(symbol)
    )


def _is_module(path: str, named: str) -> bool:
    """Whether a path is called so, its ending or the `index` of a folder left out."""
    bare = name_key(path).rpartition(".")[0] or name_key(path)
    for index in _INDEXES:
        bare = bare.removesuffix(index)
    return bare == named or bare.endswith(f"/{named}") or name_key(path).endswith(f"/{named}")

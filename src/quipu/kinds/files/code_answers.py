"""What the records of code answer: signatures, values, errors, settings, options, exports.

Each statement is made of one record, or of one for each that bears the name, and cites the line
that says it. What a name means is decided by the records: source before tests and examples, what
was found for the question before the rest. Where they differ and nothing decides, nothing is said.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_lead, code_span, in_short, plain
from quipu.answer.support import EvidencePool, from_chunk
from quipu.answer.wording import listed, meant
from quipu.kinds.files.code_questions import Aspect, OfCode, read_of_code
from quipu.ports import Planner
from quipu.read.settings import ALL_OF
from quipu.records.naming import CONSTRUCTORS
from quipu.records.record import Chunk, Entity, Relation, Value
from quipu.records.role import role_of
from quipu.records.schema import EntityType, RelationType
from quipu.records.scope import EVERYTHING
from quipu.text import name_key, split_identifier, stems

__all__ = ["CodeRecords", "is_told_line", "of_code", "path_of"]

_MOST = 3
_MOST_LISTED = 30
_SHOWN = 20
_FAR = 12
_BEGINNING = 40
_PASSAGES = 10
_MOST_READ = 200
_MOST_DEFINED = 500
_SETTINGS = (EntityType.ENVIRONMENT_VARIABLE, EntityType.SETTING, EntityType.OPTION)
_ALL: dict[Aspect, EntityType] = {
    "environment": EntityType.ENVIRONMENT_VARIABLE,
    "settings": EntityType.SETTING,
    "options": EntityType.OPTION,
}
_READING = frozenset({str(RelationType.READS_SETTING), str(RelationType.TAKES_OPTION)})
_DEFINED = frozenset({str(RelationType.DEFINED_IN)})
_OVERRIDING = frozenset({str(RelationType.OVERRIDES)})
_PART = frozenset({str(RelationType.PART_OF)})
_SAYS: dict[Aspect, str] = {
    "takes": "takes",
    "raises": "raises",
    "fields": "has",
    "delegates": "delegates to",
    "calls": "calls",
    "returns": "returns",
}
# `name: type = 3`, `int name = 3`, `$name = 3`, `name integer DEFAULT 3`: the name is the last word
# before what its type or default begins with, and the default what stands behind `=`.
_WRITTEN = re.compile(
    r"(?P<head>[^=]*?)(?:\s*(?<![=!<>:])=(?![=>])\s*(?P<value>.+)|\s+DEFAULT\s+(?P<sql>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_EXPORTS = r"^\s*(?:module\.)?exports?\b|^__all__\b|^\s*pub use\b"
_SHELL = re.compile(r"[\"']?\$(?:\{\w+:?-([^}]*)\}|\w+)[\"']?")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_ACCESSORS = re.compile(r"\{\s*(?:get|set|init)\b[^{}]*\}")
_LEFT_OPEN = frozenset({"none", "null", "nil", "undefined", "nullptr"})
"""Defaults that leave it to the code, or to its documentation, what is taken instead."""
_NOTHING = _LEFT_OPEN | frozenset({"false", "''", '""', "{}", "[]"})
_UNTOLD = ("test", "fixture", "example", "generated", "vendored")


def of_code(asked: Asked, said: "CodeRecords") -> list[AnswerStatement]:
    """What the records of code state to the question, at most three; nothing to another one."""
    read = read_of_code(asked.text)
    if read is None:
        return []
    match read.aspect:
        case "environment" | "settings" | "options":
            found = said.all_of(_ALL[read.aspect], read.of)
            if not found and read.aspect == "options" and read.of:
                found = said.aspect_of("takes", read.of)
        case "read":
            found = said.readers_of(read.name)
        case "sets":
            found = said.setters_of(read.name)
        case "exports":
            found = said.exports_of(read.name)
        case "default":
            found = said.default_of(read)
        case "value":
            found = said.value_of(read.name)
        case "overrides" | "overridden":
            found = said.overriding(read.name, outward=read.aspect == "overrides")
        case "does":
            found = said.documented(read.name)
        case "members":
            found = said.members_of(read.name) or said.aspect_of("fields", read.name)
        case aspect:
            found = said.aspect_of(aspect, read.name)
    return _apart(found)[:_MOST]


def is_told_line(each: Evidence) -> bool:
    """Whether a piece of evidence is a line that a record of code led to, not a passage that was
    found: only such lines have a role without a score."""
    return each.is_code and each.score is None and each.role != "other"


class _Place(NamedTuple):
    """A line that says something, and the passage that it stands in."""

    chunk: Chunk
    line: int
    text: str


class CodeRecords:
    """The records of code, as one question asks for them."""

    def __init__(
        self, asked: Asked, planner: Planner, evidence: Sequence[Evidence], pool: EvidencePool
    ) -> None:
        self.asked = asked
        self.planner = planner
        self.evidence = evidence
        self.pool = pool

    # --- what is meant

    def symbols(self, name: str) -> list[Entity]:
        """The symbols that a name means: those of source, and of what was found, before others;
        none where more than three are left."""
        key = name_key(re.sub(r"::|->|#|\\", ".", name))
        last = key.rpartition(".")[2]
        named = self.planner.named([key, last])
        found = [e for e in named.get(key, ()) if e.type == EntityType.SYMBOL]
        if not found and last != key:
            before = key.split(".")[:-1]
            found = [
                e
                for e in named.get(last, ())
                if e.type == EntityType.SYMBOL and _is_within(e, before)
            ]
        return _few(self._near(self.of_source(meant(self.asked.text, found))))

    def with_makers(self, symbols: Sequence[Entity]) -> list[Entity]:
        """The symbols, and what makes those that are types: its parameters are asked of them."""
        types = [e for e in symbols if e.properties.get("kind") not in _CALLED]
        made = {
            name_key(f"{e.name}.{name}"): e
            for e in types
            for name in (*CONSTRUCTORS, e.name.rpartition(".")[2])
        }
        named = self.planner.named(list(made)) if made else {}
        makers = [
            maker
            for key, e in made.items()
            for maker in named.get(key, ())
            if maker.type == EntityType.SYMBOL and path_of(maker) == path_of(e)
        ]
        return [*symbols, *makers]

    def of_source(self, symbols: Sequence[Entity]) -> list[Entity]:
        source = [e for e in symbols if role_of(path_of(e), code=True) not in _UNTOLD]
        return source or list(symbols)

    def _near(self, symbols: list[Entity]) -> list[Entity]:
        """Those of the files that were found, where there are more than may be told."""
        if len(symbols) <= 1:
            return symbols
        paths = [each.path for each in self.evidence[:_PASSAGES]]
        near = [e for e in symbols if path_of(e) in paths]
        return sorted(near or symbols, key=lambda e: (_place(paths, path_of(e)), e.entity_id))

    def _found_symbols(self) -> list[Entity]:
        """The symbols that begin in the passages of code that were found, in their order."""
        passages = [each for each in self.evidence[:_PASSAGES] if each.is_code]
        documents = list(dict.fromkeys(each.document_id for each in passages))
        near = self.planner.neighbors(
            documents, direction="in", types=_DEFINED, limit_per_id=_MOST_DEFINED
        )
        ids = [r.source_entity_id for each in documents for r in near[each]]
        symbols = [
            e
            for e in self.planner.get(ids).values()
            if isinstance(e, Entity) and e.type == EntityType.SYMBOL
        ]
        found: dict[str, Entity] = {}
        for each in passages:
            inside = [e for e in symbols if _begins_in(e, each)]
            for symbol in sorted(inside, key=lambda e: (_start(e), e.entity_id)):
                found[symbol.entity_id] = symbol
        return self.of_source(list(found.values()))

    def _settings(self, name: str) -> list[Entity]:
        keys = [name_key(name)]
        named = self.planner.named(keys)
        return [e for key in keys for e in named.get(key, ()) if e.type in _SETTINGS]

    def documents(self, name: str) -> list[Entity]:
        """The files of code that a name means: by path, or among the files that were found by the
        name of the file with or without its ending, or as a dotted module."""
        key = name_key(name)
        slashed = key if "/" in key else key.replace(".", "/")
        paths = dict.fromkeys(each.path for each in self.evidence)
        ends = [p for p in paths if _is_module(p, slashed) or _is_module(p, key)]
        named = self.planner.named([key, *map(name_key, ends)])
        for keys in ([key], map(name_key, ends)):
            every = (e for each in keys for e in named.get(each, ()))
            if found := {e.entity_id: e for e in every if e.type == EntityType.DOCUMENT}:
                return _few(list(found.values()))
        return []

    # --- what is said

    def aspect_of(self, aspect: Aspect, name: str) -> list[AnswerStatement]:
        """What a function takes, gives, raises …, or what a type holds."""
        said: list[AnswerStatement] = []
        symbols = self.symbols(name)
        if aspect == "takes":
            makers = self.with_makers(symbols)
            symbols = [e for e in makers if e.properties.get("kind") in _CALLED]
        for symbol in symbols:
            values = _texts(symbol.properties.get(aspect))
            if aspect == "delegates" and not values:
                values = _texts(symbol.properties.get("calls"))
                aspect = "calls" if values else aspect
            if not values and aspect == "takes" and symbol.properties.get("kind") in _CALLED:
                text = f"{_shown(symbol)} takes no parameters"
                said += self._stated(text, symbol, [])
            elif values:
                text = f"{_shown(symbol)} {_SAYS[aspect]} {_listed(values)}"
                doc = in_short(symbol.description) if aspect == "returns" else ""
                written = [*values, doc[:_BEGINNING]] if doc else values
                said += self._stated(f"{text}: {doc}" if doc else text, symbol, written)
        return said

    def value_of(self, name: str) -> list[AnswerStatement]:
        """What a constant or a variable is set to."""
        return [
            statement
            for symbol in self.symbols(name)
            if isinstance(value := symbol.properties.get("value"), str) and value
            for statement in self._stated(
                f"{_shown(symbol)} is {code_span(value)}", symbol, [value]
            )
        ]

    def members_of(self, name: str) -> list[AnswerStatement]:
        """The constants of a type's file that its name begins; its methods where these are asked
        for, or where there are none."""
        of_methods = "method" in self.asked.text.lower()
        said: list[AnswerStatement] = []
        for symbol in self.symbols(name):
            document = symbol.properties.get("document_id")
            if not isinstance(document, str):
                continue
            near = self.planner.neighbors(
                [document], direction="in", types=_DEFINED, limit_per_id=_MOST_DEFINED
            )[document]
            found = self.planner.get([r.source_entity_id for r in near]).values()
            beside = [e for e in found if isinstance(e, Entity) and e.type == EntityType.SYMBOL]
            methods = [e for e in beside if _is_of(e, symbol, "method", ".")]
            constants = [e for e in beside if _is_of(e, symbol, "variable", "")]
            members = sorted(methods if of_methods else constants or methods, key=_start)
            if members:
                names = _listed([e.name.removeprefix(f"{symbol.name}.") for e in members])
                lines = [each for e in members for each in self._stated("", e, [])]
                cited = self._joined(each.evidence[0] for each in lines)
                text = f"{_shown(symbol)} has {names}"
                said.append(AnswerStatement(text, tuple(cited[:_MOST]), kind=symbol.type))
        return said

    def overriding(self, name: str, *, outward: bool) -> list[AnswerStatement]:
        """The methods that take the place of one, or whose place it takes."""
        symbols = self.symbols(name)
        near = self.planner.neighbors(
            [e.entity_id for e in symbols],
            direction="out" if outward else "in",
            types=_OVERRIDING,
            limit_per_id=_SHOWN,
        )
        said: list[AnswerStatement] = []
        for symbol in symbols:
            ends = [
                r.target_entity_id if outward else r.source_entity_id
                for r in near[symbol.entity_id]
            ]
            found = self.planner.get(ends).values()
            others = sorted(
                (e for e in found if isinstance(e, Entity)), key=lambda e: (e.name, e.entity_id)
            )
            names = listed([_shown(e) for e in others])
            verb = "overrides" if outward or len(others) == 1 else "override"
            text = (
                f"{_shown(symbol)} {verb} {names}"
                if outward
                else f"{names} {verb} {_shown(symbol)}"
            )
            lines = [
                line
                for e in ([symbol] if outward else others)
                for line in self._stated(text, e, [])
            ]
            if not others and not outward and (own := self._stated("", symbol, [])):
                text = f"Nothing that is known here overrides {_shown(symbol)}"
                said.append(own[0]._replace(text=text, kind=str(RelationType.OVERRIDES)))
            if others and lines:
                cited = tuple(line.evidence[0] for line in lines[:_MOST])
                said.append(AnswerStatement(text, cited, kind=str(RelationType.OVERRIDES)))
        return said

    def documented(self, name: str) -> list[AnswerStatement]:
        """What the documentation of a symbol says of it, where its passage does not show that by
        itself (`code_lead`)."""
        said: list[AnswerStatement] = []
        for symbol in self.symbols(name)[:1]:
            doc = in_short(symbol.description)
            if not doc or symbol.properties.get("kind") not in _DOCUMENTED:
                continue
            for statement in self._stated("", symbol, []):
                first = statement.evidence[0]
                whole = next(c for c in self.chunks_of(symbol) if c.chunk_id == first.id)
                if all(code_lead(_from(whole, symbol))):
                    return []
                signature = " ".join(first.text.split()).rstrip("{: ").rstrip()
                said.append(statement._replace(text=f"{code_span(signature)}: {doc}"))
        return said

    def setters_of(self, name: str) -> list[AnswerStatement]:
        """The functions found for the question that set a name."""
        last = _bare(name.rpartition(".")[2])
        setting = [
            e
            for e in self._found_symbols()
            if any(_bare(each) == last for each in _texts(e.properties.get("sets")))
        ]
        return [
            statement
            for symbol in setting
            for statement in self._stated(
                f"{_shown(symbol)} sets {code_span(name)}",
                symbol,
                [name.rpartition(".")[2]],
                pattern=rf"\b{re.escape(last)}\b[^=\n]{{0,40}}(?<![=!<>])=(?!=)",
            )
        ]

    def exports_of(self, name: str) -> list[AnswerStatement]:
        """The names that a file of code gives away, with the lines that say so, or else that
        define the first of them."""
        said: list[AnswerStatement] = []
        for document in self.documents(name):
            exports = _texts(document.properties.get("exports"))
            if not exports:
                continue
            first = re.escape(exports[0].rpartition(".")[2])
            places = self._lines_of(document, ["exports"], 1, None, _EXPORTS)
            places = places or self._lines_of(document, ["first"], 1, None, rf"\b{first}\b")
            if places:
                text = f"{code_span(path_of(document))} exports {_listed(exports)}"
                said.append(self._statement(text, document, places))
        return said

    def default_of(self, asked: OfCode) -> list[AnswerStatement]:
        """The default of a setting or an option, of a parameter or field, or the value of a
        constant of that name."""
        if not asked.of and (of_settings := self._defaults_of_settings(asked.name)):
            return of_settings
        named = self.with_makers(self.symbols(asked.of)) if asked.of else []
        symbols = named if asked.of else self._found_symbols()
        found = [
            (symbol, written, value)
            for symbol in symbols
            for written in _parts_of(symbol)
            if (value := _default(written, asked.name, symbol)) is not None
        ]
        if any(value.lower() in _LEFT_OPEN for _, _, value in found):
            return []
        if not asked.of:
            found = [each for each in found if each[2] and each[2].lower() not in _NOTHING]
            if len({value for _, _, value in found}) > 1:
                return []
        said: list[AnswerStatement] = []
        for symbol, written, value in found:
            said += self._stated(self._default_told(asked.name, value, symbol), symbol, [written])
        return said or ([] if asked.of else self.value_of(asked.name))

    def _defaults_of_settings(self, name: str) -> list[AnswerStatement]:
        said: dict[str, AnswerStatement] = {}
        for setting, relation in self._readings(self._settings(name)):
            default = relation.properties.get("default")
            if isinstance(default, str) and default not in said:
                text = f"{code_span(setting.name)} is {code_span(default)} by default"
                said.update((default, s) for s in self._by_relation(text, setting, relation))
        return list(said.values()) if len(said) == 1 else []

    def _default_told(self, name: str, value: str, symbol: Entity) -> str:
        """What the parameter or field `name` of a symbol is by default, in words."""
        what = f"{code_span(name)} of {_shown(symbol)}"
        text = f"{what} is {code_span(value)} by default" if value else f"{what} has no default"
        return text + self._stands_for(value, symbol)

    def _stands_for(self, value: str, symbol: Entity) -> str:
        """What a constant of the symbol's file stands for, where a default is its name."""
        name = value.rpartition(".")[2]
        if not _IDENTIFIER.fullmatch(name):
            return ""
        named = self.planner.named([name_key(name)]).get(name_key(name), ())
        here = [e.properties.get("value") for e in named if path_of(e) == path_of(symbol)]
        known = [constant for constant in here if isinstance(constant, str)]
        return f", where {code_span(f'{name} = {known[0]}')}" if len(known) == 1 else ""

    def readers_of(self, name: str) -> list[AnswerStatement]:
        """Where a setting is read, or an option declared, a statement for each kind of it."""
        said: list[AnswerStatement] = []
        for setting in self._settings(name):
            readings = [relation for _, relation in self._readings([setting])]
            ends = self.planner.get([r.source_entity_id for r in readings])
            readers: list[str] = []
            cited: list[Evidence] = []
            for relation in readings[:_SHOWN]:
                reader = ends.get(relation.source_entity_id)
                for statement in self._by_relation("", setting, relation):
                    first = statement.evidence[0]
                    where = code_span(f"{first.path}:{first.start_line}")
                    is_symbol = isinstance(reader, Entity) and reader.type == EntityType.SYMBOL
                    readers.append(f"{_shown(reader)} ({where})" if is_symbol else where)
                    cited.append(first)
            cited = self._joined(cited)
            if readers:
                how = "declared" if setting.type == EntityType.OPTION else "read"
                readers = list(dict.fromkeys(readers))
                text = f"{code_span(setting.name)} is {how} in {listed(readers)}"
                said.append(AnswerStatement(text, tuple(cited[:_MOST]), kind=str(setting.type)))
        return said

    def all_of(self, type_: EntityType, of: str) -> list[AnswerStatement]:
        """All settings of a type, or those that a function, a file or a class reads."""
        settings = self._read_by(of, type_) if of else self._everything(type_)
        if not settings:
            return []
        names: dict[str, str] = {}
        cited: dict[str, Evidence] = {}
        for setting, relation in self._readings(settings):
            default = relation.properties.get("default")
            said = code_span(setting.name)
            if isinstance(default, str) and default:
                said += f" ({plain(default)} by default)"
            if len(said) > len(names.get(setting.name, "")):
                names[setting.name] = said
            for statement in self._by_relation("", setting, relation):
                cited.setdefault(setting.name, statement.evidence[0])
        shown = [names[name] for name in sorted(names) if name in cited]
        if not shown:
            return []
        evidence = self._joined(cited[name] for name in sorted(cited))
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        verb = "The options are" if type_ == EntityType.OPTION else "The code reads"
        text = f"{verb} {', '.join(shown[:_SHOWN])}{more}"
        return [AnswerStatement(text, tuple(evidence[:_SHOWN]), kind=str(type_))]

    def _everything(self, type_: EntityType) -> list[Entity]:
        key = name_key(ALL_OF[type_])
        whole = [e.entity_id for e in self.planner.named([key]).get(key, ())]
        near = self.planner.neighbors(whole, direction="in", types=_PART, limit_per_id=_MOST_READ)
        ids = [r.source_entity_id for each in whole for r in near[each]]
        return [
            e for e in self.planner.get(ids).values() if isinstance(e, Entity) and e.type == type_
        ]

    def _read_by(self, name: str, type_: EntityType) -> list[Entity]:
        """What the symbols or files of a name read, with what stands inside of them."""
        readers = [e.entity_id for e in (*self.symbols(name), *self.documents(name))]
        inside = self.planner.neighbors(
            readers, direction="in", types=_DEFINED, limit_per_id=_MOST_READ
        )
        ids = [*readers, *(r.source_entity_id for each in readers for r in inside[each])]
        read = self.planner.neighbors(ids, types=_READING, limit_per_id=_MOST_READ)
        ends = [r.target_entity_id for each in ids for r in read[each]]
        return [
            e for e in self.planner.get(ends).values() if isinstance(e, Entity) and e.type == type_
        ]

    def _readings(self, settings: Sequence[Entity]) -> list[tuple[Entity, Relation]]:
        """The relations to settings, those of source before those of tests, by place."""
        near = self.planner.neighbors(
            [e.entity_id for e in settings],
            direction="in",
            types=_READING,
            limit_per_id=_SHOWN,
        )
        found = [(e, r) for e in settings for r in near[e.entity_id]]
        ends = self.planner.get([r.source_entity_id for _, r in found])
        of_others: list[tuple[str, int, Entity, Relation]] = []
        of_source: list[tuple[str, int, Entity, Relation]] = []
        for setting, relation in found:
            reader = ends.get(relation.source_entity_id)
            path = path_of(reader) if isinstance(reader, Entity) else ""
            row = (path, _line(relation), setting, relation)
            (of_others if role_of(path, code=True) in _UNTOLD else of_source).append(row)
        rows = sorted(of_source or of_others, key=lambda row: (row[0], row[1], row[3].rel_id))
        return [(setting, relation) for _, _, setting, relation in rows]

    # --- what says it

    def _by_relation(self, text: str, setting: Entity, relation: Relation) -> list[AnswerStatement]:
        """A statement with the line at which a relation stands."""
        reader = self.planner.get([relation.source_entity_id]).get(relation.source_entity_id)
        if not isinstance(reader, Entity):
            return []
        ids = (relation.rel_id, setting.entity_id, reader.entity_id)
        line = _line(relation)
        for chunk in self.chunks_of(reader):
            if chunk.start_line <= line <= chunk.end_line:
                lines = chunk.text.split("\n")
                at = line - chunk.start_line
                if at < len(lines):
                    passage = self.line_of(chunk, ids, relation, line, lines[at : at + 1])
                    return [AnswerStatement(text, (passage,), kind=relation.type)]
        return []

    def _stated(
        self, text: str, symbol: Entity, written: Sequence[str], *, pattern: str = ""
    ) -> list[AnswerStatement]:
        """A statement on a symbol with the lines that say it; none where they may not be seen."""
        start = symbol.properties.get("start_line")
        end = symbol.properties.get("end_line")
        if not isinstance(start, int) or not isinstance(end, int):
            return []
        places = self._lines_of(symbol, written, start, end, pattern)
        if not places:
            name = symbol.name.rpartition(".")[2]
            places = self._lines_of(symbol, [name], start, end, "")
        return [self._statement(text, symbol, places)] if places else []

    def _lines_of(
        self, entity: Entity, written: Sequence[str], start: int, end: int | None, pattern: str = ""
    ) -> list[_Place]:
        """Where each of what is written stands first, within the lines of the record."""
        unspaced = {each: "".join(each.split()) for each in written}
        found: dict[str, _Place] = {}
        for chunk in self.chunks_of(entity):
            for at, text in enumerate(chunk.text.split("\n"), chunk.start_line):
                if at < start or (end is not None and at > end):
                    continue
                bare = "".join(text.split())
                for each, sought in unspaced.items():
                    fits = re.search(pattern, text) if pattern else sought in bare
                    if each not in found and fits:
                        found[each] = _Place(chunk, at, text)
        return sorted(found.values(), key=lambda p: (p.line, p.chunk.chunk_id))

    def _statement(self, text: str, entity: Entity, places: Sequence[_Place]) -> AnswerStatement:
        document_id = entity.properties.get("document_id")
        ids = (entity.entity_id, *([document_id] if isinstance(document_id, str) else []))
        cited: list[Evidence] = []
        for chunk in {place.chunk.chunk_id: place.chunk for place in places}.values():
            lines = [p.line for p in places if p.chunk.chunk_id == chunk.chunk_id]
            first = lines[0]
            last = max(line for line in lines if line - first < _FAR)
            at = first - chunk.start_line
            shown = chunk.text.split("\n")[at : at + last - first + 1]
            cited.append(self.line_of(chunk, ids, entity, first, shown))
        return AnswerStatement(text, tuple(cited[:_MOST]), kind=entity.type)

    def _joined(self, lines: Iterable[Evidence]) -> list[Evidence]:
        """Lines of one passage that are near each other as one piece of evidence, since a passage
        is cited once."""
        by_id: dict[str, list[Evidence]] = {}
        for each in lines:
            by_id.setdefault(each.id, []).append(each)
        joined: list[Evidence] = []
        for id_, each in by_id.items():
            first = min(each, key=lambda e: e.start_line)
            last = max(e.end_line for e in each if e.end_line - first.start_line < _FAR)
            ids = tuple(dict.fromkeys(i for e in each for i in e.graph_ids))
            whole = self.planner.get([id_]).get(id_)
            if isinstance(whole, Chunk):
                at = first.start_line - whole.start_line
                shown = whole.text.split("\n")[at : at + last - first.start_line + 1]
                first = first._replace(end_line=last, text="\n".join(shown))
            joined.append(first._replace(graph_ids=ids))
        return joined

    def line_of(
        self,
        chunk: Chunk,
        ids: tuple[str, ...],
        record: Entity | Relation,
        first: int,
        lines: Sequence[str],
    ) -> Evidence:
        """Lines of a passage as evidence of their own."""
        whole = from_chunk(chunk, self.planner, ids, record)
        return whole._replace(
            start_line=first,
            end_line=first + len(lines) - 1,
            text="\n".join(lines),
            role=role_of(whole.path, code=True),
        )

    def chunks_of(self, entity: Entity) -> list[Chunk]:
        """The passages of the document of a record that may be seen, in their order."""
        document_id = entity.properties.get("document_id")
        of_document = document_id if isinstance(document_id, str) else entity.entity_id
        numbers = self.planner.numbers_in([of_document])[of_document]
        if self.pool.scope != EVERYTHING:
            numbers = numbers[self.planner.admits(numbers, self.pool.scope)]
        return sorted(self.planner.chunks(numbers), key=lambda c: (c.start_line, c.chunk_id))


def _from(chunk: Chunk, symbol: Entity) -> str:
    """The lines of a passage from a symbol on."""
    return "\n".join(chunk.text.split("\n")[max(_start(symbol) - chunk.start_line, 0) :])


_CALLED = frozenset({"function", "method"})
_DOCUMENTED = frozenset({"function", "method", "class", "table"})


def _apart(found: Sequence[AnswerStatement]) -> list[AnswerStatement]:
    """What several records state in the same words, once, with the lines of each."""
    apart: dict[str, AnswerStatement] = {}
    for each in found:
        same = apart.get(each.text)
        evidence = (*same.evidence, *each.evidence) if same else each.evidence
        apart[each.text] = each._replace(evidence=evidence[:_MOST])
    return list(apart.values())


def _few(found: list[Entity]) -> list[Entity]:
    return found if len(found) <= _MOST else []


def _place(paths: Sequence[str], path: str) -> int:
    return paths.index(path) if path in paths else len(paths)


def path_of(entity: Entity) -> str:
    path = entity.properties.get("path") or entity.properties.get("file_path")
    return path if isinstance(path, str) else ""


def _is_within(symbol: Entity, before: Sequence[str]) -> bool:
    """Whether the names `before` a symbol's own are those of what it is in: its types, its file."""
    *outer, _ = name_key(symbol.name).split(".")
    *folders, file = name_key(path_of(symbol)).split("/")
    return set(before) <= {*outer, *folders, file.partition(".")[0]}


def _start(symbol: Entity) -> int:
    start = symbol.properties.get("start_line")
    return start if isinstance(start, int) else 0


def _is_of(symbol: Entity, type_: Entity, kind: str, sign: str) -> bool:
    """Whether a symbol of a kind is called after a type."""
    is_kind = symbol.properties.get("kind") == kind
    return is_kind and symbol.name != type_.name and symbol.name.startswith(f"{type_.name}{sign}")


def _begins_in(symbol: Entity, passage: Evidence) -> bool:
    """Whether a symbol begins in a passage, or a passage that has no other is a part of it."""
    end = symbol.properties.get("end_line")
    within = passage.start_line <= _start(symbol) <= passage.end_line
    goes_on = isinstance(end, int) and _start(symbol) <= passage.start_line <= end
    return path_of(symbol) == passage.path and (within or goes_on)


def _line(relation: Relation) -> int:
    line = relation.properties.get("line")
    return line if isinstance(line, int) else 0


def _is_module(path: str, named: str) -> bool:
    """Whether a path is called so, its ending or the `index` of a folder left out."""
    bare = name_key(path).rpartition(".")[0] or name_key(path)
    for index in ("/__init__", "/index", "/mod", "/lib"):
        bare = bare.removesuffix(index)
    return bare == named or bare.endswith(f"/{named}") or name_key(path).endswith(f"/{named}")


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    listed_ = value if isinstance(value, list) else []
    return [each for each in listed_ if isinstance(each, str) and each]


def _shown(entity: object) -> str:
    return code_span(entity.name) if isinstance(entity, Entity) else "it"


def _listed(values: Sequence[str]) -> str:
    shown = [code_span(each) for each in values[:_MOST_LISTED]]
    if len(values) > _MOST_LISTED:
        return f"{', '.join(shown)} and {len(values) - _MOST_LISTED} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _bare(name: str) -> str:
    """A name without the signs that a language puts before or behind it."""
    return name.lstrip("@$").rstrip("_?!")


def _parts_of(symbol: Entity) -> Iterable[str]:
    for key in ("takes", "fields"):
        yield from _texts(symbol.properties.get(key))


def _default(written: str, asked: str, symbol: Entity) -> str | None:
    """The default of a parameter or field that is called as asked, "" where it has none; None where
    it is another. Words are those that its name is made of."""
    head, _, value = written.partition(": ")
    if symbol.properties.get("language") != "ruby" or "=" in head or not head.isidentifier():
        found = _WRITTEN.fullmatch(_ACCESSORS.sub("", written))
        if found is None:
            return None
        head, value = found["head"], found["value"] or found["sql"] or ""
    if shell := _SHELL.fullmatch(value.strip()):
        value = shell[1] or ""
    names = _IDENTIFIER.findall(head.partition(":")[0])
    words = stems(" ".join(split_identifier(asked)))
    for name in names:
        if _bare(name) == _bare(asked) or stems(" ".join(split_identifier(name))) == words:
            return value.strip().strip("\"'") if len(value.strip()) > 2 else value.strip()
    return None

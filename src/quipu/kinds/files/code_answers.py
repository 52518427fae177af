"""State what the records of code hold of a name: signatures, values, errors, settings, exports."""

import re
from collections.abc import Callable, Sequence

from quipu.answer.gate import Evidence
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_lead, code_span, in_short, plain
from quipu.answer.wording import listed
from quipu.kinds.files.asked import Aspect, aspects_of
from quipu.kinds.files.code_records import (
    CALLED,
    MOST_TOLD,
    CodeRecords,
    path_of,
    start_of,
    texts,
)
from quipu.limits import LISTED
from quipu.read.settings import ALL_OF
from quipu.records.record import Chunk, Entity
from quipu.records.schema import EntityType, RelationType
from quipu.text import split_identifier, stems

__all__ = ["is_told_line", "of_code"]

_MOST_LISTED = 30
_BEGINNING = 40
_SAYS = {
    "takes": "takes",
    "returns": "returns",
    "raises": "raises",
    "fields": "has",
    "delegates": "delegates to",
    "calls": "calls",
    "value": "is",
}
_ALL = {
    "environment": EntityType.ENVIRONMENT_VARIABLE,
    "settings": EntityType.SETTING,
}
_DOCUMENTED = frozenset({"function", "method", "class", "table"})
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
_NOTHING = _LEFT_OPEN | frozenset({"", "false", "''", '""', "{}", "[]"})


def of_code(records: CodeRecords) -> list[AnswerStatement]:
    """Return what the records of code state to the question, at most three statements."""
    for aspect in aspects_of(records.question, "code"):
        if found := _TELLS.get(aspect.key, _property)(records, aspect):
            return _once(found)[:MOST_TOLD]
    return []


def is_told_line(passage: Evidence) -> bool:
    """Whether a piece of evidence is a line that a record of code led to, not a passage that was
    found: only such lines have a role without a score."""
    return passage.is_code and passage.score is None and passage.role != "other"


def _property(records: CodeRecords, aspect: Aspect, key: str = "") -> list[AnswerStatement]:
    """What a property of a symbol lists: what a function takes, gives, raises …, its value."""
    key = key or aspect.key
    if len(aspect.names) != 1 or (key == "raises" and not aspect.does):
        return []
    symbols = records.symbols(aspect.name)
    if key == "takes":
        makers = records.with_makers(symbols)
        symbols = [e for e in makers if e.properties.get("kind") in CALLED]
    said: list[AnswerStatement] = []
    for symbol in symbols:
        values, says = texts(symbol.properties.get(key)), _SAYS[key]
        if key == "delegates" and not values:
            values, says = texts(symbol.properties.get("calls")), _SAYS["calls"]
        doc = in_short(symbol.description) if key == "returns" and values else ""
        text = f"{_shown(symbol)} {says} {_listed(values)}{doc and f': {doc}'}"
        written = [*values, *([doc[:_BEGINNING]] if doc else [])]
        if values:
            said += records.stated(text, symbol, written)
        elif key == "takes":
            said += records.stated(f"{_shown(symbol)} takes no parameters", symbol)
    return said


def _members(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """The constants of a type's file that its name begins; its methods where these are asked for,
    or where there are none; else its fields."""
    if len(aspect.names) != 1:
        return []
    said: list[AnswerStatement] = []
    for symbol in records.symbols(aspect.name):
        document = symbol.properties.get("document_id")
        beside = records.defined_in([document] if isinstance(document, str) else [])
        methods = [e for e in beside if _is_of(e, symbol, "method", ".")]
        constants = [e for e in beside if _is_of(e, symbol, "variable", "")]
        of_methods = "method" in aspect.words
        members = sorted(methods if of_methods else constants or methods, key=start_of)
        if members:
            lines = records.joined(line for e in members for line in records.lines_of(e, ()))
            names = _listed([e.name.removeprefix(f"{symbol.name}.") for e in members])
            text = f"{_shown(symbol)} has {names}"
            said.append(AnswerStatement(text, tuple(lines[:MOST_TOLD]), kind=symbol.type))
    return said or _property(records, aspect, "fields")


def _overrides(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """The methods that take the place of one, or whose place it takes."""
    said: list[AnswerStatement] = []
    for symbol in records.symbols(aspect.name):
        others = records.overriding(symbol, outward=aspect.does)
        names, own = listed([_shown(e) for e in others]), _shown(symbol)
        verb = "overrides" if aspect.does or len(others) == 1 else "override"
        if aspect.does:
            text, sources = f"{own} {verb} {names}", [symbol]
        elif others:
            text, sources = f"{names} {verb} {own}", others
        else:
            text, sources = f"Nothing that is known here overrides {own}", [symbol]
        lines = [line for e in sources for line in records.lines_of(e, ())[:1]][:MOST_TOLD]
        if lines and (others or not aspect.does):
            said.append(AnswerStatement(text, tuple(lines), kind=str(RelationType.OVERRIDES)))
    return said


def _documented(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """What the documentation of a symbol says of it, where its passage does not show that by
    itself (`code_lead`)."""
    for symbol in records.symbols(aspect.name)[:1] if len(aspect.names) == 1 else ():
        doc = in_short(symbol.description, whole=True)
        lines = records.lines_of(symbol, ())
        if not doc or not lines or symbol.properties.get("kind") not in _DOCUMENTED:
            continue
        chunk = records.planner.get([lines[0].id])[lines[0].id]
        if isinstance(chunk, Chunk):
            from_it = chunk.text.split("\n")[max(start_of(symbol) - chunk.start_line, 0) :]
            if all(code_lead("\n".join(from_it))):
                return []
        signature = " ".join(lines[0].text.split()).rstrip("{: ").rstrip()
        return [AnswerStatement(f"{code_span(signature)}: {doc}", tuple(lines), kind=symbol.type)]
    return []


def _setters(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """The functions found for the question that set a name."""
    if len(aspect.names) != 1:
        return []
    name = aspect.name.rpartition(".")[2]
    pattern = rf"\b{re.escape(_bare(name))}\b[^=\n]{{0,40}}(?<![=!<>])=(?!=)"
    return [
        statement
        for symbol in records.found_symbols()
        if any(_bare(each) == _bare(name) for each in texts(symbol.properties.get("sets")))
        for statement in records.stated(
            f"{_shown(symbol)} sets {code_span(aspect.name)}", symbol, [name], pattern=pattern
        )
    ]


def _exports(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """The names that a file of code gives away, with the lines that say so, or else that define
    the first of them."""
    said: list[AnswerStatement] = []
    for document in records.documents(aspect.name) if len(aspect.names) == 1 else ():
        if exports := texts(document.properties.get("exports")):
            first = rf"\b{re.escape(exports[0].rpartition('.')[2])}\b"
            lines = records.lines_of(document, [""], pattern=_EXPORTS, within=False)
            lines = lines or records.lines_of(document, [""], pattern=first, within=False)
            if lines:
                text = f"{code_span(path_of(document))} exports {_listed(exports)}"
                said.append(AnswerStatement(text, tuple(lines), kind=document.type))
    return said


def _defaults(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """The default of a setting, of a parameter or field, or the value of a constant
    of that name."""
    names = [name.text for name in aspect.names]
    if not names or len(names) > 2:
        return []
    of, name = (names[0], names[-1]) if aspect.names[0].owns else (names[-1], names[0])
    if len(names) == 1:
        if of_settings := _defaults_of_settings(records, name):
            return of_settings
        symbols = records.found_symbols()
    else:
        symbols = records.with_makers(records.symbols(of))
    found = [
        (symbol, written, value)
        for symbol in symbols
        for key in ("takes", "fields")
        for written in texts(symbol.properties.get(key))
        if (value := _default(written, name, symbol)) is not None
    ]
    if any(value.lower() in _LEFT_OPEN for _, _, value in found):
        return []
    if len(names) == 1:
        found = [row for row in found if row[2].lower() not in _NOTHING]
        if len({value for _, _, value in found}) > 1:
            return []
    said: list[AnswerStatement] = []
    for symbol, written, value in found:
        is_so = f"is {code_span(value)} by default" if value else "has no default"
        said += records.stated(f"{code_span(name)} of {_shown(symbol)} {is_so}", symbol, [written])
    return said or (_property(records, aspect, "value") if len(names) == 1 else [])


def _defaults_of_settings(records: CodeRecords, name: str) -> list[AnswerStatement]:
    said: dict[str, AnswerStatement] = {}
    for setting, relation, reader in records.readings(records.settings(name)):
        default = relation.properties.get("default")
        lines = records.line_of_relation(setting, relation, reader)
        if isinstance(default, str) and default not in said and lines:
            text = f"{code_span(setting.name)} is {code_span(default)} by default"
            said[default] = AnswerStatement(text, tuple(lines), kind=relation.type)
    return list(said.values()) if len(said) == 1 else []


def _readers(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """Where a setting is read, a statement for each kind of it."""
    said: list[AnswerStatement] = []
    for setting in records.settings(aspect.name) if len(aspect.names) == 1 else ():
        readers: dict[str, Evidence] = {}
        for _, relation, reader in records.readings([setting])[:LISTED]:
            for line in records.line_of_relation(setting, relation, reader):
                where = code_span(f"{line.path}:{line.start_line}")
                is_symbol = reader.type == EntityType.SYMBOL
                readers[f"{_shown(reader)} ({where})" if is_symbol else where] = line
        if readers:
            text = f"{code_span(setting.name)} is read in {listed([*readers])}"
            lines = records.joined(readers.values())[:MOST_TOLD]
            said.append(AnswerStatement(text, tuple(lines), kind=str(setting.type)))
    return said


def _all_of(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """All settings of a type, or those that a function, a file or a class reads."""
    type_ = _ALL[aspect.key]
    if len(aspect.names) > 1:
        return []
    whole = ALL_OF[type_]
    found = records.settings_of(aspect.name) if aspect.names else records.settings_in(whole)
    names: dict[str, str] = {}
    lines: dict[str, Evidence] = {}
    for setting, relation, reader in records.readings([e for e in found if e.type == type_]):
        for line in records.line_of_relation(setting, relation, reader):
            default = relation.properties.get("default")
            told = code_span(setting.name)
            if isinstance(default, str) and default:
                told += f" ({plain(default)} by default)"
            names[setting.name] = max(names.get(setting.name, ""), told, key=len)
            lines.setdefault(setting.name, line)
    if not names:
        return []
    text = f"The code reads {listed([names[name] for name in sorted(names)], LISTED)}"
    cited = records.joined(lines[name] for name in sorted(lines))[:LISTED]
    return [AnswerStatement(text, tuple(cited), kind=str(type_))]


def _options(records: CodeRecords, aspect: Aspect) -> list[AnswerStatement]:
    """What a function takes; of a command no record says it."""
    return _property(records, aspect, "takes") if aspect.names else []


_TELLS: dict[str, Callable[[CodeRecords, Aspect], list[AnswerStatement]]] = {
    "members": _members,
    "overrides": _overrides,
    "does": _documented,
    "sets": _setters,
    "exports": _exports,
    "default": _defaults,
    "read": _readers,
    "environment": _all_of,
    "settings": _all_of,
    "options": _options,
}
"""What tells an aspect; any other is a property of the symbol."""


def _once(found: Sequence[AnswerStatement]) -> list[AnswerStatement]:
    """What several records state in the same words, once, with the lines of each."""
    once: dict[str, AnswerStatement] = {}
    for statement in found:
        same = once.get(statement.text)
        evidence = (*same.evidence, *statement.evidence) if same else statement.evidence
        once[statement.text] = statement._replace(evidence=evidence[:MOST_TOLD])
    return list(once.values())


def _is_of(symbol: Entity, type_: Entity, kind: str, sign: str) -> bool:
    """Whether a symbol of a kind is called after a type."""
    is_kind = symbol.properties.get("kind") == kind
    return is_kind and symbol.name != type_.name and symbol.name.startswith(f"{type_.name}{sign}")


def _shown(entity: Entity) -> str:
    return code_span(entity.name)


def _listed(values: Sequence[str]) -> str:
    return listed([*map(code_span, values)], _MOST_LISTED)


def _bare(name: str) -> str:
    """A name without the signs that a language puts before or behind it."""
    return name.lstrip("@$").rstrip("_?!")


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
    words = stems(" ".join(split_identifier(asked)))
    for name in _IDENTIFIER.findall(head.partition(":")[0]):
        if _bare(name) == _bare(asked) or stems(" ".join(split_identifier(name))) == words:
            return value.strip().strip("\"'") if len(value.strip()) > 2 else value.strip()
    return None

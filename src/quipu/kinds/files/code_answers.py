"""State what the records of code hold of a name: signatures, values, errors, settings."""

from collections.abc import Callable, Sequence

from quipu.answer.gate import Evidence
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import code_span, in_short, plain
from quipu.answer.wording import listed
from quipu.kinds.files.asked import Aspect, aspects_of
from quipu.kinds.files.code_records import (
    CALLED,
    MOST_TOLD,
    CodeRecords,
    start_of,
    texts,
)
from quipu.limits import LISTED
from quipu.read.settings import ALL_OF
from quipu.records.record import Entity
from quipu.records.schema import EntityType

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

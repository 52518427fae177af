"""Any result as text: by the template of its shape, else a line a key and a line a row.

In a row without a template, words stand as they are and numbers with their key before them; what
is empty is left out.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import reduce
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple, cast

import msgspec

from quipu.limits import NAMED, PREVIEW
from quipu.records.ids import name_key
from quipu.records.record import Chunk, Entity, Episode
from quipu.records.refs import SESSION_PREFIX
from quipu.serve.cli.terminal import counted, safe, style, width, wrapped

__all__ = [
    "Given",
    "ago",
    "field_lines",
    "labels_of",
    "lines_of",
    "note_lines",
    "page_lines",
    "template_lines",
]

_SHOWN = 40
_IN = "  "
_COLOURS = {"ok": "green", "pass": "green", "warn": "yellow"}
_FUNCTIONS = {
    "AnswersEvaluation": "measure:answer_lines",
    "Audited": "hits:audit_lines",
    "CypherQueries": "upkeep:cypher_lines",
    "FoundPassages": "hits:search_lines",
    "History": "hits:history_lines",
    "Reflected": "hits:reflected_lines",
    "Replied": "hits:answer_lines",
}
"""The shapes whose text is more than a template can say, and what makes it."""


def _templates() -> dict[str, str]:
    text = Path(__file__).with_name("views.txt").read_text("utf-8")
    _, *parts = re.split(r"^== (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], (part.strip("\n") for part in parts[1::2]), strict=True))


TEMPLATES = _templates()
"""How results are printed: `views.txt` says what a template is."""


class Given(NamedTuple):
    """What a result is shown with: the memory, if one was opened, and what was given."""

    memory: Any
    arguments: dict[str, Any]


def lines_of(result: Any, given: Given) -> Iterable[str]:
    """Return a result as lines for people; `given` is what it was asked with."""
    name = type(result).__name__
    if place := _FUNCTIONS.get(name):
        module, _, function = place.partition(":")
        return getattr(import_module(f"quipu.serve.cli.{module}"), function)(result, given)
    return template_lines(result, given)


def template_lines(result: Any, given: Given) -> Iterator[str]:
    """Return a result by the template of its shape, else a line a key."""
    return _Text(given).whole(result)


def note_lines(notes: Sequence[str]) -> Iterator[str]:
    """Return what should be known about a result, each note once."""
    for note in dict.fromkeys(notes):
        yield from (style(line, dim=True) for line in wrapped(f"note: {note}"))


class _Text:
    """The text of one result."""

    def __init__(self, given: Given) -> None:
        self._memory = given.memory if hasattr(given.memory, "graph") else None
        self._labels: dict[str, str] = {}
        self._shows_all = bool(given.arguments.get("explain") or given.arguments.get("show"))

    def whole(self, result: Any) -> Iterator[str]:
        template = _template(result)
        lines = list(self._templated(result, template) if template else field_lines(_plain(result)))
        yield from lines or ["Nothing."]
        if template:
            yield from note_lines(getattr(result, "notes", ()))

    def _templated(self, row: Any, template: str, indent: str = "") -> Iterator[str]:
        for line in template.split("\n"):
            kind, _, name = line.strip().partition(" ")
            if kind == "*":
                name, _, title = name.partition(" | ")
                yield from self._rows(row, name, title, indent)
            elif kind == ".":
                yield from field_lines(_plain(_at(row, name)), indent + _IN)
            elif line.strip() == "{text:page}":
                yield from page_lines(row.text.splitlines())
            elif shown := self._line(row, line.lstrip(" #")):
                lead = indent + line[: len(line) - len(line.lstrip())]
                for each in shown.split("\n"):
                    yield from _fitted(lead, each, bold=line.startswith("#"))

    def _rows(self, parent: Any, name: str, title: str, indent: str) -> Iterator[str]:
        rows: Sequence[Any] = getattr(parent, name)
        if not rows:
            return
        if title:
            yield style(f"{title} ({len(rows)})", bold=True)
            indent += _IN
        template = TEMPLATES.get(f"{type(parent).__name__}.{name}") or _template(rows[0])
        shown = rows if self._shows_all or not title else rows[:_SHOWN]
        if template:
            self._read({key for row in shown for key in _labelled(row, template)})
        for row in shown:
            if template:
                yield from self._templated(row, template, indent)
            elif isinstance(row, str):
                yield from wrapped(row, indent=indent)
            else:
                yield from _row(_plain(row), indent)
        if len(rows) > len(shown):
            yield f"{indent}… {len(rows) - len(shown):,} more: --json has them all"

    def _line(self, row: Any, line: str) -> str:
        """A line of a template with its values, without the parts that lack one."""
        return _IN.join(filter(None, (self._part(row, part) for part in line.split(_IN))))

    def _part(self, row: Any, part: str) -> str:
        found = ""
        for literal, name, how, _ in Formatter().parse(part):
            found += literal
            if name is not None:
                value = self._value(_at(row, name), how or "")
                if not value:
                    return ""
                found += value
        return found

    def _value(self, value: Any, how: str) -> str:
        """A value as a template asks for it; empty for one that is not there."""
        shown = how.removesuffix("mark").removesuffix(":")
        if shown in ("label", "rows"):
            each = self._label if how == "label" else self._inline
            text = "; ".join(filter(None, (each(one) for one in _many(value) if one)))
        elif "/" in shown:
            text = shown.split("/", 1)[not value]
        elif shown in HOW:
            text = HOW[shown](value)
        elif shown.startswith("or "):
            text = _word(value) or shown[3:]
        elif shown.isalpha() and len(shown) > 1:
            text = counted(len(value) if isinstance(value, Sized) else value, shown)
        else:
            text = format(value, shown) if shown and value is not None else _word(value)
        return text if shown == how else style(text, fg=_COLOURS.get(text, "red"))

    def _read(self, ids: set[str]) -> None:
        if self._memory is not None and (missing := ids - self._labels.keys()):
            self._labels |= labels_of(self._memory, missing)

    def _label(self, key: str) -> str:
        self._read({key})
        return safe(self._labels.get(key, key), line=True)

    def _inline(self, row: Any) -> str:
        return self._line(row, (_template(row) or "").split("\n")[0])


def _many(value: Any) -> Iterable[Any]:
    return cast("Iterable[Any]", value) if isinstance(value, tuple) else (value,)


def _number(value: Any) -> str:
    count = len(value) if isinstance(value, Sized) else value
    return f"{count:,}" if count else ""


def ago(seconds: float | None) -> str:
    """Return how long ago the last run was, in its largest fitting unit."""
    if seconds is None:
        return "nothing was indexed yet, run `quipu index .`"
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"last run {seconds / size:.0f} {unit} ago"
    return f"last run {counted(round(seconds), 'second')} ago"


def _said(facts: Any) -> str:
    from quipu.answer.dated_facts import said

    return safe("; ".join(map(said, _many(facts))), line=True)


HOW: Mapping[str, Callable[[Any], str]] = {
    "#": _number,
    "ago": ago,
    "day": lambda value: safe((value or "")[:10]),
    "few": lambda ids: " ".join([*ids[:NAMED], *(["…"] if len(ids) > NAMED else [])]),
    "lines": lambda texts: "\n".join(safe(each, line=True) for each in texts),
    "quoted": lambda value: shlex.quote(safe(value, line=True)),
    "said": _said,
    "verbatim": lambda text: "\n".join(safe(line) for line in text.splitlines()),
}
"""How a value may be shown. Beside these: `label` is an id in words, `rows` objects on one line,
`yes/no` a word for true and one for false, `or x` the value or x, a noun the count of it, and all
else what Python's `format` makes of it."""


def _template(row: Any) -> str | None:
    names = (kind.__name__ for kind in type(row).__mro__)
    return next((TEMPLATES[name] for name in names if name in TEMPLATES), None)


def _at(row: Any, path: str) -> Any:
    return reduce(lambda value, name: getattr(value, name, None), path.split("."), row)


def _labelled(row: Any, template: str) -> Iterator[str]:
    for name in re.findall(r"{(\w+):label}", template):
        yield from _many(getattr(row, name))


def _fitted(indent: str, text: str, *, bold: bool = False) -> Iterator[str]:
    """A first line as it is, a line of details as wide as the terminal."""
    if indent and len(indent + text) > width():
        yield from wrapped(text, indent=indent)
    else:
        yield indent + (style(text, bold=True) if bold else text)


def page_lines(lines: Iterable[str]) -> Iterator[str]:
    """Lines as wide as the terminal, those that are not indented as headings."""
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        if indent:
            yield from wrapped(line.strip(), indent=indent)
        else:
            yield style(safe(line, line=True), bold=True) if line else ""


def _plain(row: Any) -> dict[str, Any]:
    return msgspec.json.decode(msgspec.json.encode(row))


def field_lines(fields: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Return a line a key; long texts stand below, as they are."""
    texts: list[str] = []
    for key, value in fields.items():
        name = key.replace("_", " ")
        if isinstance(value, str) and ("\n" in value or len(value) > PREVIEW):
            texts.append(value)
        elif _is_flat(value):
            for each in _sentences(value) or [value]:
                if shown := _word(each):
                    yield from wrapped(f"{name}: {shown}", indent=indent)
        elif isinstance(value, dict):
            yield f"{indent}{style(name, bold=True)}"
            yield from field_lines(cast("dict[str, Any]", value), indent + _IN)
        else:
            yield f"{indent}{style(f'{name} ({len(value)})', bold=True)}"
            for row in cast("list[dict[str, Any]]", value)[:_SHOWN]:
                yield from _row(row, indent + _IN)
            if len(value) > _SHOWN:
                yield f"{indent}{_IN}… {len(value) - _SHOWN:,} more: --json has them all"
    for text in texts:
        yield ""
        yield from (f"{indent}{safe(line)}" for line in text.split("\n"))


def _row(row: dict[str, Any], indent: str) -> Iterator[str]:
    words = [_named(key, value) for key, value in row.items() if _is_flat(value)]
    yield from wrapped(" · ".join(word for word in words if word), indent=indent)
    nested = {key: value for key, value in row.items() if value and not _is_flat(value)}
    yield from field_lines(nested, indent + _IN)


def _is_flat(value: Any) -> bool:
    """Whether a value is shown on one line: no object, and no list or object of them."""
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).values()
    elif isinstance(value, list):
        inner = cast("list[Any]", value)
    return not any(isinstance(each, dict | list) for each in inner)


def _sentences(value: Any) -> list[str]:
    """The texts of a list that has more than words: each has a line."""
    texts = cast("list[Any]", value) if isinstance(value, list) else []
    return texts if any(isinstance(each, str) and " " in each for each in texts) else []


def _named(key: str, value: Any) -> str:
    shown = _word(value)
    return shown if isinstance(value, str) or not shown else f"{key.replace('_', ' ')} {shown}"


def _word(value: Any) -> str:
    """A value on one line; empty for one that is not there."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    match value:
        case None:
            shown = ""
        case bool():
            shown = "yes" if value else "no"
        case int():
            shown = f"{value:,}"
        case float():
            shown = f"{round(value, 2):,g}"
        case list() | tuple():
            shown = ", ".join(map(_word, cast("Sequence[Any]", value)))
        case dict():
            pairs = ((key, _word(each)) for key, each in cast("dict[str, Any]", value).items())
            named = (f"{_word(key).replace('_', ' ')} {each}" for key, each in pairs if each)
            shown = ", ".join(named)
        case _:
            shown = safe(str(value), line=True)
    return shown if len(shown) <= PREVIEW else f"{shown[:PREVIEW]}…"


def labels_of(memory: Any, ids: Iterable[str]) -> dict[str, str]:
    """Return what a person calls each id; the id itself where it names nothing that is live."""
    asked = sorted(set(ids))
    found = memory.graph.get([each for each in asked if name_key(each) is None])
    within = {each.document_id for each in found.values() if isinstance(each, Chunk)}
    documents = memory.graph.get(sorted(within))
    return {each: _called(found.get(each), each, documents) for each in asked}


def _called(record: Any, record_id: str, documents: Mapping[str, Any]) -> str:
    match record:
        case Entity(type="Document"):
            return str(record.properties.get("file_path") or record.name)
        case Entity():
            return f"{record.name} ({record.type})"
        case Chunk(document_id=key):
            path = _called(documents.get(key), key, {})
            if path.startswith(SESSION_PREFIX):  # a turn is named by its number
                return f"{path}#{record.position}"
            return f"{path}:{record.start_line}-{record.end_line}"
        case Episode():
            return record.source_ref
        case _:
            name = name_key(record_id)
            return f"“{name}”" if name is not None else record_id

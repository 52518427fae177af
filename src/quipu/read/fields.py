"""Fields of foreign JSON, read one by one: a bad one is left out and told, the rest goes in."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

import msgspec
import yaml

from quipu.errors import InvalidInput
from quipu.limits import LARGEST_TEXT_FILE
from quipu.read.front_matter import YAML_FAULTS
from quipu.records.document import Problem
from quipu.text import excerpt, fold
from quipu.when.instants import from_epoch, parse_instant

__all__ = ["Fields", "instant_of", "json_rows", "json_value", "prose_of", "slug", "yaml_value"]

Made = TypeVar("Made")

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_FENCE = re.compile(r"^(```|~~~)[\s\S]*?(?:^\1\s*$|\Z)", re.MULTILINE)
_LOG_LINE = re.compile(
    r"^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d)"
    r".*|^\s*(?:\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\]?[: ]|at [\w.$]+\(|Traceback "
    r"|File \").*"
)
_NO_NUMBER = re.compile(r"\b(?:NaN|Infinity)\b")
_KEPT = 1_500
_SECONDS, _MILLIS, _MICROS = 1e11, 1e14, 1e17


def slug(written: str) -> str:
    """A foreign name as a component's: `Payment Service` is `payment-service`; may be empty."""
    return _NOT_SLUG.sub("-", fold(written).lower()).strip("-")[:255]


def json_value(text: str) -> Any:
    """A JSON value. NaN and Infinity, which other writers let through, are numbers out of range:
    the field that holds one is named and left out, the rest goes in. Raises msgspec.DecodeError."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        if not _NO_NUMBER.search(text):
            raise
        try:
            value = json.loads(text)
            json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no text
        except ValueError as error:
            raise msgspec.DecodeError(str(error)) from error
        return value


def yaml_value(text: str) -> Any:
    """A YAML value. Raises InvalidInput for what is none, and for one that its aliases make larger
    than any that is written by hand."""
    try:
        value = yaml.safe_load(text)
    except YAML_FAULTS as error:
        raise InvalidInput(f"is not YAML ({str(error).splitlines()[0]})") from error
    waiting, left = [cast("object", value)], LARGEST_TEXT_FILE
    while waiting:
        found, held = waiting.pop(), list[object]()
        if isinstance(found, dict):
            held += cast("dict[object, object]", found).values()
        elif isinstance(found, list | set | tuple):
            held += cast("list[object]", found)
        left -= len(held)
        if left < 0:
            raise InvalidInput("holds aliases of aliases that make it too large")
        waiting += held
    return value


def json_rows(path: str, text: str) -> list[tuple[str, object]]:
    """The values in a text of JSON or JSON lines, each with where it stands (`plan.json#2`,
    `plan.jsonl:2`); a line that is no JSON is a Problem."""
    try:
        whole = json_value(text)
    except (msgspec.DecodeError, RecursionError):
        lines = ((f"{path}:{n}", line) for n, line in enumerate(text.split("\n"), 1))
        return [(at, _line(at, line)) for at, line in lines if line.strip()]
    if isinstance(whole, list):
        return [(f"{path}#{n}", row) for n, row in enumerate(cast(list[object], whole), 1)]
    return [(path, whole)]


def _line(at: str, line: str) -> object:
    try:
        return json_value(line)
    except (msgspec.DecodeError, RecursionError) as error:
        return Problem(at, f"the line is not JSON ({error}): mend it")


def prose_of(text: object, *, limit: int = _KEPT) -> str:
    """`text` as kept in the graph: without code fences and log lines, bounded; raw data stays
    where it is."""
    if not isinstance(text, str):
        return ""
    spoken = [line for line in _FENCE.sub("", text).splitlines() if not _LOG_LINE.match(line)]
    joined = "\n".join(spoken).strip()
    return excerpt(joined[: limit * 4], limit=limit) if joined else ""


def instant_of(value: object) -> str:
    """An ISO date, or seconds, milliseconds, microseconds or nanoseconds from 1970, as an
    instant; InvalidInput for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\d{9,20}", value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInput(f"{value!r} is not a date: write it as 2026-01-31T08:00:00Z")
    if isinstance(value, str):
        return parse_instant(value)
    scale = 1 if value < _SECONDS else 1e3 if value < _MILLIS else 1e6 if value < _MICROS else 1e9
    try:
        return from_epoch(value / scale)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(f"{value!r} is not a time from 1970: give an ISO date") from error


class Fields:
    """One object of foreign JSON; `problems` collects what was left out, naming field and value."""

    def __init__(self, record: Mapping[str, Any], problems: list[str] | None = None) -> None:
        """Read from `record`; objects inside share the list of problems."""
        self.record = record
        self.problems: list[str] = [] if problems is None else problems

    def __contains__(self, name: str) -> bool:
        return self.record.get(name) is not None

    def text(self, *names: str) -> str:
        """The first of these that is text (or a number), stripped; else ''."""
        for name in names:
            value = self.record.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        return ""

    def inside(self, *names: str) -> "Fields":
        """The first of these that is an object; else an empty one."""
        for name in names:
            value = self.record.get(name)
            if isinstance(value, dict):
                return Fields(cast(dict[str, Any], value), self.problems)
        return Fields({}, self.problems)

    def objects(self, name: str) -> list["Fields"]:
        """The objects in a list; anything else in it is a problem."""
        value = self.record.get(name)
        if value is None:
            return []
        rows = cast(list[Any], value) if isinstance(value, list) else [value]
        found: list[Fields] = []
        for row in rows:
            if isinstance(row, dict):
                found.append(Fields(cast(dict[str, Any], row), self.problems))
            else:
                self.problems.append(f"{name}: {row!r} is not an object")
        return found

    def names(self, name: str) -> tuple[str, ...]:
        """A list of texts, or one text with commas; each once."""
        value = self.record.get(name)
        if value is None:
            return ()
        parts: Iterable[Any] = (
            value.split(",")
            if isinstance(value, str)
            else (cast(list[Any], value) if isinstance(value, list) else [value])
        )
        found: dict[str, None] = {}
        for part in parts:
            if isinstance(part, str):
                if part.strip():
                    found[part.strip()] = None
            else:
                self.problems.append(f"{name}: {part!r} is not a name")
        return tuple(found)

    def read(self, name: str, rule: Callable[[Any], Made], default: Made) -> Made:
        """`rule` of the field, or `default` with a problem when it does not fit."""
        value = self.record.get(name)
        if value is None:
            return default
        try:
            return rule(value)
        except InvalidInput as error:
            message = str(error)
            self.problems.append(message if message.startswith(name) else f"{name}: {message}")
            return default

    def fit(self, name: str, shape: "type[Made]") -> Made | None:
        """The field as msgspec converts it to `shape`, or None with a problem."""

        def fitted(value: Any) -> Made:
            try:
                return msgspec.convert(value, shape)
            except msgspec.ValidationError as error:
                shown = excerpt(repr(value), limit=80)
                raise InvalidInput(f"{name} {shown} cannot be used: {error}") from error

        return self.read(name, fitted, None)

    def instant(self, *names: str) -> str | None:
        """The first of these that is there, as an instant."""
        for name in names:
            if name in self:
                return self.read(name, instant_of, None)
        return None

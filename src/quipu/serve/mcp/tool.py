"""An operation as a tool: its arguments, its result, its hints.

Arguments are read by msgspec, as everywhere; what is wrong with them is one line that says what
would be right. A result is structured content and, for clients that know none, the same JSON as a
text. Whatever goes wrong is a tool error.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, Protocol, cast, get_args

import anyio.to_thread
import msgspec
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from msgspec import Meta
from pydantic import Field

from quipu.errors import QuipuError
from quipu.read import redact
from quipu.serve.operations import Argument, Mark, Operation
from quipu.serve.operations import Tool as Door
from quipu.serve.shapes import (
    cursor_at,
    field_of,
    place_at,
    said_of,
    shape_of,
    shaped,
    unusable,
    without_middle,
)

__all__ = ["Hints", "Result", "make_tool", "tools_over"]

_PAGE = 4_000
"""Characters of JSON that a page has."""
_CURSOR = ("cursor", str, "")
_HALF = re.compile("[\ud800-\udfff]")
_BOUNDS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_COSTS = frozenset(["title", "examples", "additionalProperties", *_BOUNDS])
"""What every client pays for and the server checks anyway. Of an object inside of a list the
defaults, choices and its own description go too."""
_COSTS_INSIDE = _COSTS | {"default", "anyOf"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """How a tool behaves. None reaches out of the memory, so none is of an open world."""

    reads: bool = True
    destroys: bool = False
    idempotent: bool = True

    def annotations(self, *, whole: bool = False) -> ToolAnnotations:
        """Return them as the protocol writes them: of one that reads nothing else counts."""
        if self.reads and not whole:
            return ToolAnnotations(read_only_hint=True, open_world_hint=False)
        return ToolAnnotations(
            read_only_hint=self.reads,
            destructive_hint=self.destroys,
            idempotent_hint=self.idempotent,
            open_world_hint=False,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """Structured content with a text of its own beside it (compatibility profiles need one)."""

    structured: Any
    text: str


class _Tool(Tool):
    """A tool of the SDK whose arguments are a shape of msgspec."""

    shape: Any = Field(exclude=True)
    gives: Any = Field(exclude=True)
    largest: int

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],  # noqa: ARG002  none is asked
        convert_result: bool = False,  # noqa: ARG002  a result is converted always
    ) -> CallToolResult:
        """Call it; an argument given as null is one that is left out, and half of a surrogate
        pair, which JSON can carry and no store, is U+FFFD."""
        whole = json.loads(_HALF.sub("\ufffd", json.dumps(arguments, ensure_ascii=False)))
        given = {key: value for key, value in whole.items() if value is not None}
        try:
            read = msgspec.convert(given, self.shape, strict=False)
        except msgspec.ValidationError as error:
            raise ToolError(f"{self.name}: {unusable(error, 'arguments', self.shape)}") from error
        call = partial(cast("Callable[[Any], Any]", self.fn), msgspec.structs.asdict(read))
        try:
            return _shown(await anyio.to_thread.run_sync(call), self.largest)
        except QuipuError as error:
            message = without_middle(redact(str(error))[0])
            raise ToolError(f"{self.name}: {message}") from error
        except ToolError:
            raise
        except Exception as error:
            raise UnexpectedToolError(f"{self.name}: this should not happen") from error


class Subject(Protocol):
    """Gives the memory or the graph that a tool is over, made if need be for one that writes."""

    def __call__(self, *, writes: bool) -> object: ...


def make_tool(
    function: Callable[..., Any],
    *,
    title: str,
    gives: type[msgspec.Struct] | None = None,
    hints: Hints | None = None,
) -> Tool:
    """Return `function` as the tool of its name, described by its docstring; it gives what its
    annotation says, or `gives`. Each argument is `Annotated` with a text or a `Field` that
    describes it. Arguments that it does not know are refused."""
    how = hints or Hints()
    door = Door(
        function.__name__, title, gives=gives, destroys=how.destroys, idempotent=how.idempotent
    )
    return _tool(Operation(function, "read" if how.reads else "write", (door,)), door)


def tools_over(
    operations: Iterable[Operation], subject: Subject, note: Callable[[], str] = lambda: ""
) -> list[Tool]:
    """Return the tools of the operations that are one, over a `subject`; the status tells
    `note`."""
    return [
        _tool(each, door, subject, note)
        for each in operations
        for door in each.doors
        if isinstance(door, Door)
    ]


def _tool(
    operation: Operation,
    door: Door,
    subject: Subject | None = None,
    note: Callable[[], str] = lambda: "",
) -> Tool:
    arguments = list(operation.arguments(door))
    writes = operation.needs != "read"

    def call(given: Mapping[str, Any]) -> Any:
        values = {each.name: _value(each, given[each.name]) for each in arguments}
        values |= {"note": note()} if operation.takes("note") else {}
        over = () if subject is None else (subject(writes=writes),)
        result = operation.run(*over, **values)
        if door.shown is not None:
            result = door.shown(result)
        elif door.gives is not None and not isinstance(result, Result):
            result = shaped(door.gives, result)
        return _page(result, door.page, {**given}) if door.page else result

    hints = Hints(reads=not writes, destroys=door.destroys, idempotent=door.idempotent)
    fields = [_field(each, door.spelled.get(each.name)) for each in arguments]
    shape = shape_of(door.name, [*fields, *([_CURSOR] if door.page else [])])
    keys = door.outline.split()
    outline: dict[str, Any] = {
        "type": "object",
        "properties": {key: {} for key in keys},
        "required": keys,
    }
    return _Tool(
        fn=call,
        name=door.name,
        title=door.title,
        description=" ".join(operation.help.split()),
        parameters=_schema(arguments, door),
        fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=outline if keys else None),
        is_async=False,
        context_kwarg=None,
        annotations=hints.annotations(whole=bool(keys)),
        shape=shape,
        gives=door.gives or operation.gives,
        largest=door.largest,
    )


def _field(argument: Argument, name: str | None) -> Any:
    """The field of an argument; of a list whose items are read one by one, whatever they are."""
    if Mark.EACH in argument.notes:
        argument = argument._replace(type=tuple[Any, ...])
    elif Mark.COMMAS in argument.notes:
        argument = argument._replace(type=tuple[str, ...] | str, meta=Meta())
    return field_of(_bare(argument), name)


def _bare(argument: Argument) -> Argument:
    """An argument whose default is None without null in its type: null is one that is left out."""
    kinds = [each for each in get_args(argument.type) if each is not type(None)]
    bare = argument.default is None and len(kinds) == 1
    return argument._replace(type=kinds[0]) if bare else argument


def _value(argument: Argument, given: Any) -> Any:
    if Mark.EACH in argument.notes:
        (shape, _) = get_args(argument.type)
        return tuple(_item(each, shape) for each in given)
    if isinstance(given, str) and Mark.COMMAS in argument.notes:
        return tuple(given.split(","))
    return None if given == "" and argument.default is None else given


def _item(given: Any, shape: type[msgspec.Struct]) -> msgspec.Struct | str:
    """An item as its shape, or what is wrong with it."""
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as error:
        return said_of(error, shape)


def _page(result: Any, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A result with the rows from the cursor on that fit into a page, at least one; where there are
    more, `next_cursor` is what gives them. Raises InvalidInput for a cursor of another question."""
    begin = int(place_at(given.pop("cursor"), given) or 0)
    plain: dict[str, Any] = msgspec.to_builtins(result, order="deterministic")
    rows = plain[name][begin:]
    room = _PAGE - len(json.dumps({**plain, name: []}, ensure_ascii=False))
    sizes = accumulate(len(json.dumps(row, ensure_ascii=False)) + 2 for row in rows)
    fit = max(sum(size <= room for size in sizes), 1)
    more = {"next_cursor": cursor_at(str(begin + fit), given)} if fit < len(rows) else {}
    return {**plain, name: rows[:fit], **more}


def _shown(given: Any, largest: int) -> CallToolResult:
    result = given if isinstance(given, Result) else None
    plain = _short_numbers(
        msgspec.to_builtins(given if result is None else result.structured, order="deterministic")
    )
    text = json.dumps(plain, ensure_ascii=False) if result is None else result.text
    if len(text) > largest:
        raise ToolError(
            f"the result has {len(text):,} characters, more than the {largest:,} that are "
            "given at once: ask for less (a lower limit, a narrower question)"
        )
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=plain)


def _short_numbers(value: Any) -> Any:
    """What a result holds with four decimals at most: more say nothing and cost characters. The
    answer contract stays as it is, since others check it."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, list | tuple):
        return [_short_numbers(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {k: v if k == "contract" else _short_numbers(v) for k, v in fields.items()}
    return value


def _schema(arguments: Iterable[Argument], door: Door) -> dict[str, Any]:
    """The schema of the arguments that are listed, with what it refers to in the place of each
    reference."""
    listed = [each for each in arguments if each.name not in door.unlisted.split()]
    shape = shape_of(
        door.name, [field_of(_bare(each), door.spelled.get(each.name)) for each in listed]
    )
    (reference,), shapes = msgspec.json.schema_components((shape,))
    return _lean(reference, shapes, _COSTS)


def _lean(schema: Any, shapes: Mapping[str, Any], without: frozenset[str]) -> Any:
    """A schema without what costs every client and says little."""
    if isinstance(schema, list):
        return [_lean(each, shapes, without) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields, lean = {**cast("dict[str, Any]", schema)}, dict[str, Any]()
    if "$ref" in fields:
        found = _lean(shapes[fields["$ref"].rpartition("/")[2]], shapes, without)
        found.pop("description", None)
        return found
    if {"type": "null"} in fields.get("anyOf", ()):  # strict clients refuse it
        (kind,) = (each for each in fields.pop("anyOf") if each != {"type": "null"})
        fields |= kind
    for key, value in fields.items():
        if key == "properties":
            lean[key] = {name: _lean(each, shapes, without) for name, each in value.items()}
        elif key == "items":
            lean[key] = _lean(value, shapes, _COSTS_INSIDE)
        elif key not in without and not (key in ("default", "required") and value in _EMPTY):
            lean[key] = _lean(value, shapes, without)
    return lean


_EMPTY: tuple[object, ...] = ("", [], (), {}, None)

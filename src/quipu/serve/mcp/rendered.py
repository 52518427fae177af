"""An operation as a tool: its arguments as the SDK reads them, with the names that agents know."""

import keyword
from collections.abc import Iterable
from inspect import Parameter, Signature
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

import msgspec
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.serve.mcp.tool import Hints, Result, make_tool, read_given, schema_of, telling
from quipu.serve.operations import Argument, Commas, Each, Operation, bounds_of
from quipu.serve.operations import Tool as Door
from quipu.serve.results import said_of, shaped

__all__ = ["tools_over"]

_LONG = 20_000


def tools_over(operations: Iterable[Operation], subject: object, note: str = "") -> list[Tool]:
    """The tools of the operations that are one, over a memory or a graph; the status tells
    `note`."""
    return [
        _tool(each, door, subject, note)
        for each in operations
        for door in each.doors
        if isinstance(door, Door)
    ]


def _tool(operation: Operation, door: Door, subject: object, note: str) -> Tool:
    arguments = {
        _parameter_name(door.spelled.get(each.name, each.name)): each
        for each in operation.arguments(door)
    }

    def call(**given: Any) -> Any:
        values = {
            arguments[name].name: _value(arguments[name], name, v) for name, v in given.items()
        }
        if operation.takes("progress"):
            values["progress"] = telling()
        if operation.takes("note"):
            values["note"] = note
        result = operation.run(subject, **values)
        if door.gives is None or isinstance(result, Result):
            return result
        return shaped(door.gives, result)

    call.__name__ = door.name
    call.__doc__ = operation.help
    call.__module__ = operation.run.__module__
    call.__annotations__ = {"return": door.gives or operation.gives}
    parameters = [_parameter(name, each) for name, each in arguments.items()]
    parameters.sort(key=lambda each: each.default is not Parameter.empty)
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what the SDK reads
    hints = Hints(
        reads=operation.needs == "read", destroys=door.destroys, idempotent=door.idempotent
    )
    tool = make_tool(call, title=door.title, hints=hints, largest=door.largest)
    for name, each in arguments.items():
        if (shape := _listed(each)) is not None:
            tool.parameters["properties"][name]["items"] = _outline(shape)
    return tool


def _parameter_name(name: str) -> str:
    """An argument's name as a parameter: some are words of Python's own."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _parameter(name: str, argument: Argument) -> Parameter:
    default = argument.default
    kind = _type(argument.type, optional=default is None)
    if argument.note(Commas):
        kind = list[str] | str
    if _listed(argument) is not None:
        kind = list[Any] if argument.note(Each) else list[dict[str, Any]]
    if kind is str and default is None:
        default = ""
    elif isinstance(default, tuple):
        default = list(default)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    alias = {"alias": name.rstrip("_")} if name.endswith("_") else {}
    bounds = bounds_of(argument.meta)
    if get_origin(argument.type) is not tuple:
        bounds.pop("min_length", None)
    if bounds.get("max_length", 0) < _LONG:  # the operation says better what is wrong
        bounds.pop("max_length", None)
    field = Field(description=_sentence(argument.says), **alias, **bounds)
    return Parameter(
        name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=Annotated[kind, field]
    )


def _type(kind: Any, *, optional: bool) -> Any:
    """The type that an agent is told of: a list of what comes in any number, a text that may be
    empty of one that may be left out."""
    inner = get_args(kind)
    if get_origin(kind) is Annotated:
        return _type(inner[0], optional=optional)
    if get_origin(kind) is tuple:
        return list[_type(inner[0], optional=False)]
    if NoneType in inner and (inner[0] is str or not optional):
        return inner[0]
    return kind


def _listed(argument: Argument) -> type[msgspec.Struct] | None:
    """The shape of the objects that an argument is a list of."""
    if get_origin(argument.type) is not tuple:
        return None
    inner: Any = get_args(argument.type)[0]
    if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
        return inner
    return None


def _outline(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """A schema of an object without defaults and unions, which cost every client."""
    schema = schema_of(shape)
    left_out = {"default", "examples", "anyOf"}
    properties = {
        name: {key: said for key, said in described.items() if key not in left_out}
        for name, described in schema["properties"].items()
    }
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    return made | ({"required": schema["required"]} if schema.get("required") else {})


def _item(given: Any, shape: type[msgspec.Struct]) -> msgspec.Struct | str:
    """An item as its shape, or what is wrong with it."""
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as error:
        return said_of(error, shape)


def _value(argument: Argument, name: str, given: Any) -> Any:
    if (shape := _listed(argument)) is not None:
        if argument.note(Each):
            return tuple(_item(each, shape) for each in given)
        return read_given(given, tuple[shape, ...], name)
    if isinstance(given, str) and argument.note(Commas):
        return tuple(given.split(","))
    if isinstance(given, list):
        return tuple(given)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return None if given == "" and argument.default is None else given


def _sentence(says: str) -> str:
    return f"{says[:1].upper()}{says[1:]}." if says else ""

"""An operation as a tool: its arguments as the SDK reads them, with the names that agents know."""

import keyword
from inspect import Parameter, Signature
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.memory import Memory
from quipu.serve.mcp.tool import Hints, make_tool, telling
from quipu.serve.operations import Argument, Commas, Operation, bounds_of, operations
from quipu.serve.operations import Tool as Door
from quipu.serve.results import shaped

__all__ = ["tools_over"]

_LONG = 20_000


def tools_over(memory: Memory, note: str = "") -> list[Tool]:
    """The tools of every operation that is one; the status tells `note`."""
    return [
        _tool(each, door, memory, note)
        for each in operations()
        for door in each.doors
        if isinstance(door, Door)
    ]


def _tool(operation: Operation, door: Door, memory: Memory, note: str) -> Tool:
    """The tool of an operation over one memory."""
    arguments = {
        _parameter_name(door.spelled.get(each.name, each.name)): each
        for each in operation.arguments(door)
    }

    def call(**given: Any) -> Any:
        values = {arguments[name].name: _value(arguments[name], v) for name, v in given.items()}
        if operation.takes("progress"):
            values["progress"] = telling()
        if operation.takes("note"):
            values["note"] = note
        result = operation.run(memory, **values)
        return result if door.gives is None else shaped(door.gives, result)

    call.__name__ = door.name
    call.__doc__ = operation.help
    call.__module__ = operation.run.__module__
    call.__annotations__ = {"return": door.gives or operation.gives}
    parameters = [_parameter(name, each) for name, each in arguments.items()]
    parameters.sort(key=lambda each: each.default is not Parameter.empty)
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what the SDK reads
    hints = Hints(reads=operation.needs == "read", idempotent=door.idempotent)
    return make_tool(call, title=door.title, hints=hints)


def _parameter_name(name: str) -> str:
    """An argument's name as a parameter: some are words of Python's own."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _parameter(name: str, argument: Argument) -> Parameter:
    default = argument.default
    kind = _type(argument.type, optional=default is None)
    if argument.note(Commas):
        kind = list[str] | str
    if kind is str and default is None:
        default = ""
    elif isinstance(default, tuple):
        default = list(default)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    alias = {"alias": name.rstrip("_")} if name.endswith("_") else {}
    bounds = bounds_of(argument.meta)
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


def _value(argument: Argument, given: Any) -> Any:
    if isinstance(given, str) and argument.note(Commas):
        return tuple(given.split(","))
    if isinstance(given, list):
        return tuple(given)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return None if given == "" and argument.default is None else given


def _sentence(says: str) -> str:
    return f"{says[:1].upper()}{says[1:]}." if says else ""

"""An operation as a tool: its arguments as the SDK reads them, with the names that agents know."""

from inspect import Parameter, Signature
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.memory import Memory
from quipu.serve.mcp.tool import Hints, make_tool, telling
from quipu.serve.operations import REQUIRED, Argument, Operation, bounds_of, operations
from quipu.serve.operations import Tool as Door

__all__ = ["tools_over"]


def tools_over(memory: Memory) -> list[Tool]:
    """The tools of every operation that is one."""
    return [
        _tool(each, door, memory)
        for each in operations()
        for door in each.doors
        if isinstance(door, Door)
    ]


def _tool(operation: Operation, door: Door, memory: Memory) -> Tool:
    """The tool of an operation over one memory."""
    arguments = {door.spelled.get(each.name, each.name): each for each in operation.arguments(door)}

    def call(**given: Any) -> Any:
        values = {arguments[name].name: _value(arguments[name], v) for name, v in given.items()}
        if operation.takes("progress"):
            values["progress"] = telling()
        return operation.run(memory, **door.default, **values)

    call.__name__ = door.name
    call.__doc__ = operation.help
    call.__module__ = operation.run.__module__
    call.__annotations__ = {"return": operation.gives}
    parameters = [_parameter(name, each) for name, each in arguments.items()]
    parameters.sort(key=lambda each: each.default is not Parameter.empty)
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what the SDK reads
    hints = Hints(reads=operation.needs == "read", idempotent=door.idempotent)
    return make_tool(call, title=door.title, hints=hints)


def _parameter(name: str, argument: Argument) -> Parameter:
    kind, default = _type(argument.type), argument.default
    if kind is str and default is None:
        default = ""
    elif get_origin(kind) is list and default is not REQUIRED:
        default = list(default)
    field = Field(description=_sentence(argument.says), **bounds_of(argument.meta))
    return Parameter(
        name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=Annotated[kind, field]
    )


def _type(kind: Any) -> Any:
    """The type that an agent is told of: a list of what comes in any number, a text that may be
    empty of one that may be left out."""
    inner = get_args(kind)
    if get_origin(kind) is Annotated:
        return _type(inner[0])
    if get_origin(kind) is tuple:
        return list[_type(inner[0])]
    if NoneType in inner and _type(inner[0]) is str:
        return str
    return kind


def _value(argument: Argument, given: Any) -> Any:
    if isinstance(given, list):
        return tuple(given)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return None if given == "" and argument.default is None else given


def _sentence(says: str) -> str:
    return f"{says[:1].upper()}{says[1:]}." if says else ""

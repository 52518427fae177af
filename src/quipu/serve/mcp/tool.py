"""From a function to a tool: its arguments, its output schema, its hints, its errors.

A function takes plain arguments and gives a Struct. The tool gives that as structured content and,
for clients that know none, as the same JSON in a text. Whatever goes wrong is a tool error.
"""

import functools
import json
import keyword
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from quipu.errors import QuipuError
from quipu.read import redact
from quipu.serve.meanings import keys, parts

__all__ = ["Hints", "Result", "make_tool", "schema_of"]

LARGEST = 200_000
"""Characters of JSON that one result may have; each tool bounds what it gives far below."""

_SIDE = 800  # characters of an error at its beginning, and at its end


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """How a tool behaves. None reaches out of the memory, so none is of an open world."""

    reads: bool = True
    destroys: bool = False
    idempotent: bool = True

    def annotations(self, title: str) -> ToolAnnotations:
        """As the protocol writes them."""
        return ToolAnnotations(
            title=title,
            read_only_hint=self.reads,
            destructive_hint=self.destroys,
            idempotent_hint=self.idempotent,
            open_world_hint=False,
        )


READS = Hints()


@dataclass(frozen=True, slots=True)
class Result:
    """Structured content with a text of its own beside it (compatibility profiles need one)."""

    structured: Any
    text: str


def make_tool(
    function: Callable[..., Any],
    *,
    title: str,
    gives: type[msgspec.Struct] | None = None,
    hints: Hints = READS,
    largest: int = LARGEST,
) -> Tool:
    """`function` as the tool of its name, described by its docstring; it gives what its annotation
    says, or `gives`. Arguments that it does not know are refused, where they would be passed over
    in silence."""
    tool = Tool.from_function(
        _guarded(function, largest),
        name=function.__name__,
        title=title,
        description=_description(function),
        annotations=hints.annotations(title),
        structured_output=False,
    )
    tool.fn_metadata.output_schema = schema_of(gives or function.__annotations__["return"])
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)
    return tool


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a Struct with an object at its root, as the protocol asks, and with the
    meaning of each key."""
    _, shapes = msgspec.json.schema_components((kind,), ref_template="#/$defs/{name}")
    for shape in parts((kind,)):
        described = shapes[shape.__name__]
        del described["title"]
        for key in keys(shape):
            described["properties"][key.name]["description"] = key.meaning
    root = shapes.pop(kind.__name__)
    return {**root, "$defs": shapes} if shapes else root


def _guarded(function: Callable[..., Any], largest: int) -> Callable[..., CallToolResult]:
    @functools.wraps(function)
    def call(**arguments: Any) -> CallToolResult:
        try:
            given = function(**{_parameter(name): each for name, each in arguments.items()})
        except QuipuError as error:
            raise ToolError(_short(redact(str(error))[0])) from error
        result = given if isinstance(given, Result) else None
        plain = msgspec.to_builtins(
            given if result is None else result.structured, order="deterministic"
        )
        text = json.dumps(plain, ensure_ascii=False) if result is None else result.text
        if len(text) > largest:
            raise ToolError(
                f"the result has {len(text):,} characters, more than the {largest:,} that are "
                "given at once: ask for less (a lower limit, a narrower question)"
            )
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=plain
        )

    return call


def _short(message: str) -> str:
    """A message without the middle of a value that fills it: what to do stands at its end."""
    if len(message) <= 2 * _SIDE:
        return message
    return f"{message[:_SIDE]} … {message[-_SIDE:]}"


def _parameter(argument: str) -> str:
    """The parameter of an argument whose name is a word of Python's own."""
    return f"{argument}_" if keyword.iskeyword(argument) else argument


def _description(function: Callable[..., Any]) -> str:
    lines = (function.__doc__ or "").strip().splitlines()
    return "\n".join(line.strip() for line in lines)

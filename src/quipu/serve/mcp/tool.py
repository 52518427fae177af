"""From a function to a tool: its arguments, its output schema, its hints, its errors, its progress.

A function takes plain arguments and gives a Struct. The tool gives that as structured content and,
for clients that know none, as the same JSON in a text. Whatever goes wrong is a tool error; what is
wrong with arguments is one line that says what would be right.
"""

import functools
import json
import keyword
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import anyio.from_thread
import msgspec
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ValidationError

from quipu.errors import InvalidInput, QuipuError
from quipu.read import redact
from quipu.records.progress import Progress
from quipu.serve.meanings import keys, parts
from quipu.serve.results import without_middle

__all__ = [
    "Hints",
    "Result",
    "given_by",
    "make_tool",
    "mistakes",
    "read_given",
    "schema_of",
    "telling",
    "tells",
]

T = TypeVar("T")

_STEPS = 20

_present: ContextVar[Progress | None] = ContextVar("quipu_progress", default=None)
_SHOWN = 5
LARGEST = 200_000
"""Characters of JSON that one result may have; each tool bounds what it gives far below."""

_GIVES: dict[tuple[str, str], type[msgspec.Struct]] = {}


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
    kind = gives or function.__annotations__["return"]
    _GIVES[function.__module__, tool.name] = kind
    tool.fn_metadata.output_schema = _outline(schema_of(kind))
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = _untitled(model.model_json_schema(by_alias=True))
    return tool


def given_by(tool: Tool) -> dict[str, Any]:
    """The whole schema of what a tool gives, every key explained: for people. Agents get its
    outline with each list of tools, where every character costs them."""
    return schema_of(_GIVES[tool.fn.__module__, tool.name])


def read_given(given: object, kind: type[T], name: str) -> T:
    """An argument as the shape it is described by. Raises InvalidInput with what is wrong."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{name}: {error}") from error


def _outline(schema: dict[str, Any]) -> dict[str, Any]:
    """The keys of a result and their types, nothing of what is inside of them."""
    shapes = schema.get("$defs", {})
    return {
        "type": "object",
        "properties": {
            key: {"type": kinds[0] if len(kinds) == 1 else kinds}
            for key, described in schema["properties"].items()
            if (kinds := _kinds(described, shapes))
        },
        "required": schema.get("required", []),
    }


def _kinds(described: dict[str, Any], shapes: dict[str, Any]) -> list[str]:
    if "$ref" in described:
        return _kinds(shapes[described["$ref"].rpartition("/")[2]], shapes)
    if "anyOf" in described:
        each = [kind for one in described["anyOf"] for kind in _kinds(one, shapes)]
        return list(dict.fromkeys(each))
    if "enum" in described:
        return ["string"]
    kind = described.get("type")
    return [] if kind is None else [kind]


def _untitled(schema: Any) -> Any:
    """A schema without the titles that repeat the names of its keys."""
    if isinstance(schema, list):
        return [_untitled(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields = cast("dict[str, Any]", schema)
    return {
        key: _untitled(value)
        for key, value in fields.items()
        if not (key == "title" and isinstance(value, str))
    }


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
            raise ToolError(without_middle(redact(str(error))[0])) from error
        result = given if isinstance(given, Result) else None
        plain = _short_numbers(
            msgspec.to_builtins(
                given if result is None else result.structured, order="deterministic"
            )
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


def _parameter(argument: str) -> str:
    """The parameter of an argument whose name is a word of Python's own."""
    return f"{argument}_" if keyword.iskeyword(argument) else argument


def _description(function: Callable[..., Any]) -> str:
    lines = (function.__doc__ or "").strip().splitlines()
    return "\n".join(line.strip() for line in lines)


def mistakes(error: ValidationError, schema: Mapping[str, Any]) -> str:
    """What is wrong, each with its place; values only by their kind, and for what is not known
    what `schema` knows at that place."""
    found: list[str] = []
    for each in error.errors(include_url=False)[:_SHOWN]:
        place = ".".join(str(part) for part in each["loc"])
        if each["type"] == "extra_forbidden":
            known = _known(schema, each["loc"][:-1]) or ["none"]
            found.append(f"there is no argument {place!r} (known: {', '.join(known)})")
        elif each["type"] == "missing":
            found.append(f"the argument {place!r} is missing")
        else:
            said = each["msg"][0].lower() + each["msg"][1:]
            kind = type(each.get("input")).__name__
            found.append(f"the argument {place!r} is of no use ({kind}): {said}")
    return "; ".join(dict.fromkeys(found))


def _known(schema: Mapping[str, Any], place: Sequence[int | str]) -> list[str]:
    """The keys of the object at `place`, in the schema's order."""
    here: Any = schema
    for step in place:
        here = here.get("items", {}) if isinstance(step, int) else here["properties"].get(step, {})
        if reference := here.get("$ref"):
            here = schema["$defs"][reference.rpartition("/")[2]]
    return list(here.get("properties", {}))


def telling() -> Progress | None:
    """Where a tool tells how far it is; None where nobody listens."""
    return _present.get()


@contextmanager
def tells(context: Context[Any, Any] | None) -> Generator[None]:
    """Within, what a tool tells goes to the client of `context`, about twenty times a stage. What
    was told never falls, as the protocol asks: a stage begins where the one before it ended."""
    if context is None:
        yield
        return
    said, before, stage_now = 0, 0, ""

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal said, before, stage_now
        if stage != stage_now:
            stage_now, before = stage, said
        due = done == total or done % max(1, total // _STEPS) == 0
        if due and before + done > said:
            said = before + done
            whole = before + total if total else None
            anyio.from_thread.run(context.report_progress, said, whole, stage)

    token = _present.set(tell)
    try:
        yield
    finally:
        _present.reset(token)

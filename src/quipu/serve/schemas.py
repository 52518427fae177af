"""The arguments of an operation as a shape that msgspec reads and describes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.serve.operations import REQUIRED, Argument, bounds_of

__all__ = ["field_of", "said_of", "shape_of", "unusable"]

_UNKNOWN = "Object contains unknown field"
_AT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?", re.DOTALL)


def shape_of(name: str, fields: Iterable[Any], *, strict: bool = True) -> Any:
    """Return a shape of `fields`; a `strict` one refuses keys that it does not have."""
    return msgspec.defstruct(
        name, list(fields), frozen=True, kw_only=True, forbid_unknown_fields=strict
    )


def field_of(argument: Argument, name: str | None = None, bounds: Mapping[str, Any] = {}) -> Any:
    """Return the field of an argument, with what it means and its bounds inside of what may be
    null."""
    default = msgspec.NODEFAULT if argument.default is REQUIRED else argument.default
    kind, limits = argument.type, Meta(**{**bounds_of(argument.meta), **bounds})
    kinds = [each for each in get_args(kind) if each is not NoneType]
    if NoneType not in get_args(kind):
        kind = Annotated[kind, limits]
    elif len(kinds) == 1:
        bounded: Any = Annotated[kinds[0], limits]
        kind = bounded | None
    said = Meta(description=argument.says, examples=argument.meta.examples)
    return argument.name, Annotated[kind, said], msgspec.field(default=default, name=name)


def said_of(error: msgspec.ValidationError, shape: Any) -> str:
    """Return what is wrong with what was given for a shape; beside an unknown key, those there
    are."""
    said = str(error)
    if not said.startswith(_UNKNOWN) or " - at " in said or not hasattr(shape, "__struct_fields__"):
        return said
    fields = sorted(msgspec.structs.fields(shape), key=lambda field: not field.required)
    known = ", ".join(f"`{field.encode_name}`" for field in fields) or "none"
    return f"{said}; it takes {known}"


def unusable(error: msgspec.ValidationError, source: str, shape: Any) -> InvalidInput:
    """Return the caller's mistake that an error of reading is: where it is, and what is wrong."""
    found = _AT.fullmatch(said_of(error, shape))
    what, where = (found["what"], found["where"]) if found else (str(error), "")
    place = f"{where!r} in the {source}" if where else f"the {source}"
    return InvalidInput(f"{place} cannot be used: {what}")


Shape = type[msgspec.Struct]


class ShapeKey(NamedTuple):
    """One key of a shape: its name in JSON, the type it holds, what it means."""

    name: str
    type: Any
    meaning: str


def keys(shape: Shape) -> list[ShapeKey]:
    """The keys of `shape` in the order they are printed; a field without a meaning is not."""
    hints, types = get_type_hints(shape, include_extras=True), get_type_hints(shape)
    return [
        ShapeKey(field.encode_name, types[field.name], _meaning(hints[field.name]))
        for field in msgspec.structs.fields(shape)
        if get_origin(hints[field.name]) is Annotated
    ]


def _meaning(hint: Any) -> str:
    for said in get_args(hint)[1:]:
        meaning = said.description if isinstance(said, msgspec.Meta) else said
        if isinstance(meaning, str):
            return meaning
    return ""


def parts(shapes: Iterable[Shape]) -> list[Shape]:
    """`shapes` and every shape inside them, each before what is in it."""
    found: dict[Shape, None] = {}
    waiting = list(shapes)
    while waiting:
        shape = waiting.pop(0)
        if shape not in found:
            found[shape] = None
            waiting[:0] = [inner for key in keys(shape) for inner in _shapes_in(key.type)]
    return list(found)


def _shapes_in(hint: Any) -> Iterator[Shape]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    if get_origin(hint) is not None:
        for inner in get_args(hint):
            yield from _shapes_in(inner)

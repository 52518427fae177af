"""What the keys of a shape mean: the text beside a field's type, `Annotated[int, "how many"]`, or
the description of what bounds it, `Annotated[int, Meta(ge=1, description="how many")]`."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

__all__ = ["Shape", "keys", "parts"]

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

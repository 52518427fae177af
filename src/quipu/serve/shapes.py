"""What the doors share: shapes of results and of arguments, and pages of lists.

A cursor is an opaque text that names a place in one list, and in no other.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.limits import ROWS_AT_ONCE
from quipu.records.reply import AnswerHit, Citation, Confidence, Contract, Hit, Reply, Retrieved
from quipu.serve.operations import REQUIRED, Argument, bounds_of

__all__ = [
    "KEPT",
    "Answer",
    "answer",
    "cursor_at",
    "field_of",
    "metadata_of",
    "notes_of",
    "page_of",
    "paged",
    "place_at",
    "said_of",
    "shape_of",
    "shaped",
    "shapes_in",
    "unusable",
    "without_middle",
]

KEPT = 0.05
"""The score below which a passage is hardly meant: packs leave it out unless a caller says
otherwise. Right turns of chats score low where they do not repeat the question's words: 95 in 100
of those among the first six score .058 or more (the first 100 questions of LoCoMo's first
conversation)."""

S = TypeVar("S", bound=msgspec.Struct)

_OF_A_PASSAGE = (
    "path",
    "start_line",
    "end_line",
    "title",
    "score",
    "source_type",
    "updated_at",
    "graph_ids",
    "why_ranked",
    "temporal_context",
)
_SIDE = 800  # characters of an error at its beginning, and at its end


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, and beside it what led to it."""

    contract: Annotated[Contract, "the answer under the contract's schema"]
    confidence: Annotated[Confidence, "how sure the answer is"]
    citations: Annotated[tuple[Citation, ...], "what the marks `[n]` of the answer open"]
    hits: Annotated[tuple[AnswerHit, ...], "the passages considered, best first, without text"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


def shaped(shape: type[S], *sources: object, **given: object) -> S:
    """A `shape` of what is `given` and, where nothing is, of the first source that has it."""
    values = {
        name: getattr(source, name)
        for source in reversed(sources)
        for name in shape.__struct_fields__
        if hasattr(source, name)
    }
    return shape(**{**values, **given})


def answer(shape: type[S], reply: Reply, **given: object) -> S:
    """A reply as an `Answer`, or as a shape that adds to it: its hits without their text."""
    hits = tuple(shaped(AnswerHit, hit) for hit in reply.hits)
    return shaped(shape, reply, hits=hits, notes=notes_of(reply), **given)


def notes_of(result: Reply | Retrieved) -> tuple[str, ...]:
    """What should be known about a result and its plan, each note once."""
    return tuple(dict.fromkeys((*result.plan.notes, *result.notes)))


def metadata_of(hit: Hit) -> dict[str, Any]:
    """What other libraries are told of a passage beside its text, as plain data."""
    plain = msgspec.to_builtins(hit, order="deterministic")
    return {"source": hit.source_ref, **{key: plain[key] for key in _OF_A_PASSAGE}}


def without_middle(message: str) -> str:
    """An error without the middle of a value that fills it: what to do stands at its end."""
    if len(message) <= 2 * _SIDE:
        return message
    return f"{message[:_SIDE]} … {message[-_SIDE:]}"


_UNKNOWN = "Object contains unknown field"
_AT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?", re.DOTALL)


def shape_of(name: str, fields: Iterable[Any], *, strict: bool = True) -> Any:
    """Return a shape of `fields`; a `strict` one refuses keys that it does not have."""
    return msgspec.defstruct(
        name, list(fields), frozen=True, kw_only=True, forbid_unknown_fields=strict
    )


def field_of(argument: Argument, name: str | None = None) -> Any:
    """Return the field of an argument, with what it means and its bounds inside of what may be
    null."""
    default = msgspec.NODEFAULT if argument.default is REQUIRED else argument.default
    kind, limits = argument.type, Meta(**bounds_of(argument.meta))
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
            waiting[:0] = [inner for key in keys(shape) for inner in shapes_in(key.type)]
    return list(found)


def shapes_in(hint: Any) -> Iterator[Shape]:
    """The shapes that a type is made of."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for inner in get_args(hint):
        yield from shapes_in(inner)


T = TypeVar("T")
_MARK_LENGTH = 8


def cursor_at(place: str, query: object) -> str:
    """Return the cursor of a place in the list that a query gives."""
    return base64.urlsafe_b64encode(f"{_mark(query)}{place}".encode()).decode().rstrip("=")


def place_at(cursor: str | None, query: object) -> str:
    """Return the place that a cursor names; empty for the beginning. Raises InvalidInput for what
    is no cursor of this query."""
    if not cursor:
        return ""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        found = base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (ValueError, UnicodeDecodeError):
        found = ""
    if found[:_MARK_LENGTH] != _mark(query):
        raise InvalidInput(
            f"{cursor[:80]!r} is no cursor of this list: give the `next_cursor` of a page of the "
            "same question, or none to begin anew"
        )
    return found[_MARK_LENGTH:]


def _mark(query: object) -> str:
    said = msgspec.json.encode(query, order="deterministic")
    return hashlib.sha256(said).hexdigest()[:_MARK_LENGTH]


def page_of(
    rows: Sequence[T], cursor: str | None, limit: int, query: object
) -> tuple[tuple[T, ...], str | None]:
    """Return the page of a whole list after a cursor, and the next cursor. Rows are told apart by
    their place: one that is added or removed meanwhile moves those behind it."""
    begin = int(place_at(cursor, query) or 0)
    end = begin + limit
    return tuple(rows[begin:end]), cursor_at(str(end), query) if end < len(rows) else None


def paged(
    fetch: Callable[[str, int], Sequence[T]],
    key: Callable[[T], str],
    keep: Callable[[T], bool],
    cursor: str | None,
    limit: int,
    query: object,
) -> tuple[tuple[T, ...], str | None]:
    """Return `limit` rows to be kept after a cursor, of those that `fetch(after, limit)` gives by
    key, and the next cursor."""
    after = place_at(cursor, query)
    kept: list[T] = []
    while page := fetch(after, ROWS_AT_ONCE):
        for row in page:
            after = key(row)
            if keep(row):
                kept.append(row)
                if len(kept) > limit:
                    return tuple(kept[:limit]), cursor_at(key(kept[limit - 1]), query)
    return tuple(kept), None

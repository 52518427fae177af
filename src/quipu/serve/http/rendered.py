"""An operation as a route: what it takes from the address, from the query and from the body."""

import re
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

import msgspec
from litestar import delete, get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from quipu.serve.http.given import Cursor, HowMany, TheAsked, TheMemory, TheMetrics, page_of
from quipu.serve.operations import REQUIRED, Argument, Http, Operation, bounds_of, operations
from quipu.serve.results import Answer

__all__ = ["routes"]

_VERBS: dict[str, Any] = {"GET": get, "POST": post, "PATCH": patch, "DELETE": delete}
_RESERVED = {"body", "data", "query", "state"}
_KIND_OF_PATH = re.compile(r":\w+\}")


def routes(prefix: str, *, but: str = "\0") -> list[HTTPRouteHandler]:
    """The routes of every operation that has one below `prefix` and not below `but`, without the
    prefix: of one path all belong to one router, or their names are lost."""
    return [
        _route(each, door, prefix)
        for each in operations()
        for door in each.doors
        if isinstance(door, Http) and f" {prefix}/" in door.route and f" {but}/" not in door.route
    ]


def _route(operation: Operation, door: Http, prefix: str) -> HTTPRouteHandler:
    """The handler of an operation's route."""
    verb, _, path = door.route.partition(f" {prefix}")
    gives = _page(operation.gives) if door.page else operation.gives
    handle = _handler(operation, door, gives)
    parameters = list(_parameters(operation, door))
    handle.__name__ = handle.__qualname__ = door.name or operation.name
    handle.__doc__ = operation.help
    signature = Signature(parameters, return_annotation=gives)
    handle.__signature__ = signature  # type: ignore[attr-defined]  # what Litestar reads
    handle.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": gives}
    needs = {"needs": operation.needs}
    return _VERBS[verb](path, status_code=door.status, sync_to_thread=True, opt=needs)(handle)


def _handler(operation: Operation, door: Http, gives: Any) -> Callable[..., Any]:
    arguments = {_parameter_name(each.name): each for each in operation.arguments(door)}
    in_path = [name for name in arguments if f"{{{name}:" in door.route]

    def handle(memory: Any, asked: Any, metrics: Any, **given: Any) -> Any:
        data = given.pop("data", None)
        paging = (given.pop("cursor"), given.pop("limit")) if door.page else None
        values = {arguments[name].name: _value(arguments[name], v) for name, v in given.items()}
        values |= {name: values[name].removeprefix("/") for name in in_path}
        if operation.takes("data"):
            values["data"] = data
        elif data is not None:
            values |= {name: getattr(data, name) for name in data.__struct_fields__}
        if question := values.get("question") or values.get("query"):
            asked.note(question)
        result = operation.run(memory, **{**door.default, **values})
        if isinstance(result, Answer):
            metrics.answered(result, namespace=memory.store.namespace)
        return result if paging is None else _paged(gives, result, door.page, *paging)

    return handle


def _parameters(operation: Operation, door: Http) -> Iterator[Parameter]:
    """What the handler takes: what the server gives, the path, the body or the query, the page."""
    given = {"memory": TheMemory, "asked": TheAsked, "metrics": TheMetrics}
    yield from (_parameter(name, kind) for name, kind in given.items())
    others: list[Argument] = []
    for each in operation.arguments(door):
        if f"{{{each.name}:" in door.route:
            yield _parameter(each.name, FromPath[str])
        else:
            others.append(each)
    if operation.takes("data"):
        yield _parameter("data", JSONBody[operation.hints["data"]])
    elif others and door.body:
        yield _parameter("data", JSONBody[_body(door, others)])
    else:
        yield from map(_query, others)
    if door.page:
        yield _parameter("cursor", Cursor, None)
        yield _parameter("limit", HowMany, 50)


def _parameter_name(name: str) -> str:
    """An argument's name as a parameter: some mean something to Litestar."""
    return f"{name}_" if name in _RESERVED else name


def _parameter(name: str, kind: Any, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _query(argument: Argument) -> Parameter:
    bounds = bounds_of(argument.meta)
    kind, default = argument.type, argument.default
    if get_origin(kind) is tuple:
        kind, default = list[get_args(kind)[0]] | None, default or None
        bounds = {"max_items": bounds.pop("max_length", 50)}
    elif str in (kind, *get_args(kind)):
        bounds.setdefault("max_length", 2000)
    said = QueryParameter(name=argument.name, description=argument.says or None, **bounds)
    return _parameter(_parameter_name(argument.name), Annotated[kind, said], default)


def _value(argument: Argument, given: Any) -> Any:
    if isinstance(argument.default, tuple):
        return tuple(given or ())
    return given


def _body(door: Http, arguments: list[Argument]) -> type[msgspec.Struct]:
    """The shape of what is sent: strict, with what each key means."""
    fields: list[Any] = []
    for each in arguments:
        default = msgspec.NODEFAULT if each.default is REQUIRED else each.default
        field = msgspec.field(default=default, name=door.spelled.get(each.name))
        examples = each.meta.examples
        said = msgspec.Meta(description=each.says, examples=examples)
        fields.append((each.name, Annotated[_bounded(each), said], field))
    shape = msgspec.defstruct(
        door.body, fields, frozen=True, kw_only=True, forbid_unknown_fields=True
    )
    shape.__doc__ = f"`{_KIND_OF_PATH.sub('}', door.route)}`."
    return shape


def _bounded(argument: Argument) -> Any:
    """The type with its bounds, inside of what may be null."""
    bounds = msgspec.Meta(**bounds_of(argument.meta))
    kinds = [each for each in get_args(argument.type) if each is not NoneType]
    if NoneType not in get_args(argument.type):
        return Annotated[argument.type, bounds]
    if len(kinds) > 1:
        return argument.type
    bounded: Any = Annotated[kinds[0], bounds]
    return bounded | None


def _page(gives: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """The shape of one page of a list."""
    after = Annotated[str | None, "what gives those after them; null at the end"]
    name = f"{gives.__name__.removesuffix('List')}Page"
    shape = msgspec.defstruct(
        name, [("next_cursor", after)], bases=(gives,), frozen=True, kw_only=True
    )
    shape.__doc__ = f"A page of {gives.__name__}."
    return shape


def _paged(gives: Any, result: Any, page: str, cursor: str | None, limit: int) -> Any:
    rows, after = page_of(getattr(result, page), cursor, limit)
    return gives(**(msgspec.structs.asdict(result) | {page: rows, "next_cursor": after}))

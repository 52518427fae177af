"""An operation as a route: what it takes of the path, the query and the body, what it gives."""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from quipu.errors import InvalidInput, Unavailable
from quipu.limits import LONGEST_LINE
from quipu.serve.http.gate import ASKED, ROUTE, Caller, caller_of
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.problems import response_of
from quipu.serve.http.runs import Runs
from quipu.serve.operations import Argument, Http, Operation
from quipu.serve.shapes import Answer, field_of, page_of, shape_of, unusable

__all__ = ["Endpoint", "Serving", "endpoints_of", "route_of"]

P = ParamSpec("P")
T = TypeVar("T")


class Busy(Unavailable):
    """More is asked at once than is taken."""


class Threads(ThreadPoolExecutor):
    """`threads` calls run at once and `waiting` wait for their turn; the next raises Busy."""

    def __init__(self, threads: int, waiting: int) -> None:
        super().__init__(max_workers=threads, thread_name_prefix="quipu-http")
        self.most = threads + waiting
        self.active: set[Future[Any]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in a thread. Raises Busy."""
        if len(self.active) >= self.most:
            raise Busy(
                f"{len(self.active)} requests are being answered and more are not taken: try again "
                "in a moment, or start the server with more --threads"
            )
        future = super().submit(fn, *args, **kwargs)
        self.active.add(future)
        future.add_done_callback(self.active.discard)
        return future


_KIND_OF_PATH = re.compile(r":\w+\}")
_ENCODER = msgspec.json.Encoder(order="deterministic")
_PAGING: dict[str, Any] = {
    "cursor": Annotated[
        Annotated[str, Meta(max_length=LONGEST_LINE)] | None,
        Meta(description="`next_cursor` of the page before"),
    ],
    "limit": Annotated[int, Meta(ge=1, le=500, description="how many at most")],
}


@dataclass(frozen=True, slots=True)
class Serving:
    """What all requests share; an operation of HTTP alone is given what it names of it."""

    memories: Memories
    metrics: ServerMetrics
    runs: Runs
    threads: Threads


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path: the shapes of its query and its body, and of what it gives."""

    operation: Operation
    door: Http
    method: str
    path: str
    arguments: Mapping[str, Argument]
    query: type[msgspec.Struct]
    body: Any
    gives: Any

    @property
    def name(self) -> str:
        """What the description of the API calls it."""
        return self.door.name or self.operation.name

    @property
    def shown_path(self) -> str:
        """The path with the bare names of its parameters."""
        return _KIND_OF_PATH.sub("}", self.path)

    @property
    def in_path(self) -> list[str]:
        """The parameters of its path."""
        return re.findall(r"\{(\w+):", self.path)

    def given(self, request: Request, body: bytes) -> dict[str, Any]:
        """The arguments of the operation. Raises InvalidInput."""
        values = {**self.door.default, **request.path_params, **_read_query(self.query, request)}
        if self.body is not None:
            data = _read_body(self.body, body)
            if self.operation.takes("data"):
                values["data"] = data
            else:
                values |= {name: getattr(data, name) for name in data.__struct_fields__}
        return values

    def answer(self, serving: Serving, caller: Caller, values: dict[str, Any]) -> Response:
        """The response to a caller who gave these values."""
        page = (values.pop("cursor"), values.pop("limit")) if self.door.page else None
        query = [self.shown_path, {**values}] if page else ()
        shared: dict[str, object] = {
            "caller": caller,
            "memories": serving.memories,
            "metrics": serving.metrics,
            "runs": serving.runs,
        }
        hints = self.operation.hints
        values |= {name: it for name, it in shared.items() if hints.get(name) is type(it)}
        if self.operation.takes("memory"):
            values["memory"] = serving.memories.of(caller.namespace)
        result = self.operation.run(**values)
        if isinstance(result, Answer):
            serving.metrics.answered(result)
        if isinstance(result, Response):
            return result
        if page is not None:
            rows, after = page_of(getattr(result, self.door.page), *page, query)
            fields = msgspec.structs.asdict(result) | {self.door.page: rows, "next_cursor": after}
            result = self.gives(**fields)
        told = (status for status, shape in self.door.told.items() if type(result) is shape)
        return json_response(result, next(told, self.door.status))


def json_response(result: Any, status: int = 200, **headers: str) -> Response:
    """A result as JSON: the same result is the same bytes."""
    return Response(_ENCODER.encode(result), status, headers, "application/json")


def endpoints_of(operations: Iterable[Operation]) -> Iterator[Endpoint]:
    """The endpoints of the operations that have some."""
    for operation in operations:
        for door in operation.doors:
            if isinstance(door, Http):
                yield _endpoint(operation, door)


def _endpoint(operation: Operation, door: Http) -> Endpoint:
    method, _, path = door.route.partition(" ")
    arguments = {each.name: each for each in operation.arguments(door)}
    others = [each for each in arguments.values() if f"{{{each.name}:" not in path]
    paging = [(name, kind, 50 if name == "limit" else None) for name, kind in _PAGING.items()]
    in_query = [] if door.body else [field_of(each) for each in others]
    gives = door.gives or operation.gives
    body = operation.hints.get("data")
    if door.body and body is None:
        body = shape_of(door.body, [field_of(each, door.spelled.get(each.name)) for each in others])
        body.__doc__ = f"`{_KIND_OF_PATH.sub('}', door.route)}`."
    return Endpoint(
        operation=operation,
        door=door,
        method=method,
        path=path,
        arguments=arguments,
        query=shape_of("Query", [*in_query, *(paging if door.page else ())], strict=False),
        body=body,
        gives=_page(gives) if door.page else gives,
    )


def route_of(path: str, endpoints: Iterable[Endpoint], serving: Serving) -> Route:
    """The route of a path with all its methods."""
    of_method = {each.method: each for each in endpoints}

    async def handle(request: Request) -> Response:
        endpoint = of_method["GET" if request.method == "HEAD" else request.method]
        request.scope[ROUTE] = endpoint.shown_path
        try:
            return await _answered(endpoint, request, serving)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  the outermost boundary of a request
            return response_of(request, error)

    return Route(path, handle, methods=list(of_method))


async def _answered(endpoint: Endpoint, request: Request, serving: Serving) -> Response:
    caller = caller_of(request.scope)
    needs = endpoint.operation.needs
    if needs is not None and not caller.may(needs):
        raise HTTPException(
            403,
            f"this needs a key of scope {needs!r}, and yours is {caller.scope!r}: make one with "
            f"`quipu key create --scope {needs}`",
        )
    body = await request.body() if endpoint.body is not None else b""
    values = endpoint.given(request, body)
    own = getattr(values.get("data"), "question", "")
    if question := values.get("question") or values.get("query") or own:
        request.scope[ASKED] = question
    answer: Callable[[], Response] = partial(endpoint.answer, serving, caller, values)
    if not (endpoint.operation.takes("memory") or endpoint.operation.takes("memories")):
        return answer()  # it waits for nothing, so that it answers while all threads are busy
    return await asyncio.get_running_loop().run_in_executor(serving.threads, answer)


def _read_query(shape: type[msgspec.Struct], request: Request) -> dict[str, Any]:
    given = request.query_params
    many = {f.name for f in msgspec.structs.fields(shape) if get_origin(_bare(f.type)) is tuple}
    said = {key: given.getlist(key) if key in many else given[key] for key in given}
    try:
        return msgspec.structs.asdict(msgspec.convert(said, shape, strict=False))
    except msgspec.ValidationError as error:
        raise unusable(error, "query", shape) from error


def _read_body(shape: Any, body: bytes) -> Any:
    """The body as its shape. It is read strictly: a number is no text, and 0 is not false."""
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.ValidationError as error:
        raise unusable(error, "body", shape) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        said = "there is no body" if not body else f"the body is no JSON: {error}"
        raise InvalidInput(f"{said}: send a JSON object") from error


def _bare(kind: Any) -> Any:
    return _bare(get_args(kind)[0]) if get_origin(kind) is Annotated else kind


def _page(gives: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """The shape of one page of a list."""
    after = Annotated[str | None, "what gives those after them; null at the end"]
    name = f"{gives.__name__.removesuffix('List')}Page"
    shape = msgspec.defstruct(
        name, [("next_cursor", after)], bases=(gives,), frozen=True, kw_only=True
    )
    shape.__doc__ = f"A page of {gives.__name__}."
    return shape

"""The application: the API, the page, MCP beside them, and the gate before all of it."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import msgspec
from litestar import Litestar, Request, Response, Router, get
from litestar.concurrency import set_asyncio_executor
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import ValidationException
from litestar.openapi import OpenAPIConfig

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.http.caller import Caller, QuestionLog, caller_of, guard
from quipu.serve.http.gate import App, Gate
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.mounted import Mounted
from quipu.serve.http.openapi import described
from quipu.serve.http.options import Options
from quipu.serve.http.problems import response_of
from quipu.serve.http.routes import asking, chat, graph, health, incidents, page, records, work
from quipu.serve.http.runs import Runs
from quipu.serve.http.threads import Threads
from quipu.serve.listening import addresses_of, hosts_of, is_this_machine

__all__ = ["JsonResponse", "build_app", "make_api"]

_UNKNOWN = "Object contains unknown field"
_AT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?", re.DOTALL)


class StrictRequest(Request[Any, Any, Any]):
    """A request whose body is decoded as what its route takes, or refused. It is read strictly: a
    number is no text, and 0 is not false. Litestar would convert them."""

    async def json(self) -> Any:
        """The body as the type that the route's `data` has. Raises ValidationException."""
        wanted = self.route_handler.parsed_data_field
        body = await self.body()
        try:
            return msgspec.json.decode(body, type=wanted.annotation if wanted else Any)
        except msgspec.ValidationError as error:
            found = _AT.fullmatch(str(error))
            what, where = (found["what"], found["where"]) if found else (str(error), "")
            if what.startswith(_UNKNOWN) and not where and wanted:
                what = f"{what}{_taken(wanted.annotation)}"
            told = {"message": what, "key": where or "data", "source": "body"}
            raise ValidationException("the body cannot be used", extra=[told]) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            said = "there is no body" if not body else f"the body is no JSON: {error}"
            raise ValidationException(f"{said}: send a JSON object") from error


def _taken(wanted: Any) -> str:
    """The fields that a body may have, to be read after what is wrong with it."""
    if not (isinstance(wanted, type) and issubclass(wanted, msgspec.Struct)):
        return ""
    fields = sorted(msgspec.structs.fields(wanted), key=lambda field: not field.required)
    names = [field.encode_name for field in fields]
    return f"; it takes {', '.join(f'`{name}`' for name in names)}"


_V1 = [*asking.ROUTES, *records.ROUTES, *incidents.ROUTES, *work.ROUTES]
_ENCODER = msgspec.json.Encoder(order="deterministic")


class JsonResponse(Response[Any]):
    """A result as JSON: the same result is the same bytes."""

    def render(
        self,
        content: Any,
        media_type: str,
        enc_hook: Callable[[Any], Any] = str,  # noqa: ARG002  Litestar's signature
    ) -> bytes:
        """The bytes of `content`; texts and bytes as they are."""
        if isinstance(content, bytes):
            return content
        if isinstance(content, str) and "json" not in media_type:
            return content.encode()
        return b"" if content is None else _ENCODER.encode(content)


def build_app(memories: Memories, options: Options) -> App:
    """The ASGI application over `memories`. Raises InvalidInput for an open address without a
    key."""
    addresses = addresses_of(options.host)
    local = is_this_machine(addresses)
    if not local and not (memories.keys and memories.keys.any()):
        raise InvalidInput(
            f"--host {options.host!r} lets other machines in: make a key first with `quipu key "
            "create`"
        )
    metrics = ServerMetrics()
    threads = Threads(options.threads, options.waiting)
    api = make_api(memories, options, metrics, threads)
    hosts = frozenset([*hosts_of({options.host, *addresses}), *(h.lower() for h in options.hosts)])
    return Gate(
        Mounted(cast("App", api), memories, options),
        memories,
        options,
        local=local,
        hosts=hosts,
        metrics=metrics,
    )


def make_api(
    memories: Memories, options: Options, metrics: ServerMetrics, threads: Threads
) -> Litestar:
    """The routes over `memories`, without the gate."""
    _watch(memories, metrics)
    metrics.watch(memories.all, lambda: threads.held)
    set_asyncio_executor(threads)
    runs = Runs()

    @asynccontextmanager
    async def working(_app: Litestar) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            await asyncio.to_thread(_end, threads, runs)

    return Litestar(
        [
            *health.ROUTES,
            *page.ROUTES,
            openapi_document,
            Router("/api/v1", route_handlers=_V1),
            Router("/api", route_handlers=graph.ROUTES),
            Router("/v1", route_handlers=chat.ROUTES),
        ],
        dependencies={
            "asked": Provide(_asked_of, sync_to_thread=False),
            "memory": Provide(_memory_of, sync_to_thread=False),
            "caller": Provide(_caller_of, sync_to_thread=False),
            "memories": Provide(lambda: memories, sync_to_thread=False),
            "metrics": Provide(lambda: metrics, sync_to_thread=False),
            "runs": Provide(lambda: runs, sync_to_thread=False),
            "options": Provide(lambda: options, sync_to_thread=False),
        },
        exception_handlers={Exception: response_of},
        guards=[guard],
        lifespan=[working],
        logging_config=None,
        openapi_config=OpenAPIConfig(
            title="Quipu", version="1", path="/api/docs", render_plugins=[]
        ),
        request_max_body_size=options.largest,
        request_class=StrictRequest,
        response_class=JsonResponse,
        state=State({"memories": memories}),
    )


def _end(threads: Threads, runs: Runs) -> None:
    """Finish what was begun; what waits is not begun."""
    threads.shutdown(wait=True, cancel_futures=True)
    runs.close()


def _memory_of(request: Request[Any, Any, Any]) -> Memory:
    """The memory of the caller's namespace: no route can name another."""
    memories: Memories = request.app.state.memories
    caller = caller_of(request.scope)
    return memories.of(caller.namespace) if caller.namespace else memories.first


def _asked_of(request: Request[Any, Any, Any]) -> QuestionLog:
    return QuestionLog(request.scope)


def _caller_of(request: Request[Any, Any, Any]) -> Caller:
    return caller_of(request.scope)


def _watch(memories: Memories, metrics: ServerMetrics) -> None:
    def opened(memory: Memory) -> None:
        memory.handle.stage = metrics.stage

    memories.opened = opened
    for memory in memories.all():
        opened(memory)


@get("/api/openapi.json", include_in_schema=False, sync_to_thread=True)
def openapi_document(request: Request[Any, Any, Any]) -> Response[dict[str, Any]]:
    """The OpenAPI document."""
    return Response(described(request.app))

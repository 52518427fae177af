"""The application (the API, the page, MCP beside them, the gate before all of it), and serving it
until interrupted.

The synchronous core runs in threads: so many at once, so many waiting, no more.
"""

import asyncio
import logging
import re
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

import msgspec
import uvicorn
from litestar import Litestar, Request, Response, Router, get
from litestar.concurrency import set_asyncio_executor
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import ValidationException
from litestar.openapi import OpenAPIConfig

from quipu.errors import InvalidInput, Unavailable
from quipu.memory import Memory
from quipu.serve.http import Options
from quipu.serve.http.caller import Caller, QuestionLog, caller_of, guard
from quipu.serve.http.gate import App, Gate
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.mounted import Mounted
from quipu.serve.http.openapi import described
from quipu.serve.http.problems import response_of
from quipu.serve.http.rendered import routes
from quipu.serve.http.routes import chat, health, page, records, work
from quipu.serve.http.runs import Runs
from quipu.serve.listening import (
    addresses_of,
    ended_by_sigterm,
    hosts_of,
    is_this_machine,
    listening,
)
from quipu.serve.mcp.connections import PatientConnection

__all__ = ["Threads", "build_app", "make_api", "serve"]

_GRACE_S = 20  # seconds that a request under way may still take when the server is told to stop
P = ParamSpec("P")
T = TypeVar("T")


class Busy(Unavailable):
    """More is asked at once than is taken."""


class Threads(ThreadPoolExecutor):
    """`threads` calls run at once and `waiting` wait for their turn; the next raises Busy."""

    def __init__(self, threads: int, waiting: int) -> None:
        super().__init__(max_workers=threads, thread_name_prefix="quipu-http")
        self.most = threads + waiting
        self._active = 0
        self._counting = threading.Lock()

    @property
    def active(self) -> int:
        """How many calls run or wait."""
        return self._active

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in a thread. Raises Busy."""
        with self._counting:
            if self._active >= self.most:
                raise Busy(
                    f"{self._active} requests are being answered and more are not taken: try again "
                    "in a moment, or start the server with more --threads"
                )
            self._active += 1
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self._ended)
        return future

    def _ended(self, _future: Future[Any]) -> None:
        with self._counting:
            self._active -= 1


_UNKNOWN = "Object contains unknown field"
_AT = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>[^`]*)`)?", re.DOTALL)


class StrictRequest(Request[Any, Any, Any]):
    """A request whose body is decoded as what its route takes, or refused. It is read strictly: a
    number is no text, and 0 is not false. Litestar would convert them."""

    async def json(self) -> Any:
        """The body as the type that the route's `data` has. Raises ValidationException."""
        field = self.route_handler.parsed_data_field
        body = await self.body()
        try:
            return msgspec.json.decode(body, type=field.annotation if field else Any)
        except msgspec.ValidationError as error:
            found = _AT.fullmatch(str(error))
            what, where = (found["what"], found["where"]) if found else (str(error), "")
            if what.startswith(_UNKNOWN) and not where and field:
                what = f"{what}{_taken(field.annotation)}"
            entry = {"message": what, "key": where or "data", "source": "body"}
            raise ValidationException("the body cannot be used", extra=[entry]) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            said = "there is no body" if not body else f"the body is no JSON: {error}"
            raise ValidationException(f"{said}: send a JSON object") from error


def _taken(annotation: Any) -> str:
    """The fields that a body may have, to be read after what is wrong with it."""
    if not (isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)):
        return ""
    fields = sorted(msgspec.structs.fields(annotation), key=lambda field: not field.required)
    names = [field.encode_name for field in fields]
    return f"; it takes {', '.join(f'`{name}`' for name in names)}"


_V1 = [*records.ROUTES, *work.ROUTES]
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
    metrics.watch(memories.all, lambda: threads.active)
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
            Router("/api/v1", route_handlers=[*_V1, *routes("/api/v1")]),
            Router("/api", route_handlers=routes("/api", but="/api/v1")),
            Router("/v1", route_handlers=chat.ROUTES),
        ],
        dependencies={
            "asked": Provide(_asked_of, sync_to_thread=False),
            "memory": Provide(_memory_of, sync_to_thread=False),
            "caller": Provide(_caller_of, sync_to_thread=False),
            "memories": Provide(lambda: memories, sync_to_thread=False),
            "metrics": Provide(lambda: metrics, sync_to_thread=False),
            "runs": Provide(lambda: runs, sync_to_thread=False),
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
        memory.handle.stage = partial(metrics.stage, namespace=memory.store.namespace)

    memories.opened = opened
    for memory in memories.all():
        opened(memory)


@get("/api/openapi.json", include_in_schema=False, sync_to_thread=True)
def openapi_document(request: Request[Any, Any, Any]) -> Response[dict[str, Any]]:
    """The OpenAPI document."""
    return Response(described(request.app))


class _Connection(PatientConnection):
    """Browsers and load balancers keep several connections each."""

    most = 1024


def serve(memories: Memories, options: Options) -> None:
    """Serve `memories` until interrupted or told to end (SIGTERM): what runs is finished then, or
    handed back. Raises InvalidInput for an open address without a key, StoreUnavailable when the
    address or the port is not to be had."""
    app: Any = build_app(memories, options)
    config = uvicorn.Config(
        app,
        http=_Connection,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    with ExitStack() as open_now:
        addresses = addresses_of(options.host)
        sockets = [
            open_now.enter_context(each)
            for each in listening(options.host, addresses, options.port)
        ]
        open_now.enter_context(ended_by_sigterm())
        _log_requests()
        uvicorn.Server(config).run(sockets)


def _log_requests() -> None:
    """One JSON object a request on standard error, where `-v` asks for it."""
    logger = logging.getLogger("quipu.serve.http.requests")
    if not logger.isEnabledFor(logging.INFO):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.handlers, logger.propagate = [handler], False

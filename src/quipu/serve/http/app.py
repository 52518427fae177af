"""The application (the API, the page, MCP beside them, the gate before all of it), and serving it
until interrupted."""

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from quipu.errors import InvalidInput
from quipu.serve.http import Options, routes
from quipu.serve.http.endpoints import (
    Endpoint,
    Serving,
    Threads,
    endpoints_of,
    json_response,
    route_of,
)
from quipu.serve.http.gate import Gate
from quipu.serve.http.listening import served_hosts, until_interrupted
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.openapi import described
from quipu.serve.http.problems import response_of
from quipu.serve.http.runs import Runs
from quipu.serve.http.tools import PATH, Tools
from quipu.serve.operations import operations, operations_in

__all__ = ["build_app", "endpoints", "make_api", "serve"]


def build_app(memories: Memories, options: Options) -> ASGIApp:
    """The ASGI application over `memories`. Raises InvalidInput for an open address without a
    key."""
    local, hosts = served_hosts(options.host, options.hosts)
    if not local and not (memories.keys and memories.keys.any()):
        raise InvalidInput(
            f"--host {options.host!r} lets other machines in: make a key first (`quipu key "
            "create`), or give one of your own (--key-file; of `quipu mcp`, --token-file)"
        )
    metrics = ServerMetrics()
    api = make_api(memories, options, metrics)
    return Gate(
        api,
        options,
        local=local,
        hosts=hosts,
        memories=memories,
        metrics=metrics,
    )


def endpoints() -> list[Endpoint]:
    """Every endpoint: those of HTTP alone, then those of the table of operations."""
    return list(endpoints_of([*operations_in(routes), *operations()]))


def make_api(memories: Memories, options: Options, metrics: ServerMetrics) -> Starlette:
    """The routes over `memories`, without the gate."""
    serving = Serving(memories, metrics, Runs(), Threads(options.threads, options.waiting))
    metrics.calls.set_function(lambda: len(serving.threads.active))
    every, tools = endpoints(), Tools(memories, options)

    @cache
    def document() -> dict[str, Any]:
        return described(every)

    def openapi(_request: Request) -> Response:
        return json_response(document())

    @asynccontextmanager
    async def working(_app: Starlette) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            await asyncio.to_thread(_end, serving)

    def failed(request: Request, error: Exception) -> Response:
        return response_of(request, error)

    paths = dict.fromkeys(each.path for each in every)
    fixed_first = sorted(paths, key=lambda path: "{" in path)
    api = Starlette(
        routes=[
            *routes.PAGE,
            Route("/api/openapi.json", openapi),
            *(Route(path, tools, methods=["POST"]) for path in (PATH, f"{PATH}/")),
            *(
                route_of(path, [each for each in every if each.path == path], serving)
                for path in fixed_first
            ),
        ],
        exception_handlers={HTTPException: failed},
        lifespan=working,
        max_body_size=options.largest,
    )
    api.router.redirect_slashes = False  # a path with a slash more is another path
    return api


def _end(serving: Serving) -> None:
    """Finish what was begun; what waits is not begun."""
    serving.threads.shutdown(wait=True, cancel_futures=True)
    serving.runs.close()


def serve(memories: Memories, options: Options) -> None:
    """Serve `memories` until interrupted or told to end (SIGTERM): what runs is finished then, or
    handed back. Raises InvalidInput for an open address without a key, StoreUnavailable when the
    address or the port is not to be had."""
    app = build_app(memories, options)
    _log_requests()
    until_interrupted(app, options.host, options.port)


def _log_requests() -> None:
    """One JSON object a request on standard error, where `-v` asks for it."""
    logger = logging.getLogger("quipu.serve.http.requests")
    if not logger.isEnabledFor(logging.INFO):
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.handlers, logger.propagate = [handler], False

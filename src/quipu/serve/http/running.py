"""Serving until interrupted or told to end."""

import logging
import sys
from contextlib import ExitStack
from typing import Any

import uvicorn

from quipu.serve.http.app import build_app
from quipu.serve.http.memories import Memories
from quipu.serve.http.options import Options
from quipu.serve.listening import addresses_of, ended_by_sigterm, listening
from quipu.serve.mcp.connections import PatientConnection

__all__ = ["serve"]

_GRACE_S = 20  # seconds that a request under way may still take when the server is told to stop


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

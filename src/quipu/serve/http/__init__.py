"""A memory over HTTP: the API, the web page, MCP, health and metrics in one process, at one port.

    with Memories(open_memory) as memories:
        serve(memories, Options(port=8765))

The third thin face over `Memory`: a route reads its request into a typed shape, calls the memory
in a thread and gives what the command line and MCP give. Who may do what is decided before a route
is reached (`gate`), and a route only ever sees the memory of the caller's own namespace. The
libraries are the extra `serve`; they are imported late.
"""

import msgspec

from quipu.serve.mcp import Profile

__all__ = ["REQUEST_ID", "Options"]

REQUEST_ID = "quipu.request_id"
"""Where an ASGI scope holds what the log calls a request."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What `quipu serve` was told. Times in seconds, sizes in bytes; `hosts` are further names
    that it is reached by, for example behind a proxy."""

    host: str = "127.0.0.1"
    port: int = 8765
    hosts: tuple[str, ...] = ()
    threads: int = 8
    waiting: int = 256
    seconds: float = 60.0
    largest: int = 8 * 1024 * 1024
    log_questions: bool = False
    read_only: bool = False
    profile: Profile = "default"

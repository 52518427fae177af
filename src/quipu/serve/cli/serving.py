"""`serve`: the memory over HTTP, with a page to look at it."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from quipu.serve.cli.folders import initialise
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import watch_option
from quipu.serve.mcp import PROFILES
from quipu.serve.shapes import Serving

__all__ = ["serve"]

_option = partial(click.option, show_default=True)


@command("serve", "quipu serve", "quipu serve --port 8080", "quipu serve --host 0.0.0.0")
@_option("--host", default="127.0.0.1", help="The address to listen at.")
@_option("--port", type=click.IntRange(1, 65535), default=8765, help="The port to listen at.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name it is reached by, behind a proxy. May be repeated.",
)
@_option(
    "--profile", type=click.Choice(PROFILES), default="default", help="Which tools MCP has at /mcp."
)
@_option("--threads", type=click.IntRange(1, 256), default=8, help="How many calls run at once.")
@_option(
    "--rate",
    "requests_a_minute",
    type=click.IntRange(0),
    default=600,
    help="Requests a minute of one caller; 0: no limit.",
)
@_option(
    "--timeout",
    "seconds",
    type=click.FloatRange(0.1),
    default=60.0,
    help="Seconds until an answer must begin.",
)
@watch_option
@click.option("--log-questions", is_flag=True, help="Log what is asked, too (with -v).")
def serve(watch: bool, **chosen: Any) -> None:
    """Serve the memory over HTTP: the API, a web page, MCP at /mcp, health and metrics.

    Without API keys (`quipu key create`) only this machine is served. In a folder without a memory
    the page offers to make one. What changes in what was indexed is read meanwhile.
    -v logs a line a request, as JSON. Needs the extra: pip install
    'quipu-memory[serve]'.
    """
    run = invocation()
    try:
        from quipu.serve.http import Options
        from quipu.serve.http.app import serve as serve_http
        from quipu.serve.http.memories import Memories
    except ModuleNotFoundError as error:
        from quipu.serve.http import needed

        raise needed(error) from error
    options = Options(**chosen)
    with _memories(run, Memories, watch=watch) as memories:
        shown = _shown(options.host, options.port, memories)
        if run.as_json:
            run.show(shown, list)
        run.note(f"serving at {shown.url}; Ctrl-C ends it")
        if not shown.memory:
            run.note("there is no memory here yet: the page offers to make one")
        serve_http(memories, options)


def _shown(host: str, port: int, memories: Any) -> Serving:
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return Serving(
        url=f"{url}/",
        api=f"{url}/api/openapi.json",
        mcp=f"{url}/mcp",
        folder=str(memories.folder),
        memory=memories.exist,
    )


def _memories(run: Invocation, kind: Any, *, watch: bool) -> Any:
    """What is to be served; where there is no memory yet, what makes one."""

    def opened(namespace: str | None) -> Any:
        chosen = run if namespace is None else _in(run, namespace)
        return chosen.open()

    folder = Path.cwd()
    if run.store or run.config().store.url or _found():
        return kind(opened, folder=folder, watch=watch)
    return kind(opened, folder=folder, watch=watch, make=lambda: initialise(run, folder))


def _found() -> bool:
    from quipu.config import find_upward
    from quipu.handle.home import DATABASE

    return find_upward(DATABASE, None) is not None


def _in(run: Invocation, namespace: str) -> Invocation:
    from dataclasses import replace

    return replace(run, namespace=namespace)

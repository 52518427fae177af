"""`serve`: the memory over HTTP, with a page to look at it; `key …`: who may use that."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from quipu.errors import MissingExtra, StoreUnavailable
from quipu.ledger import LEDGER, Ledger
from quipu.memory import Memory
from quipu.serve.cli.folders import initialise, is_remembered
from quipu.serve.cli.invocation import Invocation
from quipu.serve.keys import ApiKey, ApiKeys, KeyList, MadeKey
from quipu.serve.mcp import Profile
from quipu.serve.operations import Command, Flag, KeyScope, Word, operation

__all__ = ["Port", "Watch"]

Port = Annotated[int, "the port to listen at", Meta(ge=1, le=65535)]
Watch = Annotated[
    bool, "whether to read what changes in what was indexed", Flag("--watch/--no-watch")
]


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu serve`, printed once it is about to listen."""

    url: Annotated[str, "the page"]
    api: Annotated[str, "the description of the API"]
    mcp: Annotated[str, "what MCP clients are told"]
    folder: Annotated[str, "the folder that is remembered, or will be"]
    memory: Annotated[bool, "whether it has a memory yet; the page offers to make one"]


@operation(None, Command(retired={"--rate NUMBER": "let a proxy limit rates"}))
def serve(
    run: Invocation,
    host: Annotated[str, "the address to listen at"] = "127.0.0.1",
    port: Port = 8765,
    hosts: Annotated[
        tuple[str, ...], "a further name it is reached by, behind a proxy", Flag("--allow-host")
    ] = (),
    profile: Annotated[Profile, "which tools MCP has at /mcp"] = "default",
    threads: Annotated[int, "how many calls run at once", Meta(ge=1)] = 8,
    timeout: Annotated[float, "seconds until an answer must begin", Meta(ge=0.1)] = 60.0,
    watch: Watch = True,
    key_file: Annotated[
        Path | None, "a file with a key of your own that opens all of this namespace"
    ] = None,
    read_only: Annotated[bool, "let nobody write, whatever the key allows"] = False,
    log_questions: Annotated[bool, "log what is asked, too (with -v)"] = False,
) -> None:
    """Serve the memory over HTTP: the API, a web page, MCP at /mcp, health and metrics.

    Without API keys (`quipu key create`, --key-file) only this machine is served. In a folder
    without a memory the page offers to make one. What changes in what was indexed is read
    meanwhile. -v logs a line a request, as JSON. Needs the extra: pip install
    'quipu-memory[serve]'.

    $ quipu serve
    $ quipu serve --port 8080
    $ quipu serve --host 0.0.0.0
    """
    try:
        from quipu.serve.http import Options
        from quipu.serve.http.app import serve as serve_http
        from quipu.serve.http.memories import Memories
        from quipu.serve.keys import read_key
    except ModuleNotFoundError as error:
        if str(error.name).startswith("quipu"):
            raise
        raise MissingExtra(
            "serving HTTP needs its libraries: pip install 'quipu-memory[serve]'"
        ) from error
    options = Options(
        host=host,
        port=port,
        hosts=hosts,
        profile=profile,
        threads=threads,
        seconds=timeout,
        log_questions=log_questions,
        read_only=read_only,
    )
    key = read_key(key_file) if key_file else ""

    def opened(namespace: str | None) -> Memory:
        chosen = run if namespace is None else replace(run, namespace=namespace)
        return chosen.open(read_only=read_only, keeps_up=not read_only)

    folder = Path.cwd()
    make = None if read_only or is_remembered(run) else partial(initialise, run, folder)
    follows = watch and not read_only
    with Memories(opened, folder=folder, make=make, watch=follows, key=key) as memories:
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        shown = Serving(
            url=f"{url}/",
            api=f"{url}/api/openapi.json",
            mcp=f"{url}/mcp",
            folder=str(memories.folder),
            memory=memories.exist,
        )
        if run.as_json:
            run.show(shown, list)
        run.note(f"serving at {shown.url}; Ctrl-C ends it")
        if not shown.memory:
            run.note("there is no memory here yet: the page offers to make one")
        serve_http(memories, options)


@operation(None, Command())
def create(
    run: Invocation,
    scope: Annotated[KeyScope, "to ask; to remember and change, too; to index and forget, too"] = (
        "read"
    ),
    note: Annotated[str, "what it is for"] = "",
) -> MadeKey:
    """Make a key for one namespace (--namespace; default: the configured one).

    It is printed once and cannot be shown again: the ledger keeps a seal of it, made with your own
    key on this machine, so keys do not move with a backup.

    $ quipu key create --scope write
    $ quipu key create --namespace team --scope read
    """
    with _keys(run) as (keys, namespace):
        made = keys.create(namespace, scope, note=note)
    run.note(f"key {made.key_id} opens namespace {made.namespace!r}, scope {made.scope}")
    return made


@operation(None, Command())
def list_(run: Invocation) -> KeyList:
    """List the keys of this memory, of every namespace, without their secrets.

    $ quipu key list
    $ quipu key list --json
    """
    with _keys(run) as (keys, _):
        return KeyList(keys=tuple(keys.all()))


@operation(None, Command())
def revoke(run: Invocation, key_id: Annotated[str, Word()]) -> ApiKey:
    """End the key KEY_ID: from now on it opens nothing. Again changes nothing.

    $ quipu key revoke 0123456789ab
    """
    with _keys(run) as (keys, _):
        return keys.revoke(key_id)


@contextmanager
def _keys(run: Invocation) -> Generator[tuple[ApiKeys, str]]:
    """The keys of the memory that is meant, and its namespace."""
    from quipu.trust import sealing_key

    with run.open(embedding=False) as memory:
        state = memory.home.state
        if state is None or memory.home.url == "memory:":
            raise StoreUnavailable("a memory of this process alone keeps no keys: name a store")
        with Ledger(state / LEDGER) as ledger:
            yield ApiKeys(ledger, sealing=sealing_key(), clock=memory.clock), memory.store.namespace

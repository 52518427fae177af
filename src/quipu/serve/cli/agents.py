"""`mcp`: the memory as tools for agents, and how clients are told of it."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from quipu.agents.dumps import DumpTaken, import_dump
from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE
from quipu.memory import Memory
from quipu.serve.cli.folders import initialise, is_remembered
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.serving import Port, Watch
from quipu.serve.cli.setup import Name, Profiled, Project, launch_of
from quipu.serve.keeping_up import kept_up
from quipu.serve.mcp import build_server
from quipu.serve.operations import Command, Exists, Flag, Word, operation
from quipu.serve.setup.clients import Places
from quipu.serve.setup.places import folder_of_work, own_folder
from quipu.serve.setup.setting_up import SetupChange, set_up, take_back

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.mcp.server import LackingMemory

__all__: list[str] = []

Told = Annotated[
    Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex"], "the program to be told"
]


class ClientChange(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu mcp install` and `quipu mcp uninstall`."""

    client: Annotated[str, "the program that was told"]
    file: Annotated[str, "its configuration file"]
    done: Annotated[str, "`created`, `changed`, `unchanged`, `removed` or `absent`"]
    backup: Annotated[str | None, "where the file as it was is kept, or null"]


@operation(None, Command())
def mcp(
    run: Invocation,
    profile: Profiled = "default",
    read_only: Annotated[bool, "leave out the tools that write"] = False,
    http: Annotated[bool, "serve streamable HTTP at /mcp, not standard input"] = False,
    host: Annotated[str, "the address to listen at"] = "127.0.0.1",
    port: Port = 8765,
    token_file: Annotated[
        Path | None, "a file with the secret that clients must send as a bearer token", Exists()
    ] = None,
    watch: Watch = True,
) -> None:
    """Serve the memory to agents over the Model Context Protocol, until the client leaves.

    Agents search, ask, remember and audit through tools; several may do so at once. What changes
    in what was indexed is read meanwhile. The memory is the nearest upward; where there is none,
    the first thing that is stored makes one for the repository or folder, and in the home folder
    and above, the user's own is served. Standard output carries the protocol alone. Needs the
    extra: pip install 'quipu-memory[mcp]'.

    $ quipu mcp --profile full
    $ quipu mcp --http --port 8765
    """
    if token_file and not http:
        raise InvalidInput("--token-file is for --http: standard input asks for no token")
    folder, is_empty = folder_of_work(Path.cwd()), not is_remembered(run)
    if is_empty and folder == own_folder():
        run, is_empty = replace(run, store=str(folder / DATABASE)), not (folder / DATABASE).exists()
    with ExitStack() as stack:

        def opened() -> Memory:
            memory = stack.enter_context(run.open(read_only=read_only, keeps_up=not read_only))
            stack.enter_context(kept_up(run.open if watch and not read_only else None))
            return memory

        if is_empty:
            lacking = _lacking(run, folder, opened)
            memory = Memory.open("memory:", config=run.config(), namespace=run.namespace)
            memory = stack.enter_context(memory)
            run.note(lacking.note)
        else:
            lacking, memory = None, opened()
        server = build_server(
            memory,
            profile=profile,
            read_only=read_only,
            lacking=None if read_only else lacking,
        )
        if not http:
            server.run("stdio")  # what else is printed goes to standard error meanwhile
            return
        from quipu.serve.http.tools import serve_tools
        from quipu.serve.keys import read_key

        token = read_key(token_file) if token_file else ""
        run.note(f"serving at http://{host}:{port}/mcp; Ctrl-C ends it")
        serve_tools(server, host=host, port=port, token=token)


def _lacking(run: Invocation, folder: Path, opened: Callable[[], Memory]) -> "LackingMemory":
    """The memory that the work in the present folder lacks."""
    from quipu.serve.mcp.server import LackingMemory

    exists = (folder / DATABASE).exists

    def make() -> Memory:
        if not exists():
            folder.mkdir(parents=True, exist_ok=True)
            initialise(run, folder, settings=False)
        return opened()

    return LackingMemory(
        exists=exists,
        make=make,
        note=f"there is no memory in {str(folder)!r} or above it yet: the first thing that is "
        "stored makes one there; `quipu init` and `quipu index .` have its files read",
    )


@operation(None, Command())
def install_client(
    run: Invocation,
    client: Told,
    profile: Profiled = "default",
    name: Name = "quipu",
    project: Project = False,
    replacing: Annotated[bool, "counts for nothing, and goes", Flag("--replace")] = False,
) -> ClientChange:
    """Write this server into the configuration of a client. It goes: use `quipu setup CLIENT`.

    $ quipu mcp install --client claude-code
    """
    run.note("`mcp install` goes with the next version: use `quipu setup`", fg="yellow")
    if replacing:
        run.note("--replace counts for nothing any more: take the other entry out first")
    launch = launch_of(run, profile=profile, name=name, project=project)
    places = Places(Path.cwd())
    return _told(set_up(client, launch, places, project=project, dry_run=False, only="server"))


@operation(None, Command())
def uninstall_client(
    run: Invocation, client: Told, name: Name = "quipu", project: Project = False
) -> ClientChange:
    """Undo `quipu mcp install`. It goes: use `quipu setup --remove CLIENT`.

    $ quipu mcp uninstall --client claude-code
    """
    run.note("`mcp uninstall` goes with the next version: use `quipu setup --remove`", fg="yellow")
    launch = launch_of(run, profile="default", name=name, project=project)
    places = Places(Path.cwd())
    return _told(take_back(client, launch, places, project=project, dry_run=False, only="server"))


@operation("write", Command())
def import_graph(memory: Memory, path: Annotated[Path, Word(), Exists()]) -> DumpTaken:
    """Take in the knowledge graph that the official MCP memory server keeps in PATH.

    Its entities, observations and relations become this memory's; what is there already is left
    alone, so the same file again changes nothing. A line that cannot be read is named.

    $ quipu mcp import memory.jsonl
    """
    return import_dump(memory, path, "server-memory")


def _told(changes: list[SetupChange]) -> ClientChange:
    if not changes:
        raise InvalidInput("this client knows no projects: leave --project out")
    (change,) = changes
    if change.why:
        raise InvalidInput(f"{change.file!r}: {change.why}; by hand it is\n{change.text}")
    return ClientChange(client=change.client, file=change.file, done=change.done, backup=None)

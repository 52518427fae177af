"""`mcp`: the memory as tools for agents."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE
from quipu.memory import Memory
from quipu.serve.cli.folders import initialise, is_remembered
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.serving import Port, Watch, serve
from quipu.serve.cli.setup import Profiled
from quipu.serve.keeping_up import kept_up
from quipu.serve.mcp import build_server
from quipu.serve.operations import Command, Exists, operation
from quipu.serve.setup.places import folder_of_work, own_folder

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.mcp.server import LackingMemory

__all__: list[str] = []


@operation(None, Command())
def mcp(
    run: Invocation,
    profile: Profiled = "default",
    read_only: Annotated[bool, "leave out the tools that write"] = False,
    http: Annotated[bool, "serve streamable HTTP at /mcp, not standard input"] = False,
    host: Annotated[str, "the address to listen at"] = "127.0.0.1",
    port: Port = 8765,
    token_file: Annotated[
        Path | None, "a file with the key that clients must send, as `serve --key-file`", Exists()
    ] = None,
    watch: Watch = True,
) -> None:
    """Serve the memory to agents over the Model Context Protocol, until the client leaves.

    Agents search, ask, remember and audit through tools; several may do so at once. What changes
    in what was indexed is read meanwhile. The memory is the nearest upward; where there is none,
    the first thing that is stored makes one for the repository or folder, and in the home folder
    and above, the user's own is served. Standard output carries the protocol alone. Needs the
    extra: pip install 'quipu-memory[mcp]'. With --http it is what `quipu serve` serves, and needs
    the extra serve.

    $ quipu mcp --profile full
    $ quipu mcp --http --port 8765
    """
    if token_file and not http:
        raise InvalidInput("--token-file is for --http: standard input asks for no token")
    folder, is_empty = folder_of_work(Path.cwd()), not is_remembered(run)
    if is_empty and folder == own_folder():
        run, is_empty = replace(run, store=str(folder / DATABASE)), not (folder / DATABASE).exists()
    if http:
        if is_empty and not read_only:
            _make(run, folder)
        how: Any = {"read_only": read_only, "watch": watch and not read_only}
        serve.run(run, host=host, port=port, profile=profile, key_file=token_file, **how)
        return
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
        server.run("stdio")  # what else is printed goes to standard error meanwhile


def _lacking(run: Invocation, folder: Path, opened: Callable[[], Memory]) -> "LackingMemory":
    """The memory that the work in the present folder lacks."""
    from quipu.serve.mcp.server import LackingMemory

    def make() -> Memory:
        if not (folder / DATABASE).exists():
            _make(run, folder)
        return opened()

    return LackingMemory(
        exists=(folder / DATABASE).exists,
        make=make,
        note=f"there is no memory in {str(folder)!r} or above it yet: the first thing that is "
        "stored makes one there; `quipu init` and `quipu index .` have its files read",
    )


def _make(run: Invocation, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    initialise(run, folder, settings=False)

"""`mcp`, `setup` and `pause`: the memory as tools for agents, and as what they need not ask for."""

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from quipu.errors import InvalidInput
from quipu.files import private
from quipu.handle.home import DATABASE
from quipu.memory import Memory
from quipu.serve.cli.folders import folder_of_work, initialise, is_remembered, own_folder
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.serving import Port, Watch, serve
from quipu.serve.keeping_up import kept_up
from quipu.serve.mcp import NEEDS, Profile, build_server
from quipu.serve.operations import Command, Exists, Flag, Word, operation
from quipu.serve.setup.clients import CLIENTS, Launch, Places
from quipu.serve.setup.hook import ALL, asked, state_folder
from quipu.serve.setup.setting_up import SetupReport, set_up, take_back
from quipu.write.lock import WriteLock

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.mcp.server import LackingMemory

__all__: list[str] = []

Profiled = Annotated[
    Profile,
    "which tools: the default set, all of them (full), or those of the official memory server "
    "(server-memory)",
]


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


_LEAVES_IN_S = 5.0
_HOOKS_OF_FOLDER = (
    "--store and --namespace are for the server: hooks take in and tell the memory of the folder "
    "that the agent works in, as your own quipu.toml says"
)


class Paused(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu pause`: where hooks do nothing."""

    everywhere: Annotated[bool, "whether they do nothing anywhere"]
    folders: Annotated[tuple[str, ...], "the folders in which, and below which, they do nothing"]


@operation(
    None,
    Command(
        fails=lambda report: any(change.done == "by hand" for change in report.changes),
        retired={"--replace": "take the other entry out of the file first"},
    ),
)
def setup(
    run: Invocation,
    clients: Annotated[tuple[str, ...], Word("[CLIENT]...")] = (),
    remove: Annotated[bool, "take out again what was written"] = False,
    dry_run: Annotated[bool, "show what would be written, and write nothing"] = False,
    agreed: Annotated[bool, "write without asking", Flag("--yes")] = False,
    project: Annotated[bool, "in the files of this folder, not the user's own"] = False,
    server_only: Annotated[bool, "leave out hooks, skills and instructions"] = False,
    profile: Profiled = "default",
    name: Annotated[str, "what the server is called there"] = "quipu",
) -> SetupReport:
    """Give the memory to the agents on this machine: shows what it will write, asks, writes.

    CLIENT is one of the programs of docs/how-to/agents.md; without one, all that are found. Each is
    told of the server, and where it has them, of hooks (a session begins with what is remembered,
    and is taken in when it ends), a skill, and instructions. One entry serves every project. All
    else in the files stays byte for byte, and --remove takes ours out again. Exit code 1 when
    something is left for you to do by hand.

    $ quipu setup
    $ quipu setup claude-code codex --yes
    $ quipu setup --dry-run
    $ quipu setup --remove
    """
    if unknown := [each for each in clients if each not in CLIENTS]:
        raise InvalidInput(f"there is no client {unknown[0]!r}: {', '.join(CLIENTS)}")
    places = Places(Path.cwd())
    found = tuple(each for each, client in CLIENTS.items() if places.is_there(client))
    launch = _launch(run, profile=profile, name=name, project=project)
    only, do = "server" if server_only else "", take_back if remove else set_up

    def changes(*, dry_run: bool) -> SetupReport:
        how: Any = {"project": project, "dry_run": dry_run, "only": only}
        every = clients or (tuple(CLIENTS) if remove else found)
        done = (change for each in every for change in do(each, launch, places, **how))
        shown = tuple(each for each in done if not (remove and each.done == "absent"))
        return SetupReport(found=found, written=not dry_run, changes=shown)

    planned = changes(dry_run=True)
    is_open = any(c.done in ("created", "changed", "removed") for c in planned.changes)
    ends_hooks = remove and not clients and Path(state_folder()).exists()
    if dry_run or not (is_open or ends_hooks):
        return planned
    if not (agreed or run.agrees(planned, "Write all of this?")):
        run.note("nothing was written: --yes writes it without asking")
        return planned
    if not remove and find_spec("mcp") is None:
        run.note(NEEDS)
    report = changes(dry_run=False)
    if (run.store or run.namespace) and any(c.what == "hooks" for c in report.changes):
        run.note(_HOOKS_OF_FOLDER)
    if ends_hooks:
        _end_hooks(Path(state_folder()))
    return report


def _end_hooks(state: Path) -> None:
    """Let the process that answers hooks end, and remove what it kept for them."""
    with contextlib.chdir(state):
        asked(b"leave text\n", time.monotonic() + _LEAVES_IN_S)
    with WriteLock(state, "lock").taken():  # it holds the lock until it is gone
        shutil.rmtree(state)


@operation(None, Command())
def pause(
    _run: Invocation,
    folder: Annotated[Path | None, Word()] = None,
    off: Annotated[bool, "end the pause: hooks work again"] = False,
) -> Paused:
    """Let no hook take in or tell anything: in FOLDER and below it, or without one, anywhere.

    What was remembered stays, and so do the tools of the server. `quipu pause --off` ends it for
    what it is given.

    $ quipu pause
    $ quipu pause ~/private
    $ quipu pause --off
    """
    state = Path(state_folder())
    file = state / "paused"
    listed = file.read_text("utf-8").splitlines() if file.exists() else []
    wanted = ALL if folder is None else _line(folder)
    if folder is not None and not off and not folder.expanduser().is_dir():
        raise InvalidInput(f"there is no folder {str(folder)!r}: nothing was paused")
    listed = [line for line in listed if line != wanted] + ([] if off else [wanted])
    if listed:
        private.make_folder(state)
        private.write_whole(file, ("\n".join(sorted(listed)) + "\n").encode())
    else:
        file.unlink(missing_ok=True)
    return Paused(everywhere=ALL in listed, folders=tuple(sorted({*listed} - {ALL})))


def _line(folder: Path) -> str:
    """A folder as a line of the list. Raises InvalidInput for a name that is no line of text."""
    name = str(folder.expanduser().resolve())
    if name.splitlines() != [name] or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise InvalidInput(
            f"{name!r} has a character that a list of folders cannot hold: name the folder above it"
        )
    return name


def _launch(run: Invocation, *, profile: str, name: str, project: bool) -> Launch:
    """How a client starts this server: of a project by name, of the user by its whole path, for
    the memory of the folder that the client works in. A password is not written into its
    configuration."""
    if not name.strip():
        raise InvalidInput("--name is blank: give the server a name, or leave the option out")
    options = () if profile == "default" else ("--profile", profile)
    if run.namespace:
        options = (*options, "--namespace", run.namespace)
    if project:
        return Launch(name, "quipu", ("mcp", *options))
    script = Path(sys.executable).with_name("quipu")
    program = str(script) if script.exists() else shutil.which("quipu") or "quipu"
    if run.store:
        with run.open(read_only=True) as memory:
            url = memory.home.shown
        store = url if "://" in url else str(Path(url).expanduser().resolve())
        options = ("--store", store, *options)
    return Launch(name, program, ("mcp", *options))

"""`init`, `index` and `watch`: from a folder to a memory, with a commented `quipu.toml`."""

import json
import os
import shlex
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import click
import msgspec

from quipu.config import FILE_NAME, Config, Engine, find_upward, settings
from quipu.errors import InvalidInput
from quipu.files import private
from quipu.handle.home import DATABASE, STATE, Home, admit
from quipu.kinds.commits.repository import HistoryReport
from quipu.ports import Progress
from quipu.serve.cli.failures import INTERRUPTED
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.terminal import say, wrapped
from quipu.serve.cli.text import Given, lines_of
from quipu.serve.operations import Command, Flag, Word, given_bytes, operation
from quipu.serve.operations.records import Embed
from quipu.store.addresses import shown
from quipu.write.report import IndexReport

__all__ = ["folder_of_work", "initialise", "is_remembered", "own_folder", "settings_file"]

_SETTINGS_HEAD = """\
# Quipu's settings. Every key is here with its default; take away a "#" to set one.
# The environment wins over this file: [store] url is QUIPU_STORE_URL. What names a model, an
# address, a key, a file or a store counts here only after `quipu trust`.
"""
_GITIGNORE = """\
# What Quipu keeps here is not for version control. What came from files can be made again by
# `quipu index`; what was added by hand cannot: `quipu export` saves it.
*
"""

Paths = Annotated[tuple[Path, ...], Word("[PATHS]...")]


class Initialised(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu init`."""

    folder: Annotated[str, "the folder that has a memory now"]
    store: Annotated[str, "what opens its store"]
    created: Annotated[tuple[str, ...], "files that were made, from that folder"]
    kept: Annotated[tuple[str, ...], "files that were there already"]


@operation(None, Command())
def init(run: Invocation, folder: Annotated[Path, Word()] = Path()) -> Initialised:
    """Make a memory in FOLDER (default: here): .quipu/ and a commented quipu.toml.

    What is there already is kept. Commands look for the nearest .quipu upward, so they work in
    every folder below.

    $ quipu init
    $ quipu init docs
    """
    if run.store:
        raise InvalidInput(
            f"--store {shown(run.store)!r} cannot be given to init, which makes its store in the "
            "folder: leave it out, or write store.url into quipu.toml"
        )
    return initialise(run, folder)


def initialise(run: Invocation, folder: Path, *, settings: bool = True) -> Initialised:
    """Make a memory in `folder`, as `quipu init` does; without `settings`, no quipu.toml."""
    from quipu.memory import Memory

    home = folder.resolve()
    if not home.is_dir():
        raise InvalidInput(
            f"there is no folder {str(folder)!r} to make a memory in: is it misspelt? "
            f"If not, `mkdir -p {shlex.quote(str(folder))}` first"
        )
    config = run.config(home, needs=("store",))
    admit(Home(str(home / DATABASE), home, home / STATE), named=False, read_only=False)
    private.make_folder(home / STATE)
    files = {f"{STATE}/.gitignore": _GITIGNORE}
    if settings:
        files[FILE_NAME] = settings_file()
    made_here = {*files} if config.store.url else {*files, DATABASE}
    present = {name for name in made_here if (home / name).exists()}
    for name, text in files.items():
        if name not in present:
            (home / name).write_text(text, "utf-8")
    place = config.store.url or home / DATABASE
    with Memory.open(place, config=config, namespace=run.namespace) as memory:
        store = memory.home.shown
    return Initialised(
        folder=str(home),
        store=store,
        created=tuple(sorted(made_here - present)),
        kept=tuple(sorted(present)),
    )


@operation(
    None,
    Command(
        retired={
            "--changed-since TEXT": "no unchanged file is read",
            "--wait/--no-wait": "--no-embed leaves vectors out",
        }
    ),
)
def index(
    run: Invocation,
    paths: Paths = (),
    manifest: Annotated[
        str | None,
        "take PATHS from the lines of this file too, or of standard input (-)",
        Flag("--from"),
    ] = None,
    repository: Annotated[
        Path | None,
        "read the commits that lead to HEAD of this repository, not files",
        Flag("--git"),
    ] = None,
    again: Annotated[bool, "read unchanged files too; vectors stay"] = False,
    engine: Annotated[
        Engine | None, "where files are read and passages embedded; here, if left out"
    ] = None,
    address: Annotated[
        str | None, "the Ray cluster; one is started on this machine, if left out"
    ] = None,
    embed: Embed = True,
    progress: Progress | None = None,
) -> IndexReport | HistoryReport:
    """Bring the memory up to date with the files in PATHS (default: its home folder).

    Only changed files are read, and once more those that an earlier version of Quipu read. A file
    that cannot be read is a row of the report and of .quipu/index_errors.json, never a failed run;
    .gitignore and .quipuignore are honoured, and a further work tree of the same repository
    (`git worktree add`) is not read again. What looks as if a program wrote it (minified code,
    large JSON on one line) is left out and named; `!PATTERN` in .quipuignore has it read. A run
    that was killed is resumed by the next.

    Words and graph answer before the vectors are there: interrupt the run, or give --no-embed, and
    `quipu embed` makes the rest.

    With --git it is the commits of a repository: new ones are read, those that vanished retired.

    $ quipu index .
    $ quipu index src docs
    $ git ls-files | quipu index --from -
    $ quipu index --again
    $ quipu index --git .
    """
    if repository is not None and (paths or manifest or again or engine or address):
        raise InvalidInput(
            f"--git {str(repository)!r} reads commits, not files: leave out PATHS, --from, "
            "--again, --engine and --address, or index the files in a run of their own"
        )
    if manifest is not None:
        lines = os.fsdecode(given_bytes(manifest)).splitlines()
        paths = (*paths, *(Path(line) for line in lines if line.strip()))
        if not paths:
            raise InvalidInput(f"--from {manifest!r} names no file: give a path on each line")
    with run.open(configured=partial(_on, engine, address)) as memory:
        if repository is not None:
            return memory.index_git(repository, embed=embed, progress=progress)
        return memory.index(paths, again=again, embed=embed, progress=progress)


def _on(engine: Engine | None, address: str | None, config: Config) -> Config:
    """The configuration with what reads and embeds, as far as the options say it."""
    if engine == "local" and address is not None:
        raise InvalidInput(
            f"--address {address!r} is for a Ray cluster: leave it out, or --engine local"
        )
    where = config.index
    if address is not None:
        where = msgspec.structs.replace(where, address=address)
    if engine is not None or address is not None:
        where = msgspec.structs.replace(where, engine=engine or "ray")
    return msgspec.structs.replace(config, index=where)


@operation(None, Command())
def watch(
    run: Invocation,
    paths: Paths = (),
    transcripts: Annotated[
        tuple[Path, ...], "follow these live transcripts (files or folders) instead"
    ] = (),
    embed: Embed = True,
) -> NoReturn:
    """Index PATHS now and again whenever a file in them changes, until Ctrl-C.

    Transcripts that are still being written are followed: only new turns are read, and a line
    that is cut waits for its end.

    With --json it prints one document a line for each run that changed something.

    $ quipu watch
    $ quipu watch src docs
    $ quipu watch --transcripts ~/.claude/projects
    """
    if paths and transcripts:
        raise InvalidInput("PATHS and --transcripts are two watches: run one beside the other")
    with run.open() as memory:
        run.note("watching; Ctrl-C ends it")
        reports = (
            memory.jobs.follow(transcripts, embed=embed)
            if transcripts
            else memory.watch(paths, embed=embed)
        )
        for report in reports:
            if run.as_json:
                click.echo(json.dumps(msgspec.to_builtins(report, order="deterministic")))
            else:
                say(lines_of(report, Given(memory, {})))
    click.get_current_context().exit(INTERRUPTED)


def own_folder() -> Path:
    """The folder of the memory that is the user's own, there or not."""
    given = os.environ.get("XDG_DATA_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".local/share") / "quipu"


def folder_of_work(folder: Path) -> Path:
    """The folder whose memory work in `folder` belongs to, whether it has one yet or not.

    That is the nearest with a memory, upward; else the root of the repository; else `folder`. A
    folder that holds more than one work (the home folder and those above it, the one of temporary
    files) or cannot be written has none of its own: there it is the user's.
    """
    folder = folder.resolve()
    known = find_upward(DATABASE, folder)
    if known is not None:
        return known.parent.parent
    repository = find_upward(".git", folder)
    home, temporary = Path.home().resolve(), Path(tempfile.gettempdir()).resolve()
    shared = {home, *home.parents, temporary, *temporary.parents}
    roots = [repository.parent, folder] if repository else [folder]
    fit = (root for root in roots if root not in shared and os.access(root, os.W_OK))
    return next(fit, own_folder())


def is_remembered(run: Invocation) -> bool:
    """Whether a memory is named, or there is one here or above."""
    named = run.store or run.config().store.url
    return bool(named) or find_upward(DATABASE, None) is not None


def settings_file() -> str:
    """The text of the file; as it stands it sets nothing."""
    lines = _SETTINGS_HEAD.splitlines()
    for setting in settings():
        section, _, name = setting.key.partition(".")
        lines += [] if f"[{section}]" in lines else ["", f"[{section}]"]
        value = "  # unset" if setting.default == "unset" else setting.default
        lines += [*wrapped(setting.doc, indent="## ", limit=90), f"# {name} = {value}"]
    return "\n".join([*lines, ""])

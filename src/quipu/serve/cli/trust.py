"""`trust` and `untrust`: whether what a folder sets and holds counts in full."""

import sys
from pathlib import Path
from typing import Annotated

import click

from quipu.errors import InvalidInput
from quipu.memory.folder_trust import FolderAsks, wish_of
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.text import Given, lines_of
from quipu.serve.operations import Command, Flag, Word, operation
from quipu.serve.shapes import TrustedFolder, TrustedFolders, Untrusted
from quipu.trust import distrust, trusted_folders
from quipu.when.instants import system_clock

__all__: list[str] = []


@operation(None, Command(fails=lambda asks: isinstance(asks, FolderAsks) and not asks.trusted))
def trust(
    run: Invocation,
    folder: Annotated[Path | None, Word()] = None,
    agreed: Annotated[bool, "allow it without asking", Flag("--yes")] = False,
    listed: Annotated[bool, "list the folders that are trusted", Flag("--list")] = False,
) -> FolderAsks | TrustedFolders:
    """Show what FOLDER (default: here) asks for, and allow it.

    That is: settings of its quipu.toml and .env that name a model, an address, a key, a file or a
    store, or let one spend; its .quipu, where that was not made by you on this machine; and open
    jobs in it that you did not accept. Allowed is what is shown: what changes later is asked for
    anew. Exit code 1 when something is left that is not allowed.

    $ quipu trust
    $ quipu trust ~/site --yes
    $ quipu trust --list
    """
    if listed:
        if folder is not None:
            raise InvalidInput("--list is of every folder: leave out FOLDER")
        return TrustedFolders(
            folders=tuple(
                TrustedFolder(folder=e.folder, settings=bool(e.settings), state=bool(e.state))
                for e in trusted_folders()
            )
        )
    wish = wish_of(folder or Path(), system_clock)
    if wish.is_granted:
        return wish.shown(trusted=True)
    if not agreed and not run.as_json and sys.stdin.isatty():
        for line in lines_of(wish.shown(trusted=False), Given(None, {})):
            run.note(line)
        agreed = click.confirm("Allow all of this?", err=True)
    if agreed:
        wish.grant(system_clock)
    return wish.shown(trusted=agreed)


@operation(None, Command())
def untrust(_run: Invocation, folder: Annotated[Path, Word()] = Path()) -> Untrusted:
    """Trust nothing of FOLDER (default: here) any more, its .quipu included.

    $ quipu untrust
    $ quipu untrust ~/site
    """
    return Untrusted(folder=str(folder.resolve()), was_trusted=distrust(folder))

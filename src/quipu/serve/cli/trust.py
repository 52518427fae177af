"""`trust` and `untrust`: whether what a folder sets and holds counts in full."""

import sys
from pathlib import Path

import click

from quipu.errors import InvalidInput
from quipu.memory.folder_trust import FolderAsks, wish_of
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.terminal import safe
from quipu.serve.shapes import TrustedFolder, TrustedFolders, Untrusted
from quipu.trust import distrust, trusted_folders
from quipu.when.instants import system_clock

__all__ = ["trust", "untrust"]

_folder = click.argument("folder", type=click.Path(path_type=Path), default=".")


@command("trust", "quipu trust", "quipu trust ~/site --yes", "quipu trust --list")
@_folder
@click.option("--yes", "agreed", is_flag=True, help="Allow it without asking.")
@click.option("--list", "listed", is_flag=True, help="List the folders that are trusted.")
@click.pass_context
def trust(ctx: click.Context, folder: Path, agreed: bool, listed: bool) -> None:
    """Show what FOLDER (default: here) asks for, and allow it.

    That is: settings of its quipu.toml and .env that name a model, an address, a key, a file or a
    store, or let one spend; its .quipu, where that was not made by you on this machine; and open
    jobs in it that you did not accept. Allowed is what is shown: what changes later is asked for
    anew. Exit code 1 when something is left that is not allowed.
    """
    run = invocation()
    if listed:
        _list(ctx)
        return
    wish = wish_of(folder, system_clock)
    if wish.is_granted:
        shown = wish.shown(trusted=True)
        run.show(shown, lambda: [f"Nothing in {safe(shown.folder, line=True)} waits for trust."])
        return
    asks = wish.shown(trusted=agreed)
    if not agreed and not run.as_json and sys.stdin.isatty():
        for line in _asked(asks):
            run.note(line)
        agreed = click.confirm("Allow all of this?", err=True)
        asks = wish.shown(trusted=agreed)
    if agreed:
        wish.grant(system_clock)
    run.show(asks, lambda: [*_asked(asks), _ending(asks)])
    if not agreed:
        ctx.exit(NO)


def _list(ctx: click.Context) -> None:
    run = invocation()
    if ctx.get_parameter_source("folder") is click.core.ParameterSource.COMMANDLINE:
        raise InvalidInput("--list is of every folder: leave out FOLDER")
    shown = TrustedFolders(
        folders=tuple(
            TrustedFolder(folder=e.folder, settings=bool(e.settings), state=bool(e.state))
            for e in trusted_folders()
        )
    )
    run.show(shown, lambda: _list_lines(shown))


@command("untrust", "quipu untrust", "quipu untrust ~/site")
@_folder
def untrust(folder: Path) -> None:
    """Trust nothing of FOLDER (default: here) any more, its .quipu included."""
    run = invocation()
    shown = Untrusted(folder=str(folder.resolve()), was_trusted=distrust(folder))
    name = safe(shown.folder, line=True)
    line = f"{name} is no longer trusted." if shown.was_trusted else f"{name} was not trusted."
    run.show(shown, lambda: [line])


def _asked(asks: FolderAsks) -> list[str]:
    owner = f", which belongs to {asks.owner}" if asks.owner else ""
    lines = [f"{asks.folder}{owner}, asks for:"]
    lines += [f"  {each.file}: {each.key} = {each.value}" for each in asks.settings]
    if asks.state == "foreign":
        lines.append("  .quipu: not made by you on this machine; it would be written")
    lines += [f"  {each.job_id}: an open job ({each.kind}): {each.what}" for each in asks.jobs]
    return [safe(line, line=True) for line in lines]


def _ending(asks: FolderAsks) -> str:
    if asks.trusted:
        return "All of this is allowed now."
    return "None of this is allowed: `quipu trust --yes` allows it."


def _list_lines(shown: TrustedFolders) -> list[str]:
    if not shown.folders:
        return ["No folder is trusted."]
    lines: list[str] = []
    for each in shown.folders:
        what = " and ".join(
            name for name, there in (("settings", each.settings), (".quipu", each.state)) if there
        )
        lines.append(f"{safe(each.folder, line=True)}: {what or 'nothing'}")
    return lines

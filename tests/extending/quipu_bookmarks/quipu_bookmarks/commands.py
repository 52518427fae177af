"""`quipu bookmarks`."""

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.kinds import Commands
from quipu.serve.cli.lazy import CommandEntry, command

__all__ = ["COMMANDS", "bookmarks"]

COMMANDS = Commands({"bookmarks": CommandEntry(f"{__name__}:bookmarks", "List bookmarks.", "Ask")})


@command("bookmarks", "quipu bookmarks", "quipu bookmarks Recipes")
@click.argument("folder", required=False)
def bookmarks(folder: str | None) -> None:
    """List the bookmarks in FOLDER and below it, or all of them."""
    from quipu_bookmarks.model import Bookmarks, all_bookmarks, in_folder

    run = invocation()
    with run.open(read_only=True) as memory:
        if folder is None:
            found = all_bookmarks(memory.graph)
        else:
            found = Bookmarks(tuple(each for each, _ in in_folder(memory.graph, folder)))
        run.show(found, lambda: [f"{each.title}  {each.url}" for each in found.bookmarks])

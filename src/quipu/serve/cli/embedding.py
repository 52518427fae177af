"""`embed`: the vectors that are lacking; and the process that makes them in the background."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from quipu.files import private
from quipu.kinds.commits.repository import HistoryReport
from quipu.memory import Memory
from quipu.records.progress import Progress
from quipu.serve.cli.invocation import Invocation
from quipu.serve.operations import Command, operation
from quipu.write.embedding_progress import embedding_progress
from quipu.write.report import IndexReport

__all__ = ["LOG", "goes_behind", "left_behind"]

LOG = "embedding.log"
"""In the local state: what the process in the background had to say."""

_FEW = 64
"""What takes a second or two is not worth a process."""


@operation("write", Command())
def embed(
    memory: Memory,
    tell: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> IndexReport:
    """Make the vectors that are lacking.

    What a run that was stopped has made stays. Where another process makes them already, this one
    says so and ends.

    $ quipu embed
    """
    if embedding_progress(memory.home.state) is None:
        return memory.embed_lacking(progress=progress)
    tell("another process makes them already: `quipu status` tells how far it is")
    return memory.add_documents([], embed=False)


def goes_behind(run: Invocation, memory: Memory, wait: bool | None) -> bool:
    """Whether vectors are left to the background: where that is asked for, or, unless it is said,
    where a person looks on. Only where there is a model, and a place that outlives this run; a
    cluster is not left behind."""
    if memory.config.index.engine != "local":
        return False
    if wait is None:
        wait = run.as_json or not sys.stdout.isatty() or _ends_all()
    return not wait and memory.home.state is not None and memory.stats().model is not None


def _ends_all() -> bool:
    """Whether all processes end with this one, as in a container that runs one command."""
    return 1 in (os.getpid(), os.getppid())


def left_behind(
    run: Invocation, memory: Memory, report: IndexReport | HistoryReport
) -> IndexReport | HistoryReport:
    """Have the vectors that a run without them lacks made by a process that this one leaves
    behind; a few are made here. Return what is to be reported."""
    state = memory.home.state
    if not report.unembedded or state is None:
        return report
    goes_on = embedding_progress(state) is not None
    if goes_on or report.unembedded > _FEW:
        if not goes_on:
            _start(run, state)
        run.note("vectors are made in the background now, as `quipu status` tells")
        return report
    made = memory.embed_lacking()
    return msgspec.structs.replace(
        report,
        embedded=made.embedded,
        unembedded=made.unembedded,
        embed_seconds=made.embed_seconds,
        notes=(*report.notes, *made.notes),
    )


def _start(run: Invocation, state: Path) -> None:
    """`quipu embed` in a session of its own, which a terminal that closes does not end."""
    from quipu.write.workers import own_environment

    given = {"--store": run.store, "--namespace": run.namespace, "--config": run.config_path}
    options = [f"{name}={value}" for name, value in given.items() if value is not None]
    with private.open_new(state / LOG) as log:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", "quipu.serve.cli", *options, "--quiet", "embed"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=own_environment(),
            start_new_session=True,
        )
    process.returncode = 0  # nobody waits for it

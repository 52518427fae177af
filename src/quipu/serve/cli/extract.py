"""`extract`: a language model reads the facts of a source, each proven by its quotation."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe

if TYPE_CHECKING:
    from quipu.memory.extraction import Extracted

__all__ = ["extract"]


@command(
    "extract",
    "quipu extract docs/decisions.md",
    "quipu extract session:2026-03-01",
    "quipu extract",
)
@click.argument("ref", required=False)
def extract(ref: str | None) -> None:
    """Let the configured language model (chat.model) read the facts of the source REF.

    Without REF it reads what was given with ingest.extract = "model" and waits, because the model
    failed or the budget was spent. A fact whose quotation does not stand in the source is refused;
    what the model does not mend at the second try is skipped and listed.
    """
    from quipu.memory.extraction import extract_facts

    run = invocation()
    with run.open() as memory, progress(quiet=run.quiet) as shown:
        done = (
            memory.read_facts(progress=shown)
            if ref is None
            else extract_facts(memory, ref, progress=shown)
        )
    run.show(done, lambda: _lines(done))


def _lines(done: "Extracted") -> Iterator[str]:
    if done.model:
        yield f"{done.model} read {done.passages} passages and stated {done.facts} facts."
    yield from (f"  skipped {safe(s, line=True)}" for s in done.skipped)
    if done.stopped:
        yield f"Stopped: {safe(done.stopped, line=True)}"

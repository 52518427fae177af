"""`extract`: a language model reads the facts of a source, each proven by its quotation."""

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe

__all__ = ["extract"]


@command("extract", "quipu extract docs/decisions.md", "quipu extract session:2026-03-01")
@click.argument("ref")
def extract(ref: str) -> None:
    """Let the configured language model (chat.model) read the facts of the source REF.

    A fact whose quotation does not stand in the source is refused; what the model does not mend
    at the second try is skipped and listed.
    """
    from quipu.memory.extracting import extract_facts

    run = invocation()
    with run.open() as memory, progress(quiet=run.quiet) as shown:
        done = extract_facts(memory, ref, progress=shown)
    first = f"{done.model} read {done.passages} passages and stated {done.facts} facts."
    run.show(done, lambda: [first, *(f"  skipped {safe(s, line=True)}" for s in done.skipped)])

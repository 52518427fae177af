"""`history`: who said what of a subject, when it was true, when it was known."""

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.view_history import history_lines

__all__ = ["history"]


@command(
    "history",
    "quipu history 'payment service'",
    "quipu history 'Eva Gray' --as-of 2012-06",
    "quipu history 'Eva Gray' --known-at 2026-01-31",
)
@click.argument("subject")
@click.option("--as-of", metavar="DATE", help="Only what was true on this date.")
@click.option("--known-at", metavar="DATE", help="Only what was known then, as it stood then.")
def history(subject: str, as_of: str | None, known_at: str | None) -> None:
    """Print all that was ever said of SUBJECT, the earliest first.

    Each line says when it is true, what was said, by whom, when it was known, and what took its
    place or disagrees.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.history(subject, as_of=as_of, known_at=known_at)
        run.show(found, lambda: history_lines(found))

"""`history` and `audit`: who said what of a subject, when it was true, when it was known."""

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.view_history import audit_lines, history_lines, overview_lines

__all__ = ["audit", "history"]


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
    """Print all that was ever said of SUBJECT, in the order of what happened.

    Each line says when it is true, what was said, by whom, when it was known, and what took its
    place or disagrees.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.history(subject, as_of=as_of, known_at=known_at)
        run.show(found, lambda: history_lines(found))


@command(
    "audit",
    "quipu audit 'ledger service'",
    "quipu audit 'ledger service' --as-of 2025-12-24",
    "quipu audit 'ledger service' --as-of 2025-06 --known-at 2025-08-01",
    "quipu audit",
)
@click.argument("subject", required=False)
@click.option("--as-of", metavar="DATE", help="What held on this date (default: today).")
@click.option("--known-at", metavar="DATE", help="Judged by what was known then.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True,
    help="How many entries of the timeline, or pairs that disagree.",
)  # fmt: skip
def audit(subject: str | None, as_of: str | None, known_at: str | None, limit: int) -> None:
    """Print what held of SUBJECT on a date, what disagrees, and who said what when.

    One query and one page: the state, the contradictions with both sides, and the timeline with
    what took whose place. Without SUBJECT: what is superseded, disputed and expired in the whole
    memory, what it costs, and what to do about it.
    """
    from quipu.agents.audits import audit, overview

    if subject is None and (as_of or known_at):
        raise click.UsageError("--as-of and --known-at need a SUBJECT: name whose state is asked")
    run = invocation()
    with run.open(read_only=True) as memory:
        if subject is None:
            whole = overview(memory, limit=limit)
            run.show(whole, lambda: overview_lines(whole))
        else:
            found = audit(memory, subject, as_of=as_of, known_at=known_at, limit=limit)
            run.show(found, lambda: audit_lines(found))

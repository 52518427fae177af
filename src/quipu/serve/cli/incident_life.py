"""`incident list | show | timeline | resolve | summary`: what is open, was done, comes back."""

from typing import Any

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.view_incidents import outcome_lines
from quipu.serve.cli.view_life import detail_lines, list_lines, summary_lines, timeline_lines

__all__ = ["list_", "resolve", "show", "summary", "timeline"]


@command("list", "quipu incident list --open", "quipu incident list --component payments --limit 5")
@click.option("--component", help="Only those of this component.")
@click.option("--open", "state", flag_value="open", help="Only those that are open.")
@click.option("--resolved", "state", flag_value="resolved", help="Only those that are over.")
@click.option("--since", metavar="DATE", help="Only those that began at this date or later.")
@click.option("--until", metavar="DATE", help="Only those that began at this date or earlier.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
def list_(**chosen: Any) -> None:
    """List incidents, the latest first. One is open until an attempt that worked is recorded."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.list(**chosen)
        run.show(found, lambda: list_lines(found))


@command("show", "quipu incident show inc_0123456789abcdef01234567")
@click.argument("incident_id")
def show(incident_id: str) -> None:
    """Show INCIDENT_ID: what happened, what was tried, its edges, and what is no cause of it."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.show(incident_id)
        run.show(found, lambda: detail_lines(found))


@command("timeline", "quipu incident timeline inc_0123456789abcdef01234567")
@click.argument("incident_id")
def timeline(incident_id: str) -> None:
    """Show what happened before, at and after INCIDENT_ID, by time."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.timeline(incident_id)
        run.show(found, lambda: timeline_lines(found))


@command("resolve", "quipu incident resolve inc_0123456789abcdef01234567 rollback")
@click.argument("incident_id")
@click.argument("actions", nargs=-1, required=True, metavar="ACTION...")
@click.option("--lessons", default="", help="What was learned.")
@click.option("--at", metavar="DATE", help="When it was over.  [default: now]")
def resolve(incident_id: str, actions: tuple[str, ...], lessons: str, at: str | None) -> None:
    """Record that the ACTIONS ended INCIDENT_ID; how long it took follows from its beginning."""
    run = invocation()
    with run.open() as memory:
        made = memory.incidents.resolve(
            incident_id, actions, lessons_learned=lessons, recorded_at=at
        )
        run.show(made, lambda: outcome_lines(made))


@command("summary", "quipu incident summary")
def summary() -> None:
    """Count incidents by service, with their time to repair, and show failures that come back."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.summary()
        run.show(found, lambda: summary_lines(found))

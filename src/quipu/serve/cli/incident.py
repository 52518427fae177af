"""`incident add | outcome | export | import …`: what happened, what was tried, what worked."""

from pathlib import Path

import click

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import BlastRadius
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.options import DATE, read_standard_input
from quipu.serve.cli.progress import progress
from quipu.serve.cli.view_incidents import added_lines, moved_lines, outcome_lines

__all__ = ["add", "export", "import_", "incident", "outcome"]

_HERE = "quipu.serve.cli.incident"
_LIFE = "quipu.serve.cli.incident_life"
_ASK = "quipu.serve.cli.incident_advice"


@click.group(
    "incident",
    cls=Group,
    entries={
        "add": CommandEntry(f"{_HERE}:add", "Remember incidents from files."),
        "outcome": CommandEntry(f"{_HERE}:outcome", "Record what was tried and whether it worked."),
        "list": CommandEntry(f"{_LIFE}:list_", "List incidents: open ones, those of a service."),
        "show": CommandEntry(f"{_LIFE}:show", "Show an incident and what is known of it."),
        "timeline": CommandEntry(f"{_LIFE}:timeline", "Show an incident's life by time."),
        "resolve": CommandEntry(f"{_LIFE}:resolve", "Record what ended an incident."),
        "summary": CommandEntry(
            f"{_LIFE}:summary", "Count by service, time to repair, what returns."
        ),
        "similar": CommandEntry(f"{_ASK}:similar", "Find what happened before."),
        "recommend": CommandEntry(f"{_ASK}:recommend", "Say what to try, and why."),
        "compare": CommandEntry(f"{_ASK}:compare", "Compare two actions."),
        "replay": CommandEntry(f"{_ASK}:replay", "Advise on the past as it was known then."),
        "policies": CommandEntry(f"{_ASK}:policies", "Show or check action policies."),
        "export": CommandEntry(f"{_HERE}:export", "Write incidents, outcomes and edges to a file."),
        "import": CommandEntry(
            f"{_HERE}:import_", "Read incidents, outcomes and edges from a file."
        ),
    },
    examples=("quipu incident similar --component payments --error-rate 0.4",),
)
def incident() -> None:
    """Remember incidents and outcomes, and let them take part in the next decision."""


@command(
    "add",
    "quipu incident add postmortems/",
    "quipu incident add alerts.jsonl incidents.json",
    "quipu incident add outage.md --component search",
    "quipu incident add - < webhook.json",
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--component", help="What a post-mortem was about that names no service.")
@click.pass_context
def add(ctx: click.Context, paths: tuple[str, ...], component: str | None) -> None:
    """Remember the incidents in files, or in the files of folders; `-` is standard input.

    Read are our own records in JSON or JSON lines, Alertmanager webhooks, PagerDuty and Opsgenie
    incidents, OpenTelemetry events, and post-mortems in Markdown. The same incident again changes
    nothing. Exit code 1 when something was left out.
    """
    run = invocation()
    if "-" in paths and len(paths) > 1:
        raise InvalidInput("'-' stands beside other paths: give standard input alone")
    text = read_standard_input() if paths == ("-",) else None
    with run.open() as memory:
        with progress(quiet=run.quiet) as shown:
            made = (
                memory.incidents.add_text(text, component=component)
                if text is not None
                else memory.incidents.add_files(paths, component=component, progress=shown)
            )
        run.show(made, lambda: added_lines(made))
    if made.errors:
        ctx.exit(NO)


@command(
    "outcome",
    "quipu incident outcome inc_0123456789abcdef01234567 rollback --worked --minutes 12",
    "quipu incident outcome inc_0123456789abcdef01234567 restart_container --failed",
)
@click.argument("incident_id")
@click.argument("actions", nargs=-1, required=True, metavar="ACTION...")
@click.option("--worked/--failed", "success", default=None, help="Whether it ended the incident.")
@click.option("--minutes", type=float, help="How long it took until the incident was over.")
@click.option("--lessons", default="", help="What was learned.")
@click.option(
    "--blast-radius",
    type=click.Choice([str(each) for each in BlastRadius]),
    help="How far the incident reached.  [default: as the incident says]",
)
@click.option("--recorded-at", type=DATE, help="When this was known.  [default: now]")
def outcome(
    incident_id: str,
    actions: tuple[str, ...],
    success: bool | None,
    minutes: float | None,
    lessons: str,
    blast_radius: str | None,
    recorded_at: str | None,
) -> None:
    """Record one attempt at INCIDENT_ID: the ACTIONs that were taken, and whether they worked.

    An incident may have several. An action that no policy knows (`renew_certificate`, the link of
    a runbook) counts as the others do.
    """
    run = invocation()
    if success is None:
        raise InvalidInput("did it work? give --worked or --failed")
    with run.open() as memory:
        made = memory.incidents.outcome(
            incident_id,
            actions,
            success=success,
            resolution_time_minutes=minutes,
            lessons_learned=lessons,
            blast_radius=blast_radius,
            recorded_at=recorded_at,
        )
        run.show(made, lambda: outcome_lines(made))


@command("export", "quipu incident export incidents.json")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export(path: Path, force: bool) -> None:
    """Write every incident, outcome and edge to PATH as JSON: whole or not at all.

    The keys are those of IncidentNode, OutcomeNode and GraphEdge; `quipu incident import` takes
    the file back without loss.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        moved = memory.incidents.export(path, overwrite=force)
        run.show(moved, lambda: moved_lines(moved, f"Exported to {path}"))


@command("import", "quipu incident import incidents.json")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_context
def import_(ctx: click.Context, path: Path) -> None:
    """Take in the incident graph in PATH; again changes nothing.

    Exit code 1 when something was left out.
    """
    run = invocation()
    with run.open() as memory:
        with progress(quiet=run.quiet) as shown:
            moved = memory.incidents.import_(path, progress=shown)
        run.show(moved, lambda: moved_lines(moved, f"Imported from {path}"))
    if moved.errors:
        ctx.exit(NO)

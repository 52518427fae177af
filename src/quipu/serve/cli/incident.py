"""`incident …`: what happened, what was tried, what worked."""

import click

from quipu.serve.cli.lazy import CommandEntry, Group

__all__ = ["incident"]

_OF = "quipu.serve.operations.incidents"


@click.group(
    "incident",
    cls=Group,
    entries={
        "add": CommandEntry(f"{_OF}:add", "Remember incidents from files."),
        "outcome": CommandEntry(f"{_OF}:outcome", "Record what was tried and whether it worked."),
        "list": CommandEntry(f"{_OF}:list_", "List incidents: open ones, those of a service."),
        "show": CommandEntry(f"{_OF}:show", "Show an incident and what is known of it."),
        "timeline": CommandEntry(f"{_OF}:timeline", "Show an incident's life by time."),
        "resolve": CommandEntry(f"{_OF}:resolve", "Record what ended an incident."),
        "summary": CommandEntry(
            f"{_OF}:summary", "Count by service, time to repair, what returns."
        ),
        "similar": CommandEntry(f"{_OF}:similar", "Find what happened before."),
        "recommend": CommandEntry(f"{_OF}:recommend", "Say what to try, and why."),
        "compare": CommandEntry(f"{_OF}:compare", "Compare two actions."),
        "replay": CommandEntry(f"{_OF}:replay", "Advise on the past as it was known then."),
        "policies": CommandEntry(f"{_OF}:policies", "Show or check action policies."),
        "export": CommandEntry(f"{_OF}:export", "Write incidents, outcomes and edges to a file."),
        "import": CommandEntry(f"{_OF}:import_", "Read incidents, outcomes and edges from a file."),
    },
    examples=("quipu incident similar --component payments --error-rate 0.4",),
)
def incident() -> None:
    """Remember incidents and outcomes, and let them take part in the next decision."""

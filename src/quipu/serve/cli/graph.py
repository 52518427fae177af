"""`entity …` and `relation …`: things that are one, and the edges a person knows better."""

import click

from quipu.serve.cli.lazy import CommandEntry, Group

__all__ = ["entity", "relation"]

_OF = "quipu.serve.operations.graph"


@click.group(
    "entity",
    cls=Group,
    entries={
        "show": CommandEntry(f"{_OF}:show", "Show a thing and what was merged into it."),
        "proposals": CommandEntry(f"{_OF}:proposals", "List things that may be one."),
        "merge": CommandEntry(f"{_OF}:merge", "Take two things to be one."),
        "unmerge": CommandEntry(f"{_OF}:unmerge", "Undo a merge."),
        "history": CommandEntry(f"{_OF}:history", "Show who decided what, when and why."),
    },
    examples=("quipu entity proposals", "quipu entity merge PST 'Payment Service Team'"),
)
def entity() -> None:
    """Find, merge and part things that are one: a team and its acronym, a name and its typo."""


@click.group(
    "relation",
    cls=Group,
    entries={
        "add": CommandEntry(f"{_OF}:add", "Assert a relation."),
        "list": CommandEntry(f"{_OF}:list_", "List relations."),
        "update": CommandEntry(f"{_OF}:update", "Change what a relation says."),
        "rm": CommandEntry(f"{_OF}:rm", "End relations."),
    },
    examples=("quipu relation list 'payment service'",),
)
def relation() -> None:
    """Add, list, change and remove relations between the things that are known."""

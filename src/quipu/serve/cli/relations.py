"""`relation add | list | update | rm`: the edges a person knows better."""

import click

from quipu.errors import InvalidInput
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.options import properties, property_option, remembered
from quipu.serve.cli.records import relation_lines
from quipu.serve.cli.shapes import RelationList, Removed
from quipu.serve.lookups import changed_relation, relation_of

__all__ = ["add", "list_", "relation", "rm", "update"]

_HERE = "quipu.serve.cli.relations"
_REL_ID = click.argument("rel_id")
_UNIT = click.FloatRange(0, 1)
_WEIGHT = click.FloatRange(0, min_open=True)


@click.group(
    "relation",
    cls=Group,
    entries={
        "add": CommandEntry(f"{_HERE}:add", "Assert a relation."),
        "list": CommandEntry(f"{_HERE}:list_", "List relations."),
        "update": CommandEntry(f"{_HERE}:update", "Change what a relation says."),
        "rm": CommandEntry(f"{_HERE}:rm", "End relations."),
    },
    examples=("quipu relation list 'payment service'",),
)
def relation() -> None:
    """Add, list, change and remove relations between the things that are known."""


@command(
    "add",
    "quipu relation add docs/payments.md OWNED_BY team-pay",
    "quipu relation add billing depends_on ledger --confidence 0.8",
)
@click.argument("source")
@click.argument("type_", metavar="TYPE")
@click.argument("target")
@click.option("--confidence", type=_UNIT, default=1.0, show_default=True, help="How sure it is.")
@click.option("--weight", type=_WEIGHT, default=1.0, show_default=True, help="How strong it is.")
@click.option("--description", default="", help="What the relation means here.")
@property_option
def add(
    source: str,
    type_: str,
    target: str,
    confidence: float,
    weight: float,
    description: str,
    pairs: tuple[str, ...],
) -> None:
    """Assert that SOURCE is tied to TARGET by TYPE.

    The ends are ids, paths or unique names; the same three again change the relation. Every type
    is kept; one that is not in the schema is a warning of `quipu validate`.
    """
    run, kept = invocation(), properties(pairs)
    with run.open() as memory:
        made = memory.relate(
            remembered(memory, source),
            type_,
            remembered(memory, target),
            confidence=confidence,
            weight=weight,
            description=description,
            properties=kept,
        )
        labels = Labels(memory)
        run.show(made, lambda: relation_lines([made], labels))


@command("list", "quipu relation list", "quipu relation list src/app.py --type IMPORTS")
@click.argument("of", required=False)
@click.option("--type", "type_", metavar="TYPE", help="Only relations of this type.")
@click.option(
    "--direction",
    type=click.Choice(["out", "in", "both"]),
    default="both",
    show_default=True,
    help="Only those that leave OF, or that reach it.",
)
@click.option(
    "--limit", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="How many."
)
def list_(of: str | None, type_: str | None, direction: str, limit: int) -> None:
    """List relations: those at OF (an id, a path or a unique name), or all."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.relations(
            of if of is None else remembered(memory, of),
            type=type_,
            direction="out" if direction == "out" else "in" if direction == "in" else "both",
            limit=limit,
        )
        labels = Labels(memory)
        run.show(RelationList(relations=tuple(found)), lambda: relation_lines(found, labels))


@command("update", "quipu relation update re_0123456789abcdef01234567 --confidence 0.5")
@_REL_ID
@click.option("--confidence", type=_UNIT, help="How sure it is.")
@click.option("--weight", type=_WEIGHT, help="How strong it is.")
@click.option("--description", help="What the relation means here.")
@property_option
def update(
    rel_id: str,
    confidence: float | None,
    weight: float | None,
    description: str | None,
    pairs: tuple[str, ...],
) -> None:
    """Change what the relation REL_ID says; what is not named stays."""
    run = invocation()
    if confidence is None and weight is None and description is None and not pairs:
        raise InvalidInput("nothing to change: give --confidence, --weight, --description …")
    changed = properties(pairs)
    with run.open() as memory:
        made = changed_relation(
            memory,
            rel_id,
            confidence=confidence,
            weight=weight,
            description=description,
            properties=changed,
        )
        labels = Labels(memory)
        run.show(made, lambda: relation_lines([made], labels))


@command("rm", "quipu relation rm re_0123456789abcdef01234567")
@click.argument("rel_ids", nargs=-1, required=True, metavar="REL_ID...")
def rm(rel_ids: tuple[str, ...]) -> None:
    """End relations, whoever asserted them; their history stays.

    A file that states one states it again when the file changes.
    """
    run = invocation()
    with run.open() as memory:
        ids = tuple(dict.fromkeys(rel_ids))
        for rel_id in ids:
            relation_of(memory, rel_id)
        ended = [memory.unrelate(rel_id).rel_id for rel_id in ids]
        run.show(Removed(removed=tuple(ended)), lambda: [f"Ended {each}." for each in ended])

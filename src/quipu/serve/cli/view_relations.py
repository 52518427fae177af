"""Relations as a person reads them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.records.record import Relation
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.rendered import Given
    from quipu.serve.shapes import RelationList

__all__ = ["list_lines", "one_lines", "relation_lines"]


def one_lines(made: Relation, given: "Given") -> Iterator[str]:
    """One relation."""
    return relation_lines([made], Labels(given.memory))


def list_lines(found: "RelationList", given: "Given") -> Iterator[str]:
    """A relation a line."""
    return relation_lines(found.relations, Labels(given.memory))


def relation_lines(relations: Sequence[Relation], labels: Labels) -> Iterator[str]:
    """A relation a line: its ends, its type, how sure it is, its id."""
    labels.read(e for r in relations for e in (r.source_entity_id, r.target_entity_id))
    for each in relations:
        source, target = labels[each.source_entity_id], labels[each.target_entity_id]
        words = safe(f"{source} —{each.type}→ {target}", line=True)
        yield f"{words}  {style(f'{each.confidence:.2f}  {each.rel_id}', dim=True)}"
        yield from wrapped(each.description, indent="    ")
    if not relations:
        yield "No relations."

"""Things that are one, and why, as a person reads them."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.memory.entities import EntityHistory, Merged, Proposals, Unmerged
from quipu.resolve import Decision
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.rendered import Given

__all__ = ["history_lines", "merged_lines", "proposal_lines", "unmerged_lines"]


def proposal_lines(found: Proposals, given: "Given") -> Iterator[str]:
    """A pair a block: how sure, both names, why, and the command that merges them."""
    for each in found.proposals:
        pair = f"{each.merged_name} → {each.kept_name}"
        kind = safe(each.type, line=True)
        yield f"{each.score:.2f}  {style(safe(pair, line=True), bold=True)}  {kind}"
        yield from wrapped("; ".join(each.reasons), indent="      ")
        command = shlex.join(["quipu", "entity", "merge", each.merged_id, each.kept_id])
        yield f"      {safe(command, line=True)}"
    rest = f"; {found.left_out:,} more" if found.left_out else ""
    yield (
        f"{counted(len(found.proposals), 'proposal')} among "
        f"{counted(found.considered, 'thing')}{rest}"
    )
    if given.arguments["merge"]:
        yield f"{counted(len(found.proposals), 'merge')} made"
    yield from found.notes


def merged_lines(found: Merged) -> Iterator[str]:
    """The thing, its other names, what it was merged of and by whom."""
    entity = found.entity
    about = safe(f"{entity.type}  {entity.entity_id}", line=True)
    yield f"{style(safe(entity.name, line=True), bold=True)}  {about}"
    if entity.aliases:
        yield from wrapped(f"also called {', '.join(entity.aliases)}", indent="  ")
    yield f"  mentioned {counted(entity.mention_count, 'time')}"
    for each in found.members if len(found.members) > 1 else ():
        yield f"  of {safe(each.name, line=True)}  {each.entity_id}"
    for decision in found.decisions:
        yield from _decision(decision)


def unmerged_lines(done: Unmerged) -> Iterator[str]:
    """What was undone."""
    undone = done.undone
    yield from wrapped(f"{undone.merged_name} is not {undone.kept_name} any more.")


def history_lines(found: EntityHistory) -> Iterator[str]:
    """A decision a block, the earliest first."""
    for known in found.decisions:
        yield from _decision(known.decision, known.known_until)
    if not found.decisions:
        yield "Nothing was merged."


def _decision(decision: Decision, until: str | None = None) -> Iterator[str]:
    says = "is" if decision.same else "is not"
    ended = f", until {until[:10]}" if until else ""
    yield safe(f"{decision.merged_name} {says} {decision.kept_name}", line=True)
    yield from wrapped(
        f"{decision.by} on {decision.decided_at[:10]}{ended} "
        f"(score {decision.score:.2f}), {decision.merge_id}",
        indent="    ",
    )
    if decision.reason:
        yield from wrapped(decision.reason, indent="    ")

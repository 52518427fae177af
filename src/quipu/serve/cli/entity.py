"""`entity show | proposals | merge | unmerge | history`: things that are one."""

import shlex
from collections.abc import Iterator

import click

from quipu.memory.entities import EntityHistory, Merged, Proposals, Unmerged
from quipu.resolve import Decision
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.options import remembered
from quipu.serve.cli.terminal import safe, style

__all__ = ["entity", "history", "merge", "proposals", "show", "unmerge"]

_HERE = "quipu.serve.cli.entity"
_BY = click.option("--by", default="person", show_default=True, help="Who decides.")
_REASON = click.option("--reason", default="", help="Why.")


@click.group(
    "entity",
    cls=Group,
    entries={
        "show": CommandEntry(f"{_HERE}:show", "Show a thing and what was merged into it."),
        "proposals": CommandEntry(f"{_HERE}:proposals", "List things that may be one."),
        "merge": CommandEntry(f"{_HERE}:merge", "Take two things to be one."),
        "unmerge": CommandEntry(f"{_HERE}:unmerge", "Undo a merge."),
        "history": CommandEntry(f"{_HERE}:history", "Show who decided what, when and why."),
    },
    examples=("quipu entity proposals", "quipu entity merge PST 'Payment Service Team'"),
)
def entity() -> None:
    """Find, merge and part things that are one: a team and its acronym, a name and its typo."""


@command("show", "quipu entity show 'Payment Service Team'")
@click.argument("ref")
def show(ref: str) -> None:
    """Show the thing that REF (an id or a name) names, and what it was merged of."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.entities.show(remembered(memory, ref))
        run.show(found, lambda: _merged_lines(found))


@command("proposals", "quipu entity proposals", "quipu entity proposals --type Owner")
@click.option("--type", "types", metavar="TYPE", multiple=True, help="Only things of this type.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@click.option(
    "--least",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.92,
    show_default=True,
    help="The least cosine of their meanings.",
)
@click.option("--merge", "accept", is_flag=True, help="Merge what is listed.")
def proposals(types: tuple[str, ...], limit: int, least: float, accept: bool) -> None:
    """List pairs of things of one type that may be one, the surest first, and why.

    Their names look alike and mean nearly the same, or are the same letters. Nothing is merged
    unless --merge says so; what was parted is not listed again.
    """
    run = invocation()
    with run.open(read_only=not accept) as memory:
        found = memory.entities.proposals(types=types, limit=limit, least=least)
        made = len(memory.entities.accept(found.proposals)) if accept else 0
        run.show(found, lambda: _proposal_lines(found, made if accept else None))


@command("merge", "quipu entity merge PST 'Payment Service Team' --reason 'the charter says so'")
@click.argument("merged")
@click.argument("kept")
@_BY
@_REASON
def merge(merged: str, kept: str, by: str, reason: str) -> None:
    """Take MERGED to be the same as KEPT, which stands for both from now on.

    Both are ids or names, of one type. Nothing is rewritten: `quipu entity unmerge` gives back
    what was there.
    """
    run = invocation()
    with run.open() as memory:
        one, other = remembered(memory, merged), remembered(memory, kept)
        made = memory.entities.merge(one, other, by=by, reason=reason)
        run.show(made, lambda: _merged_lines(made))


@command("unmerge", "quipu entity unmerge PST", "quipu entity unmerge PST 'Payment Service Team'")
@click.argument("ref")
@click.argument("other", required=False)
@_BY
@_REASON
def unmerge(ref: str, other: str | None, by: str, reason: str) -> None:
    """Undo the merge that REF names: its id, or one of the two things; with OTHER, both.

    The two are not proposed again.
    """
    run = invocation()
    with run.open() as memory:
        done = memory.entities.unmerge(ref, other, by=by, reason=reason)
        run.show(done, lambda: _unmerged_lines(done))


@command("history", "quipu entity history", "quipu entity history PST")
@click.argument("ref", required=False)
def history(ref: str | None) -> None:
    """Show every decision about REF, or about anything: who, when, why, and what undid it."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.entities.history(ref)
        run.show(found, lambda: _history_lines(found))


def _merged_lines(found: Merged) -> Iterator[str]:
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


def _proposal_lines(found: Proposals, made: int | None) -> Iterator[str]:
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
    if made is not None:
        yield f"{counted(made, 'merge')} made"
    yield from found.notes


def _unmerged_lines(done: Unmerged) -> Iterator[str]:
    """What was undone."""
    undone = done.undone
    yield from wrapped(f"{undone.merged_name} is not {undone.kept_name} any more.")


def _history_lines(found: EntityHistory) -> Iterator[str]:
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

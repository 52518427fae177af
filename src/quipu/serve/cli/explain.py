"""`explain` and `value`: numbers that show their working."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import problem_lines, wrapped
from quipu.serve.cli.lazy import command
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:  # pragma: no cover
    from quipu.kinds.values.api import Valued
    from quipu.kinds.values.derive import Explanation, InputChange

__all__ = ["explain", "value"]


@command("explain", "quipu explain fa_0123456789abcdef01234567")
@click.argument("fact_id")
@click.pass_context
def explain(ctx: click.Context, fact_id: str) -> None:
    """Show how a derived fact came about: its inputs, the formula, the output.

    The inputs are read again and the formula is run again; exit code 1 when the fact no longer
    holds.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.values.explain(fact_id)
        run.show(found, lambda: _explained(found))
    if not found.holds:
        ctx.exit(NO)


@command("value", "quipu value", "quipu value tools/")
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.pass_context
def value(ctx: click.Context, folder: Path | None) -> None:
    """Derive the hours that scripts saved, from value_ledger.json and value tags in FOLDER.

    Tags stand in front matter or `metadata.yaml`. A ledger that does not add up is told, with the
    difference; exit code 1 then, and when a row was left out.
    """
    run = invocation()
    with run.open() as memory:
        found = memory.values.derive(folder)
        run.show(found, lambda: _valued(found))
    if not found.adds_up or found.errors:
        ctx.exit(NO)


def _explained(found: "Explanation") -> Iterator[str]:
    words = f"{found.subject} — {found.predicate} — {found.object}"
    yield style(safe(words, line=True), bold=True)
    for each in found.inputs:
        yield from wrapped(_input(each), indent="  ")
    yield from wrapped(f"{found.formula}, version {found.version}: {found.text}", indent="  ")
    yield f"  = {found.output:g}, recomputed {found.recomputed:g}"
    yield "  holds" if found.holds else "  no longer holds"
    for note in found.notes:
        yield from wrapped(note, indent="  ")


def _input(each: "InputChange") -> str:
    values = each.now or each.then or {}
    shown = ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values.items()
    )
    return f"{each.name}: {shown}  [{', '.join(each.record_ids)}]"


def _valued(found: "Valued") -> Iterator[str]:
    yield style(f"{found.total:g} hours", bold=True) + f"  {safe(found.ledger, line=True)}"
    yield f"  {found.fact_id}  (`quipu explain {found.fact_id}` shows the working)"
    for note in found.notes:
        yield from wrapped(f"does not add up: {note}", indent="  ")
    yield from problem_lines(found.errors, "left out: ", shown=len(found.errors))
    yield from problem_lines(found.warnings, "note: ", shown=len(found.warnings))

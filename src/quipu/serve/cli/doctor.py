"""`doctor`: is everything there that Quipu needs, and what to do where it is not."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.shapes import Checkup
from quipu.serve.cli.symptoms import examine
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:
    from quipu.memory.recovery import SalvagedRecords

__all__ = ["doctor"]

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("fail", "red")}


@command("doctor", "quipu doctor", "quipu doctor --salvage .quipu/new.db")
@click.option(
    "--salvage",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="NEW",
    help="Write what can be read of a damaged store into a new one at NEW, and say what is lost.",
)
@click.pass_context
def doctor(ctx: click.Context, salvage: Path | None) -> None:
    """Check Python, SQLite, the configuration, the model, the store and the disk.

    Each line is ok, warn or fail, and says what to do; exit code 1 when one is fail. Every page
    of the store is verified, those that nothing uses too.
    """
    run = invocation()
    if salvage is not None:
        done = _salvage(run, salvage)
        run.show(done, lambda: _salvage_lines(done))
        return
    checks = tuple(examine(run))
    shown = Checkup(ok=all(check.status != "fail" for check in checks), checks=checks)
    run.show(shown, lambda: _lines(shown))
    if not shown.ok:
        ctx.exit(NO)


def _salvage(run: Invocation, path: Path) -> "SalvagedRecords":
    from quipu.handle.home import find_home
    from quipu.memory.recovery import salvage_into
    from quipu.when.instants import system_clock

    home = find_home(run.store or run.config().store.url or None)
    return salvage_into(home, path, clock=system_clock)


def _salvage_lines(done: "SalvagedRecords") -> list[str]:
    lost = sum(done.lost.values())
    harm = f"{done.damaged_pages:,} of {done.pages:,} pages are damaged"
    kept = f"{done.records:,} records, {done.jobs:,} accepted writes; {harm}"
    lines = [f"Salvaged into {safe(done.path, line=True)}: {kept}."]
    if lost:
        lines.append(f"Lost: {lost:,} records, of these sources:")
        lines += [f"  {safe(source, line=True)}  {n:,}" for source, n in done.lost.items()]
        lines.append(
            "`quipu index` reads files among them again; `quipu forget` the others, add them again."
        )
    lines.append("Put it in the old one's place, then `quipu index .` makes its vectors.")
    return lines


def _lines(checkup: Checkup) -> list[str]:
    lines: list[str] = []
    for check in checkup.checks:
        mark, colour = _MARKS[check.status]
        lines.append(f"{style(mark, fg=colour)}  {check.name}: {safe(check.detail, line=True)}")
        if check.remedy:
            lines.append(f"      {safe(check.remedy, line=True)}")
    return lines

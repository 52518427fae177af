"""`doctor`: is everything there that Quipu needs, and what to do where it is not."""

import click

from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.shapes import Checkup
from quipu.serve.cli.symptoms import examine
from quipu.serve.cli.terminal import safe, style

__all__ = ["doctor"]

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("fail", "red")}


@command("doctor", "quipu doctor", "quipu doctor --json")
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check Python, SQLite, the configuration, the model, the store and the disk.

    Each line is ok, warn or fail, and says what to do; exit code 1 when one is fail.
    """
    run = invocation()
    checks = tuple(examine(run))
    shown = Checkup(ok=all(check.status != "fail" for check in checks), checks=checks)
    run.show(shown, lambda: _lines(shown))
    if not shown.ok:
        ctx.exit(NO)


def _lines(checkup: Checkup) -> list[str]:
    lines: list[str] = []
    for check in checkup.checks:
        mark, colour = _MARKS[check.status]
        lines.append(f"{style(mark, fg=colour)}  {check.name}: {safe(check.detail, line=True)}")
        if check.remedy:
            lines.append(f"      {safe(check.remedy, line=True)}")
    return lines

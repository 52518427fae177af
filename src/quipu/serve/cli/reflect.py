"""`reflect`: the graph in communities, and a report on each."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from quipu.kinds.reports.model import Report, report_text
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import counted
from quipu.serve.cli.lazy import command
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:
    from quipu.kinds.reports.reflect import Reflected

__all__ = ["reflect"]

_SHOWN = 20


@command(
    "reflect",
    "quipu reflect",
    "quipu reflect --budget 20 --characters 2000",
    "quipu reflect --show",
)
@click.option(
    "--budget",
    "communities",
    type=int,
    default=60,
    show_default=True,
    metavar="N",
    help="How many communities are reported on, the largest first.",
)
@click.option(
    "--characters",
    type=int,
    default=4000,
    show_default=True,
    metavar="N",
    help="How long a report may be.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Let the configured language model (chat.model) put a summary before each new report; "
    "what the report's own lines do not bear is left out.",
)
@click.option("--show", is_flag=True, help="Print the reports themselves.")
def reflect(communities: int, characters: int, write: bool, show: bool) -> None:
    """Divide the graph into communities and bring their reports up to date.

    `ask` and `search` use them with `--mode global`. The same memory gives the same reports; what
    comes out as it was is not touched, and nothing is sent anywhere without --write.
    """
    run = invocation()
    with run.open() as memory, progress(quiet=run.quiet) as shown:
        done = memory.reflect(
            communities=communities, characters=characters, write=write, progress=shown
        )
    run.show(done, lambda: _lines(done, show=show))


def _lines(done: "Reflected", *, show: bool) -> Iterator[str]:
    yield (
        f"{counted(len(done.made), 'report')} made, {len(done.kept)} kept, "
        f"{len(done.retired)} retired."
    )
    spent = f"{done.budget.communities} communities, {done.budget.characters:,} characters a report"
    yield (
        f"{counted(done.communities, 'community', 'communities')} found; "
        f"{done.characters:,} characters in all, within {spent}."
    )
    if done.left_out:
        more = f"--budget {done.communities}"
        yield f"{done.left_out} smaller ones have no report: {more} would include them."
    yield from (safe(note) for note in done.notes)
    made = frozenset(done.made)
    if show:
        for report in done.reports:
            yield ""
            yield from (safe(line) for line in report_text(report).split("\n"))
        return
    for report in done.reports[:_SHOWN]:
        yield _line(report, is_new=report.ref in made)
    if len(done.reports) > _SHOWN:
        yield style(f"… {len(done.reports) - _SHOWN} more: --show prints them all", dim=True)


def _line(report: Report, *, is_new: bool) -> str:
    mark = "+" if is_new else " "
    size = style(counted(report.documents, "source"), dim=True)
    return f" {mark} {safe(report.title, line=True)}  {size}"

"""What `quipu reflect` made, as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.kinds.reports.model import Report, report_text
from quipu.serve.cli.layout import counted
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:  # pragma: no cover
    from quipu.kinds.reports.reflect import Reflected
    from quipu.serve.cli.rendered import Given

__all__ = ["reflected_lines"]

_SHOWN = 20


def reflected_lines(done: "Reflected", given: "Given") -> Iterator[str]:
    """What was made, within which bounds; the reports themselves where they were asked for."""
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
    if given.arguments["show"]:
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

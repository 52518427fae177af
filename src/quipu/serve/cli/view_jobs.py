"""How jobs look to people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quipu.serve.cli.layout import counted
from quipu.serve.cli.terminal import safe

if TYPE_CHECKING:
    from quipu.ledger import Salvaged
    from quipu.write.jobs import Job

__all__ = ["job_lines", "list_lines", "salvaged_line"]

_SHOWN = 20


def list_lines(found: "Sequence[Job]") -> list[str]:
    """Jobs, one a line."""
    lines = [
        f"{job.job_id}  {job.status:<8}  {job.kind:<8}  {job.accepted_at[:19]}Z"
        f"  {job.added:,} added, {job.unchanged:,} known, {counted(len(job.errors), 'error')}"
        for job in found[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        lines.append(f"… and {len(found) - _SHOWN:,} earlier ones (--json lists all)")
    return lines or ["There are no jobs."]


def job_lines(job: "Job") -> list[str]:
    """What one job did."""
    counts = {each.stage: each.count for each in job.stages}
    lines = [f"{counted(job.added, 'passage')} added, {job.unchanged:,} known already."]
    if counts.get("extract"):
        lines.append(f"  {counted(counts['extract'], 'fact')} read from them")
    lines += [f"  refused: {count:,} × {rule}" for rule, count in sorted(job.refused.items())]
    lines += [f"  {safe(row.path, line=True)}: {safe(row.error, line=True)}" for row in job.errors]
    lines += [f"  {safe(note, line=True)}" for note in job.notes]
    return [*lines, f"Job {job.job_id} is {job.status}."]


def salvaged_line(found: "Salvaged") -> str:
    """What became of a ledger that was to be salvaged."""
    if found.aside is None:
        return "ops.db is whole: nothing was changed."
    kept = counted(found.entries, "entry", "entries")
    name = safe(found.aside.name, line=True)
    return f"Kept {kept} of ops.db; the damaged file stands beside it as {name}."

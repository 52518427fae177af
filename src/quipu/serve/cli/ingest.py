"""`ingest` and `jobs`: transcripts, work and pages into memory, and how accepted writes stand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from quipu.errors import InvalidInput
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import counted
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import read_standard_bytes
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe
from quipu.serve.shapes import JobList

if TYPE_CHECKING:
    from quipu.kinds.conversations.model import Transcript
    from quipu.kinds.work.model import WorkKind
    from quipu.ledger import Salvaged
    from quipu.records.document import Problem
    from quipu.write.jobs import Job

__all__ = ["ingest", "job_lines", "jobs"]

_SHOWN = 20
_STANDARD = "standard input"


@command(
    "ingest",
    "quipu ingest ~/.claude/projects",
    "quipu ingest conversations.json --no-embed",
    "quipu ingest plan.json todo.md",
    "quipu ingest https://example.org/guide",
    "cat talk.jsonl | quipu ingest -",
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option(
    "--session",
    metavar="NAME",
    default="stdin",
    show_default=True,
    help="What a session from standard input is called, if it does not say.",
)
@click.option(
    "--kind",
    type=click.Choice(["goal", "task"]),
    help="What the records of the files are that do not say it.",
)
@click.option("--no-embed", is_flag=True, help="Leave the vectors for the next run.")
@click.pass_context
def ingest(
    ctx: click.Context,
    paths: tuple[str, ...],
    session: str,
    kind: "WorkKind | None",
    no_embed: bool,
) -> None:
    """Remember what is in files, in folders of them, at URLs, or on standard input (-).

    Transcripts (logs of Claude Code and Codex, lists of messages, exports of ChatGPT and Claude,
    memory folders, JSON lines) and goals and tasks (JSON, front matter, task lists) are told apart
    by what they hold. A URL is fetched (HTML, Markdown, text, PDF), its links are not; robots.txt
    is heeded, and no address of a private network is reached. What is known is not written again.
    What was accepted is a job: `quipu jobs` shows it, and a kill loses nothing of it. What cannot
    be read is listed and the rest is remembered; exit code 1 when nothing could be read.
    """
    from quipu.kinds.pages.crawl.address import is_url

    run = invocation()
    if "-" in paths and len(paths) > 1:
        raise InvalidInput("'-' stands alone: give either paths or standard input")
    urls = [path for path in paths if is_url(path)]
    if urls and len(urls) < len(paths):
        raise InvalidInput("URLs and paths are two jobs: give either the ones or the others")
    if kind is not None and (urls or paths == ("-",)):
        raise InvalidInput(
            f"--kind {kind} is for files of goals and tasks, not for URLs or standard input: "
            "leave it out, or give the path of a file"
        )
    named = ctx.get_parameter_source("session") is not ParameterSource.DEFAULT
    if named and paths != ("-",):
        raise InvalidInput(
            f"--session {session} names what standard input holds, and a file or a page has a "
            "name of its own: leave it out, or give '-'"
        )
    with run.open() as memory:
        with progress(quiet=run.quiet) as shown:
            if paths == ("-",):
                given = _standard_sessions(session)
                job = memory.ingest_sessions(given, embed=not no_embed, progress=shown)
            elif urls:
                job = memory.ingest_urls(urls, embed=not no_embed, progress=shown)
            else:
                job = memory.ingest(paths, kind=kind, embed=not no_embed, progress=shown)
        run.show(job, lambda: job_lines(job))
    if not (job.added or job.unchanged or job.refused):
        ctx.exit(NO)


def _standard_sessions(session: str) -> "list[Problem | Transcript]":
    """What was said on standard input, and what of it cannot be read."""
    from quipu.kinds.conversations.read import read_sessions

    try:
        read = read_sessions(_STANDARD, read_standard_bytes(), session=session)
    except InvalidInput as error:
        raise InvalidInput(f"{_STANDARD} {error}") from error
    return [*read.problems, *read.transcripts]


@command("jobs", "quipu jobs", "quipu jobs --resume", "quipu jobs --json")
@click.argument("job_id", required=False)
@click.option("--resume", is_flag=True, help="Do now what a killed process left undone.")
@click.option("--salvage", is_flag=True, help="Keep what can be read of a damaged ops.db.")
def jobs(job_id: str | None, resume: bool, salvage: bool) -> None:
    """List the jobs that are open and the last that ended, or show the one called JOB_ID.

    A job is what `add`, `ingest` or an agent's tool gave to be remembered. It is `accepted`,
    `running`, `done` or `failed`, and is never lost in between.
    """
    run = invocation()
    with run.open() as memory:
        if salvage:
            run.note(_salvaged_line(memory.salvage_jobs()))
        if resume:
            memory.resume()
        if job_id is not None:
            job = memory.job(job_id)
            run.show(job, lambda: job_lines(job))
            return
        found = memory.jobs()
        run.show(JobList(jobs=tuple(found)), lambda: _list_lines(found))


def _list_lines(found: "Sequence[Job]") -> list[str]:
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
    if job.status == "done" and not (job.added or job.unchanged or job.refused or job.errors):
        lines.append("Nothing that can be remembered was found.")
    if job.errors:
        lines.append(f"{counted(len(job.errors), 'entry', 'entries')} could not be read:")
    lines += [f"  {safe(row.path, line=True)}: {safe(row.error, line=True)}" for row in job.errors]
    lines += [f"  {safe(note, line=True)}" for note in job.notes]
    return [*lines, f"Job {job.job_id} is {job.status}."]


def _salvaged_line(found: "Salvaged") -> str:
    """What became of a ledger that was to be salvaged."""
    if found.aside is None:
        return "ops.db is whole: nothing was changed."
    kept = counted(found.entries, "entry", "entries")
    name = safe(found.aside.name, line=True)
    return f"Kept {kept} of ops.db; the damaged file stands beside it as {name}."

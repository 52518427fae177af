"""`ingest` and `jobs`: transcripts, work and pages into memory, and how accepted writes stand."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from quipu.errors import InvalidInput
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import read_standard_bytes
from quipu.serve.cli.progress import progress
from quipu.serve.cli.shapes import JobList
from quipu.serve.cli.view_jobs import job_lines, list_lines, salvaged_line

if TYPE_CHECKING:
    from quipu.kinds.work.model import WorkKind

__all__ = ["ingest", "jobs"]


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
    What was accepted is a job: `quipu jobs` shows it, and a kill loses nothing of it. Exit code 1
    when nothing could be read.
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
                from quipu.kinds.conversations.read import read_sessions

                read = read_sessions(f"{session}.jsonl", read_standard_bytes())
                given = (*read.problems, *read.transcripts)
                job = memory.ingest_sessions(given, embed=not no_embed, progress=shown)
            elif urls:
                job = memory.ingest_urls(urls, embed=not no_embed, progress=shown)
            else:
                job = memory.ingest(paths, kind=kind, embed=not no_embed, progress=shown)
        run.show(job, lambda: job_lines(job))
    if job.errors and not (job.added or job.unchanged):
        ctx.exit(NO)


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
            run.note(salvaged_line(memory.salvage_jobs()))
        if resume:
            memory.resume()
        if job_id is not None:
            job = memory.job(job_id)
            run.show(job, lambda: job_lines(job))
            return
        found = memory.jobs()
        run.show(JobList(jobs=tuple(found)), lambda: list_lines(found))

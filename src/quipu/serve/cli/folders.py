"""`init`, `index` and `watch`: from a folder to a memory, with a commented `quipu.toml`."""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from quipu.config import FILE_NAME, Setting, settings
from quipu.errors import InvalidInput
from quipu.files import private
from quipu.serve.cli.embedding import goes_behind, left_behind
from quipu.serve.cli.failures import INTERRUPTED
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.layout import counted, problem_lines, wrapped
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import read_standard_input
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe, say, style
from quipu.serve.cli.view_hits import note_lines
from quipu.serve.cli.view_records import job_lines
from quipu.serve.shapes import Initialised
from quipu.store.addresses import shown
from quipu.write.report import IndexReport, ProblemRow

if TYPE_CHECKING:  # pragma: no cover
    from quipu.config import Config, Engine
    from quipu.kinds.commits.repository import HistoryReport

__all__ = ["index", "init", "initialise", "settings_file", "watch"]

_SETTINGS_HEAD = """\
# Quipu's settings. Every key is here with its default; take away a "#" to set one.
# The environment wins over this file: [store] url is QUIPU_STORE_URL. What names a model, an
# address, a key, a file or a store counts here only after `quipu trust`.
"""
_SHOWN = 5

_GITIGNORE = """\
# What Quipu keeps here is not for version control. What came from files can be made again by
# `quipu index`; what was added by hand cannot: `quipu export` saves it.
*
"""

_paths = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
_no_embed = click.option(
    "--no-embed",
    is_flag=True,
    help="Leave the vectors for the next run; words and graph work at once.",
)


@command("init", "quipu init", "quipu init docs")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def init(folder: Path) -> None:
    """Make a memory in FOLDER (default: here): .quipu/ and a commented quipu.toml.

    What is there already is kept. Commands look for the nearest .quipu upward, so they work in
    every folder below.
    """
    run = invocation()
    if run.store:
        raise InvalidInput(
            f"--store {shown(run.store)!r} cannot be given to init, which makes its store in the "
            "folder: leave it out, or write store.url into quipu.toml"
        )
    made = initialise(run, folder)
    run.show(made, lambda: _init_lines(made))


def initialise(run: Invocation, folder: Path) -> Initialised:
    """Make a memory in `folder`, as `quipu init` does."""
    from quipu.handle.home import DATABASE, STATE, Home, admit
    from quipu.memory import Memory

    home = folder.resolve()
    if not home.exists():
        raise InvalidInput(
            f"there is no folder {str(folder)!r} to make a memory in: is it misspelt? "
            f"If not, `mkdir -p {shlex.quote(str(folder))}` first"
        )
    config = run.config(home, needs=("store",))
    admit(Home(str(home / DATABASE), home, home / STATE), named=False, read_only=False)
    private.make_folder(home / STATE)
    files = {f"{STATE}/.gitignore": _GITIGNORE, FILE_NAME: settings_file()}
    made_here = {*files} if config.store.url else {*files, DATABASE}
    present = {name for name in made_here if (home / name).exists()}
    for name, text in files.items():
        if name not in present:
            (home / name).write_text(text, "utf-8")
    place = config.store.url or home / DATABASE
    with Memory.open(place, config=config, namespace=run.namespace) as memory:
        store = memory.home.shown
    return Initialised(
        folder=str(home),
        store=store,
        created=tuple(sorted(made_here - present)),
        kept=tuple(sorted(present)),
    )


def _init_lines(made: Initialised) -> list[str]:
    lines = [f"A memory is ready in {safe(made.folder, line=True)}."]
    lines += [f"  made {name}" for name in made.created]
    lines += [f"  kept {name}" for name in made.kept]
    return [*lines, "Next: quipu index ."]


@command(
    "index",
    "quipu index .",
    "quipu index src docs --changed-since main",
    "git ls-files | quipu index --from -",
    "quipu index --again",
    "quipu index --git .",
)
@_paths
@click.option(
    "--changed-since",
    metavar="GITREF",
    help="Look only at files that git calls changed since this commit.",
)
@click.option(
    "--from",
    "manifest",
    metavar="FILE",
    help="Take PATHS from the lines of this file too, or of standard input (-).",
)
@click.option(
    "--git",
    "repository",
    metavar="REPO",
    type=click.Path(path_type=Path),
    help="Read the commits that lead to HEAD of this repository, not files.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Read unchanged files too. Vectors stay.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    help="Where files are read and passages embedded.  [default: local]",
)
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="The Ray cluster.  [default: one is started on this machine]",
)
@_no_embed
@click.option(
    "--wait/--no-wait",
    default=None,
    help="Whether to wait for the vectors, or to leave them to a process in the background.  "
    "[default: wait, unless at a terminal]",
)
def index(
    paths: tuple[Path, ...],
    changed_since: str | None,
    manifest: str | None,
    repository: Path | None,
    again: bool,
    engine: "Engine | None",
    address: str | None,
    no_embed: bool,
    wait: bool | None,
) -> None:
    """Bring the memory up to date with the files in PATHS (default: its home folder).

    Only changed files are read, and once more those that an earlier version of Quipu read. A file
    that cannot be read is a row of the report and of .quipu/index_errors.json, never a failed run;
    .gitignore and .quipuignore are honoured, and a further work tree of the same repository
    (`git worktree add`) is not read again. What looks as if a program wrote it (minified code,
    source maps, lock files, large JSON on one line) is left out and named; `!PATTERN` in
    .quipuignore has it read. A run that was killed is resumed by the next.

    Words and graph answer at once. At a terminal the vectors are then made in the background:
    `quipu status` tells how far they are, `quipu embed` goes on where they were stopped,
    and what you ask about meanwhile is next.

    With --git it is the commits of a repository: new ones are read, those that vanished retired.
    """
    run = invocation()
    if repository is not None:
        if paths or manifest or changed_since is not None or again or engine or address:
            raise InvalidInput(
                f"--git {str(repository)!r} reads commits, not files: leave out PATHS, --from, "
                "--changed-since, --again, --engine and --address, or index the files in a run of "
                "their own"
            )
        _index_git(run, repository, embed=not no_embed, wait=wait)
        return
    if manifest is not None:
        paths = (*paths, *_listed(manifest))
    with run.open(configured=partial(_on, engine, address)) as memory:
        behind = not no_embed and goes_behind(run, memory, wait)
        with progress(quiet=run.quiet) as shown:
            report = memory.index(
                paths,
                changed_since=changed_since,
                again=again,
                embed=not (no_embed or behind),
                progress=shown,
            )
        begun = False
        if behind:
            report, begun = left_behind(run, memory, report)
        run.show(report, lambda: _index_lines(report, behind=begun))


def _listed(manifest: str) -> list[Path]:
    """The paths on the lines of a file, or of standard input."""
    if manifest == "-":
        text = read_standard_input()
    else:
        try:
            text = Path(manifest).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"--from {manifest!r} cannot be read: {error}") from error
    paths = [Path(line) for line in text.splitlines() if line.strip()]
    if not paths:
        raise InvalidInput(f"--from {manifest!r} names no file: give a path on each line")
    return paths


def _on(engine: "Engine | None", address: str | None, config: "Config") -> "Config":
    """The configuration with what reads and embeds, as far as the options say it."""
    if engine == "local" and address is not None:
        raise InvalidInput(
            f"--address {address!r} is for a Ray cluster: leave it out, or --engine local"
        )
    where = config.index
    if address is not None:
        where = msgspec.structs.replace(where, address=address)
    if engine is not None or address is not None:
        where = msgspec.structs.replace(where, engine=engine or "ray")
    return msgspec.structs.replace(config, index=where)


def _index_git(run: Invocation, repository: Path, *, embed: bool, wait: bool | None) -> None:
    with run.open() as memory:
        behind = embed and goes_behind(run, memory, wait)
        with progress(quiet=run.quiet) as shown:
            report = memory.index_git(repository, embed=embed and not behind, progress=shown)
        if behind:
            report, _ = left_behind(run, memory, report)
        run.show(report, lambda: _history_lines(report))


@command(
    "watch", "quipu watch", "quipu watch src docs", "quipu watch --transcripts ~/.claude/projects"
)
@_paths
@click.option(
    "--transcripts",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Follow these live transcripts (files or folders) instead; may be repeated.",
)
@_no_embed
@click.pass_context
def watch(
    ctx: click.Context, paths: tuple[Path, ...], transcripts: tuple[Path, ...], no_embed: bool
) -> None:
    """Index PATHS now and again whenever a file in them changes, until Ctrl-C.

    Transcripts that are still being written are followed: only new turns are read, and a line
    that is cut waits for its end.

    With --json it prints one document a line for each run that changed something.
    """
    run = invocation()
    if paths and transcripts:
        raise InvalidInput("PATHS and --transcripts are two watches: run one beside the other")
    with run.open() as memory:
        run.note("watching; Ctrl-C ends it")
        if transcripts:
            for job in memory.follow(transcripts, embed=not no_embed):
                _tell(run, job, lambda job=job: job_lines(job))
        else:
            for report in memory.watch(paths, embed=not no_embed):
                _tell(run, report, lambda report=report: _index_lines(report))
    ctx.exit(INTERRUPTED)


def _tell(run: Invocation, document: object, lines: Callable[[], Iterable[str]]) -> None:
    """Print one of many results: a line of JSON, or what people read."""
    if run.as_json:
        click.echo(json.dumps(msgspec.to_builtins(document, order="deterministic")))
    else:
        say(lines())


def _index_lines(report: IndexReport, *, behind: bool = False) -> Iterator[str]:
    """Counts first, then what was left out, redacted or not resolved, then the notes."""
    changes = ", ".join(
        f"{len(paths):,} {word}"
        for word, paths in (
            ("added", report.added),
            ("changed", report.changed),
            ("removed", report.removed),
            ("renamed", report.renamed),
        )
        if paths
    )
    unchanged = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    yield f"{changes or 'Nothing changed'}{unchanged}, in {report.seconds:.1f} s."
    counts = f"{counted(report.documents, 'document')}, {counted(report.chunks, 'passage')}"
    yield f"Held from here: {counts}."
    yield from _embedded(report)
    if report.unembedded:
        what_then = (
            "their vectors are made in the background now, as `quipu status` tells"
            if behind
            else "the next `quipu index` embeds them"
        )
        without = f"Without a vector yet: {counted(report.unembedded, 'passage')}"
        yield f"{without}; words and graph find them, {what_then}."
    yield from _redacted(report)
    if report.unresolved:
        yield f"Without a target here: {counted(report.unresolved, 'reference')}."
    if report.credentials:
        files = counted(len(report.credentials), "credential file")
        yield style(f"Left out {files}:", fg="yellow")
        yield from problem_lines(report.credentials, shown=_SHOWN)
        yield "  `quipu index FILE` or [index] credentials reads one all the same, redacted."
    if report.left_out:
        shown = ", ".join(f"{safe(each)} {count:,}" for each, count in report.left_out.items())
        yield f"Left out: {shown}; `!PATTERN` in .quipuignore takes one back."
    yield from _rows("left out", report.errors, fg="red")
    yield from _rows("read with a reservation", report.warnings, fg="yellow")
    yield from note_lines(report.notes)


def _history_lines(report: "HistoryReport") -> Iterator[str]:
    """The commits that came and went, the edges they assert, and what could not be read."""
    removed = f", {report.removed:,} removed" if report.removed else ""
    unchanged = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    yield (
        f"{safe(report.repository, line=True)}: {counted(report.added, 'commit')} added{removed}"
        f"{unchanged}, in {report.seconds:.1f} s."
    )
    if report.edges:
        shown = ", ".join(f"{safe(kind)} {count:,}" for kind, count in report.edges.items())
        yield f"Relations: {shown}."
    yield from _embedded(report)
    yield from _redacted(report)
    yield from problem_lines(report.errors, shown=_SHOWN)
    yield from note_lines(report.notes)


def _rows(what: str, rows: Sequence[ProblemRow], *, fg: str) -> Iterator[str]:
    if not rows:
        return
    files = "file was" if len(rows) == 1 else "files were"
    yield style(f"{len(rows):,} {files} {what}:", fg=fg)
    place = "; all are in .quipu/index_errors.json" if what == "left out" else ""
    yield from problem_lines(rows, shown=_SHOWN, place=place)


def _embedded(report: "IndexReport | HistoryReport") -> Iterator[str]:
    if report.embedded:
        yield f"Embedded {counted(report.embedded, 'passage')} in {report.embed_seconds:.1f} s."


def _redacted(report: "IndexReport | HistoryReport") -> Iterator[str]:
    if report.redacted:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(report.redacted.items()))
        yield f"Redacted {counted(sum(report.redacted.values()), 'secret')} ({safe(kinds)})."


def settings_file() -> str:
    """The text of the file; as it stands it sets nothing."""
    sections = groupby(settings(), key=lambda setting: setting.key.partition(".")[0])
    return _SETTINGS_HEAD + "".join(
        f"\n[{section}]\n" + "\n".join(_setting_lines(setting) for setting in keys) + "\n"
        for section, keys in sections
    )


def _setting_lines(setting: Setting) -> str:
    name = setting.key.partition(".")[2]
    value = "  # unset" if setting.default == "unset" else setting.default
    return "\n".join([*wrapped(setting.doc, indent="## ", limit=90), f"# {name} = {value}"])

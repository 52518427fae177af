"""How a memory is, and what looking after it did, as a person reads it."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from quipu.config import StoreConfig
from quipu.memory import Status
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_hits import note_lines

if TYPE_CHECKING:  # pragma: no cover
    from quipu.agents.dumps import DumpTaken
    from quipu.evaluate.validation import Validation
    from quipu.transfer import Migrated, Moved
    from quipu.transfer.backup import BackedUp
    from quipu.transfer.formats import GraphWritten
    from quipu.write.embed import EmbedReport
    from quipu.write.embedding_progress import EmbeddingProgress

__all__ = [
    "ago",
    "backup_lines",
    "moved_lines",
    "reindex_lines",
    "status_lines",
    "taken_lines",
    "validation_lines",
    "written_lines",
]

_SHOWN = 5
_NOUNS = {
    "entity": ("entity", "entities"),
    "name": ("distinct name", "distinct names"),
    "chunk": ("passage", "passages"),
}


def ago(seconds: float) -> str:
    """A time span in its largest fitting unit."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return counted(round(seconds), "second")


def status_lines(status: Status, *, embedding: bool) -> Iterator[str]:
    """Where, how much, how old, what lacks a vector (if `embedding` is wanted), what to do."""
    yield f"Store: {safe(status.store, line=True)}  (namespace {safe(status.namespace)})"
    yield f"Generation: {status.generation:,}"
    counts = [counted(count, *_NOUNS.get(kind, (kind,))) for kind, count in status.counts.items()]
    yield from wrapped("Holds: " + (", ".join(counts) or "nothing"))
    if status.age_s is None:
        other = status.namespace != StoreConfig().namespace
        named = f" in the namespace {safe(status.namespace, line=True)!r}" if other else ""
        option = f" --namespace {safe(shlex.quote(status.namespace), line=True)}" if other else ""
        yield f"Index: nothing was indexed yet{named}; run `quipu index .{option}`"
    else:
        old = ": old, run `quipu index .`" if status.stale else ""
        line = f"Index: last run {ago(status.age_s)} ago{old}"
        yield style(line, fg="yellow") if status.stale else line
    for space, count in status.spaces.items():
        yield f"Vectors: {count:,} in {safe(space)}"
    if status.unembedded and status.embedding:
        lacking = counted(status.unembedded, "passage")
        yield f"Without a vector: {lacking}; {_pace(status.embedding)}"
    elif status.unembedded and embedding:
        what_to_do = "`quipu index` embeds them" if status.model else "`quipu model fetch` gets one"
        line = f"Without a vector: {counted(status.unembedded, 'passage')}; {what_to_do}"
        yield style(line, fg="yellow")
    yield from note_lines(status.notes)


def _pace(embedding: "EmbeddingProgress") -> str:
    """That vectors are being made, and how long it takes yet."""
    left_s = embedding.left_s
    return "being made now" + ("" if left_s is None else f", about {ago(left_s)} left")


def reindex_lines(report: "EmbedReport") -> Iterator[str]:
    """What was embedded in which space, and which spaces are gone."""
    done = counted(report.embedded, "passage")
    if report.embedded or report.dropped:
        yield f"Embedded {done} in {safe(report.space)} in {report.seconds:.1f} s."
    else:
        yield f"Every passage has its vector in {safe(report.space)} already: nothing to do."
    for space in report.dropped:
        yield f"Dropped the vectors of {safe(space)}."


def moved_lines(moved: "Moved", done: str) -> Iterator[str]:
    """How many records of each kind went through."""
    fields = msgspec.to_builtins(moved)
    counts = fields.get("counts", fields)
    shown = [f"{count:,} {kind}" for kind, count in counts.items() if isinstance(count, int)]
    yield from wrapped(f"{done}: {', '.join(shown) or 'nothing'}.")
    for each in moved.refused:
        word = style("refused", fg="red")
        said = safe(f"line {each.line}, {each.record_id}: {each.error}", line=True)
        yield f"{word}: {said}"


def migrated_lines(done: "Migrated", to: str) -> Iterator[str]:
    """What both stores hold now, and whether they answer alike."""
    counts = msgspec.to_builtins(done)
    names = ("episodes", "chunks", "claims", "vectors", "past")
    shown = ", ".join(f"{counts[name]:,} {name}" for name in names)
    yield from wrapped(f"Both stores hold the same: {shown}; sha256 {done.sha256}.")
    yield from wrapped(
        f"{done.changes:,} changes were made in {to}, {done.kept:,} episodes were there already. "
        f"Of {done.questions} questions {done.alike} are answered alike."
    )
    for question in done.differing:
        yield f"{style('differs', fg='red')}: {safe(question, line=True)}"


def written_lines(done: "GraphWritten") -> Iterator[str]:
    """What of a graph was written, and where."""
    files = " and ".join(safe(file, line=True) for file in done.files)
    yield from wrapped(f"Wrote {done.nodes:,} nodes and {done.edges:,} edges to {files}.")


def taken_lines(taken: "DumpTaken", done: str) -> Iterator[str]:
    """What of another memory's file was taken in, and what could not be."""
    fields = msgspec.to_builtins(taken)
    shown = [f"{count:,} {kind}" for kind, count in fields.items() if isinstance(count, int)]
    yield from wrapped(f"{done}: {', '.join(shown)}.")
    for each in taken.errors:
        yield f"{style('refused', fg='red')}: {safe(each, line=True)}"


def backup_lines(done: "BackedUp", what: str) -> Iterator[str]:
    """What a backup holds, and what in it is still to be written."""
    shown = [f"{count:,} {kind}" for kind, count in done.counts.items()]
    yield from wrapped(f"{what}, {done.bytes / 1e6:,.1f} MB: {', '.join(shown)}.")
    if done.open:
        yield (
            f"Accepted and not written yet: {counted(done.open, 'job')}; the next command that "
            "writes to the restored memory does them."
        )


def validation_lines(found: "Validation") -> Iterator[str]:
    """Errors with the ids they are in, then counted warnings."""
    verdict = "The graph is valid." if found.valid else "The graph is not valid."
    checked = ", ".join(
        counted(count, *_NOUNS.get(kind, (kind,))) for kind, count in sorted(found.checked.items())
    )
    yield f"{style(verdict, fg='green' if found.valid else 'red')} Checked: {checked}."
    for word, fg, findings in (
        ("error", "red", found.errors),
        ("warning", "yellow", found.warnings),
    ):
        for each in findings:
            yield f"{style(word, fg=fg)}: {safe(each.message, line=True)} ({each.count:,} times)"
            more = " …" if each.count > _SHOWN else ""
            yield from wrapped(" ".join(each.ids[:_SHOWN]) + more, indent="  ")

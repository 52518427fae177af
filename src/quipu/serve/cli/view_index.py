"""What an indexing run did, as a person reads it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.serve.cli.layout import counted, problem_lines
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_hits import note_lines
from quipu.write.report import IndexReport, ProblemRow

if TYPE_CHECKING:
    from quipu.kinds.commits.repository import HistoryReport

__all__ = ["history_lines", "index_lines"]

_SHOWN = 5


def index_lines(report: IndexReport) -> Iterator[str]:
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
    held = f"{counted(report.documents, 'document')}, {counted(report.chunks, 'passage')}"
    yield f"Held from here: {held}."
    yield from _embedded(report)
    if report.unembedded:
        yield (
            f"Without a vector yet: {counted(report.unembedded, 'passage')}; words and graph find "
            "them, the next `quipu index` embeds them."
        )
    yield from _redacted(report)
    if report.unresolved:
        yield f"Without a target here: {counted(report.unresolved, 'reference')}."
    if report.credentials:
        files = counted(len(report.credentials), "credential file")
        yield style(f"Left out {files}:", fg="yellow")
        yield from problem_lines(report.credentials, shown=_SHOWN)
        yield "  `quipu index FILE` or [index] credentials reads one all the same, redacted."
    yield from _rows("left out", report.errors, fg="red")
    yield from _rows("read with a reservation", report.warnings, fg="yellow")
    yield from note_lines(report.notes)


def history_lines(report: "HistoryReport") -> Iterator[str]:
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

"""What an indexing run did, as a person reads it."""

from collections.abc import Iterator, Sequence

from quipu.ingest.report import IndexReport, ProblemRow
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_hits import note_lines

__all__ = ["index_lines"]

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
    counts = f"{changes or 'Nothing changed'}, {report.unchanged:,} unchanged"
    yield f"{counts}, in {report.seconds:.1f} s."
    yield f"Held from here: {report.documents:,} documents, {report.chunks:,} passages."
    if report.embedded:
        yield f"Embedded {report.embedded:,} passages in {report.embed_seconds:.1f} s."
    if report.unembedded:
        yield (
            f"{report.unembedded:,} passages have no vector yet; words and graph find them, "
            "the next `quipu index` embeds them."
        )
    if report.redacted:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(report.redacted.items()))
        yield f"Redacted {sum(report.redacted.values()):,} secrets ({safe(kinds)})."
    if report.unresolved:
        yield f"{report.unresolved:,} references have no target here."
    yield from _rows("left out", report.errors, fg="red")
    yield from _rows("read with a reservation", report.warnings, fg="yellow")
    yield from note_lines(report.notes)


def _rows(what: str, rows: Sequence[ProblemRow], *, fg: str) -> Iterator[str]:
    if not rows:
        return
    files = "file was" if len(rows) == 1 else "files were"
    yield style(f"{len(rows):,} {files} {what}:", fg=fg)
    for row in rows[:_SHOWN]:
        yield from wrapped(f"{row.path}: {row.error}", indent="  ")
    if len(rows) > _SHOWN:
        place = "; all are in .quipu/index_errors.json" if what == "left out" else ""
        yield f"  … {len(rows) - _SHOWN:,} more{place}"

"""How a memory is, and what looking after it did, as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from quipu.memory import Status
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_hits import note_lines

if TYPE_CHECKING:  # pragma: no cover
    from quipu.evaluate.validation import Validation
    from quipu.ingest.embedding import EmbedReport
    from quipu.move import Moved

__all__ = ["ago", "moved_lines", "reindex_lines", "status_lines", "validation_lines"]

_SHOWN = 20
_PLURALS = {"entity": "entities", "name": "distinct names", "chunk": "passages"}


def ago(seconds: float) -> str:
    """A time span in its largest fitting unit."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def status_lines(status: Status) -> Iterator[str]:
    """Where, how much, how old, what lacks a vector, and what to do about it."""
    yield f"Store: {safe(status.store, line=True)}  (namespace {safe(status.namespace)})"
    yield f"Generation: {status.generation:,}"
    counted = [
        f"{count:,} {_PLURALS.get(kind, kind + 's')}" for kind, count in status.counts.items()
    ]
    yield from wrapped("Holds: " + (", ".join(counted) or "nothing"))
    if status.age_s is None:
        yield "Index: nothing was indexed yet; run `quipu index .`"
    else:
        old = ": old, run `quipu index .`" if status.stale else ""
        line = f"Index: last run {ago(status.age_s)} ago{old}"
        yield style(line, fg="yellow") if status.stale else line
    for space, count in status.spaces.items():
        yield f"Vectors: {count:,} in {safe(space)}"
    if status.unembedded:
        yield style(f"Without a vector: {status.unembedded:,} passages", fg="yellow")
    yield from note_lines(status.notes)


def reindex_lines(report: "EmbedReport") -> Iterator[str]:
    """What was embedded in which space, and which spaces are gone."""
    yield (
        f"Embedded {report.embedded:,} passages in {safe(report.space)} in {report.seconds:.1f} s."
    )
    for space in report.dropped:
        yield f"Dropped the vectors of {safe(space)}."


def moved_lines(moved: "Moved", done: str) -> Iterator[str]:
    """How many records of each kind went through."""
    fields = msgspec.to_builtins(moved)
    counts = fields.get("counts", fields)
    shown = [f"{count:,} {kind}" for kind, count in counts.items() if isinstance(count, int)]
    yield from wrapped(f"{done}: {', '.join(shown) or 'nothing'}.")


def validation_lines(found: "Validation") -> Iterator[str]:
    """Errors with the ids they are in, then counted warnings."""
    errors, warnings = found.errors, found.warnings
    verdict = "The graph is valid." if not errors else "The graph is not valid."
    yield style(verdict, fg="green" if not errors else "red")
    for each in errors[:_SHOWN]:
        yield from wrapped(f"error: {_words(each)}", indent="  ")
    if len(errors) > _SHOWN:
        yield f"  … {len(errors) - _SHOWN:,} more: --json has them all"
    for each in warnings[:_SHOWN]:
        yield from wrapped(f"warning: {_words(each)}", indent="  ")


def _words(issue: object) -> str:
    fields = msgspec.to_builtins(issue)
    if not isinstance(fields, dict):
        return str(fields)
    return "; ".join(f"{key} {value}" for key, value in fields.items() if value not in ("", []))

"""How a memory is, and what looking after it did, as a person reads it."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.config import StoreConfig
from quipu.memory import Status
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.text import text_lines
from quipu.serve.cli.view_hits import note_lines
from quipu.store.addresses import shown

if TYPE_CHECKING:  # pragma: no cover
    from quipu.evaluate.validation import Validation
    from quipu.serve.cli.rendered import Given
    from quipu.transfer import Migrated, Moved
    from quipu.write.embedding_progress import EmbeddingProgress

__all__ = ["ago", "migrated_lines", "moved_lines", "status_lines", "validation_lines"]

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


def moved_lines(done: "Moved", given: "Given") -> Iterator[str]:
    """The file, and what went through it."""
    path = given.arguments.get("path") or given.arguments["source"][-1]
    yield f"file: {safe(str(path), line=True)}"
    yield from text_lines(done)


def migrated_lines(done: "Migrated", given: "Given") -> Iterator[str]:
    """From where to where, and what went."""
    words = given.arguments
    yield safe(f"{shown(words['source'])} → {shown(words['target'])}", line=True)
    yield from text_lines(done)


def status_lines(status: Status, given: "Given") -> Iterator[str]:
    """Where, how much, how old, what lacks a vector (where one is wanted), what to do."""
    embedding = given.memory.config.embed.model != "none"
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

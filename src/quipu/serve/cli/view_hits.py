"""Answers and search results as a person reads them, made safe for a terminal."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from quipu.kinds.reports.model import REPORT
from quipu.records.reply import Hit, PathStep, TemporalContext, WhyRanked
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import cut, snippet, width, wrapped
from quipu.serve.cli.terminal import colours, safe, style
from quipu.serve.results import KEPT

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.rendered import Given
    from quipu.serve.shapes import FoundPassages, Replied

__all__ = ["answer_lines", "note_lines", "search_lines"]

_INDENT = "    "
_REPORT_LINES = 12
_PARTS = ("similarity", "lexical", "name", "bridge", "graph_proximity", "recency", "salience")
_REL_ID = re.compile(r" ?\((re_[0-9a-f]+)\)")


def answer_lines(reply: "Replied") -> Iterator[str]:
    """The answer with its evidence and limits; then what should be known."""
    from quipu.answer.render import render

    said: Any = reply  # the keys of a reply that are shown
    yield render(said, colour=colours(), width=width())
    yield ""
    yield from note_lines(reply.notes)


def search_lines(retrieved: "FoundPassages", given: "Given") -> Iterator[str]:
    """The hits with place, score, reason and a bounded snippet; then what should be known."""
    labels, explain = Labels(given.memory), given.arguments["explain"]
    labels.read(each for hit in retrieved.hits for each in _named(hit))
    if retrieved.hits and max(hit.score for hit in retrieved.hits) < KEPT:
        yield from wrapped("Nothing that is remembered is likely to be meant. The nearest:")
        yield ""
    for rank, hit in enumerate(retrieved.hits, 1):
        yield from _hit_lines(rank, hit, retrieved.question, labels, explain=explain)
        yield ""
    if not retrieved.hits:
        yield "Nothing was found."
        yield from wrapped("Say it in other words, or look at `quipu status` for what is stored.")
    yield from note_lines(retrieved.notes)


def note_lines(notes: tuple[str, ...]) -> Iterator[str]:
    """What should be known about a result, each note once."""
    for note in dict.fromkeys(notes):
        yield from (style(line, dim=True) for line in wrapped(f"note: {note}"))


def _hit_lines(
    rank: int, hit: Hit, question: str, labels: Labels, *, explain: bool
) -> Iterator[str]:
    place = style(hit.source_ref.replace("\n", "\\n"), fg="cyan", bold=True)
    title = cut(safe(hit.title.removeprefix(hit.path).lstrip(" ›"), line=True), 60)
    yield f"{rank:>2}  {style(f'{hit.score:.2f}', bold=True)}  {place}" + (
        f"  {style(title, dim=True)}" if title else ""
    )
    for line in why_lines(hit.why_ranked, labels, explain=explain):
        yield style(f"{_INDENT}{line}", dim=True)
    if hit.changed:
        yield style(f"{_INDENT}{hit.changed}", fg="yellow")
    if hit.source_type == REPORT:
        yield from _report_lines(hit.text)
        return
    if hit.temporal_context is not None:
        yield style(f"{_INDENT}{_validity(hit.temporal_context)}", dim=True)
    yield from snippet(hit.text, question, is_code=hit.why_ranked.profile == "code", indent=_INDENT)


def _report_lines(text: str) -> Iterator[str]:
    """The first lines of a report, without its title."""
    rows = [row for row in text.split("\n")[1:] if row]
    for row in rows[:_REPORT_LINES]:
        yield from wrapped(safe(row, line=True), indent=_INDENT)
    if len(rows) > _REPORT_LINES:
        yield style(f"{_INDENT}… {len(rows) - _REPORT_LINES} more lines", dim=True)


def why_lines(why: WhyRanked, labels: Labels, *, explain: bool) -> Iterator[str]:
    """The named parts of a score, the way that led to it and, to `explain`, its features."""
    shown = [
        f"{name.replace('_', ' ')} {value:.2f}"
        for name, value in sorted(why.parts.items(), key=_place)
        if value
    ]
    if shown:
        yield " · ".join(shown)
    if why.path:
        yield "by way of " + _path(why.path, labels)
    if explain and why.features:
        yield f"{why.profile}: " + " · ".join(
            f"{name} {value:.4g}" for name, value in sorted(why.features.items())
        )


def _path(path: tuple[PathStep, ...], labels: Labels) -> str:
    words = safe(labels[path[0].source_id], line=True)
    for step in path:
        named = _REL_ID.search(step.via)
        via = _REL_ID.sub("", step.via)
        arrow = labels.arrow(via, named.group(1) if named else "", step.source_id)
        words += f" {safe(arrow, line=True)} {safe(labels[step.target_id], line=True)}"
    return words


def _place(part: tuple[str, float]) -> tuple[int, str]:
    name = part[0]
    return (_PARTS.index(name) if name in _PARTS else len(_PARTS), name)


def _validity(context: TemporalContext) -> str:
    since, until = context.valid_from or "…", context.valid_to or "…"
    superseded = f", superseded by {context.superseded_by}" if context.superseded_by else ""
    return safe(f"true from {since} to {until}{superseded}", line=True)


def _named(hit: Hit) -> Iterator[str]:
    for step in hit.why_ranked.path:
        yield step.source_id
        yield step.target_id
        yield from _REL_ID.findall(step.via)

"""Answers, search results and histories as a person reads them, made safe for a terminal."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from quipu.facts.history import History
from quipu.kinds.reports.model import REPORT, report_text
from quipu.kinds.reports.reflect import Reflected
from quipu.records.reply import Hit
from quipu.serve.cli.terminal import colours, safe, snippet, style, width, wrapped
from quipu.serve.cli.text import Given, labels_of, note_lines, page_lines, template_lines
from quipu.serve.shapes import KEPT
from quipu.text import excerpt

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.operations.asking import FoundPassages, Replied
    from quipu.serve.operations.facts import Audited

__all__ = ["answer_lines", "audit_lines", "history_lines", "reflected_lines", "search_lines"]

_INDENT = "    "


def answer_lines(reply: "Replied", _given: Given) -> Iterator[str]:
    """Return the answer with its evidence and limits; then what should be known."""
    from quipu.answer.render import render

    said: Any = reply  # the keys of a reply that are shown
    yield render(said, colour=colours(), width=width())
    yield ""
    yield from note_lines(reply.notes)


def history_lines(found: History, _given: Given) -> Iterator[str]:
    """Return a statement a block: when and what, then by whom, then its standing."""
    from quipu.agents.audits import timeline

    if not found.entries:
        yield f"Nothing was said of {safe(found.subject, line=True)!r}."
    yield from page_lines(timeline(found.entries))


def audit_lines(found: "Audited", given: Given) -> Iterator[str]:
    """Return the audit of a subject, or of the whole memory."""
    yield from template_lines(found.audit or found.overview, given)


def reflected_lines(done: Reflected, given: Given) -> Iterator[str]:
    """Return what was made; the reports themselves where they were asked for."""
    if given.arguments["show"]:
        for report in done.reports:
            yield from (safe(line) for line in [*report_text(report).split("\n"), ""])
    else:
        yield from template_lines(done, given)


def search_lines(found: "FoundPassages", given: Given) -> Iterator[str]:
    """Return the hits with place, score, reason and a bounded snippet."""
    ways = [step for hit in found.hits for step in hit.why_ranked.path]
    ends = {end for step in ways for end in (step.source_id, step.target_id)}
    labels, explain = labels_of(given.memory, ends), given.arguments["explain"]
    if found.hits and max(hit.score for hit in found.hits) < KEPT:
        yield from wrapped("Nothing that is remembered is likely to be meant. The nearest:")
        yield ""
    for rank, hit in enumerate(found.hits, 1):
        place = style(hit.source_ref.replace("\n", "\\n"), fg="cyan", bold=True)
        title = excerpt(safe(hit.title.removeprefix(hit.path).lstrip(" ›"), line=True), limit=60)
        first = f"{rank:>2}  {style(f'{hit.score:.2f}', bold=True)}  {place}"
        yield f"{first}  {style(title, dim=True)}" if title else first
        for line in _why(hit, labels, explain=explain):
            yield style(f"{_INDENT}{line}", dim=True)
        text = hit.text.partition("\n")[2] if hit.source_type == REPORT else hit.text
        yield from snippet(text, found.question, indent=_INDENT)
        yield ""
    if not found.hits:
        yield "Nothing was found."
        yield from wrapped("Say it in other words, or look at `quipu status` for what is stored.")
    yield from note_lines(found.notes)


def _why(hit: Hit, labels: Mapping[str, str], *, explain: bool) -> Iterator[str]:
    """The named parts of a score, the way that led to it and, to `explain`, its features."""
    why = hit.why_ranked
    if parts := [f"{n.replace('_', ' ')} {value:.2f}" for n, value in why.parts.items() if value]:
        yield " · ".join(parts)
    if why.path:
        way = [labels[why.path[0].source_id]]
        way += [f"· {step.via.partition(' (')[0]} · {labels[step.target_id]}" for step in why.path]
        yield safe(f"by way of {' '.join(way)}", line=True)
    if explain and why.features:
        features = sorted(why.features.items())
        yield f"{why.profile}: " + " · ".join(f"{name} {value:.4g}" for name, value in features)
    if hit.changed:
        yield hit.changed
    if context := hit.temporal_context:
        until = f"{context.valid_from or '…'} to {context.valid_to or '…'}"
        later = f", superseded by {context.superseded_by}" if context.superseded_by else ""
        yield safe(f"true from {until}{later}", line=True)

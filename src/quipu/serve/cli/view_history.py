"""A timeline as a person reads it."""

from collections.abc import Iterator

from quipu.answer.told import said
from quipu.domain.instants import UNKNOWN_TIME
from quipu.facts import Entry, History
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style

__all__ = ["history_lines"]


def history_lines(found: History) -> Iterator[str]:
    """A statement a block: when, what; then who and since when it is known; then its standing."""
    names = {entry.fact.fact_id: said(entry.fact) for entry in found.entries}
    for entry in found.entries:
        when = f"{entry.valid_from or '…'} → {entry.valid_to or '…'}"
        words = f"{entry.fact.subject} — {entry.fact.predicate} — {entry.fact.object}"
        mark = "  (no longer asserted)" if entry.known_until else ""
        yield f"{style(safe(when), bold=True)}  {safe(words, line=True)}{mark}"
        yield from wrapped(_source(entry), indent="    ")
        if entry.superseded_by:
            later = names.get(entry.superseded_by, entry.superseded_by)
            yield from wrapped(f"superseded by: {later}", indent="    ")
        for other in entry.contradicted_by:
            yield from wrapped(f"contradicted by: {names.get(other, other)}", indent="    ")
    if not found.entries:
        yield f"Nothing was said of {safe(found.subject, line=True)!r}."


def _source(entry: Entry) -> str:
    who = f"{entry.speaker}, " if entry.speaker else ""
    on = "" if entry.observed_at == UNKNOWN_TIME else f" on {entry.observed_at[:10]}"
    until = f" until {entry.known_until[:10]}" if entry.known_until else ""
    quoted = f": “{entry.said}”" if entry.said else ""
    return f"{who}{entry.source_ref}{on}, known since {entry.recorded_at[:10]}{until}{quoted}"

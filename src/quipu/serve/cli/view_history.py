"""A timeline as a person reads it."""

from collections.abc import Iterator

from quipu.agents.audits import Audit, Link, Overview
from quipu.answer.dated_facts import said
from quipu.facts import Entry, History
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["audit_lines", "history_lines", "overview_lines"]


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


def audit_lines(found: Audit) -> Iterator[str]:
    """The text of the audit, its headings marked."""
    for line in found.text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if not line:
            yield ""
        elif not indent:
            yield style(safe(line, line=True), bold=True)
        else:
            yield from wrapped(line.strip(), indent=indent)


def overview_lines(found: Overview) -> Iterator[str]:
    """What stands in the memory as a whole, and what to do about it."""
    yield f"{counted(found.facts, 'statement')}, {found.superseded} superseded"
    if found.contradiction_count:
        yield f"{counted(found.contradiction_count, 'pair')} disagree:"
        for link in found.contradictions:
            yield from wrapped(_pair(link), indent="  ")
    if found.expired:
        yield "expired: " + safe(", ".join(found.expired), line=True)
    for share in found.breakdown:
        kept = f"{counted(share.passages, 'passage')}, about {share.token_count} tokens"
        yield f"{safe(share.source, line=True)}: {kept} ({share.percentage:g} %)"
    for advice in found.recommendations:
        yield from wrapped(f"to do: {advice}", indent="")


def _pair(link: Link) -> str:
    return f"{link.earlier} / {link.later}"


def _source(entry: Entry) -> str:
    who = f"{entry.speaker}, " if entry.speaker else ""
    on = "" if entry.observed_at == UNKNOWN_TIME else f" on {entry.observed_at[:10]}"
    until = f" until {entry.known_until[:10]}" if entry.known_until else ""
    quoted = f": “{entry.said}”" if entry.said else ""
    return f"{who}{entry.source_ref}{on}, known since {entry.recorded_at[:10]}{until}{quoted}"

"""Dated statements, histories, audits and briefs as a person reads them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.agents.audits import Audit
from quipu.agents.brief import Brief
from quipu.answer.dated_facts import is_by_grammar, said, undated
from quipu.facts.history import History, HistoryEntry
from quipu.records.record import Fact
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.when.instants import UNKNOWN_TIME

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.rendered import Given
    from quipu.serve.shapes import FactList

__all__ = ["audit_lines", "brief_lines", "fact_lines", "history_lines", "list_lines"]


def list_lines(found: "FactList", given: "Given") -> Iterator[str]:
    """A statement a line."""
    return fact_lines(found.facts, Labels(given.memory))


def fact_lines(facts: Sequence[Fact], labels: Labels) -> Iterator[str]:
    """A statement a line, with when it is true, how sure it is and what took its place."""
    labels.read(end for fact in facts for end in (fact.subject, fact.object))
    later = {fact.supersedes_fact_id: fact for fact in facts if fact.supersedes_fact_id}
    for fact in facts:
        instead = later.get(fact.fact_id)
        end = fact.valid_to or (instead.valid_from if instead else None)
        plain = f"{labels[fact.subject]} {fact.predicate} {labels[fact.object]}"
        words = safe(undated(fact) if is_by_grammar(fact) else plain, line=True)
        detail = f"{fact.valid_from or '…'} to {end or '…'}  {fact.confidence:.2f}  {fact.fact_id}"
        replaced = f"  replaced by {instead.fact_id}" if instead else ""
        yield f"{words}  {style(detail + replaced, dim=True)}"
    if not facts:
        yield "No statements."


def brief_lines(found: Brief) -> Iterator[str]:
    for section in found.sections:
        yield style(section.title, bold=True)
        for line in section.lines:
            since = f"  ({line.since})" if line.since else ""
            yield from wrapped(f"{line.text}{since}", indent="  ")
    if not found.sections:
        yield "Nothing is known that always holds: tell it with `quipu add` or an agent's sessions."
    if found.left_out:
        yield f"{counted(found.left_out, 'line')} more: give more --tokens."


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


def _source(entry: HistoryEntry) -> str:
    who = f"{entry.speaker}, " if entry.speaker else ""
    on = "" if entry.observed_at == UNKNOWN_TIME else f" on {entry.observed_at[:10]}"
    until = f" until {entry.known_until[:10]}" if entry.known_until else ""
    quoted = f": “{entry.said}”" if entry.said else ""
    return f"{who}{entry.source_ref}{on}, known since {entry.recorded_at[:10]}{until}{quoted}"

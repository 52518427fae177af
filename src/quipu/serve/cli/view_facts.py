"""Dated statements, histories, audits and briefs as a person reads them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.agents.audits import Audit, timeline
from quipu.agents.brief import Brief
from quipu.answer.dated_facts import is_by_grammar, undated
from quipu.facts.history import History
from quipu.records.record import Fact
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style

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
    if not found.entries:
        yield f"Nothing was said of {safe(found.subject, line=True)!r}."
    yield from _page(timeline(found.entries))


def audit_lines(found: Audit) -> Iterator[str]:
    """The text of the audit, its headings marked."""
    yield from _page(found.text.splitlines())


def _page(lines: Iterable[str]) -> Iterator[str]:
    """Lines as wide as the terminal, those that are not indented as headings."""
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        if not line:
            yield ""
        elif not indent:
            yield style(safe(line, line=True), bold=True)
        else:
            yield from wrapped(line.strip(), indent=indent)

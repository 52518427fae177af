"""`history` and `audit`: who said what of a subject, when it was true, when it was known."""

from collections.abc import Iterator

import click

from quipu.agents.audits import Audit, FactPair, Overview
from quipu.agents.brief import BRIEF_TOKENS, Brief
from quipu.answer.dated_facts import said
from quipu.facts import History, HistoryEntry
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import DATE, note_unknown, whom
from quipu.serve.cli.terminal import safe, style
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["audit", "brief", "history"]


@command(
    "history",
    "quipu history 'payment service'",
    "quipu history 'Eva Gray' --as-of 2012-06",
    "quipu history 'Eva Gray' --known-at 2026-01-31",
)
@click.argument("subject", type=whom)
@click.option("--as-of", type=DATE, help="Only what was true on this date.")
@click.option("--known-at", type=DATE, help="Only what was known then, as it stood then.")
def history(subject: str, as_of: str | None, known_at: str | None) -> None:
    """Print all that was ever said of SUBJECT, in the order of what happened.

    Each line says when it is true, what was said, by whom, when it was known, and what took its
    place or disagrees.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.history(subject, as_of=as_of, known_at=known_at)
        run.show(found, lambda: _history_lines(found))
        if not found.entries:
            note_unknown(run, memory, subject)


@command(
    "audit",
    "quipu audit 'ledger service'",
    "quipu audit 'ledger service' --as-of 2025-12-24",
    "quipu audit 'ledger service' --as-of 2025-06 --known-at 2025-08-01",
    "quipu audit",
)
@click.argument("subject", type=whom, required=False)
@click.option("--as-of", type=DATE, help="What held on this date (default: today).")
@click.option("--known-at", type=DATE, help="Judged by what was known then.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many entries of the timeline, or pairs that disagree.",
)
def audit(subject: str | None, as_of: str | None, known_at: str | None, limit: int) -> None:
    """Print what held of SUBJECT on a date, what disagrees, and who said what when.

    One query and one page: the state, the contradictions with both sides, and the timeline with
    what took whose place. Without SUBJECT: what is superseded, disputed and expired in the whole
    memory, what it costs, and what to do about it.
    """
    from quipu.agents.audits import audit, overview

    if subject is None and (as_of or known_at):
        raise click.UsageError("--as-of and --known-at need a SUBJECT: name whose state is asked")
    run = invocation()
    with run.open(read_only=True) as memory:
        if subject is None:
            whole = overview(memory, limit=limit)
            run.show(whole, lambda: _overview_lines(whole))
        else:
            found = audit(memory, subject, as_of=as_of, known_at=known_at, limit=limit)
            run.show(found, lambda: _audit_lines(found))
            if not found.entries:
                note_unknown(run, memory, subject)


@command("brief", "quipu brief", "quipu brief Dana", "quipu brief --tokens 200 --json")
@click.argument("about", type=whom, required=False)
@click.option(
    "--tokens",
    type=click.IntRange(min=20),
    default=BRIEF_TOKENS,
    show_default=True,
    help="How long it may be, in tokens of about 4 characters.",
)
def brief(about: str | None, tokens: int) -> None:
    """Print what an agent should know whatever it is asked.

    Standing instructions, preferences, who the user (or ABOUT) is, and open work: what holds now,
    newest first. Put it before an agent's first turn.
    """
    from quipu.agents.brief import brief as briefed
    from quipu.agents.entries import Entries
    from quipu.agents.prompt_index import live_entries

    run = invocation()
    with run.open(read_only=True) as memory:
        entries = live_entries(memory, Entries(memory))
        found = briefed(memory, entries, about=about or "user", budget_tokens=tokens)
        run.show(found, lambda: _brief_lines(found))
        if about is not None and not memory.facts(about):
            note_unknown(run, memory, about)


def _brief_lines(found: Brief) -> Iterator[str]:
    for section in found.sections:
        yield style(section.title, bold=True)
        for line in section.lines:
            since = f"  ({line.since})" if line.since else ""
            yield from wrapped(f"{line.text}{since}", indent="  ")
    if not found.sections:
        yield "Nothing is known that always holds: tell it with `quipu add` or an agent's sessions."
    if found.left_out:
        yield f"{counted(found.left_out, 'line')} more: give more --tokens."


def _history_lines(found: History) -> Iterator[str]:
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


def _audit_lines(found: Audit) -> Iterator[str]:
    """The text of the audit, its headings marked."""
    for line in found.text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if not line:
            yield ""
        elif not indent:
            yield style(safe(line, line=True), bold=True)
        else:
            yield from wrapped(line.strip(), indent=indent)


def _overview_lines(found: Overview) -> Iterator[str]:
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


def _pair(link: FactPair) -> str:
    return f"{link.earlier} / {link.later}"


def _source(entry: HistoryEntry) -> str:
    who = f"{entry.speaker}, " if entry.speaker else ""
    on = "" if entry.observed_at == UNKNOWN_TIME else f" on {entry.observed_at[:10]}"
    until = f" until {entry.known_until[:10]}" if entry.known_until else ""
    quoted = f": “{entry.said}”" if entry.said else ""
    return f"{who}{entry.source_ref}{on}, known since {entry.recorded_at[:10]}{until}{quoted}"

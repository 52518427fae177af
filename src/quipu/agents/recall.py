"""Recall within a budget: the entries for a question, or plain passages when there is none."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from quipu.agents.budget import cut, tokens, within
from quipu.agents.entries import PRIORITIES, Entries, Entry, Priority, entry_scope, said_on
from quipu.agents.packs import prompt_sources
from quipu.errors import InvalidInput
from quipu.handle.dates import read_window
from quipu.handle.expiry import is_expired
from quipu.limits import SHOWN_LINE
from quipu.memory.facts import STATEMENT
from quipu.records.refs import Category
from quipu.records.reply import Hit, TemporalContext, WhyRanked
from quipu.records.scope import Scope

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Detail", "Recall", "RecalledEntry", "recall"]

Detail: TypeAlias = Literal["brief", "detailed"]

_CONSIDERED = 50
_OVERHEAD_TOKENS = 13
"""What the fields of an entry beside its text cost."""


class RecalledEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry that was recalled, its content cut as the format asks."""

    id: Annotated[str, "what names it"]
    category: Annotated[Category, "its category"]
    content: Annotated[str, "what is remembered"]
    priority: Annotated[Priority, "how much it matters"]
    score: Annotated[float, "how likely it is relevant, in [0, 1]"]
    stored_at: Annotated[str, "when it was stored"] = msgspec.field(name="storedAt")
    observed_at: Annotated[str, "when it was said last"] = msgspec.field(name="observedAt")
    note: Annotated[str, "that day, until when it held and what took its place"]
    tags: Annotated[tuple[str, ...], "its tags"]
    context: Annotated[str | UnsetType, "why it was stored"] = UNSET
    expires: Annotated[str | None, "void after this date"]
    related_to: Annotated[tuple[str, ...], "related entries"]
    source_ref: Annotated[str, "what a person opens"]
    why_ranked: Annotated[WhyRanked, "the parts of the score"]
    temporal_context: Annotated[TemporalContext | None, "when it is true, if facts took part"]
    token_cost: Annotated[int, "about how many tokens it has"] = msgspec.field(name="tokenCost")


class Recall(msgspec.Struct, frozen=True, kw_only=True):
    """What was recalled: `matched` counts the entries before the budget cut, `fallback` holds
    the passages found instead when no entry matches."""

    entries: tuple[RecalledEntry, ...]
    token_count: int
    budget_remaining: int
    matched: int
    fallback: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()


def recall(
    memory: "Memory",
    entries: Entries,
    query: str,
    *,
    categories: Sequence[Category] = (),
    priority_min: Priority = "low",
    token_budget: int = 3000,
    include_context: bool = False,
    detail: Detail = "brief",
    time_window: str = "",
    fallback_limit: int = 6,
) -> Recall:
    """The entries for `query`, best first and what was replaced last, within `token_budget` (an
    estimate, 4 characters a token). At least one comes back if any matches. Expired entries are
    left out."""
    if token_budget < 1:
        raise InvalidInput(f"token_budget {token_budget!r} allows nothing: give 1 or more")
    window = read_window(time_window, memory.clock) if time_window else None
    scope = entry_scope(
        categories,
        after=window.after if window else None,
        before=window.before if window else None,
    )
    # Statements are searched as well: what is stated tells which entries hold no more.
    among = msgspec.structs.replace(scope, document_types=scope.document_types | {STATEMENT})
    found = memory.search(query, limit=_CONSIDERED, scope=among)
    hits = list(found.hits)
    if len(hits) == _CONSIDERED:  # what is stated may leave entries no place
        known = {hit.id for hit in hits}
        more = memory.search(query, limit=_CONSIDERED, scope=scope).hits
        hits += (hit for hit in more if hit.id not in known)
    least = PRIORITIES.index(priority_min)
    now = memory.clock()
    by_document = entries.of_documents([hit.document_id for hit in hits])
    matched = [
        (entry, hit)
        for hit in hits
        if (entry := by_document.get(hit.document_id))
        and PRIORITIES.index(entry.priority) <= least
        and not is_expired(entry.expires, now)
    ]
    matched.sort(key=lambda pair: _is_over(pair[1]))
    notes = [source.note for source in prompt_sources(memory, [hit for _, hit in matched])]
    recalled = (
        _recalled(entry, hit, note, detail, include_context=include_context)
        for (entry, hit), note in zip(matched, notes, strict=True)
    )
    chosen, _ = within(recalled, token_budget, lambda entry, _: entry.token_cost, first_always=True)
    spent = sum(entry.token_cost for entry in chosen)
    instead: tuple[Hit, ...] = ()
    if not chosen:
        within_window = Scope(after=scope.after, before=scope.before)
        instead = memory.search(query, limit=fallback_limit, scope=within_window).hits
    return Recall(
        entries=tuple(chosen),
        token_count=spent,
        budget_remaining=max(token_budget - spent, 0),
        matched=len(matched),
        fallback=instead,
        notes=tuple(dict.fromkeys((*found.plan.notes, *found.notes))),
    )


def _is_over(hit: Hit) -> bool:
    return hit.temporal_context is not None and bool(hit.temporal_context.superseded_by)


def _recalled(
    entry: Entry, hit: Hit, note: str, detail: Detail, *, include_context: bool
) -> RecalledEntry:
    """The entry as it is given, and what it costs."""
    content = cut(entry.content, SHOWN_LINE) if detail == "brief" else entry.content
    context = entry.context if include_context else ""
    return RecalledEntry(
        id=entry.id,
        category=entry.category,
        content=content,
        priority=entry.priority,
        score=hit.score,
        stored_at=entry.stored_at,
        observed_at=said_on(entry) or entry.stored_at,
        note=note,
        tags=entry.tags,
        context=context if include_context else UNSET,
        expires=entry.expires,
        related_to=entry.related_to,
        source_ref=entry.id,
        why_ranked=hit.why_ranked,
        temporal_context=hit.temporal_context,
        token_cost=tokens(content + context) + _OVERHEAD_TOKENS,
    )

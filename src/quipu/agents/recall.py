"""Recall within a budget: the entries for a question, or plain passages when there is none."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from quipu.agents.budget import cut, tokens
from quipu.agents.entries import PRIORITIES, Entries, Entry, Priority, entry_scope, is_expired
from quipu.agents.window import read_window
from quipu.errors import InvalidInput
from quipu.records.entry import Category
from quipu.records.reply import Hit, TemporalContext, WhyRanked
from quipu.records.scope import Scope

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Detail", "Recall", "Recalled", "recall"]

Detail: TypeAlias = Literal["brief", "detailed"]

_CONSIDERED = 50
_BRIEF = 200
_OVERHEAD = 50


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of an answer, its content cut as the format asks, and why it stands there."""

    entry: Entry
    content: str
    score: float
    why_ranked: WhyRanked
    temporal_context: TemporalContext | None
    token_cost: int


class Recall(msgspec.Struct, frozen=True, kw_only=True):
    """What was recalled: `matched` counts the entries before the budget cut, `fallback` holds
    the passages found instead when no entry matches."""

    recalled: tuple[Recalled, ...]
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
    """The entries for `query`, best first, within `token_budget` (an estimate, 4 characters a
    token). At least one comes back if any matches. Expired entries are left out."""
    if token_budget < 1:
        raise InvalidInput(f"token_budget {token_budget!r} allows nothing: give 1 or more")
    window = read_window(time_window, memory.clock) if time_window else None
    scope = entry_scope(
        categories,
        after=window.after if window else None,
        before=window.before if window else None,
    )
    found = memory.search(query, limit=_CONSIDERED, scope=scope)
    least = PRIORITIES.index(priority_min)
    now = memory.clock()
    held = entries.of_documents([hit.document_id for hit in found.hits])
    matched = [
        (entry, hit)
        for hit in found.hits
        if (entry := held.get(hit.document_id))
        and PRIORITIES.index(entry.priority) <= least
        and not is_expired(entry.expires, now)
    ]
    chosen = _within(matched, token_budget, detail=detail, include_context=include_context)
    spent = sum(each.token_cost for each in chosen)
    instead: tuple[Hit, ...] = ()
    if not chosen:
        within = Scope(after=scope.after, before=scope.before)
        instead = memory.search(query, limit=fallback_limit, scope=within).hits
    return Recall(
        recalled=tuple(chosen),
        token_count=spent,
        budget_remaining=max(token_budget - spent, 0),
        matched=len(matched),
        fallback=instead,
        notes=tuple(dict.fromkeys((*found.plan.notes, *found.notes))),
    )


def _within(
    matched: Sequence[tuple[Entry, Hit]], budget: int, *, detail: Detail, include_context: bool
) -> list[Recalled]:
    """The first of the entries that fit the budget; the very first always does."""
    chosen: list[Recalled] = []
    spent = 0
    for entry, hit in matched:
        content = cut(entry.content, _BRIEF) if detail == "brief" else entry.content
        context = entry.context if include_context else ""
        cost = tokens(content + context + "." * _OVERHEAD)
        if chosen and spent + cost > budget:
            break
        spent += cost
        chosen.append(
            Recalled(
                entry=entry,
                content=content,
                score=hit.score,
                why_ranked=hit.why_ranked,
                temporal_context=hit.temporal_context,
                token_cost=cost,
            )
        )
    return chosen

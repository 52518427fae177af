"""A question → the dated facts that answer it, each with how it stands and who says so."""

import re

import msgspec

from quipu.facts.attributes import SHIPPED, Attributes
from quipu.facts.candidates import (
    FEW_PASSAGES,
    PASSAGES,
    content_stems,
    find_candidates,
    inverse_frequencies,
    with_rivals,
)
from quipu.facts.chains import FactStanding, now_as_date, was_said_after
from quipu.facts.fit import asks_which, is_asked_for, is_sure
from quipu.facts.match import FactMatch, Matcher, words_of
from quipu.ports import Embedder, Planner
from quipu.question import Question, read_question
from quipu.records.record import Episode
from quipu.records.scope import EVERYTHING, Scope
from quipu.when import QuestionTime
from quipu.when.instants import parse_instant
from quipu.when.intervals import Interval

__all__ = ["FactsFound", "disagreeing", "find_facts", "in_turn"]

_WHOLE, _NAMED = 0.95, 0.6
"""Least coverage of a question by a fact that answers it: without any name, and with one."""
_DAY = len("2026-01-01")
_PRESENTLY = re.compile(
    r"(?i)\b(?:still|currently|nowadays|right now|at the moment|these days|at present|presently|"
    r"any ?more|any longer|latest|at last|so far|actually|really|exactly)\b"
)
"""What says that the present is asked about, and is no part of what is asked."""


class FactsFound(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that answer, best first, and the time the question was read to name: first the
    best one that tells what is asked for.

    `known` says whether the first of them covers the question and holds at the asked time: if
    not, nothing here knows the answer.
    """

    kind: str
    asked: Interval | None
    anchor: str
    matches: tuple[FactMatch, ...]
    known: bool


def find_facts(
    question: Question,
    planner: Planner,
    embedder: Embedder | None,
    *,
    now: str,
    scope: Scope = EVERYTHING,
    table: Attributes = SHIPPED,
    limit: int = 10,
) -> FactsFound:
    """The facts for `question`; its date is read from its text, "last spring" seen from `now`.

    A question without a time asks for what holds now, one for what was "before" for what that took
    the place of. The same store, question and `now` give the same bytes.
    """
    now = parse_instant(now)
    time = question.time(now)
    base = read_question(time.base)
    stems = content_stems(_PRESENTLY.sub(" ", time.base))
    reached = tuple(dict.fromkeys((*stems, *content_stems(time.anchor))))
    matches: list[FactMatch] = []
    if reached:
        # Without a time only a fact that says nearly every word counts: it is among the first.
        reach = FEW_PASSAGES if time.kind == "none" else PASSAGES
        text = f"{time.base} {time.anchor}".strip()
        candidates = find_candidates(reached, text, planner, embedder, scope=scope, reach=reach)
        candidates = with_rivals(candidates, reached, planner, scope=scope, table=table)
        matcher = Matcher(candidates, inverse_frequencies(reached, planner), table)
        matches = _matches(matcher, time, stems, now)
    answer = next((match for match in matches if _answers(match, time, base, table)), None)
    if answer is not None:
        matches = [answer, *(match for match in matches if match is not answer)]
    return FactsFound(
        kind=time.kind,
        asked=time.interval,
        anchor=time.anchor,
        matches=_with_sources(matches[:limit], planner),
        known=answer is not None,
    )


def _matches(
    matcher: Matcher, time: QuestionTime, stems: tuple[str, ...], now: str
) -> list[FactMatch]:
    found: list[FactMatch] = []
    if time.kind in ("before", "after"):
        found = matcher.next_to(time.anchor, stems, after=time.kind == "after")
    elif time.kind == "previous":
        found = matcher.before_now(stems)
    if found:
        return found
    today = now_as_date(now)
    asked = today if time.interval is None and time.kind == "none" else time.interval
    return matcher.valid_then(asked, stems, now=now if asked == today else None)


def _answers(match: FactMatch, time: QuestionTime, base: Question, table: Attributes) -> bool:
    """Whether a match says what is asked: something of the asked kind, every name of the question,
    and at the asked time.

    Without a name, nearly every word; a question without a time needs that as well, for it may
    ask about anything. What was before something that no fact tells of is not what is now.
    """
    fact, parts = match.standing.fact, match.parts
    if not is_sure(fact) or not is_asked_for(base, fact):
        return False
    if parts.get("successor"):  # the names were those of the fact whose place it took
        return parts["coverage"] >= _WHOLE and parts["valid"] > 0
    words = words_of(fact, table)
    names = [n for n in base.name_keys if not n.isdigit()]
    named = [stem for name in names for stem in content_stems(name)]
    if any(stem not in words for stem in named):
        return False
    if "beside" in parts:
        told = parts["coverage"] >= _WHOLE or (bool(named) and time.kind != "previous")
        return told and parts["beside"] == 1.0
    if time.kind in ("before", "previous"):
        return False
    least = _WHOLE if not named or time.kind == "none" else _NAMED
    told = parts["coverage"] >= least or asks_which(base, fact)
    return told and parts["valid"] > 0


def disagreeing(found: FactsFound) -> tuple[FactMatch, ...]:
    """The matches that disagree with the first one: contradictions, and what only a later
    observation of the same begin decides, unless it was said after."""
    if not found.matches:
        return ()
    first = found.matches[0].standing
    return tuple(
        match
        for match in found.matches[1:]
        if match.standing.fact.fact_id in first.contradicted_by
        or (
            match.standing.superseded_by == first.fact.fact_id
            and match.standing.valid_from == first.valid_from
            and not was_said_after(first.fact, match.standing.fact)
        )
    )


def in_turn(found: FactsFound) -> tuple[FactMatch, ...]:
    """The matches that are as true of the asked time as the first one, since one took the place of
    the other within it: "who owned it in May?" has two answers where it changed hands in May."""
    if not found.matches or found.kind != "at" or found.asked is None:
        return ()
    chain = [found.matches[0].standing]
    turns: list[FactMatch] = []
    for match in found.matches[1:]:
        then = match.standing
        if match.parts["valid"] > 0 and any(_gave_way(one, then) for one in chain):
            chain.append(then)
            turns.append(match)
    return tuple(turns)


def _gave_way(one: FactStanding, other: FactStanding) -> bool:
    """Whether one of two facts took the place of the other, on a day that is known."""
    pairs = ((one, other), (other, one))
    return one.fact.object != other.fact.object and any(
        first.superseded_by == last.fact.fact_id and len(first.valid_to or "") >= _DAY
        for first, last in pairs
    )


def _with_sources(matches: list[FactMatch], planner: Planner) -> tuple[FactMatch, ...]:
    """The matches with the source each is opened by."""
    numbers = planner.numbers([match.chunk_ids[0] for match in matches])
    chunks = planner.chunks(numbers)
    episodes = planner.get(list(dict.fromkeys(chunk.episode_id for chunk in chunks)))
    found: list[FactMatch] = []
    for match, chunk in zip(matches, chunks, strict=True):
        episode = episodes.get(chunk.episode_id)
        ref = episode.source_ref if isinstance(episode, Episode) else chunk.document_id
        found.append(msgspec.structs.replace(match, source_ref=ref))
    return tuple(found)

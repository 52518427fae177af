"""A question → the dated facts that answer it, each with how it stands and who says so."""

import msgspec

from quipu.domain.facts import FUNCTIONAL, effective, now_as_date
from quipu.domain.instants import parse_instant
from quipu.domain.intervals import Interval
from quipu.domain.records import Episode
from quipu.domain.scope import EVERYTHING, Scope
from quipu.facts.candidates import content_stems, find_candidates, inverse_frequencies
from quipu.facts.match import FactMatch, beside, valid_then
from quipu.ports import Embedder, Planner
from quipu.when import QuestionTime, read_question_time

__all__ = ["FactMatch", "FactsFound", "find_facts"]

_SURE = 0.95


class FactsFound(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that answer, best first, and the time the question was read to name.

    `known` says whether the first of them covers the question and holds at the asked time: if
    not, nothing here knows the answer.
    """

    kind: str
    asked: Interval | None
    anchor: str
    matches: tuple[FactMatch, ...]
    known: bool


def find_facts(
    question: str,
    planner: Planner,
    embedder: Embedder | None,
    *,
    now: str,
    scope: Scope = EVERYTHING,
    functional: frozenset[str] = FUNCTIONAL,
    limit: int = 10,
) -> FactsFound:
    """The facts for `question`; its date is read from its text, "last spring" seen from `now`.

    A question without a time asks for what holds now. The same store, question and `now` give
    the same bytes.
    """
    time = read_question_time(question, now=parse_instant(now))
    matches = _matches(time, planner, embedder, now=now, scope=scope, functional=functional)
    known = bool(matches) and _answers(matches[0], time)
    return FactsFound(
        kind=time.kind,
        asked=time.interval,
        anchor=time.anchor,
        matches=_with_sources(matches[:limit], planner),
        known=known,
    )


def _matches(
    time: QuestionTime,
    planner: Planner,
    embedder: Embedder | None,
    *,
    now: str,
    scope: Scope,
    functional: frozenset[str],
) -> list[FactMatch]:
    stems = content_stems(time.base)
    reached = tuple(dict.fromkeys((*stems, *content_stems(time.anchor))))
    if not reached:
        return []
    text = f"{time.base} {time.anchor}".strip()
    candidates = find_candidates(reached, text, planner, embedder, scope=scope)
    idf = inverse_frequencies(reached, planner)
    if time.kind in ("before", "after"):
        after = time.kind == "after"
        found = beside(candidates, time.anchor, stems, idf, after=after, functional=functional)
        if found:
            return found
    asked = time.interval
    if time.kind == "while":
        others = valid_then(
            candidates, None, content_stems(time.anchor), idf, functional=functional
        )
        asked = effective(others[0].standing) if others else asked
        told = {others[0].standing.fact.fact_id} if others else set[str]()
        candidates = [c for c in candidates if c.fact.fact_id not in told]
    if asked is None and time.kind == "none":
        asked = now_as_date(now)
    return valid_then(candidates, asked, stems, idf, functional=functional)


def _answers(match: FactMatch, time: QuestionTime) -> bool:
    if "beside" in match.parts:
        return match.parts["coverage"] > 0
    return match.parts["coverage"] >= _SURE and (match.parts["valid"] > 0 or time.kind == "none")


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

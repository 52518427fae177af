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
from quipu.facts.chains import effective, now_as_date, was_said_after
from quipu.facts.fit import asks_which, is_asked_for, is_sure
from quipu.facts.match import (
    FactMatch,
    before_now,
    next_to,
    replying,
    valid_then,
    words_of,
)
from quipu.ports import Embedder, Planner
from quipu.question import read_question, takes_yes_or_no
from quipu.records.record import Episode
from quipu.records.scope import EVERYTHING, Scope
from quipu.when import QuestionTime, read_question_time
from quipu.when.instants import parse_instant
from quipu.when.intervals import Interval

__all__ = [
    "FactsFound",
    "disagreeing",
    "find_facts",
]

_SURE = 0.95
_PRESENTLY = re.compile(
    r"(?i)\b(?:still|currently|nowadays|right now|at the moment|these days|at present|presently|"
    r"any ?more|any longer|latest|at last|so far|actually|really|exactly)\b"
)
"""What says that the present is asked about, and is no part of what is asked."""
_NAMED = 0.6


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
    question: str,
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
    the place of. The same store, question and `now` give
    the same bytes.
    """
    time = read_question_time(question, now=parse_instant(now))
    matches = _matches(time, planner, embedder, now=now, scope=scope, table=table)
    answers = next((match for match in matches if _answers(match, time, table)), None)
    if answers is not None:
        matches = [answers, *(match for match in matches if match is not answers)]
    return FactsFound(
        kind=time.kind,
        asked=time.interval,
        anchor=time.anchor,
        matches=_with_sources(matches[:limit], planner),
        known=answers is not None,
    )


def _matches(
    time: QuestionTime,
    planner: Planner,
    embedder: Embedder | None,
    *,
    now: str,
    scope: Scope,
    table: Attributes,
) -> list[FactMatch]:
    stems = content_stems(_PRESENTLY.sub(" ", time.base))
    reached = tuple(dict.fromkeys((*stems, *content_stems(time.anchor))))
    if not reached:
        return []
    text = f"{time.base} {time.anchor}".strip()
    # Without a time only a fact that says nearly every word counts: it is among the first.
    reach = FEW_PASSAGES if time.kind == "none" else PASSAGES
    candidates = find_candidates(reached, text, planner, embedder, scope=scope, reach=reach)
    candidates = with_rivals(candidates, reached, planner, scope=scope, table=table)
    idf = inverse_frequencies(reached, planner)
    if time.kind in ("before", "after"):
        after = time.kind == "after"
        found = next_to(candidates, time.anchor, stems, idf, after=after, table=table)
        if found:
            return found
    if time.kind == "previous" and (found := before_now(candidates, stems, idf, table=table)):
        return found
    asked = time.interval
    if time.kind == "while":
        others = valid_then(candidates, None, content_stems(time.anchor), idf, table=table)
        asked = effective(others[0].standing) if others else asked
        anchors = {others[0].standing.fact.fact_id} if others else set[str]()
        candidates = [c for c in candidates if c.fact.fact_id not in anchors]
    if asked is None and time.kind == "none":
        asked = now_as_date(now)
    if asked is not None and takes_yes_or_no(time.base):
        found = replying(candidates, time.base, asked, table=table)
        if found:
            return found
    present = parse_instant(now) if asked == now_as_date(now) else None
    return valid_then(candidates, asked, stems, idf, table=table, now=present)


def _answers(match: FactMatch, time: QuestionTime, table: Attributes) -> bool:
    """Whether a match says what is asked: something of the asked kind, every name of the question,
    and at the asked time.

    Without a name, nearly every word; a question without a time needs that as well, for it may
    ask about anything. What was before something that no fact tells of is not what is now.
    """
    fact = match.standing.fact
    if not is_sure(fact) or not is_asked_for(time.base, fact):
        return False
    if match.parts.get("successor"):  # the names were those of the fact whose place it took
        return match.parts["coverage"] >= _SURE and match.parts["valid"] > 0
    words = words_of(fact, table)
    names = [n for n in read_question(time.base).names if not n.isdigit()]
    named = [stem for name in names for stem in content_stems(name)]
    if any(stem not in words for stem in named):
        return False
    if "beside" in match.parts:
        told = match.parts["coverage"] >= _SURE or (bool(named) and time.kind != "previous")
        return told and match.parts["beside"] == 1.0
    if time.kind in ("before", "previous"):
        return False
    least = _SURE if not named or time.kind == "none" else _NAMED
    told = match.parts["coverage"] >= least or asks_which(time.base, fact)
    return told and match.parts["valid"] > 0


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

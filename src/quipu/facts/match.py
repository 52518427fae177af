"""Which fact answers: at a date, now, or next to another fact.

At a time   score = coverage + .3 · similarity + 1 [valid then] + .05 [not merely touching it]
            + .02 [not superseded by one that holds then as well]
Next to it  the chain (one subject, one predicate) whose words cover the question best and that
            holds the other fact; of its facts, the one with the smallest gap on the asked side.
Before now  of the chain that covers it best, that whose place was taken by what holds now.

Coverage is the share of the question's words, weighted by their rarity, that the fact says.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.facts.attributes import Attributes
from quipu.facts.candidates import FactCandidate, fact_words
from quipu.facts.chains import Chain, FactStanding, chains, effective, fit, interval_of
from quipu.facts.keys import asked_by
from quipu.facts.periods import reply_to
from quipu.records.mentions import key_words
from quipu.records.record import Fact
from quipu.when.instants import parse_instant
from quipu.when.intervals import Interval, gap

__all__ = [
    "FactMatch",
    "before_now",
    "covered",
    "has_ended",
    "next_to",
    "replying",
    "valid_then",
    "words_of",
]

VALID, HELD, SIMILARITY, LATEST = 1.0, 0.05, 0.3, 0.02
COVERAGE_SLACK = 0.05


class FactMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that answers, and how well it fits."""

    standing: Annotated[FactStanding, "the fact, and how it stands among the others"]
    score: Annotated[float, "how well it fits, in [0, 1]"]
    parts: Annotated[dict[str, float], "the named parts of the score"]
    chunk_ids: Annotated[tuple[str, ...], "the passages that say so"]
    source_ref: Annotated[str, "the source that said it"] = ""


def covered(words: frozenset[str], stems: Sequence[str], idf: Mapping[str, float]) -> float:
    """The share of `stems`, by rarity, that `words` holds; 0 when there is nothing to hold."""
    total = sum(idf[stem] for stem in stems)
    return sum(idf[stem] for stem in stems if stem in words) / total if total else 0.0


def words_of(fact: Fact, table: Attributes) -> frozenset[str]:
    """The stems that a fact says, with those by which it is asked for in other words."""
    return fact_words(f"{fact.subject} {asked_by(fact, table)} {fact.object}")


def valid_then(
    candidates: Sequence[FactCandidate],
    asked: Interval | None,
    stems: Sequence[str],
    idf: Mapping[str, float],
    *,
    table: Attributes,
    now: str | None = None,
) -> list[FactMatch]:
    """Every candidate as an answer for the stretch `asked` (None: whenever), best first.

    Where `asked` is the day of the instant `now`, what ended or begins at an instant of that day
    is judged by it.
    """
    by_id = {candidate.fact.fact_id: candidate for candidate in candidates}
    found: list[FactMatch] = []
    for chain in chains((c.fact for c in candidates), table=table):
        fits = {s.fact.fact_id: _fit(s, asked, now) for s in chain.standings}
        holding = {i for i, share in fits.items() if asked is None or share == 1.0}
        for standing in chain.standings:
            candidate = by_id[standing.fact.fact_id]
            share = fits[standing.fact.fact_id]
            parts = {
                "coverage": covered(words_of(standing.fact, table), stems, idf),
                "similarity": max(candidate.similarity, 0.0),
                "valid": VALID * (share > 0),
                "held": HELD * (share == 1.0),
                "latest": LATEST * (standing.superseded_by not in holding),
            }
            found.append(_match(standing, candidate, parts))
    return _ordered(_with_successors(found) if now is not None else found)


def replying(
    candidates: Sequence[FactCandidate], question: str, asked: Interval, *, table: Attributes
) -> list[FactMatch]:
    """The statement that tells yes or no, by the periods of the one key that `question` asks about;
    behind it those that tell otherwise of the same time."""
    by_id = {candidate.fact.fact_id: candidate for candidate in candidates}
    drawn = chains((c.fact for c in candidates), table=table)
    reply = reply_to(question, drawn, asked, table)
    if reply is None or reply.by is None:
        return []
    every = {each.fact.fact_id: each for chain in drawn for each in chain.standings}
    told = every[reply.by.fact_id]
    rivals = [every[id_] for id_ in told.contradicted_by if id_ in every]
    shown = [told, *(s for s in rivals if s.valid_from == told.valid_from)]
    parts = {"coverage": 1.0, "similarity": 0.0, "valid": VALID, "held": HELD, "successor": 1.0}
    return [_match(each, by_id[each.fact.fact_id], parts) for each in shown]


def _with_successors(found: list[FactMatch]) -> list[FactMatch]:
    """What took the place of a fact that says all that is asked answers for it: "does X run on
    MySQL?" is answered by what X runs on now."""
    by_id = {match.standing.fact.fact_id: match for match in found}
    best = max((m.score for m in found if m.parts["valid"]), default=0.0)
    made = dict(by_id)
    for match in found:
        parts = match.parts
        after = by_id.get(_last(match, by_id))
        if after is None or parts["valid"] or not after.parts["valid"]:
            continue
        if parts["coverage"] + SIMILARITY * parts["similarity"] + VALID > best:
            succeeding = {**after.parts, "coverage": parts["coverage"], "successor": 1.0}
            made[after.standing.fact.fact_id] = _match(
                after.standing, FactCandidate(after.standing.fact, after.chunk_ids, 0.0), succeeding
            )
    return list(made.values())


def _last(match: FactMatch, by_id: Mapping[str, FactMatch]) -> str:
    """The fact that holds at the end of those that took each other's place."""
    seen: set[str] = set()
    at = match.standing.superseded_by or ""
    while at in by_id and at not in seen:
        seen.add(at)
        further = by_id[at].standing.superseded_by
        if not further:
            return at
        at = further
    return at


def _fit(standing: FactStanding, asked: Interval | None, now: str | None) -> float:
    if asked is None:
        return float(_present(standing))
    if now is not None:
        begin = _instant(standing.valid_from)
        if (begin is not None and begin > now) or has_ended(standing, now):
            return 0.0
    return fit(effective(standing), asked)


def has_ended(standing: FactStanding, now: str) -> bool:
    """Whether it held no more at the instant `now`, by an end as precise as a day or an instant."""
    end = _instant(standing.valid_to)
    return (end is not None and end <= now) or _by_day(standing.valid_to, now)


def _by_day(date: str | None, now: str) -> bool:
    """Whether a date that is as precise as a day has come."""
    return date is not None and len(date) == len("2026-01-01") and date <= now[: len(date)]


def _instant(date: str | None) -> str | None:
    """A date that is as precise as an instant, as one; None for any other."""
    if date is None or date[10:11] not in ("T", " "):
        return None
    try:
        return parse_instant(date)
    except InvalidInput:
        return None


def _present(standing: FactStanding) -> bool:
    return standing.superseded_by is None and standing.valid_to is None


def _match(standing: FactStanding, candidate: FactCandidate, parts: dict[str, float]) -> FactMatch:
    score = (
        parts["coverage"]
        + SIMILARITY * parts["similarity"]
        + parts["valid"]
        + parts["held"]
        + parts.get("latest", 0.0)
        + parts.get("beside", 0.0)
    )
    return FactMatch(standing=standing, score=score, parts=parts, chunk_ids=candidate.chunk_ids)


def _ordered(found: list[FactMatch]) -> list[FactMatch]:
    return sorted(found, key=lambda m: (-m.score, -m.parts["similarity"], m.standing.fact.fact_id))


def next_to(
    candidates: Sequence[FactCandidate],
    anchor: str,
    stems: Sequence[str],
    idf: Mapping[str, float],
    *,
    after: bool,
    table: Attributes,
) -> list[FactMatch]:
    """The facts next to the one that `anchor` names, nearest first; nothing without it."""
    by_id = {candidate.fact.fact_id: candidate for candidate in candidates}
    rated: list[tuple[float, int, Chain, list[FactStanding]]] = []
    drawn = chains((c.fact for c in candidates), table=table)
    for chain in drawn:
        anchors, foreign = _anchors(chain, anchor)
        if anchors:
            words = fact_words(f"{chain.subject} {table.words(chain.predicate)}")
            rated.append((covered(words, stems, idf), foreign, chain, anchors))
    if not rated:
        return []
    best = max(share for share, _, _, _ in rated)
    near = [each for each in rated if each[0] >= best - COVERAGE_SLACK]
    share, _, chain, anchors = min(near, key=lambda r: (r[1], -r[0], r[2].subject, r[2].predicate))
    taken = {standing.fact.fact_id for standing in anchors}
    beside = [s for s in chain.standings if s.fact.fact_id not in taken]
    if not beside and not after:  # "my landlord" gave way to "our landlord"
        beside = [s for each in drawn for s in each.standings if s.superseded_by in taken]
    ranked = sorted(beside, key=lambda s: (*_distance(s, anchors, after), s.fact.fact_id))
    return [
        _beside(standing, by_id[standing.fact.fact_id], share, near=1.0 / (1 + place))
        for place, standing in enumerate(ranked)
    ]


def before_now(
    candidates: Sequence[FactCandidate],
    stems: Sequence[str],
    idf: Mapping[str, float],
    *,
    table: Attributes,
) -> list[FactMatch]:
    """What held before what holds now, of each chain that knows it, the one whose words cover the
    question best first."""
    by_id = {candidate.fact.fact_id: candidate for candidate in candidates}
    found: list[FactMatch] = []
    for chain in chains((c.fact for c in candidates), table=table):
        now = {s.fact.fact_id: s.fact.object for s in chain.standings if _present(s)}
        before = [
            standing
            for standing in chain.standings
            if standing.superseded_by in now
            or (chain.functional and now and not _present(standing))
        ]
        before = [s for s in before if s.fact.object not in now.values()]
        if not before:
            continue
        last = max(before, key=lambda s: (s.valid_to or "", s.valid_from or "", s.fact.fact_id))
        words = fact_words(f"{chain.subject} {asked_by(last.fact, table)}")
        share = covered(words, stems, idf)
        found.append(_beside(last, by_id[last.fact.fact_id], share, near=1.0))
    return _ordered(found)


def _beside(
    standing: FactStanding, candidate: FactCandidate, share: float, *, near: float
) -> FactMatch:
    """A fact that stands `near` another, in (0, 1], in a chain that covers a share of what is
    asked."""
    similarity = max(candidate.similarity, 0.0)
    parts = {"coverage": share, "similarity": similarity, "valid": 0.0, "held": 0.0, "beside": near}
    return _match(standing, candidate, parts)


def _anchors(chain: Chain, anchor: str) -> tuple[list[FactStanding], int]:
    """The chain's facts that say `anchor`, with the fewest words beside it, and how many those
    are."""
    named = key_words(anchor)
    counted: list[tuple[int, FactStanding]] = []
    for standing in chain.standings:
        words = key_words(standing.fact.object)
        if named and _holds_run(words, named):
            counted.append((len(words) - len(named), standing))
        elif words and _holds_run(named, words):  # "Bo was still at Acme" says Acme
            counted.append((len(named) - len(words) + 100, standing))
    fewest = min((count for count, _ in counted), default=0)
    return [standing for count, standing in counted if count == fewest], fewest


def _holds_run(words: Sequence[str], run: Sequence[str]) -> bool:
    size = len(run)
    return any(list(words[i : i + size]) == list(run) for i in range(len(words) - size + 1))


def _distance(
    standing: FactStanding, anchors: Sequence[FactStanding], after: bool
) -> tuple[int, int, int]:
    """Smallest first: apart or touching before overlapping, by gap, then by nearest start."""
    return min(_step(interval_of(standing.fact), interval_of(a.fact), after) for a in anchors)


def _step(one: Interval, anchor: Interval, after: bool) -> tuple[int, int, int]:
    between = gap(anchor, one) if after else gap(one, anchor)
    starts = abs((one.first or 0) - (anchor.first or 0))
    if between is not None and between >= 0:
        return 0, between, starts
    later = (one.first or 0) > (anchor.first or 0)
    return (1 if later == after else 2), starts, 0

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
from quipu.facts.chains import Chain, FactStanding, chains, effective, fit, goes_on, interval_of
from quipu.facts.keys import asked_by
from quipu.records.mentions import key_words
from quipu.records.record import Fact
from quipu.when.instants import parse_instant
from quipu.when.intervals import Interval, gap

__all__ = ["FactMatch", "Matcher", "has_ended", "words_of"]

VALID, HELD, SIMILARITY, LATEST = 1.0, 0.05, 0.3, 0.02
COVERAGE_SLACK = 0.05
_SCORED = ("coverage", "valid", "held", "latest", "beside")
_BARE_NAME = 100
"""By how many words more than any fact that says all of a name one counts that says a part."""
_DAY = len("2026-01-01")


class FactMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that answers, and how well it fits."""

    standing: Annotated[FactStanding, "the fact, and how it stands among the others"]
    score: Annotated[float, "how well it fits, in [0, 1]"]
    parts: Annotated[dict[str, float], "the named parts of the score"]
    chunk_ids: Annotated[tuple[str, ...], "the passages that say so"]
    source_ref: Annotated[str, "the source that said it"] = ""


def words_of(fact: Fact, table: Attributes) -> frozenset[str]:
    """The stems that a fact says, with those by which it is asked for in other words."""
    return fact_words(f"{fact.subject} {asked_by(fact, table)} {fact.object}")


def has_ended(standing: FactStanding, now: str) -> bool:
    """Whether it held no more at the instant `now`, by an end as precise as a day or an instant.
    That a thing is so no more goes on to hold."""
    until = standing.valid_to
    if goes_on(standing):
        return False
    if until is not None and len(until) == _DAY:
        return until <= now[:_DAY]
    end = _instant(until)
    return end is not None and end <= now


class Matcher:
    """Rates facts for one question; `idf` has the rarity of each of its stems."""

    def __init__(
        self, candidates: Sequence[FactCandidate], idf: Mapping[str, float], table: Attributes
    ) -> None:
        self._by_id = {candidate.fact.fact_id: candidate for candidate in candidates}
        self._chains = chains((c.fact for c in candidates), table=table)
        self._idf, self._table = idf, table

    def valid_then(
        self, asked: Interval | None, stems: Sequence[str], *, now: str | None = None
    ) -> list[FactMatch]:
        """Every fact as an answer for the stretch `asked` (None: whenever), best first. Where
        `asked` is the day of the instant `now`, what ended or begins at an instant of that day is
        judged by it."""
        found: list[FactMatch] = []
        for chain in self._chains:
            fits = {s.fact.fact_id: _fit(s, asked, now) for s in chain.standings}
            holding = {i for i, share in fits.items() if asked is None or share == 1.0}
            for standing in chain.standings:
                fact, share = standing.fact, fits[standing.fact.fact_id]
                parts = {
                    "coverage": self._covered(words_of(fact, self._table), stems),
                    "similarity": self._similarity(fact),
                    "valid": VALID * (share > 0),
                    "held": HELD * (share == 1.0),
                    "latest": LATEST * (standing.superseded_by not in holding),
                }
                found.append(self._match(standing, parts))
        return _ordered(found if now is None else self._with_successors(found))

    def next_to(self, anchor: str, stems: Sequence[str], *, after: bool) -> list[FactMatch]:
        """The facts next to the one that `anchor` names, nearest first; nothing without it."""
        rated: list[tuple[float, int, Chain, list[FactStanding]]] = []
        for chain in self._chains:
            anchors, foreign = _anchors(chain, anchor)
            if anchors:
                words = fact_words(f"{chain.subject} {self._table.words(chain.predicate)}")
                rated.append((self._covered(words, stems), foreign, chain, anchors))
        if not rated:
            return []
        best = max(share for share, _, _, _ in rated)
        near = [row for row in rated if row[0] >= best - COVERAGE_SLACK]
        share, _, chain, anchors = min(
            near, key=lambda r: (r[1], -r[0], r[2].subject, r[2].predicate)
        )
        taken = {standing.fact.fact_id for standing in anchors}
        beside = [s for s in chain.standings if s.fact.fact_id not in taken]
        ranked = sorted(beside, key=lambda s: (_distance(s, anchors, after), s.fact.fact_id))
        return [self._beside(s, share, near=1.0 / (1 + n)) for n, s in enumerate(ranked)]

    def before_now(self, stems: Sequence[str]) -> list[FactMatch]:
        """What held before what holds now, of each chain that knows it, the one whose words cover
        the question best first."""
        found: list[FactMatch] = []
        for chain in self._chains:
            now = {s.fact.fact_id: s.fact.object for s in chain.standings if _present(s)}
            before = [
                s
                for s in chain.standings
                if s.fact.object not in now.values()
                and (s.superseded_by in now or (chain.functional and now and not _present(s)))
            ]
            if before:
                last = max(
                    before, key=lambda s: (s.valid_to or "", s.valid_from or "", s.fact.fact_id)
                )
                words = fact_words(f"{chain.subject} {asked_by(last.fact, self._table)}")
                found.append(self._beside(last, self._covered(words, stems), near=1.0))
        return _ordered(found)

    def _covered(self, words: frozenset[str], stems: Sequence[str]) -> float:
        """The share of `stems`, by rarity, that `words` holds; 0 when there is nothing to hold."""
        total = sum(self._idf[stem] for stem in stems)
        return sum(self._idf[s] for s in stems if s in words) / total if total else 0.0

    def _similarity(self, fact: Fact) -> float:
        return max(self._by_id[fact.fact_id].similarity, 0.0)

    def _beside(self, standing: FactStanding, share: float, *, near: float) -> FactMatch:
        """A fact that stands `near` another, in (0, 1], in a chain that covers a share of what is
        asked."""
        similarity = self._similarity(standing.fact)
        parts = {"coverage": share, "similarity": similarity, "valid": 0.0, "held": 0.0}
        return self._match(standing, {**parts, "beside": near})

    def _match(self, standing: FactStanding, parts: dict[str, float]) -> FactMatch:
        score = sum(parts.get(name, 0.0) for name in _SCORED) + SIMILARITY * parts["similarity"]
        chunk_ids = self._by_id[standing.fact.fact_id].chunk_ids
        return FactMatch(standing=standing, score=score, parts=parts, chunk_ids=chunk_ids)

    def _with_successors(self, found: list[FactMatch]) -> list[FactMatch]:
        """What took the place of a fact that says all that is asked answers for it: "does X run on
        MySQL?" is answered by what X runs on now."""
        by_id = {match.standing.fact.fact_id: match for match in found}
        best = max((m.score for m in found if m.parts["valid"]), default=0.0)
        made = dict(by_id)
        for match in found:
            parts, after = match.parts, by_id.get(_last(match, by_id))
            if after is None or parts["valid"] or not after.parts["valid"]:
                continue
            if parts["coverage"] + SIMILARITY * parts["similarity"] + VALID > best:
                succeeding = {**after.parts, "coverage": parts["coverage"], "successor": 1.0}
                made[after.standing.fact.fact_id] = self._match(after.standing, succeeding)
        return list(made.values())


def _last(match: FactMatch, by_id: Mapping[str, FactMatch]) -> str:
    """The fact that holds at the end of those that took each other's place."""
    seen, at = set[str](), match.standing.superseded_by or ""
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
    held = effective(standing)
    return fit(Interval(held.start) if goes_on(standing) else held, asked)


def _instant(date: str | None) -> str | None:
    """A date that is as precise as an instant, as one; None for any other."""
    if date is None or date[_DAY : _DAY + 1] not in ("T", " "):
        return None
    try:
        return parse_instant(date)
    except InvalidInput:
        return None


def _present(standing: FactStanding) -> bool:
    return standing.superseded_by is None and standing.valid_to is None


def _ordered(found: list[FactMatch]) -> list[FactMatch]:
    return sorted(found, key=lambda m: (-m.score, -m.parts["similarity"], m.standing.fact.fact_id))


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
            counted.append((len(named) - len(words) + _BARE_NAME, standing))
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

"""Dated facts as the lines of reports: those that hold, and those that disagree."""

from collections.abc import Iterable, Mapping, Sequence

from quipu.answer.dated_facts import said
from quipu.facts.attributes import Attributes
from quipu.facts.chains import FactStanding, standings
from quipu.kinds.reports.model import Disagreement, ReportedFact
from quipu.ports import Planner
from quipu.records.record import Chunk, Episode, Fact
from quipu.text import name_key, stems

__all__ = ["StatedFacts"]

_MOST_DISPUTED = 5


class StatedFacts:
    """Every fact that holds or is disputed, and the document whose passage states it."""

    def __init__(self, planner: Planner, facts: Sequence[Fact], *, table: Attributes) -> None:
        live = {
            s.fact.fact_id: s
            for s in standings(facts, table=table)
            if (_is_current(s) or s.contradicted_by) and stems(s.fact.object)
        }
        lines = _lines(planner, live)
        self._lines = lines
        known = [live[fact_id] for fact_id in sorted(lines)]
        self._latest = sorted(known, key=lambda s: s.valid_from or s.fact.updated_at, reverse=True)

    def about(
        self, documents: Iterable[str], names: Iterable[str], *, most: int
    ) -> tuple[tuple[ReportedFact, ...], tuple[Disagreement, ...]]:
        """The `most` latest facts that hold, and the pairs that disagree: of what is stated in
        the documents or, asserted by hand, of the names."""
        inside = frozenset(documents)
        keys = frozenset(name_key(name) for name in names)
        own = [s for s in self._latest if self._belongs(s, inside, keys)]
        pairs = {
            (min(each.fact.fact_id, other), max(each.fact.fact_id, other)): None
            for each in own
            for other in each.contradicted_by
            if other in self._lines
        }
        disputed = {side for pair in pairs for side in pair}
        holding = [s.fact.fact_id for s in own if _is_current(s)]
        return (
            tuple(self._lines[i] for i in holding if i not in disputed)[:most],
            tuple(
                Disagreement(one=self._lines[one], other=self._lines[other])
                for one, other in list(pairs)[:_MOST_DISPUTED]
            ),
        )

    def _belongs(
        self, standing: FactStanding, documents: frozenset[str], keys: frozenset[str]
    ) -> bool:
        line = self._lines[standing.fact.fact_id]
        if line.chunk_id:
            return line.document_id in documents
        fact = standing.fact
        return not keys.isdisjoint((name_key(fact.subject), name_key(fact.object)))


def _is_current(standing: FactStanding) -> bool:
    """Whether a fact holds: nothing took its place, and it has no end."""
    return standing.superseded_by is None and standing.valid_to is None


def _lines(planner: Planner, live: Mapping[str, FactStanding]) -> dict[str, ReportedFact]:
    """Each fact in words, with the first live passage that states it where there is one."""
    support = {
        fact_id: [s for s in found if s.known_until is None]
        for fact_id, found in planner.support(sorted(live)).items()
    }
    ids = {i for found in support.values() for s in found for i in (s.episode_id, *s.chunk_ids)}
    records = planner.get(sorted(ids))
    lines: dict[str, ReportedFact] = {}
    for fact_id, found in support.items():
        inside = (records.get(i) for i in sorted(i for s in found for i in s.chunk_ids))
        chunk = next((c for c in inside if isinstance(c, Chunk)), None)
        episodes = [chunk.episode_id] if chunk else []
        episodes += [s.episode_id for s in found]
        refs = [e.source_ref for i in episodes if isinstance(e := records.get(i), Episode)]
        if refs:
            lines[fact_id] = ReportedFact(
                text=said(live[fact_id].fact),
                fact_id=fact_id,
                source_ref=refs[0],
                chunk_id=chunk.chunk_id if chunk else "",
                document_id=chunk.document_id if chunk else "",
                start_line=chunk.start_line if chunk else 1,
                end_line=chunk.end_line if chunk else 1,
            )
    return lines

"""The lines that reports are made of: sentences that may be quoted, and dated facts in words.

Prose is quoted as it stands, a turn with who said it, code by its documentation; no sentence that
leans on the one before it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from quipu.answer.dated_facts import said
from quipu.answer.quote import code_lead, code_span, in_short, is_order, plain, units
from quipu.facts.attributes import Attributes
from quipu.facts.chains import FactStanding, standings
from quipu.kinds.reports.model import Disagreement, ReportLine
from quipu.kinds.reports.plan import WORDS
from quipu.ports import Planner
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk, Episode, Fact
from quipu.text import name_key, sentences, stems

__all__ = ["StatedFacts", "quotable"]

_DOCSTRING = re.compile(r"\A(?:\s*#[^\n]*\n)*\s*[rRuUbB]?(\"\"\"|''')(.*?)\1", re.DOTALL)
_SHORTEST, _LONGEST, _FEWEST_STEMS = 35, 320, 4
_LETTERS = 0.72
"""The share of letters and spaces in prose; code and tables have fewer."""
_LEANING = frozenset(WORDS["leaning"].split())
_MOST_DISPUTED = 5


def quotable(chunk: Chunk, source_ref: str) -> Iterator[ReportLine]:
    """Yield the sentences of `chunk` that can be understood where they are quoted, in order."""
    for text, sentence, start, end in _sentences(chunk):
        if _is_whole(sentence.strip()) and len(text) <= _LONGEST:
            first, last = (chunk.start_line + chunk.text[:at].count("\n") for at in (start, end))
            yield _line(text, chunk, source_ref, (first, last))


def _line(
    text: str, chunk: Chunk | None, ref: str, lines: tuple[int, int] = (1, 1), fact_id: str = ""
) -> ReportLine:
    return ReportLine(
        text=text,
        source_ref=ref,
        chunk_id=chunk.chunk_id if chunk else "",
        document_id=chunk.document_id if chunk else "",
        start_line=lines[0],
        end_line=lines[1],
        fact_id=fact_id,
    )


def _sentences(chunk: Chunk) -> Iterator[tuple[str, str, int, int]]:
    """What may be quoted, what is said in it, and its characters in the passage."""
    whole = chunk.text
    if chunk.profile == "code":
        opening = _DOCSTRING.match(whole) if chunk.start_line == 1 else None
        if opening:
            text = in_short(opening[2])
            start = opening.end(2) - len(opening[2].lstrip())
            yield text, text, start, opening.end(2)
        elif chunk.symbol and not chunk.symbol.rpartition(".")[2].startswith("_"):
            _, lead = code_lead(whole)
            yield plain(f"{code_span(chunk.symbol)}: {lead}", limit=_LONGEST), lead, 0, len(whole)
    elif chunk.profile == SPOKEN:
        speaker = chunk.title.partition(",")[0]
        for start, end in sentences(whole):
            if not is_order(whole[start:end]):
                text = plain(whole[start:end], limit=_LONGEST)
                yield f"{speaker}: {text}" if speaker else text, text, start, end
    else:
        for unit in units(whole):
            if not unit.of_code:
                yield unit.text, unit.text, unit.start, unit.end


def _is_whole(sentence: str) -> bool:
    """Whether a sentence is complete, is prose, and does not lean on the one before it."""
    letters = sum(c.isalpha() or c.isspace() for c in sentence)
    return (
        len(sentence) >= _SHORTEST
        and (sentence[0].isupper() or sentence[0] in '`"“')
        and sentence.rstrip("\"')”’`")[-1:] in {".", "!"}
        and letters >= _LETTERS * len(sentence)
        and sentence.split(maxsplit=1)[0].lower().strip(",") not in _LEANING
        and len(set(stems(sentence))) >= _FEWEST_STEMS
    )


class StatedFacts:
    """Every fact that holds or is disputed, as a line."""

    def __init__(self, planner: Planner, facts: Sequence[Fact], *, table: Attributes) -> None:
        live = {
            s.fact.fact_id: s
            for s in standings(facts, table=table)
            if (_is_current(s) or s.contradicted_by) and stems(s.fact.object)
        }
        self._lines = _facts_in_words(planner, live)
        known = [live[fact_id] for fact_id in sorted(self._lines)]
        self._latest = sorted(known, key=lambda s: s.valid_from or s.fact.updated_at, reverse=True)

    def about(
        self, documents: Iterable[str], names: Iterable[str], *, most: int
    ) -> tuple[tuple[ReportLine, ...], tuple[Disagreement, ...]]:
        """The `most` latest facts that hold, and the pairs that disagree: of what is stated in
        the documents or, asserted by hand, of the names."""
        inside, keys = frozenset(documents), frozenset(map(name_key, names))
        own = [s for s in self._latest if self._belongs(s.fact, inside, keys)]
        pairs = {
            (min(s.fact.fact_id, other), max(s.fact.fact_id, other)): None
            for s in own
            for other in s.contradicted_by
            if other in self._lines
        }
        disputed = {side for pair in pairs for side in pair}
        holding = (s.fact.fact_id for s in own if _is_current(s))
        return (
            tuple(self._lines[i] for i in holding if i not in disputed)[:most],
            tuple(
                Disagreement(one=self._lines[one], other=self._lines[other])
                for one, other in list(pairs)[:_MOST_DISPUTED]
            ),
        )

    def _belongs(self, fact: Fact, documents: frozenset[str], keys: frozenset[str]) -> bool:
        line = self._lines[fact.fact_id]
        if line.chunk_id:
            return line.document_id in documents
        return not keys.isdisjoint((name_key(fact.subject), name_key(fact.object)))


def _is_current(standing: FactStanding) -> bool:
    """Whether a fact holds: nothing took its place, and it has no end."""
    return standing.superseded_by is None and standing.valid_to is None


def _facts_in_words(planner: Planner, live: Mapping[str, FactStanding]) -> dict[str, ReportLine]:
    """Each fact in words, with the first live passage that states it where there is one."""
    support = {
        fact_id: [s for s in found if s.known_until is None]
        for fact_id, found in planner.support(sorted(live)).items()
    }
    ids = {i for found in support.values() for s in found for i in (s.episode_id, *s.chunk_ids)}
    records = planner.get(sorted(ids))
    lines: dict[str, ReportLine] = {}
    for fact_id, found in support.items():
        inside = (records.get(i) for i in sorted(i for s in found for i in s.chunk_ids))
        chunk = next((c for c in inside if isinstance(c, Chunk)), None)
        episodes = [*([chunk.episode_id] if chunk else ()), *(s.episode_id for s in found)]
        refs = [e.source_ref for i in episodes if isinstance(e := records.get(i), Episode)]
        if refs:
            place = (chunk.start_line, chunk.end_line) if chunk else (1, 1)
            lines[fact_id] = _line(said(live[fact_id].fact), chunk, refs[0], place, fact_id)
    return lines

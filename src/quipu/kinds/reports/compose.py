"""A community's report: its names, its first sentences, what holds and what is disputed.

Everything is read from the store and nothing is invented: prose is quoted as it stands, a turn with
who said it, code by its documentation; no sentence that leans on the one before it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import msgspec
import numpy as np

from quipu.answer.dated_facts import said
from quipu.answer.quote import code_lead, code_span, in_short, is_order, plain, units
from quipu.facts.attributes import Attributes
from quipu.facts.chains import FactStanding, standings
from quipu.kinds.reports.model import (
    Disagreement,
    NamedIn,
    ReflectionBudget,
    Report,
    ReportLine,
    report_text,
)
from quipu.kinds.reports.network import Community, Mentions, written_names
from quipu.kinds.reports.plan import WORDS
from quipu.ports import Planner
from quipu.records.ids import name_key
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk, Entity, Episode, Fact
from quipu.text import name_key as folded
from quipu.text import sentences, stems
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "Material",
    "StatedFacts",
    "quotable",
    "report_on",
]

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
        inside, keys = frozenset(documents), frozenset(map(folded, names))
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
        return not keys.isdisjoint((folded(fact.subject), folded(fact.object)))


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


_READ_DOCUMENTS, _READ_PASSAGES = 24, 3
"""How many central documents, and passages of each, sentences are taken from."""
_SHOWN_NAMES, _IN_TITLE = 12, 3
_LINES = 8
"""How many sentences, and how many facts, a report has at most."""
_DIGITS = 12


class Material(NamedTuple):
    """What all reports are written from. `refs` are the sources of `documents`, `sessions` those
    documents that are conversations."""

    planner: Planner
    mentions: Mentions
    documents: Mapping[str, Entity]
    refs: Mapping[str, str]
    sessions: frozenset[str]
    facts: StatedFacts
    budget: ReflectionBudget


class _ReadPassage(NamedTuple):
    """A passage that sentences are taken from, its source, and the names in it as written."""

    chunk: Chunk
    source_ref: str
    names: Mapping[str, str]


def report_on(community: Community, material: Material) -> Report | None:
    """Return the report of one community within the budget; None where it has nothing to say."""
    documents = [node for node, _ in community.members if node in material.documents]
    if not documents:
        return None
    worth = _own_names(community, documents, material.mentions)
    passages = _central_passages(documents, worth, material)
    names = _shown_names(worth, passages, material)
    entities = [material.documents[d] for d in documents]
    refs = [material.refs[d] for d in documents]
    facts, disputed = material.facts.about(documents, (name.name for name in names), most=_LINES)
    draft = Report(
        ref="",
        title=", ".join(name.name for name in names[:_IN_TITLE]) or entities[0].name,
        place=_common_folder(refs),
        documents=len(documents),
        passages=sum(len(material.mentions.passages[d]) for d in documents),
        first_seen=min(
            (e.first_seen for e in entities if e.first_seen > UNKNOWN_TIME), default=UNKNOWN_TIME
        ),
        last_seen=max(e.updated_at for e in entities),
        names=tuple(names),
        quotes=_quotes(passages, _LINES),
        facts=facts,
        disagreements=disputed,
        witnesses=tuple(refs[:1]),
    )
    if not draft.quotes and not draft.facts:
        return None
    shorter = _within(draft, material.budget.characters)
    said = msgspec.json.encode(shorter, order="deterministic")
    ref = f"report:{_digest(community.hub.encode())}-{_digest(said)}"
    return msgspec.structs.replace(shorter, ref=ref)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def _within(report: Report, characters: int) -> Report:
    """The report, its longest list cut from the end until its text fits; one sentence stays."""
    while len(report_text(report)) > characters:
        lengths = {
            name: len(getattr(report, name)) for name in ("facts", "disagreements", "names")
        } | {"quotes": len(report.quotes) - 1}
        longest = max(lengths, key=lambda name: (lengths[name], name))
        if lengths[longest] < 1:
            break
        report = msgspec.structs.replace(report, **{longest: getattr(report, longest)[:-1]})
    return report


def _own_names(
    community: Community, documents: Iterable[str], mentions: Mentions
) -> dict[str, float]:
    """The names of a community, the most its own first: the strength of their ties times the share
    of the documents that mention them which are the community's."""
    inside = Counter(name for d in documents for name in mentions.names[d])
    own = {
        node: round(tie * inside[node] / mentions.frequencies[node], 6)
        for node, tie in community.members
        if inside[node]
    }
    return dict(sorted(own.items(), key=lambda item: (-item[1], item[0])))


def _central_passages(
    documents: Sequence[str], worth: Mapping[str, float], material: Material
) -> list[_ReadPassage]:
    """Of the most central documents the first passage, and those with the most of the names."""
    planner, found = material.planner, list[_ReadPassage]()
    for document in documents[:_READ_DOCUMENTS]:
        numbers = material.mentions.passages[document]
        spoken = document in material.sessions
        read = zip(planner.chunks(numbers), planner.columns(numbers), strict=True)
        named = [written_names(chunk, blob, spoken=spoken) for chunk, blob in read]
        weights = [round(sum(worth.get(n, 0.0) for n in names), 6) for names in named]
        ranked = sorted(range(1, len(named)), key=lambda at: (-weights[at], at))
        chosen = [0, *ranked[: _READ_PASSAGES - 1]]
        chunks = planner.chunks(numbers[np.array(chosen)])
        episodes = planner.get(sorted({chunk.episode_id for chunk in chunks}))
        refs = {i: e.source_ref for i, e in episodes.items() if isinstance(e, Episode)}
        found += [
            _ReadPassage(chunk, refs[chunk.episode_id], named[at])
            for chunk, at in zip(chunks, chosen, strict=True)
        ]
    return found


def _shown_names(
    worth: Mapping[str, float], passages: Sequence[_ReadPassage], material: Material
) -> list[NamedIn]:
    """The first names as a passage writes them, each once; none that holds another."""
    shown: dict[frozenset[str], NamedIn] = {}
    for node in worth:
        passage = next((p for p in passages if node in p.names), None)
        if passage is None or len(shown) == _SHOWN_NAMES:
            continue
        name, document = passage.names[node], passage.chunk.document_id
        words = frozenset(folded(name).split())
        if not any(words <= other or other <= words for other in shown):
            shown[words] = NamedIn(
                name=name,
                entity_id=node if name_key(node) else "",
                document_id=document,
                source_ref=material.refs[document],
            )
    return list(shown.values())


def _quotes(passages: Sequence[_ReadPassage], most: int) -> tuple[ReportLine, ...]:
    """The first sentences of the documents, the most central first; documents take turns, and what
    is said twice is quoted once."""
    lines: dict[str, list[ReportLine]] = {}
    for passage in passages:
        own = lines.setdefault(passage.chunk.document_id, [])
        own += quotable(passage.chunk, passage.source_ref)
    in_turn = (line for turn in zip_longest(*lines.values()) for line in turn if line)
    chosen: dict[str, ReportLine] = {}
    for line in in_turn:
        chosen.setdefault(folded(line.text), line)
    return tuple(chosen.values())[:most]


def _common_folder(refs: Sequence[str]) -> str:
    """The deepest folder or site that all of the sources are of; "" where there is none."""
    folders = [ref.partition("#")[0].split("/")[:-1] for ref in refs]
    shared: list[str] = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    place = "/".join([*shared, ""])
    return "" if place.endswith(("//", ":/")) else place

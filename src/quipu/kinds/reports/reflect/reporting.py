"""A community's report: its title, its best sentences, what holds, what is disputed, what changed;
and the report on everything: what the documents that introduce the whole say of it.

Everything is read from the store and nothing is invented.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from quipu.kinds.reports.model import (
    Changed,
    Disagreement,
    NamedIn,
    Quote,
    Report,
    ReportedFact,
    report_text,
)
from quipu.kinds.reports.reflect.communities import Community
from quipu.kinds.reports.reflect.gather import Material, is_current, read_entities, sources_of
from quipu.kinds.reports.reflect.labels import Topic, title_of, topics_of, topics_written
from quipu.kinds.reports.reflect.mentioned import WORD
from quipu.kinds.reports.reflect.sentences import CandidateLine, choose, is_whole
from quipu.records.facts import FactStanding
from quipu.records.ids import name_key as key_in
from quipu.records.record import Chunk, Entity, Episode, Record
from quipu.records.schema import RelationType
from quipu.text import fold, name_key, stems
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["WHOLE", "report_on", "report_on_all", "settled"]

WHOLE = "Overview"
"""Its title."""

_INTRODUCING = ("readme", "index", "overview", "about", "introduction", "architecture")
_DEEPEST = 1
_WHOLE_DOCUMENTS = 4
_WHOLE_PASSAGES = 2
_LINES_A_DOCUMENT = 3
_LOOKED_AT = 200
_DISPUTED = 5
_CHANGED_DOCUMENTS = 12
_COMMITS_A_DOCUMENT = 50
_MODIFIES = frozenset({RelationType.MODIFIES})
_DOCUMENTS = 24
_PASSAGES = 72
_LEAST_A_DOCUMENT = 3
_MEMBERS = 100
_DIGITS = 12


class _Community(NamedTuple):
    """A community by its parts: `documents` and `units` by strength, the strongest first;
    `passages` are places in the material's chunks."""

    documents: dict[str, float]
    units: list[int]
    topics: list[Topic]

    def passages(self, material: Material) -> list[int]:
        return [p for unit in self.units for p in material.mentioned.passages_of(unit)]


def report_on(community: Community, material: Material) -> Report | None:
    """The report of one community within the budget; None where it has nothing to say."""
    parts = _parted(community, material)
    if not parts.documents:
        return None
    places = parts.passages(material)
    chunks = _worth_reading(parts, material)
    names = _names(parts, places, chunks, material)
    entities = [material.documents[d] for d in parts.documents]
    labelled = title_of(names, entities, material.refs, material.words, len(material.documents))
    numbers = material.mentioned.chunks[places]
    stated, disputed = _facts_of(names, parts.documents, frozenset(numbers.tolist()), material)
    seen = [e.first_seen for e in entities if e.first_seen > UNKNOWN_TIME] or [UNKNOWN_TIME]
    draft = Report(
        ref="",
        title=labelled.title,
        place=labelled.place,
        documents=len(parts.documents),
        passages=len(places),
        first_seen=min(seen),
        last_seen=max(e.updated_at for e in entities),
        names=tuple(names),
        quotes=tuple(_quotes(parts, chunks, names, material)),
        facts=stated,
        disagreements=disputed,
        changes=_changes_of(list(parts.documents), material),
        members=tuple(parts.documents)[:_MEMBERS],
        witnesses=labelled.witnesses,
    )
    if not draft.quotes and not draft.facts:
        return None
    return settled(draft, community.hub, material.budget.characters)


def settled(report: Report, hub: str, characters: int) -> Report:
    """The report cut to length, under its reference: what it is on (its hub), and a digest of all
    that it says."""
    shorter = _within(report, characters)
    place = hashlib.sha256(hub.encode()).hexdigest()[:_DIGITS]
    said = msgspec.json.encode(shorter, order="deterministic")
    digest = hashlib.sha256(said).hexdigest()[:_DIGITS]
    return msgspec.structs.replace(shorter, ref=f"report:{place}-{digest}")


def _parted(community: Community, material: Material) -> _Community:
    documents: dict[str, float] = defaultdict(float)
    units: list[int] = []
    for node, strength in community.members:
        place = material.places.get(node)
        if place is not None and material.mentioned.documents[place] in material.documents:
            documents[material.mentioned.documents[place]] += strength
            units.append(place)
    ranked = dict(sorted(documents.items(), key=lambda d: (-round(d[1], 6), d[0])))
    topics = topics_of(community, material.network, _counted(units, material), frozenset(ranked))
    return _Community(ranked, units, topics)


def _counted(units: Sequence[int], material: Material) -> dict[str, int]:
    """In how many of the units each name and word stands."""
    mentioned = material.mentioned
    found: Counter[int] = Counter()
    for unit in units:
        found.update(np.unique(mentioned.keys_in(mentioned.passages_of(unit))).tolist())
    return {mentioned.keys[key]: n for key, n in found.items()}


def _worth_reading(parts: _Community, material: Material) -> dict[int, Chunk]:
    """The passages that sentences are taken from, by place: of the most central documents those
    with the most of the community's names, and their first."""
    weights = {t.node: t.weight for t in parts.topics}
    first = list(parts.documents)[:_DOCUMENTS]
    share = max(_LEAST_A_DOCUMENT, _PASSAGES // len(first))
    by_document: dict[str, list[int]] = {document: [] for document in first}
    for unit in parts.units:
        document = material.mentioned.documents[unit]
        if document in by_document:
            by_document[document] += material.mentioned.passages_of(unit)
    chosen: list[int] = []
    for places in by_document.values():
        ranked = sorted(places, key=lambda p: (-_weight(p, weights, material), p))
        chosen += dict.fromkeys([min(places), *ranked[: share - 1]]) if places else ()
    chunks = material.planner.chunks(material.mentioned.chunks[chosen])
    return dict(zip(chosen, chunks, strict=True))


def _weight(place: int, weights: Mapping[str, float], material: Material) -> float:
    return round(sum(weights[key] for key in _keys_at(place, weights, material)), 6)


def _keys_at(place: int, weights: Mapping[str, float], material: Material) -> list[str]:
    mentioned = material.mentioned
    numbers: list[int] = mentioned.keys_in(range(place, place + 1)).tolist()
    return [key for k in numbers if (key := mentioned.keys[k]) in weights]


def _names(
    parts: _Community, places: Sequence[int], chunks: Mapping[int, Chunk], material: Material
) -> list[NamedIn]:
    weights = {t.node: t.weight for t in parts.topics}
    at: dict[str, int] = {}
    for place in (*chunks, *places):
        if len(at) == len(weights):
            break
        for key in _keys_at(place, weights, material):
            at.setdefault(key, place)
    missing = sorted({p for p in at.values() if p not in chunks})
    more = material.planner.chunks(material.mentioned.chunks[missing]) if missing else []
    every = {**chunks, **dict(zip(missing, more, strict=True))}
    refs = sources_of(material.planner, [chunk.episode_id for chunk in every.values()])
    passages = {key: (every[p], refs[every[p].episode_id]) for key, p in at.items()}
    symbols = read_entities(
        material.planner, sorted(w for w in weights if w in material.network.symbols)
    )
    homes = {
        each: (home, material.refs[home])
        for each in symbols
        if (home := material.network.symbols[each][0])
    }
    return topics_written(parts.topics, material.mentioned.written, symbols, passages, homes)


def _quotes(
    parts: _Community,
    chunks: Mapping[int, Chunk],
    names: Sequence[NamedIn],
    material: Material,
) -> list[Quote]:
    weights = {t.node: t.weight for t in parts.topics}
    strongest = max(parts.documents.values(), default=1.0) or 1.0
    candidates: list[CandidateLine] = []
    for place, chunk in chunks.items():
        centre = parts.documents[chunk.document_id] / strongest
        keys = _keys_at(place, weights, material)
        for line in material.quotable(chunk):
            if is_whole(line):
                weight_of = {k: weights[k] for k in keys if _stands_in(k, line.text)}
                candidates.append(
                    CandidateLine(line, chunk.chunk_id, chunk.document_id, centre, weight_of)
                )
    entity_ids = {n.entity_id for n in names}
    chosen = choose(candidates, material.budget.sentences)
    refs = sources_of(material.planner, [chunk.episode_id for chunk in chunks.values()])
    episodes = {chunk.chunk_id: chunk.episode_id for chunk in chunks.values()}
    return [
        Quote(
            text=c.line.text,
            chunk_id=c.chunk_id,
            document_id=c.document_id,
            source_ref=refs[episodes[c.chunk_id]],
            start_line=c.line.start_line,
            end_line=c.line.end_line,
            graph_ids=tuple(k for k in c.names if k in entity_ids),
        )
        for c in chosen
    ]


def _stands_in(node: str, text: str) -> bool:
    if node.startswith(WORD):
        return node.removeprefix(WORD) in stems(text)
    key = key_in(node)
    return key is not None and key in fold(text).lower()


def _within(report: Report, characters: int) -> Report:
    """The report, its longest list cut from the end until its text fits; one sentence stays."""
    while len(report_text(report)) > characters:
        lengths = {
            "quotes": (len(report.quotes) - 1) * 3,
            "facts": len(report.facts) * 3,
            "disagreements": len(report.disagreements) * 2,
            "changes": len(report.changes) * 4,
            "names": len(report.names),
        }
        longest = max(lengths, key=lambda name: (lengths[name], name))
        if lengths[longest] <= 0:
            break
        shorter = getattr(report, longest)[:-1]
        report = msgspec.structs.replace(report, **{longest: shorter})
    return report


def _facts_of(
    names: Sequence[NamedIn],
    documents: Mapping[str, float],
    numbers: frozenset[int],
    material: Material,
) -> tuple[tuple[ReportedFact, ...], tuple[Disagreement, ...]]:
    """The facts that hold, the latest first, and those of them that disagree.

    A fact belongs where it is stated: in a passage of the community (`numbers`), or, asserted by
    hand, where its names are.
    """
    keys = [name_key(n.name) for n in names]
    about = material.facts.about(keys, documents)[:_LOOKED_AT]
    against = [
        material.facts.standing[other]
        for each in about
        for other in each.contradicted_by
        if other in material.facts.standing
    ]
    stated = _stated([*about, *against], material)
    here = {i for i, (_, number) in stated.items() if number < 0 or number in numbers}
    pairs = {
        (min(each.fact.fact_id, other), max(each.fact.fact_id, other)): None
        for each in about
        for other in each.contradicted_by
        if each.fact.fact_id in here and other in stated
    }
    disputed = {side for pair in pairs for side in pair}
    current = [
        i
        for each in about
        if is_current(each) and (i := each.fact.fact_id) in here and i not in disputed
    ]
    return (
        tuple(stated[i][0] for i in current[: material.budget.facts]),
        tuple(
            Disagreement(one=stated[one][0], other=stated[other][0])
            for one, other in list(pairs)[:_DISPUTED]
        ),
    )


def _stated(
    standing: Iterable[FactStanding], material: Material
) -> dict[str, tuple[ReportedFact, int]]:
    """Each fact in words with its first live passage and that passage's number, -1 without."""
    facts = {each.fact.fact_id: each.fact for each in standing}
    support = material.planner.support(sorted(facts))
    live = {
        fact_id: [s for s in found if s.known_until is None] for fact_id, found in support.items()
    }
    ids = sorted(
        {i for found in live.values() for s in found for i in (s.episode_id, *s.chunk_ids)}
    )
    records = material.planner.get(ids)
    stated: dict[str, tuple[ReportedFact, int]] = {}
    for fact_id, found in live.items():
        chunks = [c for s in found for i in s.chunk_ids if isinstance(c := records.get(i), Chunk)]
        episode = next((e for s in found if (e := _episode(records, s.episode_id))), None)
        if episode is None:
            continue
        chunk = min(chunks, key=lambda c: c.chunk_id, default=None)
        home = _episode(records, chunk.episode_id) if chunk else None
        line = ReportedFact(
            text=material.say(facts[fact_id]),
            fact_id=fact_id,
            source_ref=(home or episode).source_ref,
        )
        if chunk is None:
            stated[fact_id] = line, -1
            continue
        number = int(material.planner.numbers([chunk.chunk_id])[0])
        stated[fact_id] = (
            ReportedFact(
                text=line.text,
                fact_id=fact_id,
                source_ref=line.source_ref,
                chunk_id=chunk.chunk_id,
                document_id=chunk.document_id,
                start_line=chunk.start_line,
                end_line=chunk.end_line,
            ),
            number,
        )
    return stated


def _episode(records: Mapping[str, Record], episode_id: str) -> Episode | None:
    found = records.get(episode_id)
    return found if isinstance(found, Episode) else None


def _changes_of(documents: Sequence[str], material: Material) -> tuple[Changed, ...]:
    """The latest commits to the most central documents; without any, the documents that are
    newer than most. What all changed at once tells nothing."""
    most = material.budget.changes
    if not most:
        return ()
    found = _commits(documents[:_CHANGED_DOCUMENTS], material) or _newest(documents, material)
    ranked = sorted(found, key=lambda c: (c.updated_at, c.source_ref), reverse=True)
    return tuple(ranked[:most])


def _commits(documents: Sequence[str], material: Material) -> list[Changed]:
    near = material.planner.neighbors(
        documents, direction="in", types=_MODIFIES, limit_per_id=_COMMITS_A_DOCUMENT
    )
    ids = sorted({r.source_entity_id for found in near.values() for r in found})
    return [
        Changed(
            source_ref=str(each.properties.get("file_path") or each.name),
            updated_at=each.updated_at,
            document_id=each.entity_id,
            title=str(each.properties.get("title") or each.name),
        )
        for each in read_entities(material.planner, ids).values()
    ]


def _newest(documents: Sequence[str], material: Material) -> list[Changed]:
    entities = [material.documents[d] for d in documents]
    days = sorted(e.updated_at[:10] for e in entities if e.updated_at > UNKNOWN_TIME)
    if len(set(days)) < 2:
        return []
    middle = days[len(days) // 2]
    return [
        Changed(
            source_ref=material.refs[e.entity_id],
            updated_at=e.updated_at,
            document_id=e.entity_id,
            title="" if e.name == material.refs[e.entity_id] else e.name,
        )
        for e in entities
        if e.updated_at[:10] > middle
    ]


def report_on_all(material: Material) -> Report | None:
    """What a README and its like say in their first sentences; None where there is none."""
    entities = list(material.documents.values())
    chosen = _introducing(entities, material)
    quotes = [quote for each in chosen for quote in _first_lines(each, material)]
    if not quotes:
        return None
    seen = [e.first_seen for e in entities if e.first_seen > UNKNOWN_TIME] or [UNKNOWN_TIME]
    return Report(
        ref="",
        title=WHOLE,
        place="",
        documents=len(entities),
        passages=len(material.mentioned.chunks),
        first_seen=min(seen),
        last_seen=max(e.updated_at for e in entities),
        names=(),
        quotes=tuple(quotes[: material.budget.sentences]),
        members=tuple(e.entity_id for e in chosen),
    )


def _introducing(entities: Sequence[Entity], material: Material) -> list[Entity]:
    found: list[tuple[int, int, str, Entity]] = []
    for each in entities:
        path = material.refs[each.entity_id]
        name = path.rpartition("/")[2].lower()
        rank = next((i for i, word in enumerate(_INTRODUCING) if name.startswith(word)), None)
        depth = path.count("/")
        if rank is not None and depth <= _DEEPEST and ":" not in path:
            found.append((depth, rank, path, each))
    return [each for *_, each in sorted(found, key=lambda f: f[:3])[:_WHOLE_DOCUMENTS]]


def _first_lines(document: Entity, material: Material) -> list[Quote]:
    planner = material.planner
    numbers = planner.numbers_in([document.entity_id])[document.entity_id][:_WHOLE_PASSAGES]
    chunks = planner.chunks(numbers)
    refs = sources_of(planner, [chunk.episode_id for chunk in chunks])
    lines = [(c, line) for c in chunks for line in material.quotable(c) if is_whole(line)]
    return [
        Quote(
            text=line.text,
            chunk_id=chunk.chunk_id,
            document_id=chunk.document_id,
            source_ref=refs[chunk.episode_id],
            start_line=line.start_line,
            end_line=line.end_line,
        )
        for chunk, line in lines[:_LINES_A_DOCUMENT]
    ]

"""A community's report: its title, its best sentences, what holds, what is disputed, what changed.

Everything is read from the store and nothing is invented.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from quipu.kinds.reports.model import NamedIn, Quote, Report, report_text
from quipu.kinds.reports.reflect.communities import Community
from quipu.kinds.reports.reflect.gather import Material, read_entities, sources_of
from quipu.kinds.reports.reflect.labels import Topic, title_of, topics_of, topics_written
from quipu.kinds.reports.reflect.mentioned import WORD
from quipu.kinds.reports.reflect.sentences import CandidateLine, choose, is_whole
from quipu.kinds.reports.reflect.standing import changes_of, facts_of
from quipu.records.ids import name_key
from quipu.records.record import Chunk
from quipu.text import fold, stems
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["report_on", "settled"]

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
    stated, disputed = facts_of(names, parts.documents, frozenset(numbers.tolist()), material)
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
        changes=changes_of(list(parts.documents), material),
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
    held: list[int] = mentioned.keys_in(range(place, place + 1)).tolist()
    return [key for k in held if (key := mentioned.keys[k]) in weights]


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
                held = {k: weights[k] for k in keys if _stands_in(k, line.text)}
                candidates.append(
                    CandidateLine(line, chunk.chunk_id, chunk.document_id, centre, held)
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
    key = name_key(node)
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

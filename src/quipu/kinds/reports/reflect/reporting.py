"""A community's report: its names, its best sentences, what holds, what is disputed, what changed;
and the report on everything: what the documents that introduce the whole say of it.

Everything is read from the store and nothing is invented.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec
import numpy as np

from quipu.kinds.reports.model import Changed, NamedIn, Quote, ReflectionBudget, Report, report_text
from quipu.kinds.reports.quotable import Line, quotable
from quipu.kinds.reports.reflect.communities import Community
from quipu.kinds.reports.reflect.network import WORD, Mentions, Network, names_in
from quipu.kinds.reports.reflect.quotes import CandidateLine, choose, is_whole
from quipu.kinds.reports.reflect.stated import StatedFacts
from quipu.ports import Graph, Numbers, Planner
from quipu.records.ids import name_key
from quipu.records.record import Chunk, Entity, Episode
from quipu.records.schema import RelationType
from quipu.text import fold, stem, tokens
from quipu.text import name_key as folded
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "WHOLE",
    "Material",
    "place_of",
    "read_entities",
    "report_on",
    "report_on_all",
]

WHOLE = "Overview"
"""The title of the report on everything."""

_INTRODUCING = ("readme", "index", "overview")
_WHOLE_DOCUMENTS, _WHOLE_PASSAGES, _LINES_A_DOCUMENT = 4, 2, 3
_READ_DOCUMENTS, _READ_PASSAGES = 24, 3
"""How many central documents, and passages of each, sentences are taken from."""
_COMMITS_A_DOCUMENT = 50
_MODIFIES = frozenset({RelationType.MODIFIES})
_SHOWN_NAMES, _IN_TITLE = 12, 3
_MOST_MEMBERS = 100
_PLACE_SHARE = 0.6
_DIGITS = 12
_DAY = len("2026-01-01")
_PAGE = 500


class Material(NamedTuple):
    """What all reports are written from. `refs` are the sources of `documents`, `sessions` those
    documents that are conversations."""

    planner: Planner
    mentions: Mentions
    network: Network
    documents: Mapping[str, Entity]
    refs: Mapping[str, str]
    sessions: frozenset[str]
    facts: StatedFacts
    budget: ReflectionBudget


class _ReadPassage(NamedTuple):
    """A passage that sentences are taken from, its source, and the names that it mentions."""

    chunk: Chunk
    source_ref: str
    names: frozenset[str]


def report_on(community: Community, material: Material) -> Report | None:
    """The report of one community within the budget; None where it has nothing to say."""
    documents = {node: tie for node, tie in community.members if node in material.documents}
    if not documents:
        return None
    worth = _own_names(community, documents, material)
    passages = _central_passages(documents, worth, material)
    names = _written_names(worth, passages, material)
    entities = [material.documents[d] for d in documents]
    place, witnesses = place_of([material.refs[d] for d in documents])
    title = ", ".join(name.name for name in names[:_IN_TITLE])
    facts, disputed = material.facts.about(
        documents, (name.name for name in names), most=material.budget.facts
    )
    draft = Report(
        ref="",
        title=title or entities[0].name,
        place=place,
        documents=len(documents),
        passages=sum(len(material.mentions.passages[d]) for d in documents),
        first_seen=_first_seen(entities),
        last_seen=max(e.updated_at for e in entities),
        names=tuple(names),
        quotes=tuple(_quotes(documents, passages, names, material)),
        facts=facts,
        disagreements=disputed,
        changes=_changes_of(list(documents), material),
        members=tuple(documents)[:_MOST_MEMBERS],
        witnesses=tuple(witnesses) if title else (*witnesses, material.refs[entities[0].entity_id]),
    )
    if not draft.quotes and not draft.facts:
        return None
    return _settled(draft, community.hub, material.budget.characters)


def _settled(report: Report, hub: str, characters: int) -> Report:
    """The report cut to length, under its reference: what it is on (its hub), and a digest of all
    that it says."""
    shorter = _within(report, characters)
    place = hashlib.sha256(hub.encode()).hexdigest()[:_DIGITS]
    said = msgspec.json.encode(shorter, order="deterministic")
    digest = hashlib.sha256(said).hexdigest()[:_DIGITS]
    return msgspec.structs.replace(shorter, ref=f"report:{place}-{digest}")


def _within(report: Report, characters: int) -> Report:
    """The report, its longest list cut from the end until its text fits; one sentence stays."""
    while len(report_text(report)) > characters:
        lists = {
            "quotes": report.quotes[1:],
            "facts": report.facts,
            "disagreements": report.disagreements,
            "changes": report.changes,
            "names": report.names,
        }
        longest = max(lists, key=lambda name: (len(lists[name]), name))
        if not lists[longest]:
            break
        report = msgspec.structs.replace(report, **{longest: getattr(report, longest)[:-1]})
    return report


def _first_seen(entities: Iterable[Entity]) -> str:
    seen = (e.first_seen for e in entities if e.first_seen > UNKNOWN_TIME)
    return min(seen, default=UNKNOWN_TIME)


def _own_names(
    community: Community, documents: Iterable[str], material: Material
) -> dict[str, float]:
    """The names of a community, the most its own first: the strength of their ties times the share
    of the documents that mention them which are the community's."""
    inside = Counter(name for d in documents for name in material.mentions.names[d])
    frequencies = material.network.frequencies
    own = {
        node: round(tie * inside[node] / frequencies[node], 6)
        for node, tie in community.members
        if node in frequencies
    }
    return dict(sorted(own.items(), key=lambda each: (-each[1], each[0])))


def _central_passages(
    documents: Iterable[str], worth: Mapping[str, float], material: Material
) -> list[_ReadPassage]:
    """Of the most central documents the first passage, and those with the most of the names."""
    found: list[_ReadPassage] = []
    for document in list(documents)[:_READ_DOCUMENTS]:
        numbers = material.mentions.passages[document]
        names = names_in(material.planner, numbers, spoken=document in material.sessions)
        weights = [round(sum(worth.get(n, 0.0) for n in each), 6) for each in names]
        ranked = sorted(range(1, len(names)), key=lambda at: (-weights[at], at))
        chosen = [0, *ranked[: _READ_PASSAGES - 1]]
        found += _passages(numbers[np.array(chosen)], [names[at] for at in chosen], material)
    return found


def _written_names(
    worth: Mapping[str, float], passages: Sequence[_ReadPassage], material: Material
) -> list[NamedIn]:
    """The first names as a passage writes them, each once; none that holds another."""
    shown: list[NamedIn] = []
    for node in worth:
        chunk = next((p.chunk for p in passages if node in p.names), None)
        name = chunk and _as_written(node, chunk.text)
        if chunk is None or not name:
            continue
        words = frozenset(folded(name).split())
        if any(words <= other or other <= words for other in map(_words, shown)):
            continue
        shown.append(
            NamedIn(
                name=name,
                entity_id="" if node.startswith(WORD) else node,
                document_id=chunk.document_id,
                source_ref=material.refs[chunk.document_id],
            )
        )
        if len(shown) == _SHOWN_NAMES:
            break
    return shown


def _words(name: NamedIn) -> frozenset[str]:
    return frozenset(folded(name.name).split())


def _as_written(node: str, text: str) -> str:
    """A name, or a word by its stem, as the text writes it; "" where it does not."""
    if node.startswith(WORD):
        sought = node.removeprefix(WORD)
        return next((token.word for token in tokens(text) if stem(token.word) == sought), "")
    words = (name_key(node) or "").split()
    pattern = r"[\s\-–]+".join(map(re.escape, words))
    found = re.search(rf"(?<!\w){pattern}(?!\w)", fold(text), re.IGNORECASE)
    return " ".join(text[found.start() : found.end()].split()) if found else ""


def _quotes(
    documents: Mapping[str, float],
    passages: Sequence[_ReadPassage],
    names: Sequence[NamedIn],
    material: Material,
) -> list[Quote]:
    strongest = max(documents.values()) or 1.0
    by_chunk = {p.chunk.chunk_id: p for p in passages}
    candidates = [
        CandidateLine(line, p.chunk.chunk_id, document, documents[document] / strongest)
        for p in passages
        for document in [p.chunk.document_id]
        for line in quotable(p.chunk)
        if is_whole(line)
    ]
    known = frozenset(n.entity_id for n in names) - {""}
    chosen = choose(candidates, material.budget.sentences)
    return [_quote(each.line, by_chunk[each.chunk_id], known) for each in chosen]


def _quote(line: Line, passage: _ReadPassage, known: frozenset[str] = frozenset()) -> Quote:
    named = sorted(i for i in known & passage.names if _as_written(i, line.text))
    return Quote(
        text=line.text,
        chunk_id=passage.chunk.chunk_id,
        document_id=passage.chunk.document_id,
        source_ref=passage.source_ref,
        start_line=line.start_line,
        end_line=line.end_line,
        graph_ids=tuple(named),
    )


def _changes_of(documents: Sequence[str], material: Material) -> tuple[Changed, ...]:
    """The latest commits to the most central documents; without any, the documents that are
    newer than most. What all changed at once tells nothing."""
    found = _commits(documents[:_READ_DOCUMENTS], material) or _newest(documents, material)
    ranked = sorted(found, key=lambda c: (c.updated_at, c.source_ref), reverse=True)
    return tuple(ranked[: material.budget.changes])


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
    days = sorted(e.updated_at[:_DAY] for e in entities if e.updated_at > UNKNOWN_TIME)
    if not days:
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
        if e.updated_at[:_DAY] > middle
    ]


def report_on_all(material: Material) -> Report | None:
    """What a README and its like say in their first sentences; None where there is none."""
    chosen = _introducing(material)
    quotes = [quote for each in chosen for quote in _first_lines(each, material)]
    if not quotes:
        return None
    entities = list(material.documents.values())
    report = Report(
        ref="",
        title=WHOLE,
        place="",
        documents=len(entities),
        passages=sum(map(len, material.mentions.passages.values())),
        first_seen=_first_seen(entities),
        last_seen=max(e.updated_at for e in entities),
        names=(),
        quotes=tuple(quotes[: material.budget.sentences]),
        members=tuple(chosen),
    )
    return _settled(report, WHOLE, material.budget.characters)


def _introducing(material: Material) -> list[str]:
    """The documents that introduce the whole: files of such a name at the top or a folder below,
    the highest first."""
    found = [
        (path.count("/"), path, document)
        for document in material.mentions.passages
        for path in [material.refs[document]]
        if path.count("/") <= 1
        and ":" not in path
        and path.rpartition("/")[2].lower().startswith(_INTRODUCING)
    ]
    return [document for *_, document in sorted(found)[:_WHOLE_DOCUMENTS]]


def _first_lines(document: str, material: Material) -> list[Quote]:
    numbers = material.mentions.passages[document][:_WHOLE_PASSAGES]
    passages = _passages(numbers, [frozenset[str]()] * len(numbers), material)
    quotes = (_quote(x, p) for p in passages for x in quotable(p.chunk) if is_whole(x))
    return list(islice(quotes, _LINES_A_DOCUMENT))


def _passages(
    numbers: Numbers, names: Sequence[frozenset[str]], material: Material
) -> list[_ReadPassage]:
    chunks = material.planner.chunks(numbers)
    episodes = material.planner.get(sorted({chunk.episode_id for chunk in chunks}))
    refs = {i: e.source_ref for i, e in episodes.items() if isinstance(e, Episode)}
    return [
        _ReadPassage(chunk, refs[chunk.episode_id], held)
        for chunk, held in zip(chunks, names, strict=True)
    ]


def place_of(refs: Iterable[str]) -> tuple[str, list[str]]:
    """The deepest folder (or conversation) that three fifths of the sources are of, and the first
    source there; ("", []) where there is none."""
    listed = list(refs)
    counts: Counter[str] = Counter()
    for ref in listed:
        folder = ref.partition("#")[0].rpartition("/")[0]
        while folder and not folder.endswith((":", ":/")):  # "https:/" is no place
            counts[folder] += 1
            folder = folder.rpartition("/")[0]
    fitting = [f for f, n in counts.items() if n >= _PLACE_SHARE * len(listed)]
    if not fitting:
        return "", []
    place = max(fitting, key=lambda f: (f.count("/"), counts[f], f))
    return f"{place}/", [ref for ref in listed if ref.startswith(f"{place}/")][:1]


def read_entities(graph: Graph, ids: Sequence[str]) -> dict[str, Entity]:
    """The live entities among `ids`."""
    found: dict[str, Entity] = {}
    for at in range(0, len(ids), _PAGE):
        page = graph.get(ids[at : at + _PAGE])
        found |= {i: r for i, r in page.items() if isinstance(r, Entity)}
    return found

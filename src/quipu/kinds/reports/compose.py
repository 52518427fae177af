"""A community's report: its names, its first sentences, what holds and what is disputed.

Everything is read from the store and nothing is invented.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import msgspec
import numpy as np

from quipu.kinds.reports.lines import StatedFacts, quotable
from quipu.kinds.reports.model import NamedIn, ReflectionBudget, Report, ReportLine, report_text
from quipu.kinds.reports.network import Community, Mentions, written_names
from quipu.ports import Planner
from quipu.records.ids import name_key
from quipu.records.record import Chunk, Entity, Episode
from quipu.text import name_key as folded
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["Material", "report_on"]

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

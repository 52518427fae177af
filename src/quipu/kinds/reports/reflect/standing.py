"""What holds in a community, what disagrees in it, and what changed in it last."""

from collections.abc import Iterable, Mapping, Sequence

from quipu.kinds.reports.model import Changed, Disagreement, NamedIn, ReportedFact
from quipu.kinds.reports.reflect.gather import Material, is_held, read_entities
from quipu.records.facts import FactStanding
from quipu.records.record import Chunk, Episode, Record
from quipu.records.schema import RelationType
from quipu.text import name_key
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["changes_of", "facts_of"]

_LOOKED_AT = 200
_DISPUTED = 5
_CHANGED_DOCUMENTS = 12
_COMMITS_A_DOCUMENT = 50
_MODIFIES = frozenset({RelationType.MODIFIES})


def facts_of(
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
    about = material.held.about(keys, documents)[:_LOOKED_AT]
    against = [
        material.held.standing[other]
        for each in about
        for other in each.contradicted_by
        if other in material.held.standing
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
    held = [
        i
        for each in about
        if is_held(each) and (i := each.fact.fact_id) in here and i not in disputed
    ]
    return (
        tuple(stated[i][0] for i in held[: material.budget.facts]),
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


def changes_of(documents: Sequence[str], material: Material) -> tuple[Changed, ...]:
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

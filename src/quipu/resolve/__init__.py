"""Which records are one thing: claims of one record, merged things, and what might be merged.

Names that are one thing already share an id (`records/ids.py`); what an episode says of it in
several places is put together here, since an episode supports a record once.
"""

from collections.abc import Iterable

import msgspec

from quipu.records.batch import Claim
from quipu.records.record import Entity, Relation, record_id
from quipu.resolve.authority import Authority, authorised
from quipu.resolve.merges import Decision, Merges, decisions, read_merges
from quipu.resolve.view import MergedView, Resolver, merged_view

__all__ = [
    "Authority",
    "Decision",
    "MergedView",
    "Merges",
    "Resolver",
    "authorised",
    "decisions",
    "merged_view",
    "read_merges",
    "resolve",
]


def resolve(claims: Iterable[Claim]) -> list[Claim]:
    """One claim a record and episode, in the order of their first claims.

    Names and evidence are united, weights and mentions added; the surest reading counts, and the
    fuller entity (the one with a description or properties) stands for the record.
    """
    together: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        key = (record_id(claim.record), claim.episode_id)
        known = together.get(key)
        together[key] = claim if known is None else _joined(known, claim)
    return list(together.values())


def _joined(first: Claim, second: Claim) -> Claim:
    record = first.record
    match first.record, second.record:
        case Entity() as one, Entity() as two:
            record = _joined_entity(one, two)
        case Relation() as one, Relation() as two:
            record = msgspec.structs.replace(
                one,
                confidence=max(one.confidence, two.confidence),
                weight=one.weight + two.weight,
                properties={**two.properties, **one.properties},
            )
        case _:
            pass
    chunk_ids = tuple(dict.fromkeys((*first.chunk_ids, *second.chunk_ids)))
    return Claim(record, first.episode_id, chunk_ids)


def _joined_entity(one: Entity, two: Entity) -> Entity:
    fuller = two if two.properties and not one.properties else one
    names = {one.name, two.name, *one.aliases, *two.aliases} - {fuller.name}
    return msgspec.structs.replace(
        fuller,
        aliases=tuple(sorted(names)),
        description=fuller.description or one.description or two.description,
        properties={**one.properties, **two.properties},
        mention_count=one.mention_count + two.mention_count,
    )

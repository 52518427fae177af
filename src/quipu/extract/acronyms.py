"""Acronyms that a text defines, as claims: SAME_AS between two names, with the passage that says
so."""

from bisect import bisect_right
from collections.abc import Sequence

from quipu.extract.asserting import PassageText
from quipu.records.acronyms import find_definitions
from quipu.records.batch import Claim
from quipu.records.ids import name_id
from quipu.records.mentions import key_words
from quipu.records.naming import relation_id
from quipu.records.record import Episode, Relation
from quipu.records.schema import RelationType

__all__ = ["defined_names"]


def defined_names(
    text: str, chunks: Sequence[PassageText], episode: Episode, *, namespace: str
) -> list[Claim]:
    """A claim for each acronym that `text` defines, by where it stands: the short name is the
    same as the long one. `chunks` are those of the text, in order; lines count from 1."""
    claims: list[Claim] = []
    starts = [chunk.start_line for chunk in chunks]
    for long, short, start in find_definitions(text):
        ends = [name_id(" ".join(key_words(name))) for name in (short, long)]
        if ends[0] == ends[1] or not chunks:
            continue
        line = text.count("\n", 0, start) + 1
        at = max(bisect_right(starts, line) - 1, 0)
        relation = Relation(
            rel_id=relation_id(namespace, ends[0], RelationType.SAME_AS, ends[1]),
            source_entity_id=ends[0],
            target_entity_id=ends[1],
            type=RelationType.SAME_AS.value,
            created_at=episode.observed_at,
            updated_at=episode.observed_at,
            source_sha=episode.source_sha,
            properties={"long": long, "rule": "acronym", "short": short},
        )
        claims.append(Claim(relation, episode.episode_id, (chunks[at].chunk_id,)))
    return claims

"""What a `Name` is: it has no row of its own, only the chunks that mention its key."""

from quipu.records.ids import name_id
from quipu.records.record import Entity, Episode
from quipu.records.schema import EntityType

FIELD = "name"
"""The posting field whose terms are mention keys."""


def name_entity(key: str, df: int, first: Episode, latest: Episode) -> Entity:
    """The entity that stands for `key`, mentioned in `df` live chunks.

    `first` and `latest` are the episodes of its first and last live chunk by number.
    """
    early, late = sorted((first, latest), key=lambda e: (e.observed_at, e.episode_id))
    return Entity(
        entity_id=name_id(key),
        type=EntityType.NAME.value,
        name=key,
        updated_at=late.observed_at,
        source_sha=late.source_sha,
        first_seen=early.observed_at,
        last_seen=late.observed_at,
        mention_count=df,
    )

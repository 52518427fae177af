"""The action policies in force, as records: what advised an action can be looked up and cited.

One episode asserts them all; when the file of policies changes another takes its place, so that
what was in force at a moment is known (`known_at`). They advise from the configuration, never
from here: two memories with the same records may have different policies.
"""

import hashlib
from collections.abc import Sequence
from typing import cast

import msgspec

from quipu.kinds.incidents.policies import ActionPolicy
from quipu.ports import Store
from quipu.records.batch import Batch, Claim
from quipu.records.inferred import inferred_relation
from quipu.records.naming import named_entity_id
from quipu.records.record import Asserted, Entity, Episode, Properties
from quipu.records.schema import EntityType, RelationType
from quipu.when.instants import UNKNOWN_TIME, Clock
from quipu.write.prepare import episode_id_of

__all__ = ["POLICIES_SOURCE", "record_policies"]

POLICIES_SOURCE = "action_policies"
_REF = "action-policies"


def record_policies(store: Store, policies: Sequence[ActionPolicy], *, clock: Clock) -> None:
    """Record the policies, in place of those recorded before; nothing where they are the same."""
    sha = hashlib.sha256(msgspec.json.encode(policies)).hexdigest()
    episode_id = episode_id_of(store.namespace, POLICIES_SOURCE, _REF, sha)
    if episode_id in store.get([episode_id]):
        return
    now = clock()
    episode = Episode(
        episode_id=episode_id,
        source_type=POLICIES_SOURCE,
        source_ref=_REF,
        observed_at=now,
        ingested_at=now,
        content_hash=sha,
        source_sha=sha,
        preview_text=f"{len(policies)} action policies: {', '.join(p.name for p in policies)}",
    )
    claims = [
        Claim(record, episode_id) for p in policies for record in _records(store, p, now, sha)
    ]
    store.write(Batch(recorded_at=now, episodes=(episode,), claims=tuple(claims), replaces=(_REF,)))


def _records(store: Store, policy: ActionPolicy, now: str, sha: str) -> list[Asserted]:
    space = store.namespace
    own = named_entity_id(space, EntityType.ACTION_POLICY, policy.name)
    properties = cast(Properties, msgspec.to_builtins(policy))
    when = " and ".join(map(str, policy.conditions))
    found: list[Asserted] = [
        Entity(
            entity_id=own,
            type=EntityType.ACTION_POLICY,
            name=policy.name,
            updated_at=now,
            source_sha=sha,
            description=f"when {when}: {', '.join(policy.actions)}",
            properties={**properties, "conditions": [str(each) for each in policy.conditions]},
        )
    ]
    for action in policy.actions:
        key = named_entity_id(space, EntityType.HEALING_ACTION, action)
        found.append(
            Entity(
                entity_id=key,
                type=EntityType.HEALING_ACTION,
                name=action,
                updated_at=UNKNOWN_TIME,
                source_sha=sha,
            )
        )
        found.append(inferred_relation(space, own, RelationType.USES, key, seen=now, sha=sha))
    return found

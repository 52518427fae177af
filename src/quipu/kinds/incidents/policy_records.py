"""The action policies in force, as records: what advised an action can be looked up and cited.

One episode asserts them all; when the file of policies changes another takes its place, so that
what was in force at a moment is known (`known_at`). They advise from the configuration, never
from here: two memories with the same records may have different policies.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import msgspec

from quipu.kinds.incidents.policies import ActionPolicy
from quipu.ports import Store
from quipu.records.record import Asserted, Properties
from quipu.records.schema import EntityType, RelationType
from quipu.source import Draft
from quipu.when.instants import UNKNOWN_TIME, Clock

__all__ = ["POLICIES_SOURCE", "record_policies"]

POLICIES_SOURCE = "action_policies"
_REF = "action-policies"


def record_policies(store: Store, policies: Sequence[ActionPolicy], *, clock: Clock) -> None:
    """Record the policies, in place of those recorded before; nothing where they are the same."""
    sha = hashlib.sha256(msgspec.json.encode(policies)).hexdigest()
    now = clock()
    draft = Draft(namespace=store.namespace, type=POLICIES_SOURCE, ref=_REF, sha=sha, seen=now)
    if draft.episode_id in store.get([draft.episode_id]):
        return
    names = ", ".join(p.name for p in policies)
    episode = draft.episode(now, preview=f"{len(policies)} action policies: {names}")
    records = [record for p in policies for record in _records(draft, p)]
    store.write(draft.batch(episode, records, now=now))


def _records(draft: Draft, policy: ActionPolicy) -> Iterator[Asserted]:
    when = " and ".join(map(str, policy.conditions))
    properties = cast(Properties, msgspec.to_builtins(policy))
    own = draft.entity(
        EntityType.ACTION_POLICY,
        policy.name,
        description=f"when {when}: {', '.join(policy.actions)}",
        properties={**properties, "conditions": [str(each) for each in policy.conditions]},
    )
    yield own
    for name in policy.actions:
        action = replace(draft, seen=UNKNOWN_TIME).entity(EntityType.HEALING_ACTION, name)
        yield action
        yield draft.relation(own.entity_id, RelationType.USES, action.entity_id)

"""Decisions that two things are one, or are not, written as memory: each is asserted by an
episode of its own and takes the place of what was decided about the two before."""

import hashlib

import msgspec

from quipu.domain.batch import Batch, Claim
from quipu.domain.ids import make_id
from quipu.domain.records import Episode, Fact
from quipu.ports import Store
from quipu.read.redact_values import Redactor
from quipu.resolve.merges import APART, RULE, SAME, SOURCE_TYPE, Decision, pair_ref, verdict_id

__all__ = ["decide"]


def decide(store: Store, decision: Decision) -> Decision:
    """Write `decision` (its id is made here) and give it as it was written, without secrets."""
    redactor = Redactor()
    made = msgspec.structs.replace(
        decision,
        merge_id=verdict_id(
            store.namespace, decision.merged_id, decision.kept_id, same=decision.same
        ),
        by=redactor.text(decision.by),
        reason=redactor.text(decision.reason),
    )
    said = msgspec.structs.replace(made, decided_at="")
    content_hash = hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()
    ref = pair_ref(made.merged_id, made.kept_id)
    episode = Episode(
        episode_id=make_id("episode", store.namespace, SOURCE_TYPE, ref, content_hash),
        source_type=SOURCE_TYPE,
        source_ref=ref,
        observed_at=made.decided_at,
        ingested_at=made.decided_at,
        content_hash=content_hash,
        source_sha=content_hash,
        preview_text=f"{made.merged_name} — {SAME if made.same else APART} — {made.kept_name}",
    )
    store.write(
        Batch(
            recorded_at=made.decided_at,
            episodes=(episode,),
            claims=(Claim(_fact(made, content_hash, ref), episode.episode_id),),
            replaces=(ref,),
        )
    )
    return made


def _fact(decision: Decision, content_hash: str, ref: str) -> Fact:
    return Fact(
        fact_id=decision.merge_id,
        subject=decision.merged_name,
        predicate=SAME if decision.same else APART,
        object=decision.kept_name,
        updated_at=decision.decided_at,
        source_sha=content_hash,
        confidence=decision.score,
        provenance={
            "kept_id": decision.kept_id,
            "merged_id": decision.merged_id,
            "path": ref,
            "rule": RULE,
            "speaker": decision.by,
            "text": decision.reason,
            "type": decision.type,
        },
    )

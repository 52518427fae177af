"""Decisions that two things are one, or are not, written as memory: each is asserted by an
episode of its own and takes the place of what was decided about the two before."""

import hashlib

import msgspec

from quipu.ports import Store
from quipu.read.redact import Redactor
from quipu.records.batch import Batch, Claim
from quipu.records.record import Episode, Fact
from quipu.resolve.merges import APART, RULE, SAME, SOURCE_TYPE, Decision, pair_ref, verdict_id
from quipu.source import Draft

__all__ = ["decide"]


def decide(store: Store, decision: Decision) -> Decision:
    """Write `decision` (its id is made here) and give it as it was written, without secrets."""
    made = _named(store.namespace, decision)
    episode = _episode(store.namespace, made)
    fact = _fact(made, episode.content_hash, episode.source_ref)
    store.write(
        Batch(
            recorded_at=made.decided_at,
            episodes=(episode,),
            claims=(Claim(fact, episode.episode_id),),
            replaces=(episode.source_ref,),
        )
    )
    return made


def _named(namespace: str, decision: Decision) -> Decision:
    redactor = Redactor()
    return msgspec.structs.replace(
        decision,
        merge_id=verdict_id(namespace, decision.merged_id, decision.kept_id, same=decision.same),
        by=redactor.text(decision.by),
        reason=redactor.text(decision.reason),
    )


def _episode(namespace: str, made: Decision) -> Episode:
    said = msgspec.structs.replace(made, decided_at="")
    content_hash = hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()
    ref = pair_ref(made.merged_id, made.kept_id)
    draft = Draft(
        namespace=namespace, type=SOURCE_TYPE, ref=ref, sha=content_hash, seen=made.decided_at
    )
    preview = f"{made.merged_name} — {SAME if made.same else APART} — {made.kept_name}"
    return draft.episode(made.decided_at, preview=preview)


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

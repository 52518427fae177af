"""What the keys of the documents of `quipu entity …` mean."""

__all__ = ["ENTITIES"]

ENTITIES: dict[str, dict[str, str]] = {
    "Merged": {
        "entity": "the thing as it is seen now: with the names, counts and times of all",
        "members": "the records it was merged of; the first stands for all",
        "decisions": "the merges that made it one, the earliest first",
        "changed": "whether this call decided anything",
    },
    "MergedRecord": {
        "entity_id": "the record",
        "name": "what it is called; of a `Name`, its key",
        "type": "its type",
        "mention_count": "how often it was mentioned",
    },
    "Decision": {
        "merge_id": "the fact that records it",
        "merged_id": "the record that was merged",
        "kept_id": "the record that was to stand for both",
        "merged_name": "what the first was called",
        "kept_name": "what the second was called",
        "type": "the type of the second",
        "same": "whether they are one; false where a merge was undone",
        "by": "who decided",
        "reason": "why",
        "score": "how sure the proposal was, in [0, 1]; 1 where a person decided",
        "decided_at": "when",
    },
    "Proposals": {
        "proposals": "pairs that may be one, the surest first",
        "left_out": "how many more there are",
        "considered": "how many things were compared",
        "notes": "what should be known about the result",
    },
    "Proposal": {
        "merged_id": "the record that would be merged",
        "kept_id": "the record that would stand for both: the better known",
        "merged_name": "what the first is called",
        "kept_name": "what the second is called",
        "type": "the type of both",
        "score": "how sure it is, in [0, 1]; 1 where a rule says it, else the cosine",
        "cosine": "how near their meanings are; null without a model",
        "reasons": "what speaks for it",
    },
    "Unmerged": {
        "decision": "the decision that the two are not one",
        "undone": "the merge that it undid",
    },
    "EntityHistory": {"decisions": "every decision there was, the earliest first"},
    "RecordedDecision": {
        "decision": "what was decided",
        "recorded_at": "since when it was known here",
        "known_until": "until when; null while it stands",
    },
}

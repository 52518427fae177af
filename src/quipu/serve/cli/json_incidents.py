"""What the keys of incidents and advice mean, by the type that holds them."""

__all__ = ["INCIDENTS"]

_INCIDENT_ID = "the incident: a hash of its component and time window"
_RATE = "the mean of the posterior of its success rate, or null without evidence"
_LOW = "the lower end of its 90 % interval"
_HIGH = "the upper end of its 90 % interval"
_WEIGHT = "how many attempts all of them are worth, by age and likeness"
_POOLED = "how many of the attempts were on other components"
_EVIDENCE = "the attempts that count, the weightiest first"
_LEFT_OUT = "attempts that count and are not listed"
_AT = "the moment it speaks of"

INCIDENTS: dict[str, dict[str, str]] = {
    "IncidentsAdded": {
        "added": "ids of the incidents that were written",
        "unchanged": "ids of those that were there as they are",
        "outcomes": "ids of the outcomes that were written",
        "edges": "how many edges between incidents were made",
        "errors": "what was left out",
        "warnings": "what went in without a field, or with a doubt",
        "notes": "what should be known about the result",
    },
    "IncidentsMoved": {
        "incidents": "how many incidents",
        "outcomes": "how many outcomes",
        "edges": "how many edges",
        "errors": "what was left out",
    },
    "Outcome": {
        "outcome_id": "the attempt: a hash of all that it says",
        "incident_id": _INCIDENT_ID,
        "actions_taken": "what was done; words that are no known action are kept as they came",
        "success": "whether it ended the incident",
        "resolution_time_minutes": "how long it took, or null",
        "blast_radius": "`single-service` or `multi-service`",
        "lessons_learned": "what was learned",
        "recorded_at": "when this was known, or null",
    },
    "SimilarIncidents": {
        "incident_id": "the incident that was asked about, or null for a new one",
        "component": "its component",
        "as_of": "only what was known then was used; null: everything",
        "incidents": "the incidents most like it, the likeliest first",
        "notes": "what should be known about the result",
    },
    "SimilarIncident": {
        "incident_id": _INCIDENT_ID,
        "component": "its component",
        "severity": "`INFO`, `WARN` or `CRITICAL`",
        "timestamp": "when it began, or null",
        "title": "what it is called",
        "score": "how like it is",
        "parts": "`similarity` of the texts, agreement of `features`, `graph_proximity`",
        "via": "the edges that led to it; empty when it was found directly",
        "root_cause": "the stated cause",
        "outcomes": "what was tried, the earliest first",
        "edges": "its edges to other incidents",
        "source_ref": "what a person opens",
    },
    "Edge": {
        "source_id": "the incident it leaves",
        "target_id": "the incident, or outcome, it leads to",
        "type": "`SIMILAR_TO`, `CAUSED_BY`, `ESCALATED_FROM` or `RESOLVED_BY`",
        "confidence": "how sure the edge is",
        "created_at": "when it was made",
        "evidence": "what it was made from",
    },
    "Recommendation": {
        "component": "the component it is for",
        "at": _AT,
        "basis": "`learned` when past outcomes took part, `static` when the policies speak alone",
        "actions": "what to try, the best first",
        "policies": "the action policies whose conditions hold",
        "notes": "why the order is as it is; thin evidence is told here",
    },
    "RecommendedAction": {
        "action": "what to do",
        "origin": "`policy`, or `learned` when no policy that applies names it",
        "policies": "the policies that name it",
        "success_rate": _RATE,
        "low": _LOW,
        "high": _HIGH,
        "samples": "how many past attempts count",
        "weight": _WEIGHT,
        "pooled": _POOLED,
        "better": "the probability that it beats the static policy's first action, or null",
        "evidence": _EVIDENCE,
        "left_out": _LEFT_OUT,
        "against": "what argues against it",
    },
    "Evidence": {
        "incident_id": _INCIDENT_ID,
        "outcome_id": "the attempt",
        "component": "where it was",
        "success": "whether it worked",
        "weight": "how much it counts here, in [0, 1]",
        "recorded_at": "when it was known, or null",
    },
    "PolicyMatch": {
        "policy": "its name",
        "priority": "1 (first) to 5",
        "actions": "what it advises",
        "conditions": "its conditions, which all hold",
        "state": "`applies`, or why it rests: `cooling_down`, `hourly_cap`",
        "until": "when it speaks again, or null",
    },
    "Comparison": {
        "component": "the component",
        "at": _AT,
        "first": "the first action",
        "second": "the second action",
        "better": "the probability that the first works more often than the second",
        "notes": "what should be known about the result",
    },
    "Arm": {
        "action": "the action",
        "success_rate": "the mean of the posterior of its success rate",
        "low": _LOW,
        "high": _HIGH,
        "samples": "how many past attempts count",
        "successes": "how many of them worked",
        "weight": _WEIGHT,
        "pooled": _POOLED,
        "evidence": _EVIDENCE,
        "left_out": _LEFT_OUT,
    },
    "Replay": {
        "known": "`told` or `stored`: what counts as known at a moment",
        "incidents": "how many were replayed",
        "differs": "for how many the memory would have advised another first action",
        "followed": "how many first attempts did what is advised",
        "worked_when_followed": "the share of those that worked, or null",
        "worked_otherwise": "the share of the other first attempts that worked, or null",
        "skipped": "incidents without a known time",
        "rows": "each incident, the earliest first",
    },
    "Replayed": {
        "incident_id": _INCIDENT_ID,
        "component": "its component",
        "at": "the moment of the advice",
        "static": "what the action policies name first, or null",
        "advised": "what the memory of that moment names first, or null",
        "differs": "whether the two differ",
        "known_incidents": "how many other incidents were known then",
        "taken": "what was done first",
        "success": "whether that worked; null when nothing was recorded",
    },
}

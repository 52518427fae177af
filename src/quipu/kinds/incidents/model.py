"""What an incident is, what was tried against it, and how it came out: typed views, pure rules.

The names are those of the incident graph: `Incident`, `Outcome`, `HealingAction`. None of them is
a new kind of record: `records.py` turns them into entities and back. An *action policy*
(`policies.py`) says what to try; it is another thing than a `Policy` entity of documents.

How grave an incident is, where nobody says it, follows from its worst metric:

| metric | WARN from | CRITICAL from |
|---|---|---|
| latency_p99 | 300 ms | 500 ms |
| error_rate | .15 | .3 |
| cpu_util, memory_util | .8 | .9 |
"""

import hashlib
import math
import re
import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.limits import SHOWN_VALUE
from quipu.read.fields import slug
from quipu.records.record import Properties, Value
from quipu.tables import read_table
from quipu.text import excerpt
from quipu.when.instants import parse_instant, to_epoch

__all__ = [
    "LEAST_ALIKE",
    "METRICS",
    "METRIC_LEVELS",
    "MOST_ALIKE",
    "UNKNOWN_COMPONENT",
    "WINDOW_S",
    "WORDING",
    "BlastRadius",
    "HealingAction",
    "Incident",
    "IncidentHead",
    "IncidentReport",
    "Metrics",
    "Outcome",
    "OutcomeReport",
    "Severity",
    "action_name",
    "agent_analysis",
    "check_component",
    "check_metric",
    "component_of",
    "embedding_number",
    "healing_actions",
    "incident_id",
    "measured",
    "metric_of",
    "outcome_id",
    "severity_by_rule",
    "severity_of",
    "unplaced_incident_id",
]

UNKNOWN_COMPONENT = "unknown"
"""What a new incident is put to when nobody says where it is: what is told of it decides then."""

WINDOW_S = 300
"""Two reports on one component within one window of this many seconds are one incident, unless
their system gives each an id of its own."""

LEAST_ALIKE, MOST_ALIKE = 0.5, 3
"""The score from which one incident is like another, and how many before it are tied to it."""
_COMPONENT = re.compile(r"[a-z0-9-]{1,255}")
_NUMBER_BITS = 52  # whole in a JSON number


class Severity(StrEnum):
    """How grave: the three grades of the incident graph, mildest first."""

    INFO = "INFO"
    WARN = "WARN"
    CRITICAL = "CRITICAL"

    @property
    def rank(self) -> int:
        """0, 1 or 2; a greater one is graver."""
        return list(Severity).index(self)


WORDING: dict[str, dict[str, list[str]]] = read_table("quipu.kinds.incidents", "wording.toml")
"""How people write what an incident and a post-mortem say."""
_SEVERITIES = {w: Severity(grade) for grade, ws in WORDING["severities"].items() for w in ws}


def severity_of(written: str) -> Severity | None:
    """Return the grade that a source's own word stands for; None for a word that is none."""
    return _SEVERITIES.get(re.sub(r"[^a-z0-9]", "", written.casefold()))


class HealingAction(StrEnum):
    """The actions that effectiveness is learned for."""

    RESTART_CONTAINER = "restart_container"
    SCALE_OUT = "scale_out"
    TRAFFIC_SHIFT = "traffic_shift"
    CIRCUIT_BREAKER = "circuit_breaker"
    ROLLBACK = "rollback"
    ALERT_TEAM = "alert_team"
    NO_ACTION = "no_action"


class BlastRadius(StrEnum):
    """How far an incident reached."""

    SINGLE = "single-service"
    MULTI = "multi-service"


Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)] | None
Amount: TypeAlias = Annotated[float, Meta(ge=0, le=sys.float_info.max)] | None


class Metrics(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What was measured; None is unknown, never zero.

    `latency_p99` in ms, [0, 300000); `error_rate`, `cpu_util`, `memory_util` in [0, 1];
    `throughput` ≥ 0 requests a second.
    """

    latency_p99: Annotated[
        Annotated[float, Meta(ge=0, lt=300_000)] | None, "the 99th percentile, in ms, or null"
    ] = None
    error_rate: Annotated[Share, "the share of requests that failed, or null"] = None
    throughput: Annotated[Amount, "requests a second, or null"] = None
    cpu_util: Annotated[Share, "the share of processor time in use, or null"] = None
    memory_util: Annotated[Share, "the share of memory in use, or null"] = None

    def known(self) -> dict[str, float]:
        """The measured ones, in the order of `METRICS`."""
        return msgspec.to_builtins(self)


METRICS = Metrics.__struct_fields__
_METRIC_OF = {word: name for name, words in WORDING["metrics"].items() for word in words}
METRIC_LEVELS = {
    "latency_p99": (150.0, 300.0, 500.0),
    "error_rate": (0.05, 0.15, 0.3),
    "cpu_util": (0.8, 0.8, 0.9),
    "memory_util": (0.8, 0.8, 0.9),
}
"""From which value a metric is out of bounds, WARN, CRITICAL. Throughput: what is low differs."""


def metric_of(written: str) -> str | None:
    """Return the metric that a name stands for: `error.rate` and `Error rate` are `error_rate`."""
    plain = re.sub(r"[.\- ]", "_", written.casefold())
    return plain if plain in METRICS else _METRIC_OF.get(plain)


def measured(places: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is named as a metric in objects, the first that names it."""
    found: dict[str, Any] = {}
    for place in places:
        found = {**{name: value for name, value in place.items() if metric_of(name)}, **found}
    return found


def _levels(metrics: Metrics) -> dict[str, int]:
    """How far each metric that has bounds is out of them: 0 (calm) to 3 (critical)."""
    known = metrics.known()
    return {n: sum(known[n] >= b for b in METRIC_LEVELS[n]) for n in METRIC_LEVELS if n in known}


def severity_by_rule(metrics: Metrics) -> Severity:
    """Return the grade of the worst metric; INFO when nothing was measured."""
    worst = max(_levels(metrics).values(), default=0)
    return list(Severity)[max(0, worst - 1)]


def agent_analysis(metrics: Metrics, severity: Severity, *, stated_cause: str = "") -> Properties:
    """Return `incident_summary`, and `root_cause_insights` (what its source states)."""
    levels = _levels(metrics)
    affected = sorted((name for name in levels if levels[name]), key=lambda n: (-levels[n], n))
    insights: list[Value] = [{"cause": stated_cause, "evidence": "stated by the source"}]
    return {
        "incident_summary": {"severity": str(severity), "primary_metrics_affected": [*affected]},
        "root_cause_insights": insights if stated_cause else [],
    }


class OutcomeReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One attempt at an incident as a source tells it; `confidence` in (0, 1] is less where it is
    read from words, not told."""

    actions_taken: Annotated[tuple[str, ...], Meta(min_length=1)]
    success: bool
    resolution_time_minutes: Annotated[float, Meta(ge=0, le=sys.float_info.max)] | None = None
    blast_radius: BlastRadius | None = None
    lessons_learned: str = ""
    recorded_at: str | None = None
    confidence: Annotated[float, Meta(gt=0, le=1)] = 1.0


class IncidentReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An incident as one source tells it, checked; what it leaves out is worked out by rule.

    `source` names the report within its incident (`alertmanager:<fingerprint>`): the same source
    again replaces its report. `pointer` is where the raw data stays. `incident_id` and
    `embedding_id` are given only by a source that has them already.
    """

    component: str
    timestamp: str | None = None
    severity: Severity | None = None
    source_severity: str = ""
    metrics: Metrics = Metrics()
    title: str = ""
    summary: str = ""
    root_cause: str = ""
    affected_services: tuple[str, ...] = ()
    upstream_deps: tuple[str, ...] = ()
    downstream_deps: tuple[str, ...] = ()
    blast_radius: BlastRadius | None = None
    outcomes: tuple[OutcomeReport, ...] = ()
    tags: tuple[str, ...] = ()
    extra: Properties = {}
    source: str = ""
    pointer: str = ""
    incident_id: str = ""
    embedding_id: int | None = None
    agent_analysis: Properties | None = None
    predictive_insights: Properties | None = None


class IncidentHead(msgspec.Struct, frozen=True, kw_only=True):
    """What names an incident in a list."""

    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    component: Annotated[str, "its component"]
    severity: Annotated[str, "`INFO`, `WARN` or `CRITICAL`"]
    timestamp: Annotated[str | None, "when it began, or null"]
    title: Annotated[str, "what it is called"]


class Incident(IncidentHead, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A single detected incident, with everything that was worked out about it.

    `timestamp` is None where nobody knows it. `embedding_id` is a number of its own, whatever
    index the vector lies in. `source_severity` is the source's word where it was another.
    """

    severity: Annotated[Severity, "`INFO`, `WARN` or `CRITICAL`"]
    metrics: Annotated[Metrics, "what was measured, by name"]
    agent_analysis: Annotated[Properties, "what was worked out: failure type, confidence, signals"]
    predictive_insights: Annotated[Properties, "where its numbers are going, as its source says"]
    embedding_id: Annotated[int, "a number of its own, whatever index its vector lies in"]
    title: Annotated[str, "what it is called"] = ""
    summary: Annotated[str, "what happened, in words"] = ""
    root_cause: Annotated[str, "what its source says caused it"] = ""
    source_severity: Annotated[str, "the source's word for the severity where it was another"] = ""
    affected_services: Annotated[tuple[str, ...], "the services that felt it"] = ()
    upstream_deps: Annotated[tuple[str, ...], "what the component needs"] = ()
    downstream_deps: Annotated[tuple[str, ...], "what needs the component"] = ()
    blast_radius: Annotated[BlastRadius, "`single-service` or `multi-service`"] = BlastRadius.SINGLE
    tags: Annotated[tuple[str, ...], "as its source gives them"] = ()
    extra: Annotated[Properties, "what its source says besides"] = {}
    pointer: Annotated[str, "where the raw data stays"] = ""

    @property
    def head(self) -> dict[str, Any]:
        """The fields of its `IncidentHead`."""
        return {name: getattr(self, name) for name in IncidentHead.__struct_fields__}

    @property
    def needs(self) -> list[tuple[str, str]]:
        """Which service needs which, as far as it says."""
        below = [(self.component, each) for each in self.upstream_deps]
        return below + [(each, self.component) for each in self.downstream_deps]


class Outcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What actually happened after one intervention; an incident may have several."""

    outcome_id: Annotated[str, "the attempt: a hash of all that it says"]
    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    actions_taken: Annotated[tuple[str, ...], "what was done; unknown actions as they came"]
    success: Annotated[bool, "whether it ended the incident"]
    resolution_time_minutes: Annotated[float | None, "how long it took, or null"] = None
    blast_radius: Annotated[BlastRadius, "`single-service` or `multi-service`"] = BlastRadius.SINGLE
    lessons_learned: Annotated[str, "what was learned"] = ""
    recorded_at: Annotated[str | None, "when this was known, or null"] = None
    confidence: Annotated[float, "how sure it is that this is what came of it"] = 1.0


def check_component(component: object, *, field: str = "component") -> str:
    """`component` when it is a sound name; InvalidInput names the field and the value."""
    if not isinstance(component, str) or not _COMPONENT.fullmatch(component):
        raise InvalidInput(
            f"{field} {excerpt(repr(component), limit=SHOWN_VALUE)} is not a name: use at most 255 "
            "lower-case letters, digits and hyphens, for example payment-service"
        )
    return component


def component_of(written: Mapping[str, str]) -> tuple[str, Properties]:
    """Return the first of these that gives a component, and the word as written where it differs:
    other systems name services freely, and `Payment Service` becomes `payment-service`."""
    for word in written.values():
        if component := slug(word):
            return component, {"component_as_written": word} if word != component else {}
    raise InvalidInput(f"no field names a component: one of {', '.join(written)} is needed")


def check_metric(name: str, value: object) -> float:
    """`value` (text that is a number too) as that of metric `name`; InvalidInput when it is none
    or out of range."""
    try:
        return getattr(msgspec.convert({name: value}, Metrics, strict=False), name)
    except msgspec.ValidationError as error:
        why, _, _ = str(error).partition(" - at ")
        raise InvalidInput(f"{name} {value!r} cannot be used: {why}") from error


def action_name(written: str) -> str:
    """What an action is called, however it is written: `Renew certificate` and `renew-certificate`
    are `renew_certificate`; a link (to a runbook) stays as it is."""
    text = written.strip()
    if "://" in text:
        return text
    return re.sub(r"[^\w]+", "_", text.casefold()).strip("_") or text


def healing_actions(actions: Iterable[str]) -> tuple[HealingAction, ...]:
    """Those of `actions` that effectiveness is learned for, each once, in their order."""
    known = {str(each) for each in HealingAction}
    return tuple(dict.fromkeys(HealingAction(each) for each in actions if each in known))


def incident_id(component: str, timestamp: str, *, own: str = "", window_s: int = WINDOW_S) -> str:
    """The id of the incident that a report on `component` at `timestamp` belongs to; `own` is the
    id that the incident has in its own system."""
    window = math.floor(to_epoch(parse_instant(timestamp)) / window_s)
    return _digest("inc", component, str(window), *filter(None, [own]))


def unplaced_incident_id(source: str, position: int, text: str) -> str:
    """The id of an incident without a known time: never that of another one."""
    return _digest("inc", source, str(position), text)


def outcome_id(incident: str, told: OutcomeReport) -> str:
    """The id of an attempt, from all that it says: the same attempt told twice is one."""
    minutes = told.resolution_time_minutes
    return _digest(
        "out",
        incident,
        "\x1f".join(told.actions_taken),
        str(told.success),
        "" if minutes is None else repr(float(minutes)),
        told.lessons_learned,
        told.recorded_at or "",
    )


def embedding_number(incident: str) -> int:
    """The `embedding_id` of an incident that did not come with one."""
    digest = hashlib.sha256(incident.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _NUMBER_BITS)


def _digest(tag: str, *parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{tag}_{digest.hexdigest()[:24]}"

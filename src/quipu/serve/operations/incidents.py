"""Incidents: told, listed, compared with others; what was tried, what to try."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack

from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.kinds.incidents.advice import Comparison, Recommendation, Replay
from quipu.kinds.incidents.api import IncidentsAdded, IncidentsMoved, Policies
from quipu.kinds.incidents.case_base import (
    IncidentDetail,
    IncidentList,
    IncidentSummary,
)
from quipu.kinds.incidents.links import SimilarIncidents
from quipu.kinds.incidents.model import UNKNOWN_COMPONENT, Outcome
from quipu.memory import Memory
from quipu.ports import Progress
from quipu.serve.operations import (
    Command,
    Date,
    Day,
    Flag,
    Http,
    Keys,
    Tool,
    Word,
    operation,
    standard_input,
)

__all__: list[str] = []

_ALL = 100_000
_NEW = "component title upstream metrics"

Id = Annotated[str, "the incident", Word()]
IdOrNone = Annotated[str | None, "one that is stored", Word()]
Measured = Annotated[
    dict[str, float],
    "latency_p99 (ms), error_rate, throughput, cpu_util, memory_util",
    Keys(
        {
            "latency_p99": "the p99 latency in milliseconds",
            "error_rate": "the share of failing requests, 0 to 1",
            "throughput": "requests a second",
            "cpu_util": "the share of CPU in use, 0 to 1",
            "memory_util": "the share of memory in use, 0 to 1",
        }
    ),
]
AsOf = Annotated[Day | None, "only what was known at this date"]
Actions = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
    "what was done",
    Meta(min_length=1, max_length=20, examples=[["rollback"]]),
    Word("ACTION..."),
]
Action = Annotated[str, Meta(min_length=1, max_length=200), Word()]
Lessons = Annotated[str, "what was learned", Meta(max_length=4_000)]
Source = Annotated[Path, Word("PATH")]


class NewIncident(TypedDict, total=False):
    """An incident that is not here yet."""

    component: Annotated[str | None, "the component of a new incident"]
    title: Annotated[str, "what happens, in words", Meta(max_length=2_000)]
    upstream: Annotated[tuple[str, ...], "a service it needs"]
    metrics: Measured


@operation(
    "read",
    Command(),
    Http(
        "GET /api/v1/incidents",
        name="list_incidents",
        page="incidents",
        without="limit",
        default={"limit": _ALL},
    ),
)
def list_(
    memory: Memory,
    component: Annotated[str | None, "only those of this component"] = None,
    state: Annotated[
        Literal["open", "resolved"] | None,
        "only those in this state",
        Flag("--open", "open", "only those that are open"),
        Flag("--resolved", "resolved", "only those that are over"),
    ] = None,
    since: Annotated[Day | None, "only those that began then or later"] = None,
    until: Annotated[Day | None, "only those that began then or earlier"] = None,
    limit: Annotated[int, "how many", Meta(ge=1)] = 20,
) -> IncidentList:
    """List incidents, the latest first. One is open until an attempt that worked is recorded.

    $ quipu incident list --open
    $ quipu incident list --component payments --limit 5
    """
    return memory.incidents.list(
        component=component, state=state, since=since, until=until, limit=limit
    )


@operation("write", Http("POST /api/v1/incidents", status=201, name="add_incident"))
def add_record(memory: Memory, data: dict[str, Any]) -> IncidentsAdded:
    """Remember an incident: a record of any system that is understood (docs/how-to/incidents.md).
    What cannot be used is a row of `errors`."""
    added = memory.incidents.add(data)
    if added.errors and not (added.added or added.unchanged):
        raise InvalidInput("; ".join(each.error for each in added.errors))
    return added


@operation("read", Command(), Http("GET /api/v1/incidents/summary", name="summarise"))
def summary(memory: Memory) -> IncidentSummary:
    """Count incidents by service, with their time to repair.

    $ quipu incident summary
    """
    return memory.incidents.summary()


@operation(
    "read",
    Command(retired={"--known WORD": "an incident is judged by what was known then"}),
    Http("GET /api/v1/incidents/replay"),
)
def replay(memory: Memory) -> Replay:
    """Advise on every past incident from what was known at its moment, and compare.

    Shows where the memory would have advised something else than the static policies, and what
    was done and came of it.

    $ quipu incident replay
    $ quipu incident replay --json
    """
    return memory.incidents.replay()


@operation("read", Command(), Http("GET /api/v1/incidents/{incident_id:str}", name="show_incident"))
def show(memory: Memory, incident_id: Id) -> IncidentDetail:
    """Show an incident: what happened, what was tried, and its edges.

    $ quipu incident show inc_0123456789abcdef01234567
    """
    return memory.incidents.show(incident_id)


@operation("read", Http("GET /api/v1/incidents/{incident_id:str}/timeline", name="show_timeline"))
def timeline(memory: Memory, incident_id: Id) -> IncidentDetail:
    """Give what `/api/v1/incidents/{incident_id}` gives: this route goes with the next version."""
    return memory.incidents.show(incident_id)


@operation(
    "read",
    Command(),
    Http("GET /api/v1/incidents/{incident_id:str}/similar", without=_NEW, default={"limit": 10}),
    Tool("incident_similar", "Similar incidents", without="upstream"),
)
def similar(
    memory: Memory,
    incident_id: IdOrNone = None,
    as_of: AsOf = None,
    limit: Annotated[int, "how many incidents", Meta(ge=1, le=50)] = 5,
    **described: Unpack[NewIncident],
) -> SimilarIncidents:
    """Find the incidents most like one, what was tried then and what came of it.

    $ quipu incident similar inc_0123456789abcdef01234567
    $ quipu incident similar --component payments --error-rate 0.4 --title 'checkout fails'
    """
    subject = _subject(incident_id, described)
    return memory.incidents.similar(subject, as_of=as_of, limit=limit)


@operation(
    "read",
    Command(),
    Http("GET /api/v1/incidents/{incident_id:str}/recommendation", without=_NEW),
    Tool("incident_recommend", "Recommended actions", without="upstream", unlisted="retrieval"),
)
def recommend(
    memory: Memory,
    incident_id: IdOrNone = None,
    as_of: AsOf = None,
    retrieval: Annotated[
        Literal["configured", "off", "shadow", "on"], "whether past incidents take part"
    ] = "configured",
    **described: Unpack[NewIncident],
) -> Recommendation:
    """Say what to try, the best first, with the evidence for and against each action.

    Advice only: nothing is ever run.

    $ quipu incident recommend inc_0123456789abcdef01234567
    $ quipu incident recommend --component payments --latency-p99 900 --retrieval on
    """
    subject = _subject(incident_id, described)
    chosen = None if retrieval == "configured" else retrieval
    return memory.incidents.recommend(subject, as_of=as_of, retrieval=chosen)


@operation("read", Command(without="component"))
def compare(
    memory: Memory,
    subject: Annotated[str, Word()],
    first: Action,
    second: Action,
    as_of: AsOf = None,
    **described: Unpack[NewIncident],
) -> Comparison:
    """Compare two actions on SUBJECT: how often each works, and how sure it is which is better.

    SUBJECT is an incident's id, or a component. With a title or numbers it is a new incident on
    that component, and the rates are those that `recommend` gives for it; without them they are of
    everything that befell the component. Actions are restart_container, scale_out, traffic_shift,
    circuit_breaker, rollback, alert_team, no_action, and whatever else was done.

    $ quipu incident compare payments rollback restart_container
    $ quipu incident compare payments rollback renew_certificate --title 'TLS fails'
    """
    is_new = any(described.values())
    about = _subject(None, {**described, "component": subject}) if is_new else subject
    return memory.incidents.compare(about, first, second, as_of=as_of)


@operation("read", Http("GET /api/v1/incidents/{incident_id:str}/comparison", name="compare"))
def compare_for(memory: Memory, incident_id: Id, first: Action, second: Action) -> Comparison:
    """Compare two actions for an incident."""
    memory.incidents.show(incident_id)
    return memory.incidents.compare(incident_id, first, second)


@operation(
    "write",
    Command(
        default={"success": None},
        spelled={"resolution_time_minutes": "--minutes", "lessons_learned": "--lessons"},
    ),
    Http(
        "POST /api/v1/incidents/{incident_id:str}/outcomes",
        status=201,
        name="record_outcome",
        body="NewOutcome",
        without="blast_radius",
    ),
    Tool("outcome_record", "Record an outcome", idempotent=False, without="blast_radius"),
)
def outcome(
    memory: Memory,
    incident_id: Id,
    actions_taken: Actions,
    success: Annotated[bool, "whether it ended the incident", Flag("--worked/--failed")],
    resolution_time_minutes: Annotated[
        Annotated[float, Meta(ge=0, le=1e7)] | None, "how long until it was over"
    ] = None,
    lessons_learned: Lessons = "",
    blast_radius: Annotated[
        Literal["single-service", "multi-service"] | None,
        "how far the incident reached; as the incident says, where left out",
    ] = None,
    recorded_at: Annotated[Date | None, "when this was known; none: now"] = None,
) -> Outcome:
    """Record what was tried against an incident and whether it worked.

    $ quipu incident outcome inc_0123456789abcdef01234567 rollback --worked --minutes 12
    $ quipu incident outcome inc_0123456789abcdef01234567 restart_container --failed
    """
    if success is None:  # pyright: ignore[reportUnnecessaryComparison]  a command may leave it out
        raise InvalidInput("did it work? give --worked or --failed")
    return memory.incidents.outcome(
        incident_id,
        actions_taken,
        success=success,
        resolution_time_minutes=resolution_time_minutes,
        lessons_learned=lessons_learned,
        blast_radius=blast_radius,
        recorded_at=recorded_at,
    )


@operation("write", Command(spelled={"lessons_learned": "--lessons", "recorded_at": "--at"}))
def resolve(
    memory: Memory,
    incident_id: Id,
    actions_taken: Actions,
    lessons_learned: Lessons = "",
    recorded_at: Annotated[Date | None, "when it was over; none: now"] = None,
) -> Outcome:
    """Record that these actions ended an incident; how long it took follows from its beginning.

    $ quipu incident resolve inc_0123456789abcdef01234567 rollback
    """
    return memory.incidents.resolve(
        incident_id, actions_taken, lessons_learned=lessons_learned, recorded_at=recorded_at
    )


@operation("write", Command(fails=lambda made: bool(made.errors)))
def add(
    memory: Memory,
    paths: Annotated[tuple[str, ...], Word("PATH...")],
    component: Annotated[str | None, "what a post-mortem was about that names no service"] = None,
    progress: Progress | None = None,
) -> IncidentsAdded:
    """Remember the incidents in files, or in the files of folders; `-` is standard input.

    Read are our own records in JSON or JSON lines, webhooks and exports of Alertmanager, PagerDuty,
    Opsgenie, Statuspage, incident.io, Sentry, Jira and GitHub, OpenTelemetry events, and
    post-mortems in Markdown. The same incident again changes
    nothing. Exit code 1 when something was left out.

    $ quipu incident add postmortems/
    $ quipu incident add alerts.jsonl incidents.json
    $ quipu incident add outage.md --component search
    $ quipu incident add - < webhook.json
    """
    if "-" in paths and len(paths) > 1:
        raise InvalidInput("'-' stands beside other paths: give standard input alone")
    if paths == ("-",):
        text = standard_input().decode("utf-8", "replace")
        return memory.incidents.add_text(text, component=component)
    return memory.incidents.add_files(paths, component=component, progress=progress)


@operation("read", Command())
def export(
    memory: Memory, path: Source, force: Annotated[bool, "write over a file that is there"] = False
) -> IncidentsMoved:
    """Write every incident, outcome and edge to PATH as JSON: whole or not at all.

    The keys are those of IncidentNode, OutcomeNode and GraphEdge; `quipu incident import` takes
    the file back without loss.

    $ quipu incident export incidents.json
    """
    return memory.incidents.export(path, overwrite=force)


@operation("write", Command(fails=lambda moved: bool(moved.errors)))
def import_(memory: Memory, path: Source, progress: Progress | None = None) -> IncidentsMoved:
    """Take in the incident graph in PATH; again changes nothing.

    Exit code 1 when something was left out.

    $ quipu incident import incidents.json
    """
    return memory.incidents.import_(path, progress=progress)


@operation("read", Command(fails=lambda found: bool(found.errors)))
def policies(memory: Memory, path: Annotated[Path | None, Word("PATH")] = None) -> Policies:
    """Show the action policies in force, or check those of the YAML file PATH.

    Exit code 1 when one of them cannot be used; the others can.

    $ quipu incident policies
    $ quipu incident policies my-policies.yaml
    """
    return memory.incidents.check_policies(path)


def _subject(incident_id: str | None, new: NewIncident) -> str | dict[str, Any]:
    """The incident that is meant: one that is here, or a new one as it is described."""
    component, title = new.get("component"), new.get("title", "")
    if incident_id is not None:
        if any(new.values()):
            raise InvalidInput(
                f"incident {incident_id!r} stands beside a component, a title or numbers: give one "
                "or the other"
            )
        return incident_id
    if not component and not title:
        raise InvalidInput("which incident? give its id, or a title, or a component and numbers")
    return {
        "component": component or UNKNOWN_COMPONENT,
        "title": title,
        "upstream_deps": list(new.get("upstream", ())),
        "metrics": new.get("metrics", {}),
    }

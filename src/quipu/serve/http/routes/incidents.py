"""Incidents: listed, told, compared with others; what was tried, what to try."""

from typing import Annotated, Any, Literal

from litestar import get, post
from litestar.params import JSONBody, QueryParameter

from quipu.errors import InvalidInput
from quipu.kinds.incidents.api import IncidentsAdded
from quipu.kinds.incidents.learn.advise import Recommendation
from quipu.kinds.incidents.learn.compare import Comparison
from quipu.kinds.incidents.learn.replay import Replay
from quipu.kinds.incidents.life import IncidentDetail, IncidentSummary, IncidentTimeline
from quipu.kinds.incidents.model import Outcome
from quipu.kinds.incidents.similar import SimilarIncidents
from quipu.serve.http.given import AskedName, Cursor, HowMany, Ref, TheMemory, page_of
from quipu.serve.http.shapes import IncidentPage, NewOutcome

__all__ = ["ROUTES"]

_READ, _WRITE = {"needs": "read"}, {"needs": "write"}
_ALL = 100_000

Known = Annotated[Literal["told", "stored"], QueryParameter(description="what counts as known")]
Action = Annotated[str, QueryParameter(min_length=1, max_length=200)]


@get("/incidents", sync_to_thread=True, opt=_READ)
def list_incidents(
    memory: TheMemory,
    component: AskedName = None,
    standing: Annotated[Literal["open", "resolved"] | None, QueryParameter(name="state")] = None,
    since: AskedName = None,
    until: AskedName = None,
    cursor: Cursor = None,
    limit: HowMany = 50,
) -> IncidentPage:
    """List incidents, the latest first."""
    found = memory.incidents.list(
        component=component, state=standing, since=since, until=until, limit=_ALL
    )
    rows, after = page_of(found.incidents, cursor, limit)
    return IncidentPage(incidents=rows, total=found.total, next_cursor=after)


@post("/incidents", status_code=201, sync_to_thread=True, opt=_WRITE)
def add_incident(memory: TheMemory, data: JSONBody[dict[str, Any]]) -> IncidentsAdded:
    """Remember an incident: a record of any system that is understood (docs/how-to/incidents.md).
    What cannot be used is a row of `errors`."""
    added = memory.incidents.add(data)
    if added.errors and not (added.added or added.unchanged):
        raise InvalidInput("; ".join(each.error for each in added.errors))
    return added


@get("/incidents/summary", sync_to_thread=True, opt=_READ)
def summarise(memory: TheMemory) -> IncidentSummary:
    """Counts, recurrence and time to repair by service, and the failures that come back."""
    return memory.incidents.summary()


@get("/incidents/replay", sync_to_thread=True, opt=_READ)
def replay(memory: TheMemory, known: Known = "told") -> Replay:
    """Replay the policies over history, each incident with what was known at its moment."""
    return memory.incidents.replay(known=known)


@get("/incidents/{incident_id:str}", sync_to_thread=True, opt=_READ)
def show_incident(memory: TheMemory, incident_id: Ref) -> IncidentDetail:
    """Show an incident: its attempts and edges, and what is not taken for its cause."""
    return memory.incidents.show(incident_id)


@get("/incidents/{incident_id:str}/timeline", sync_to_thread=True, opt=_READ)
def show_timeline(memory: TheMemory, incident_id: Ref) -> IncidentTimeline:
    """Show what happened before, at and after an incident."""
    return memory.incidents.timeline(incident_id)


@get("/incidents/{incident_id:str}/similar", sync_to_thread=True, opt=_READ)
def similar(
    memory: TheMemory,
    incident_id: Ref,
    as_of: AskedName = None,
    limit: Annotated[int, QueryParameter(ge=1, le=50)] = 10,
) -> SimilarIncidents:
    """Find the incidents most like one, and what came of them."""
    return memory.incidents.similar(incident_id, as_of=as_of, limit=limit)


@get("/incidents/{incident_id:str}/recommendation", sync_to_thread=True, opt=_READ)
def recommend(
    memory: TheMemory,
    incident_id: Ref,
    as_of: AskedName = None,
    retrieval: Annotated[Literal["off", "on"] | None, QueryParameter()] = None,
) -> Recommendation:
    """Say what to try, with the evidence for and against. Nothing is ever run."""
    return memory.incidents.recommend(incident_id, as_of=as_of, retrieval=retrieval)


@get("/incidents/{incident_id:str}/comparison", sync_to_thread=True, opt=_READ)
def compare(memory: TheMemory, incident_id: Ref, first: Action, second: Action) -> Comparison:
    """Compare two actions for an incident."""
    memory.incidents.show(incident_id)
    return memory.incidents.compare(incident_id, first, second)


@post("/incidents/{incident_id:str}/outcomes", status_code=201, sync_to_thread=True, opt=_WRITE)
def record_outcome(memory: TheMemory, incident_id: Ref, data: JSONBody[NewOutcome]) -> Outcome:
    """Record one attempt at an incident."""
    return memory.incidents.outcome(
        incident_id,
        data.actions_taken,
        success=data.success,
        resolution_time_minutes=data.resolution_time_minutes,
        lessons_learned=data.lessons_learned,
        recorded_at=data.recorded_at,
    )


ROUTES = [
    list_incidents,
    add_incident,
    summarise,
    replay,
    show_incident,
    show_timeline,
    similar,
    recommend,
    compare,
    record_outcome,
]

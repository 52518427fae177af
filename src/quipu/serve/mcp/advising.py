"""The tools of the profile `full` for incidents: what is like it, what to try, what came of it."""

from typing import Annotated, Any, Literal

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.errors import InvalidInput
from quipu.kinds.incidents.learn.advise import Recommendation
from quipu.kinds.incidents.model import UNKNOWN_COMPONENT, Outcome
from quipu.kinds.incidents.similar import SimilarIncidents
from quipu.memory import Memory
from quipu.serve.mcp.tool import Hints, make_tool

__all__ = ["advising_tools"]

Id = Annotated[str, Field(description="An incident that is in the memory; empty for a new one.")]
Component = Annotated[str, Field(description="The component of a new incident.")]
Title = Annotated[str, Field(description="What happens, in words.", max_length=2_000)]
Measured = Annotated[
    dict[str, float],
    Field(description="latency_p99 (ms), error_rate, throughput, cpu_util, memory_util."),
]
AsOf = Annotated[str, Field(description="An ISO date: use only what was known then.")]


def advising_tools(memory: Memory) -> list[Tool]:
    """The tools over one memory."""
    return [_similar_tool(memory), _recommend_tool(memory), _outcome_tool(memory)]


def _subject(
    incident_id: str, component: str, title: str, metrics: dict[str, float]
) -> str | dict[str, Any]:
    if incident_id and component:
        raise InvalidInput("incident_id stands beside component: give one or the other")
    if not incident_id and not component and not title:
        raise InvalidInput("which incident? give incident_id, or title, or component and metrics")
    named = component or UNKNOWN_COMPONENT
    return incident_id or {"component": named, "title": title, "metrics": metrics}


def _similar_tool(memory: Memory) -> Tool:
    def incident_similar(
        incident_id: Id = "",
        component: Component = "",
        title: Title = "",
        metrics: Measured = {},  # noqa: B006  never changed
        as_of: AsOf = "",
        limit: Annotated[int, Field(ge=1, le=20, description="How many incidents.")] = 5,
    ) -> SimilarIncidents:
        """Find the incidents most like one, what was tried then and what came of it."""
        subject = _subject(incident_id, component, title, metrics)
        return memory.incidents.similar(subject, as_of=as_of or None, limit=limit)

    return make_tool(incident_similar, title="Similar incidents")


def _recommend_tool(memory: Memory) -> Tool:
    def incident_recommend(
        incident_id: Id = "",
        component: Component = "",
        title: Title = "",
        metrics: Measured = {},  # noqa: B006  never changed
        as_of: AsOf = "",
        retrieval: Annotated[
            Literal["configured", "off", "on"],
            Field(description="Whether past incidents take part."),
        ] = "configured",
    ) -> Recommendation:
        """Say what to try against an incident, with the evidence for and against each action.

        Advice only: nothing is ever run.
        """
        return memory.incidents.recommend(
            _subject(incident_id, component, title, metrics),
            as_of=as_of or None,
            retrieval=None if retrieval == "configured" else retrieval,
        )

    return make_tool(incident_recommend, title="Recommended actions")


def _outcome_tool(memory: Memory) -> Tool:
    def outcome_record(
        incident_id: Annotated[str, Field(description="The incident it was tried against.")],
        actions_taken: Annotated[
            list[str], Field(description="What was done: rollback, scale_out …", max_length=20)
        ],
        success: Annotated[bool, Field(description="Whether it ended the incident.")],
        resolution_time_minutes: Annotated[
            float | None, Field(description="How long until it was over.")
        ] = None,
        lessons_learned: Annotated[
            str, Field(description="What was learned.", max_length=4_000)
        ] = "",
        recorded_at: Annotated[str, Field(description="When this was known; empty: now.")] = "",
    ) -> Outcome:
        """Record what was tried against an incident and whether it worked."""
        return memory.incidents.outcome(
            incident_id,
            actions_taken,
            success=success,
            resolution_time_minutes=resolution_time_minutes,
            lessons_learned=lessons_learned,
            recorded_at=recorded_at or None,
        )

    return make_tool(
        outcome_record,
        title="Record an outcome",
        hints=Hints(reads=False, idempotent=False),
    )

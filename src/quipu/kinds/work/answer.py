"""What holds up goals and tasks: the work that blocks them and is not over."""

from collections.abc import Sequence

from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.support import EvidencePool, support
from quipu.answer.wording import asks_for
from quipu.kinds.work.listed import with_status, without_past_values
from quipu.kinds.work.model import is_closed
from quipu.ports import Graph, Planner
from quipu.records.plan import Plan
from quipu.records.record import Entity, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.records.scope import EVERYTHING

__all__ = ["ANSWERS", "WorkAnswers"]

_WORK = frozenset({EntityType.GOAL, EntityType.TASK})
_PARTS = frozenset({RelationType.HAS_TASK, RelationType.HAS_SUBTASK})
_MOST = 200


def _holding_up(
    asked: Asked, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
) -> list[tuple[str, Relation]]:
    """For a question what blocks a goal or a task: the relations that block what is to be done
    for it (its tasks and their subtasks), each after the anchor that it holds up; only ties that
    the scope lets be seen."""
    if not asks_for(asked.text, RelationType.BLOCKS)[1]:
        return []
    works = [i for i, each in _entities(graph, anchors).items() if each.type in _WORK]
    return [(work, relation) for work in works for relation in _within(graph, evidence, work)]


def _within(graph: Planner, evidence: EvidencePool, work: str) -> list[Relation]:
    parts: list[str] = []
    level = [work]
    for _ in range(2):
        found = graph.neighbors(level, types=_PARTS, limit_per_id=_MOST)
        seen = _seen(graph, evidence, [r for each in found.values() for r in each])
        reached = {r.target_entity_id for r in seen} - {work, *parts}
        every = _entities(graph, sorted(reached)).items()
        level = [i for i, each in every if not _is_over(each)][:_MOST]
        parts += level
    blocking = graph.neighbors(
        parts, direction="in", types=frozenset({RelationType.BLOCKS}), limit_per_id=_MOST
    )
    found = [relation for part in parts for relation in blocking[part]]
    own = {work, *parts}
    return _without_what_is_over(graph, [r for r in found if r.source_entity_id not in own])


def _seen(graph: Planner, evidence: EvidencePool, relations: Sequence[Relation]) -> list[Relation]:
    if evidence.scope == EVERYTHING:
        return [*relations]
    return [r for r in relations if support(graph, r.rel_id, evidence, r)[1]]


def _without_what_is_over(graph: Graph, relations: Sequence[Relation]) -> list[Relation]:
    """The relations, but those by which work that is over blocks something."""
    blocking = {r.source_entity_id for r in relations if r.type == RelationType.BLOCKS}
    over = {i for i, each in _entities(graph, sorted(blocking)).items() if _is_over(each)}
    return [
        r for r in relations if not (r.type == RelationType.BLOCKS and r.source_entity_id in over)
    ]


def _entities(graph: Graph, ids: Sequence[str]) -> dict[str, Entity]:
    return {i: r for i, r in sorted(graph.get(list(ids)).items()) if isinstance(r, Entity)}


def _is_over(entity: Entity) -> bool:
    return entity.type in _WORK and is_closed(entity.properties.get("status"))


class WorkAnswers(Answers):
    """What goals and tasks say."""

    def listed(
        self, plan: Plan, graph: Planner, found: Sequence[Evidence], *, now: str
    ) -> AnswerStatement | None:
        """Which have the status that is asked for now."""
        return with_status(plan, graph, found, now=now)

    def led_to(
        self, asked: Asked, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
    ) -> Sequence[tuple[str, Relation]]:
        """What blocks a part of a goal or task that the question is about."""
        return _holding_up(asked, graph, evidence, anchors)

    def in_force(self, graph: Graph, relations: Sequence[Relation]) -> list[Relation]:
        """Work that is over blocks nothing."""
        return _without_what_is_over(graph, relations)

    def present(
        self, question: str, graph: Graph, found: Sequence[Evidence], *, now: str
    ) -> list[Evidence]:
        """Without passages that only say what was true of a goal or task before."""
        return without_past_values(question, graph, found, now=now)


ANSWERS = WorkAnswers()

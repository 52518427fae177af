"""What holds up goals and tasks (the work that blocks them and is not over), and which have a
status now.

"Which tasks are open?" is about all of them: no passage of one answers it, and what a task was
before says nothing of now.
"""

import re
from collections.abc import Iterable, Sequence

from quipu.answer.gate import Evidence
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.support import EvidencePool, support
from quipu.answer.wording import LISTED, listed, shown
from quipu.kinds.work.model import FIELDS, TYPES, is_closed, status_key
from quipu.ports import Graph, Planner
from quipu.question import Question
from quipu.records.plan import Plan
from quipu.records.record import Entity, Fact, Relation
from quipu.records.schema import RelationType
from quipu.records.scope import EVERYTHING
from quipu.text import name_key
from quipu.when.instants import parse_instant

__all__ = ["ANSWERS"]

_STILL = r"(?:\s+(?:still|currently|now|already))*"
_NOW = r"(?:\s+(?:now|right now|currently|today|at the moment))?\s*[?.!]*\s*$"
_OF = r"^\s*(?:which|what|(?:list|show)(?:\s+me)?(?:\s+all)?)(?:\s+of)?(?:\s+(?:the|our|my))?\s+"
_STATUS = r"(?P<status>\w[\w -]{0,40}?)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_OF}(?P<kind>task|goal)s?\s+(?:that\s+)?(?:are|is){_STILL}\s+{_STATUS}{_NOW}",
        rf"{_OF}{_STATUS}\s+(?P<kind>task|goal)s(?:\s+(?:are|do)\s+(?:there|we have))?{_NOW}",
        rf"^\s*(?:what|which)(?:'s|\s+is|\s+are){_STILL}\s+{_STATUS}{_NOW}",
    )
)
_VALUE = re.compile(r"(?:goal|task):.+#[a-z]+@")
_WORK = frozenset(TYPES.values())
_PARTS = frozenset({RelationType.HAS_TASK, RelationType.HAS_SUBTASK})
_BLOCKS = frozenset({RelationType.BLOCKS})
_DEPTH, _MOST = 2, 200


class WorkAnswers(Answers):
    """What goals and tasks say."""

    def listed(
        self, plan: Plan, graph: Planner, found: Sequence[Evidence], *, now: str
    ) -> AnswerStatement | None:
        """Return which have the status that is asked for now; None for another question. Without
        evidence it says that nothing has it."""
        form = next((m for each in _FORMS if (m := each.match(plan.question))), None)
        if form is None:
            return None
        words_of = FIELDS.statuses
        facts = [f for f in graph.facts(predicate="status") if _VALUE.match(_path(f))]
        words = form["status"].casefold()
        asked = status_key(words.removeprefix("not "))
        known = {status_key(f.object) for f in facts}.union({"inprogress"}, *words_of.values())
        if not facts or asked not in known:
            return None
        kind = (form.groupdict().get("kind") or "").casefold()
        statuses = words_of["done"] if asked in words_of["done"] else {asked}
        pool = EvidencePool(found, plan.scope)
        items: list[tuple[str, Evidence]] = []
        for fact in _present(facts, now):
            has = (status_key(fact.object) in statuses) is not words.startswith("not ")
            if has and _path(fact).startswith(kind):
                sources = support(graph, fact.fact_id, pool, fact)[1]
                items += [(_shown(graph, fact.subject), source) for source in sources[:1]]
        items.sort(key=lambda each: (each[0], each[1].id))
        is_or_are = "is" if len(items) == 1 else "are"
        said = f"{listed([name for name, _ in items])} {is_or_are} {words}"
        return AnswerStatement(said, tuple(source for _, source in items[:LISTED]), kind="status")

    def led_to(
        self, asked: Question, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
    ) -> Sequence[tuple[str, Relation]]:
        """Return what blocks a part of a goal or task (its tasks and their subtasks that are to be
        done), each after the anchor that it holds up; only ties that the scope lets be seen."""
        if not asked.asks_for(RelationType.BLOCKS)[1]:
            return ()
        works = [i for i, each in _entities(graph, anchors).items() if each.type in _WORK]
        return [(work, relation) for work in works for relation in _within(graph, evidence, work)]

    def in_force(self, graph: Graph, relations: Sequence[Relation]) -> list[Relation]:
        """Return the relations, but those by which work that is over blocks something."""
        blocking = {r.source_entity_id for r in relations if r.type == RelationType.BLOCKS}
        over = {i for i, each in _entities(graph, sorted(blocking)).items() if _is_over(each)}
        return [
            r for r in relations if r.type != RelationType.BLOCKS or r.source_entity_id not in over
        ]


ANSWERS = WorkAnswers()


def _within(graph: Planner, evidence: EvidencePool, work: str) -> list[Relation]:
    parts: list[str] = []
    level = [work]
    for _ in range(_DEPTH):
        found = graph.neighbors(level, types=_PARTS, limit_per_id=_MOST).values()
        relations = [r for each in found for r in each]
        if evidence.scope != EVERYTHING:
            relations = [r for r in relations if support(graph, r.rel_id, evidence, r)[1]]
        reached = {r.target_entity_id for r in relations} - {work, *parts}
        every = _entities(graph, sorted(reached)).items()
        level = [i for i, each in every if not _is_over(each)][:_MOST]
        parts += level
    blocking = graph.neighbors(parts, direction="in", types=_BLOCKS, limit_per_id=_MOST)
    found = [relation for part in parts for relation in blocking[part]]
    own = {work, *parts}
    return ANSWERS.in_force(graph, [r for r in found if r.source_entity_id not in own])


def _entities(graph: Graph, ids: Sequence[str]) -> dict[str, Entity]:
    return {i: r for i, r in sorted(graph.get(list(ids)).items()) if isinstance(r, Entity)}


def _is_over(entity: Entity) -> bool:
    return entity.type in _WORK and is_closed(entity.properties.get("status"))


def _present(facts: Iterable[Fact], now: str) -> list[Fact]:
    """The value of each piece of work that began last, of those that have begun."""
    last: dict[str, Fact] = {}
    for fact in sorted(facts, key=_begun):
        if _begun(fact)[0] <= parse_instant(now):
            last[_path(fact).partition("#")[0]] = fact
    return [last[each] for each in sorted(last)]


def _begun(fact: Fact) -> tuple[str, str, str]:
    since = parse_instant(fact.valid_from) if fact.valid_from else ""
    return since, fact.updated_at, fact.fact_id


def _path(fact: Fact) -> str:
    path = fact.provenance.get("path")
    return path if isinstance(path, str) else ""


def _shown(graph: Graph, name: str) -> str:
    named = graph.named([name_key(name)]).get(name_key(name), ())
    return shown(next((e for e in named if e.type in _WORK), None), name)

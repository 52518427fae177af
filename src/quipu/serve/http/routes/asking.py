"""Questions: `search`, `ask`, `plan`."""

from typing import Annotated

from litestar import post
from litestar.params import JSONBody

from quipu.answer.render import reference
from quipu.records.plan import Plan
from quipu.serve.cli.shapes import FoundPassages, PlannedAnswer
from quipu.serve.http.given import TheAsked, TheMemory, TheMetrics
from quipu.serve.http.shapes import Ask, PlanRequest, Search
from quipu.serve.results import answer, notes_of, shaped

__all__ = ["ROUTES"]


class Replied(PlannedAnswer, frozen=True, kw_only=True):
    """`POST /api/v1/ask`: what `quipu ask` gives, with the references as lines."""

    references: Annotated[tuple[str, ...], "the citations, a line each"]


@post("/search", status_code=200, sync_to_thread=True, opt={"needs": "read"})
def search(memory: TheMemory, asked: TheAsked, data: JSONBody[Search]) -> FoundPassages:
    """Find the passages for a question, best first, and say why each is found."""
    asked.note(data.question)
    found = memory.search(
        data.question,
        limit=data.limit,
        mode=data.mode,
        scope=data.scope,
        use_graph=data.use_graph,
        explain=data.explain,
        touched=data.touched,
    )
    return shaped(FoundPassages, found, found.plan, notes=notes_of(found))


@post("/ask", status_code=200, sync_to_thread=True, opt={"needs": "read"})
def ask(memory: TheMemory, metrics: TheMetrics, asked: TheAsked, data: JSONBody[Ask]) -> Replied:
    """Answer a question with citations, or say `unknown` where the evidence is missing."""
    asked.note(data.question)
    reply = memory.ask(
        data.question,
        limit=data.limit,
        mode=data.mode,
        scope=data.scope,
        use_graph=data.use_graph,
        offline=data.offline,
    )
    metrics.answered(reply, namespace=memory.store.namespace)
    return answer(Replied, reply, references=tuple(map(reference, reply.citations)))


@post("/plan", status_code=200, sync_to_thread=True, opt={"needs": "read"})
def plan(memory: TheMemory, asked: TheAsked, data: JSONBody[PlanRequest]) -> Plan:
    """Show what may be used for a question, before any text is read."""
    asked.note(data.question)
    return memory.plan(
        data.question,
        mode=data.mode,
        scope=data.scope,
        use_graph=data.use_graph,
        touched=data.touched,
    )


ROUTES = [search, ask, plan]

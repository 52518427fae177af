"""What more than one door asks of a memory, given the shape in which they show it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from quipu.agents.audits import audit, overview
from quipu.agents.budget import cut, tokens
from quipu.agents.entries import StoredEntry
from quipu.agents.recall import Recall
from quipu.errors import InvalidInput
from quipu.handle.lookup import Passage
from quipu.memory import Memory
from quipu.records.plan import Mode
from quipu.records.record import Chunk, Entity, Fact, Properties, Relation, record_id
from quipu.records.reply import Hit
from quipu.records.scope import Scope
from quipu.resolve.merges import may_be_merged
from quipu.serve.cli.shapes import Added, Opened, opened
from quipu.serve.mcp.shapes import (
    Audited,
    FactAtTime,
    FactsAtTime,
    FoundPassage,
    IndexStatus,
    Query,
    Recalled,
    RecallFallback,
    ReplacedFact,
    StoreResult,
)
from quipu.serve.results import notes_of, shaped
from quipu.when.instants import parse_instant

if TYPE_CHECKING:
    from quipu.evaluate.golden import GoldenReport

__all__ = [
    "added",
    "audited",
    "changed_relation",
    "facts_at",
    "found_passage",
    "golden_run",
    "index_status",
    "kept_entry",
    "looked_up",
    "provider_of",
    "query",
    "recalled",
    "relation_of",
]

MOST_IDS = 20
_RELATIONS = 200
_FACTS = 200
_SNIPPET = 700
_FEW_IDS = 5


def looked_up(memory: Memory, ref: str) -> Opened:
    """What `ref` names, with the chunks, relations, facts and support around it."""
    found = memory.get(ref)
    if isinstance(found, Passage):
        return opened(found)
    key = record_id(found)
    support = memory.graph.support([key]).get(key, [])
    if not isinstance(found, Entity):
        return opened(found, support=support)
    relations = memory.relations(key, limit=_RELATIONS)
    numbers = memory.store.numbers_in([key])[key]
    chunks: list[Chunk] = memory.store.chunks(numbers)
    facts = _facts_of(memory, found)
    return opened(found, support=support, relations=relations, chunks=chunks, facts=facts)


def _facts_of(memory: Memory, thing: Entity) -> list[Fact]:
    """What holds of a thing: facts call it by its id or, where its name says what it is, by
    that."""
    names = [thing.entity_id, *([thing.name] if may_be_merged(thing.type) else [])]
    found = {f.fact_id: f for name in names for f in memory.facts(name, live=True)}
    return list(found.values())[:_FACTS]


def added(memory: Memory, episode_id: str) -> Added:
    """What became of the text that was just added: its last job says whether it was known."""
    job = next(each for each in memory.jobs() if each.result == episode_id)
    read = memory.facts.stated_by(episode_id)
    return Added(
        episode_id=episode_id,
        unchanged=bool(job.unchanged),
        facts=read.stated,
        replaces=read.replaced,
    )


def query(
    memory: Memory,
    text: str,
    *,
    limit: int,
    mode: Mode,
    scope: Scope,
    use_graph: bool,
    explain: bool,
    characters: int,
) -> Query:
    """Everything at once: passages, their text cut at `characters`, dated facts, the plan."""
    found = memory.search(
        text, limit=limit, mode=mode, scope=scope, use_graph=use_graph, explain=explain
    )
    facts = memory.find_facts(text, scope=scope, limit=limit)
    return Query(
        query=text,
        mode=mode,
        hits=tuple(
            replace(hit, text=cut(hit.text, characters), graph_ids=hit.graph_ids[:MOST_IDS])
            for hit in found.hits
        ),
        facts=facts.matches,
        facts_answer=facts.known,
        anchors=found.plan.anchors,
        seeds=len(found.plan.seeds),
        expansions=len(found.plan.expansions),
        notes=notes_of(found),
    )


def index_status(memory: Memory, note: str = "") -> IndexStatus:
    """How the memory is, its sources by kind, and `note`."""
    kinds = Counter(source.source_type for source in memory.store.sources())
    return shaped(IndexStatus, memory.stats(), source_types=dict(sorted(kinds.items())), note=note)


def audited(
    memory: Memory,
    subject: str,
    *,
    costs: bool = True,
    as_of: str = "",
    known_at: str = "",
    recommend: bool = True,
    limit: int = 50,
) -> Audited:
    """The audit of one subject; of the whole memory where none is given. Raises InvalidInput for
    dates without a subject."""
    if subject.strip():
        found = audit(memory, subject, as_of=as_of or None, known_at=known_at or None, limit=limit)
        return Audited(audit=found)
    if as_of or known_at:
        raise InvalidInput(
            "as_of and known_at judge one subject: give subject, or leave the dates out"
        )
    return Audited(overview=overview(memory, limit=limit, recommend=recommend, costs=costs))


def facts_at(
    memory: Memory, *, question: str, subject: str, at: str, known_at: str, limit: int
) -> FactsAtTime:
    """What was true at a date (blank: now): of a question in words, or of a subject. Raises
    InvalidInput where neither is given, and for `known_at` without a subject."""
    moment = at or memory.clock()[:10]
    if subject.strip():
        return _of_subject(memory, subject, moment, known_at, limit)
    if not question.strip():
        raise InvalidInput("nothing is asked: give a query or a subject")
    if known_at:
        raise InvalidInput("known_at needs a subject: a query is asked of what is known now")
    return _of_question(memory, question, moment, limit)


def _of_subject(memory: Memory, subject: str, at: str, known_at: str, limit: int) -> FactsAtTime:
    found = memory.history(subject, as_of=at, known_at=known_at or None)
    return FactsAtTime(
        at=at,
        known_at=known_at or None,
        known=bool(found.entries),
        facts=tuple(shaped(FactAtTime, each, each.fact) for each in found.entries[:limit]),
    )


def _of_question(memory: Memory, question: str, at: str, limit: int) -> FactsAtTime:
    found = memory.find_facts(question, now=parse_instant(_whole_date(at)), limit=limit)
    return FactsAtTime(
        at=at,
        known=found.known,
        facts=tuple(
            shaped(FactAtTime, each, each.standing, each.standing.fact) for each in found.matches
        ),
    )


def _whole_date(at: str) -> str:
    """A year or a month as its first day."""
    return at + "-01-01"[3 * (at.count("-")) :] if len(at) in {4, 7} else at


def changed_relation(
    memory: Memory,
    rel_id: str,
    *,
    confidence: float | None = None,
    weight: float | None = None,
    description: str | None = None,
    properties: Properties | None = None,
) -> Relation:
    """Change what a relation says; what is None stays. Raises InvalidInput, UnknownRecord."""
    if confidence is None and weight is None and description is None and not properties:
        raise InvalidInput("nothing to change: give a confidence, weight, description or property")
    present = relation_of(memory, rel_id)
    return memory.relate(
        present.source_entity_id,
        present.type,
        present.target_entity_id,
        confidence=present.confidence if confidence is None else confidence,
        weight=present.weight if weight is None else weight,
        description=present.description if description is None else description,
        properties={**present.properties, **(properties or {})},
    )


def relation_of(memory: Memory, rel_id: str) -> Relation:
    """The relation of an id. Raises UnknownRecord, InvalidInput for an id of something else."""
    found = memory.get(rel_id)
    if not isinstance(found, Relation):
        raise InvalidInput(f"{rel_id!r} is no relation: `quipu relation list` shows their ids")
    return found


def kept_entry(done: StoredEntry) -> StoreResult:
    """What became of an entry, as `memory_store` says it."""
    return shaped(
        StoreResult,
        done.entry,
        stored=True,
        deduplicated=done.merged_with is not None,
        merged_with=done.merged_with or UNSET,
        token_cost=tokens(done.entry.content + done.entry.context),
        replaces=tuple(shaped(ReplacedFact, each) for each in done.replaces),
        notes=(
            *(f"this replaces: {each.said} ({each.ref})" for each in done.replaces),
            *(f"related_to {ref!r} names nothing that is stored" for ref in done.unknown),
        ),
    )


def golden_run(memory: Memory, file: Path) -> "GoldenReport":
    """Ask the questions of a file and check the answers, the contract too. Raises InvalidInput."""
    from quipu.answer.examine import violations
    from quipu.evaluate.golden import run

    least = memory.config.answer.assert_above
    return run(
        memory, file, check=lambda reply: violations(reply, memory.store, assert_above=least)
    )


def recalled(memory: Memory, found: Recall) -> Recalled:
    """The entries; what was found instead, when there are none."""
    fallback = None
    if not found.entries:
        provider, model = provider_of(memory)
        fallback = RecallFallback(
            results=tuple(map(found_passage, found.fallback)), provider=provider, model=model
        )
    return shaped(Recalled, found, fallback=fallback)


def found_passage(hit: Hit) -> FoundPassage:
    """A hit as `memory_search` shows it."""
    end = f"-L{hit.end_line}" if hit.end_line != hit.start_line else ""
    return shaped(
        FoundPassage,
        hit,
        snippet=cut(hit.text, _SNIPPET),
        source="sessions" if hit.source_type == "session" else "memory",
        citation=f"{hit.path}#L{hit.start_line}{end}",
        graph_ids=hit.graph_ids[:_FEW_IDS],
    )


def provider_of(memory: Memory) -> tuple[str, str | None]:
    """Where vectors come from, and the name of their space; ("none", None) without a model."""
    embedder = memory.embedder
    return ("local", embedder.space) if embedder else ("none", None)

"""The context pack: what was found for a question, ready to be put before a language model.

Several budgets bound it (characters, tokens, sources); the tightest that applies wins, and the pack
says which.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

from quipu.agents.brief import brief
from quipu.agents.budget import CHARACTERS_A_TOKEN, cut, tokens, within
from quipu.agents.entries import Entries
from quipu.answer.dated_facts import undated
from quipu.answer.prompt import PromptSource, build_context
from quipu.answer.support import replacements
from quipu.errors import InvalidInput
from quipu.facts.keys import is_stated
from quipu.limits import SHOWN_VALUE
from quipu.records.plan import Mode
from quipu.records.record import Fact
from quipu.records.reply import Hit, Retrieved, TemporalContext, WhyRanked
from quipu.records.scope import EVERYTHING, Scope
from quipu.when.instants import UNKNOWN_TIME

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["LEAST_SURE", "Pack", "context_pack", "prompt_sources"]

LEAST_SURE = 0.01
"""What would be printed as 0 % is left out of a pack."""

Bound = Literal["none", "max_chars", "token_budget", "max_sources"]

_LEAST = 400
_A_SOURCE = 1_000
_DAY = len("2026-01-01")


class PackedSource(msgspec.Struct, frozen=True, kw_only=True):
    """What `[n]` in the pack stands for."""

    n: Annotated[int, "its number in the pack"]
    path: Annotated[str, "what `memory_get` reads"]
    source_ref: Annotated[str, "what a person opens"]
    confidence: Annotated[float, "how sure it is to bear on the question"]
    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the question"]
    why_ranked: Annotated[WhyRanked, "the parts of the score"]
    temporal_context: Annotated[TemporalContext | None, "when it is true, if facts took part"]
    note: Annotated[str, "when it was said, since and until when it holds, what took its place"]


class Pack(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A system message (`answer/prompt.py`) with the best sources, within every budget."""

    pack: Annotated[str, "the message"]
    sources: Annotated[tuple[PackedSource, ...], "what the marks `[n]` stand for"]
    token_count: Annotated[int, "about how many tokens it has"]
    bounded_by: Annotated[Bound, "the budget that kept passages out"]
    left_out: Annotated[int, "how many it kept out"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class _Candidate(NamedTuple):
    hit: Hit
    source: PromptSource

    def cut_by(self, over: int) -> "_Candidate | None":
        """The candidate with so many characters less; None where too little would be left."""
        left = len(self.source.text) - over
        if left < SHOWN_VALUE:
            return None
        return self._replace(source=self.source._replace(text=cut(self.source.text, left)))


def context_pack(
    memory: "Memory",
    query: str,
    *,
    max_chars: int = 2000,
    token_budget: int | None = None,
    max_sources: int = 8,
    min_score: float = LEAST_SURE,
    mode: Mode | None = None,
    scope: Scope = EVERYTHING,
    use_graph: bool = True,
) -> Pack:
    """The best passages for `query` within every budget, by descending confidence, each with the
    day on which it was said. The source of a dated fact that answers stands first, however it ranks
    for the question's words; what was replaced says by what, and stands below that.

    First, in at most a quarter of the room, stands what the user asked for and prefers whatever is
    asked (`agents/brief.py`). Raises InvalidInput for a budget in which not even the instructions
    fit.
    """
    room, bound = _room(max_chars, token_budget)
    always = _always(memory, room)
    found = memory.search(
        query, limit=max(max_sources * 2, 10), mode=mode, scope=scope, use_graph=use_graph
    )
    hits = [hit for hit in _with_facts(found) if hit.score >= min_score]
    distinct = dict(zip(prompt_sources(memory, hits), hits, strict=True))
    candidates = [_Candidate(hit, source) for source, hit in distinct.items()]

    def cost(candidate: _Candidate, before: Sequence[_Candidate]) -> int:
        return _size([*before, candidate]) - (_size(before) if before else 0)

    chosen, over = within(
        candidates, room - len(always), cost, shrink=lambda candidate, by: candidate.cut_by(by)
    )
    if len(chosen) > max_sources:
        bound = "max_sources"
    elif not over and all(candidate in candidates for candidate in chosen):
        bound = "none"
    shown = chosen[:max_sources]
    pack = f"{always}{build_context([candidate.source for candidate in shown])}"
    return Pack(
        pack=pack,
        sources=tuple(_packed(n, each) for n, each in enumerate(shown, 1)),
        token_count=tokens(pack),
        bounded_by=bound,
        left_out=len(hits) - len(shown),
        notes=tuple(dict.fromkeys((*found.plan.notes, *found.notes))),
    )


def _always(memory: "Memory", room: int) -> str:
    """What the user asked for and prefers, whatever is asked now, in a quarter of the room."""
    budget = room // (4 * CHARACTERS_A_TOKEN)
    entries = Entries(memory).live(("instruction", "preference"))
    found = brief(memory, entries, budget_tokens=budget)
    lines = [
        f"- {line.text}"
        for section in found.sections
        if section.title in ("Instructions", "Preferences")
        for line in section.lines
    ]
    return "\n".join(["The user asked for or prefers:", *lines, "", ""]) if lines else ""


def _with_facts(found: Retrieved) -> list[Hit]:
    """The hits by score, those of the fact that answers first, as sure as the best."""
    told = {
        seed.chunk_id: seed.graph_ids
        for seed in found.plan.seeds
        if seed.parts.get("graph_proximity", 0.0) >= 1.0
    }
    best = max((hit.score for hit in found.hits), default=0.0)
    answers = [
        hit
        for hit in found.hits
        if hit.temporal_context and hit.temporal_context.fact_ids[0] in told.get(hit.id, ())
    ]
    first = [msgspec.structs.replace(hit, score=best) for hit in answers]
    return [*first, *(hit for hit in found.hits if hit not in answers)]


def prompt_sources(memory: "Memory", hits: Sequence[Hit]) -> list[PromptSource]:
    """Each hit as a source of the prompt, its text cut to 1,000 characters."""
    graph = memory.graph
    documents = replacements(graph, {hit.document_id for hit in hits})
    contexts = [hit.temporal_context for hit in hits if hit.temporal_context]
    ids = {i for each in contexts for i in (*each.fact_ids[:1], each.superseded_by) if i}
    facts = {i: f for i, f in graph.get(sorted(ids)).items() if isinstance(f, Fact)}
    return [
        PromptSource(
            hit.source_ref,
            hit.score,
            cut(hit.text, _A_SOURCE),
            "; ".join(_notes(hit, facts, documents.get(hit.document_id, ""))),
        )
        for hit in hits
    ]


def _notes(hit: Hit, facts: Mapping[str, Fact], document: str) -> Iterator[str]:
    """When a hit was said, since and until when it holds, and what took its place."""
    day, when = hit.updated_at[:_DAY], hit.temporal_context
    if hit.updated_at != UNKNOWN_TIME:
        yield f"{'as of' if hit.source_type == 'file' else 'said'} {day}"
    if when and (fact := facts.get(when.fact_ids[0])) and is_stated(fact):
        yield from (f"since {date[:_DAY]}" for date in [when.valid_from] if date and date != day)
        yield from (f"until {date[:_DAY]}" for date in [when.valid_to] if date)
    if when and (newer := facts.get(when.superseded_by or "")):
        yield f"replaced by: {undated(newer)}, {(newer.valid_from or newer.updated_at)[:_DAY]}"
    if document:
        yield f"superseded by {document}"


def _room(max_chars: int, token_budget: int | None) -> tuple[int, Bound]:
    """How many characters there are for a pack, and which budget says so."""
    by_tokens = max_chars if token_budget is None else token_budget * CHARACTERS_A_TOKEN
    least = min(max_chars, by_tokens)
    if least < _LEAST:
        raise InvalidInput(
            f"a pack of {least} characters holds nothing: give maxChars {_LEAST} or more "
            f"({_LEAST // CHARACTERS_A_TOKEN} tokens)"
        )
    return least, "token_budget" if by_tokens < max_chars else "max_chars"


def _size(chosen: Sequence[_Candidate]) -> int:
    return len(build_context([candidate.source for candidate in chosen]))


def _packed(n: int, candidate: _Candidate) -> PackedSource:
    hit = candidate.hit
    return PackedSource(
        n=n,
        path=hit.path,
        source_ref=hit.source_ref,
        confidence=hit.score,
        graph_ids=hit.graph_ids[:20],
        why_ranked=hit.why_ranked,
        temporal_context=hit.temporal_context,
        note=candidate.source.note,
    )

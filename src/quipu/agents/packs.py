"""The context pack: what was found for a question, ready to be put before a language model.

Several budgets bound it (characters, tokens, sources); the tightest that applies wins, and the pack
says which.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

from quipu.agents.brief import brief
from quipu.agents.budget import CHARACTERS_A_TOKEN, cut, tokens, within
from quipu.agents.entries import Entries
from quipu.answer.prompt import PromptSource, build_context, by_confidence
from quipu.answer.support import replacements
from quipu.errors import InvalidInput
from quipu.limits import SHOWN_VALUE
from quipu.records.ids import kind_of
from quipu.records.plan import Mode
from quipu.records.record import Fact
from quipu.records.reply import Hit, Retrieved, TemporalContext, WhyRanked
from quipu.records.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Pack", "context_pack", "prompt_source"]

Bound = Literal["none", "max_chars", "token_budget", "max_sources"]

_LEAST = 400
_A_SOURCE = 1_000


class PackedSource(msgspec.Struct, frozen=True, kw_only=True):
    """What `[n]` in the pack stands for."""

    n: Annotated[int, "its number in the pack"]
    path: Annotated[str, "what `memory_get` reads"]
    source_ref: Annotated[str, "what a person opens"]
    confidence: Annotated[float, "how sure it is to bear on the question"]
    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the question"]
    why_ranked: Annotated[WhyRanked, "the parts of the score"]
    temporal_context: Annotated[TemporalContext | None, "when it is true, if facts took part"]


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
    min_score: float = 0.05,
    mode: Mode | None = None,
    scope: Scope = EVERYTHING,
    use_graph: bool = True,
) -> Pack:
    """The best passages for `query` within every budget, by descending confidence. The source of
    a dated fact that answers is as sure as the fact, however it ranks for the question's words.

    First, in at most a quarter of the room, stands what the user asked for and prefers whatever is
    asked (`agents/brief.py`). Raises InvalidInput for a budget in which not even the instructions
    fit.
    """
    room, bound = _room(max_chars, token_budget)
    always = _always(memory, room)
    found = memory.search(
        query, limit=max(max_sources * 2, 10), mode=mode, scope=scope, use_graph=use_graph
    )
    hits = [hit for hit in _with_facts(memory, found) if hit.score >= min_score]
    newer = replacements(memory.graph, {hit.document_id for hit in hits})
    sources = (prompt_source(h, newer=newer.get(h.document_id, "")) for h in hits)
    distinct = {source: hit for hit, source in zip(hits, sources, strict=True)}
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
    hit_of = {candidate.source: candidate.hit for candidate in chosen[:max_sources]}
    ordered = by_confidence(list(hit_of))
    pack = f"{always}{build_context(ordered)}"
    return Pack(
        pack=pack,
        sources=tuple(_packed(n, hit_of[source]) for n, source in enumerate(ordered, 1)),
        token_count=tokens(pack),
        bounded_by=bound,
        left_out=len(hits) - len(ordered),
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


def _with_facts(memory: "Memory", found: Retrieved) -> list[Hit]:
    """The hits by score, those of the fact that answers with that fact's confidence."""
    fact_ids = {
        seed.chunk_id: [i for i in seed.graph_ids if kind_of(i) == "fact"]
        for seed in found.plan.seeds
        if seed.parts.get("graph_proximity", 0.0) >= 1.0
    }
    facts = memory.graph.get(sorted({i for ids in fact_ids.values() for i in ids}))
    hits: list[Hit] = []
    for hit in found.hits:
        said = [
            f.confidence for i in fact_ids.get(hit.id, ()) if isinstance(f := facts.get(i), Fact)
        ]
        hits.append(msgspec.structs.replace(hit, score=max([hit.score, *said])))
    return sorted(hits, key=lambda hit: -hit.score)


def prompt_source(hit: Hit, *, newer: str = "") -> PromptSource:
    """A hit as a source of the prompt, its text cut to 1,000 characters; `newer` is the document
    that supersedes its own."""
    text = cut(hit.text, _A_SOURCE)
    note = f"superseded by {newer}" if newer else _note(hit.temporal_context)
    return PromptSource(hit.source_ref, hit.score, text, note)


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


def _note(context: TemporalContext | None) -> str:
    if context is None or not (context.valid_from or context.valid_to or context.superseded_by):
        return ""
    span = f"true {context.valid_from or ''} → {context.valid_to or ''}".replace("  ", " ").strip()
    return f"{span}; superseded" if context.superseded_by else span


def _packed(n: int, hit: Hit) -> PackedSource:
    return PackedSource(
        n=n,
        path=hit.path,
        source_ref=hit.source_ref,
        confidence=hit.score,
        graph_ids=hit.graph_ids[:20],
        why_ranked=hit.why_ranked,
        temporal_context=hit.temporal_context,
    )

"""Results as more than one door shows them, and how a shape is filled from what a memory gave."""

from typing import Annotated, Any, TypeVar

import msgspec

from quipu.records.reply import AnswerHit, Citation, Confidence, Contract, Hit, Reply, Retrieved

__all__ = [
    "KEPT",
    "Answer",
    "answer",
    "metadata_of",
    "notes_of",
    "shaped",
    "without_middle",
]

KEPT = 0.05
"""The score below which a passage is hardly meant: packs leave it out unless a caller says
otherwise. Right turns of chats score low where they do not repeat the question's words: 95 in 100
of those among the first six score .058 or more (the first 100 questions of LoCoMo's first
conversation)."""

S = TypeVar("S", bound=msgspec.Struct)

_OF_A_PASSAGE = (
    "path",
    "start_line",
    "end_line",
    "title",
    "score",
    "source_type",
    "updated_at",
    "graph_ids",
    "why_ranked",
    "temporal_context",
)
_SIDE = 800  # characters of an error at its beginning, and at its end


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, and beside it what led to it."""

    contract: Annotated[Contract, "the answer under the contract's schema"]
    confidence: Annotated[Confidence, "how sure the answer is"]
    citations: Annotated[tuple[Citation, ...], "what the marks `[n]` of the answer open"]
    hits: Annotated[tuple[AnswerHit, ...], "the passages considered, best first, without text"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


def shaped(shape: type[S], *sources: object, **given: object) -> S:
    """A `shape` of what is `given` and, where nothing is, of the first source that has it."""
    values = {
        name: getattr(source, name)
        for source in reversed(sources)
        for name in shape.__struct_fields__
        if hasattr(source, name)
    }
    return shape(**{**values, **given})


def answer(shape: type[S], reply: Reply, **given: object) -> S:
    """A reply as an `Answer`, or as a shape that adds to it: its hits without their text."""
    hits = tuple(shaped(AnswerHit, hit) for hit in reply.hits)
    return shaped(shape, reply, hits=hits, notes=notes_of(reply), **given)


def notes_of(result: Reply | Retrieved) -> tuple[str, ...]:
    """What should be known about a result and its plan, each note once."""
    return tuple(dict.fromkeys((*result.plan.notes, *result.notes)))


def metadata_of(hit: Hit) -> dict[str, Any]:
    """What other libraries are told of a passage beside its text, as plain data."""
    plain = msgspec.to_builtins(hit, order="deterministic")
    return {"source": hit.source_ref, **{key: plain[key] for key in _OF_A_PASSAGE}}


def without_middle(message: str) -> str:
    """An error without the middle of a value that fills it: what to do stands at its end."""
    if len(message) <= 2 * _SIDE:
        return message
    return f"{message[:_SIDE]} … {message[-_SIDE:]}"

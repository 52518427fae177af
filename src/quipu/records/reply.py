"""What comes back: hits, the answer contract, and the envelope around it."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from quipu.records.plan import Plan
from quipu.records.role import Role

FoundBy: TypeAlias = Literal["vector", "graph", "both"]


class PathStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of the way to a graph hit: from which record, over what, to which record."""

    source_id: Annotated[str, "the id it begins at"] = msgspec.field(name="from")
    via: Annotated[str, "the relation type, or what the two share"]
    target_id: Annotated[str, "the id it leads to"] = msgspec.field(name="to")


class WhyRanked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The named parts of a score (`docs/reference/scores.md`) and the path of a graph hit."""

    profile: Annotated[str, "the ranking profile: `prose`, `code`, `conversation` …"]
    parts: Annotated[dict[str, float], "the named parts of the score"]
    found_by: Annotated[
        FoundBy, "its own words or vector, a relation or shared name (`graph`), or both"
    ] = "vector"
    path: Annotated[tuple[PathStep, ...], "the way over the graph, empty for a direct hit"] = ()
    features: Annotated[dict[str, float], "the profile's own numbers, with `--explain`"] = {}


class TemporalContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When what a hit says is true, if facts took part in finding it."""

    fact_ids: Annotated[tuple[str, ...], "the facts that took part"]
    valid_from: Annotated[str | None, "true from this date; null: always was"] = None
    valid_to: Annotated[str | None, "true until this date; null: still is"] = None
    superseded_by: Annotated[str | None, "the fact that took its place, or null"] = None


class AnswerHit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A passage that was considered, its score and why it stands where it does."""

    id: Annotated[str, "the chunk's id; `quipu get` opens it"]
    score: Annotated[float, "how likely the passage is relevant, in [0, 1]"]
    why_ranked: Annotated[WhyRanked, "the parts of the score and the way that led to it"]
    source_ref: Annotated[str, "what a person opens: `path:12-40`"]
    temporal_context: Annotated[TemporalContext | None, "when it is true, if facts took part"]
    changed: Annotated[
        str | msgspec.UnsetType,
        "`changed since it was read`: its file is not now what was read; left out where it is",
    ] = msgspec.UNSET


class Hit(AnswerHit, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A passage that was found, with its text. It can be evidence only if `graph_ids` is not
    empty; the records named in the question stand first there."""

    document_id: Annotated[str, "the id of its document"]
    path: Annotated[str, "the path of its document, from the memory's home"]
    start_line: Annotated[int, "its first line, from 1"]
    end_line: Annotated[int, "its last line, included"]
    title: Annotated[str, "the document's title, with the heading or symbol it stands under"]
    text: Annotated[str, "the whole passage"]
    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the question"]
    source_type: Annotated[str, "`file`, `manual_ingest` …"]
    updated_at: Annotated[str, "when its latest source was last changed, not imported"]
    source_sha: Annotated[str, "the git blob id of that source, else the SHA-256 of its content"]
    role: Annotated[Role, "what its file is for: `source`, `documentation`, `test` …"] = "other"


class Retrieved(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan gave: its hits, best first, and what should be known about them.

    `signals` are the profile's raw numbers about the question as a whole (best score, best
    cosine, ...), the inputs of the confidence.
    """

    plan: Plan
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    signals: dict[str, float] = {}


class EvidenceItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of evidence, with the keys of the answer contract."""

    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the question"]
    file_paths: Annotated[tuple[str, ...], "what a person opens"]
    excerpt: Annotated[str, "the words that were used"] = ""
    source_sha: Annotated[str, "its git blob id, else the SHA-256 of its content"] = ""


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """The answer under `answer/contract.schema.json`."""

    answer: Annotated[str, "the answer with marks `[n]`, or `unknown`"]
    evidence: Annotated[tuple[EvidenceItem, ...], "what it stands on; `[n]` is item n - 1"]
    timestamp: Annotated[str, "when it was given (RFC 3339)"]
    limitations: Annotated[str, "what it leaves open; never blank below 0.70 or when unknown"]
    next_step: Annotated[str, "what to do to know more"]


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """How sure the answer is."""

    value: Annotated[float, "how sure the answer is, in [0, 1]"]
    inputs: Annotated[dict[str, float | None], "the named inputs of the formula; null: not there"]


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """What `[n]` in the answer opens."""

    n: Annotated[int, "the number of the mark"]
    path: Annotated[str, "the file or source"]
    start_line: Annotated[int, "its first line, from 1"]
    end_line: Annotated[int, "its last line, included"]
    match: Annotated[float, "the passage's own confidence, in [0, 1]"]
    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the question"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope: the contract, and beside it everything that led to it."""

    contract: Contract
    confidence: Confidence
    citations: tuple[Citation, ...]
    plan: Plan
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The reply as plain JSON data, keys as documented in `docs/reference/json.md`."""
        return msgspec.to_builtins(self)

"""What comes back: hits, the answer contract, and the envelope around it."""

from typing import Any, Literal, TypeAlias

import msgspec

from quipu.records.plan import Plan

FoundBy: TypeAlias = Literal["vector", "graph", "both"]


class PathStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of the way to a graph hit: from which record, over what, to which record."""

    source_id: str = msgspec.field(name="from")
    via: str
    target_id: str = msgspec.field(name="to")


class WhyRanked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The named parts of a score (`docs/reference/scores.md`) and the path of a graph hit.

    `found_by` is `vector` for a passage that its own words or vector brought, `graph` for one that
    a relation or a shared name brought, `both` where each did. `features` are the
    profile's own numbers; they are filled only when asked for (`--explain`).
    """

    profile: str
    parts: dict[str, float]
    found_by: FoundBy = "vector"
    path: tuple[PathStep, ...] = ()
    features: dict[str, float] = {}


class TemporalContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When what a hit says is true, if facts took part in finding it."""

    fact_ids: tuple[str, ...]
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: str | None = None


class Hit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A passage, its score in [0, 1] and why it stands where it does.

    `source_ref` opens it (`path:12-40`); `graph_ids` are the graph records that tie it to the
    plan beyond its own document, the ones named in the question first; it can be evidence only
    if there is one.
    """

    id: str
    score: float
    why_ranked: WhyRanked
    source_ref: str
    temporal_context: TemporalContext | None
    document_id: str
    path: str
    start_line: int
    end_line: int
    title: str
    text: str
    graph_ids: tuple[str, ...]
    source_type: str
    updated_at: str
    source_sha: str


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

    graph_ids: tuple[str, ...]
    file_paths: tuple[str, ...]
    excerpt: str = ""
    source_sha: str = ""


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """The answer under `answer/contract.schema.json`: Answer, Evidence, Timestamp,
    Limitations, Next step."""

    answer: str
    evidence: tuple[EvidenceItem, ...]
    timestamp: str
    limitations: str
    next_step: str


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """How sure the answer is, in [0, 1], and the named inputs of the formula."""

    value: float
    inputs: dict[str, float | None]


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """What `[n]` in the answer opens; `match` in [0, 1] is the passage's own confidence."""

    n: int
    path: str
    start_line: int
    end_line: int
    match: float
    graph_ids: tuple[str, ...]


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

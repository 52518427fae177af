"""A plan: frozen data that says what may be used for a question, before any text is fetched.

`documents` mode (one outgoing hop between documents) names every document it allows. `local`
mode allows its seeds, what a typed relation reached from them, and the passages that share one
of its bridge names; its bounds stand in `constraints`.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec
from msgspec.structs import force_setattr

from quipu.records.frozen import FrozenDict
from quipu.records.mentions import key_words
from quipu.records.scope import EVERYTHING, Scope

Mode = Literal["documents", "local", "global"]
Reason = Literal["name", "text", "vector", "graph"]
Match = Literal["exact", "alias", "identifier", "title"]


class Seed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chunk the question leads to directly. `parts` holds its named scores in [0, 1];
    `graph_ids` the anchors and relations whose support it is."""

    chunk_id: str
    document_id: str
    profile: str
    reasons: tuple[Reason, ...]
    parts: Mapping[str, float] = {}
    graph_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "parts", FrozenDict(self.parts))


class Anchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A graph record that the question names, the folded words that name it there, and how they
    matched."""

    entity_id: str
    name: str
    type: str
    match: Match
    words: str = ""


class Expansion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record reached over a relation. Two ways to the same record are two expansions."""

    target_id: str
    via: str
    source_id: str = msgspec.field(name="from")
    rel_id: str
    hops: int = 1


class Bridge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name in a seed passage that may lead on to the other passages that share it.

    `reach` counts those passages, the seed included.
    """

    chunk_id: str
    key: str
    reach: int


class PlannedReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A report that may be used, how it was ranked, and the passages, documents and facts of it
    that count: those that are live and, where there is a scope, inside it."""

    ref: str
    title: str
    score: float
    parts: Mapping[str, float]
    chunk_ids: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "parts", FrozenDict(self.parts))


class Constraints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound the plan was made under."""

    max_relationship_depth: int
    traversal_enabled: bool
    seeds_per_index: int
    bridge_seeds: int
    bridge_reach: int
    chunks_per_document: int
    chunks: int


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be used for `question`. `sequence` is the store's; `space` the vectors' or None.

    `scope` bounds everything the plan may reach. `scale` holds the best raw score of each index
    among the seeds: the parts are shares of it, and later passages are measured by it too.
    `notes` says what could not be used (no graph, no vectors, passages not embedded yet).
    `touched` are the files by which commits were ranked too; `reports` are those of the mode
    `global`, which names no seeds.
    """

    question: str
    mode: Mode
    use_graph: bool
    namespace: str
    sequence: int
    space: str | None
    constraints: Constraints
    scope: Scope = EVERYTHING
    scale: Mapping[str, float] = {}
    anchors: tuple[Anchor, ...] = ()
    seeds: tuple[Seed, ...] = ()
    expansions: tuple[Expansion, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    notes: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    reports: tuple[PlannedReport, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "scale", FrozenDict(self.scale))


def named_keys(anchors: Iterable[Anchor]) -> frozenset[str]:
    """The words, single spaces between them, that the question names `anchors` by and that they
    are called: a name of the question is known if its own words are among these."""
    written = {text for anchor in anchors for text in (anchor.name, anchor.words)}
    return frozenset(" ".join(key_words(text)) for text in written)

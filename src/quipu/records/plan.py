"""A plan: frozen data that says what may be used for a question, before any text is fetched.

`documents` mode (one outgoing hop between documents) names every document it allows. `local`
mode allows its seeds, what a typed relation reached from them, and the passages that share one
of its bridge names; its bounds stand in `constraints`.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NoReturn, Self

import msgspec
from msgspec.structs import force_setattr

from quipu.records.mentions import key_words
from quipu.records.scope import EVERYTHING, Scope

Mode = Literal["documents", "local", "global"]
Reason = Literal["name", "text", "vector", "graph"]
Match = Literal["exact", "alias", "identifier", "title"]


class Seed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chunk the question leads to directly."""

    chunk_id: Annotated[str, "the passage"]
    document_id: Annotated[str, "its document"]
    profile: Annotated[str, "the ranking profile: `prose`, `code`, `conversation` …"]
    reasons: Annotated[tuple[Reason, ...], "why it is a seed"]
    parts: Annotated[Mapping[str, float], "its named scores, in [0, 1]"] = {}
    graph_ids: Annotated[tuple[str, ...], "the named records and relations that it supports"] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "parts", _FrozenDict(self.parts))


class Anchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A graph record that the question names."""

    entity_id: Annotated[str, "the record"]
    name: Annotated[str, "its name"]
    type: Annotated[str, "its type"]
    match: Annotated[Match, "how the question named it"]
    words: Annotated[str, "the folded words of the question that name it"] = ""


class Expansion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record reached over a relation. Two ways to the same record are two expansions."""

    target_id: Annotated[str, "the record that was reached"]
    via: Annotated[str, "the relation type"]
    source_id: Annotated[str, "the record it was reached from"] = msgspec.field(name="from")
    rel_id: Annotated[str, "the relation"]
    hops: Annotated[int, "how many relations it is away from what the question leads to"] = 1


class Bridge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name in a seed passage that may lead on to the other passages that share it."""

    chunk_id: Annotated[str, "the seed the name stands in"]
    key: Annotated[str, "the name, folded"]
    reach: Annotated[int, "how many passages share it, the seed included"]


class PlannedReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A report that may be used, and what of it counts: what is live and inside the scope."""

    ref: Annotated[str, "the report"]
    title: Annotated[str, "what it is called"]
    score: Annotated[float, "how near it is to the question, in [0, 1]"]
    parts: Annotated[Mapping[str, float], "the named parts of the score"]
    chunk_ids: Annotated[tuple[str, ...], "the passages behind it that may be used"] = ()
    document_ids: Annotated[tuple[str, ...], "the documents behind it that may be used"] = ()
    fact_ids: Annotated[tuple[str, ...], "the facts behind it that may be used"] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "parts", _FrozenDict(self.parts))


class Constraints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound the plan was made under."""

    max_relationship_depth: Annotated[int, "how many relations may be followed in a row"]
    traversal_enabled: Annotated[bool, "whether more than one hop is followed"]
    seeds_per_index: Annotated[int, "seeds taken from words, and from vectors"]
    bridge_seeds: Annotated[int, "seeds whose names may lead on"]
    bridge_reach: Annotated[int, "a name in more passages than this leads nowhere"]
    chunks_per_document: Annotated[int, "passages of one document that may come back"]
    chunks: Annotated[int, "passages that may come back"]


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be used for a question. The parts of its seeds are shares of `scale`, and later
    passages are measured by it too. Mode `global` names no seeds."""

    question: Annotated[str, "the question as it was understood"]
    mode: Annotated[Mode, "how passages are found"]
    use_graph: Annotated[bool, "false: words and vectors only"]
    namespace: Annotated[str, "the namespace it was made in"]
    sequence: Annotated[int, "the store's sequence number when it was made"]
    space: Annotated[str | None, "the embedding space of its vectors, or null"]
    constraints: Annotated[Constraints, "every bound it was made under"]
    scope: Annotated[Scope, "what it may reach at all"] = EVERYTHING
    scale: Annotated[Mapping[str, float], "the best raw score of each index among the seeds"] = {}
    anchors: Annotated[tuple[Anchor, ...], "graph records that the question names"] = ()
    seeds: Annotated[tuple[Seed, ...], "passages the question leads to directly"] = ()
    expansions: Annotated[tuple[Expansion, ...], "records over a relation, every way to them"] = ()
    bridges: Annotated[tuple[Bridge, ...], "names in a seed that other passages share"] = ()
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()
    touched: Annotated[tuple[str, ...], "files by which commits were ranked too"] = ()
    reports: Annotated[tuple[PlannedReport, ...], "the reports of mode `global`, best first"] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "scale", _FrozenDict(self.scale))


def named_keys(anchors: Iterable[Anchor]) -> frozenset[str]:
    """The words, single spaces between them, that the question names `anchors` by and that they
    are called: a name of the question is known if its own words are among these."""
    written = {text for anchor in anchors for text in (anchor.name, anchor.words)}
    return frozenset(" ".join(key_words(text)) for text in written)


class _FrozenDict(dict[str, float]):
    """A dict of which nothing can be set or taken away; `|` makes a plain one."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("it is frozen: make another with `{**this, name: value}`")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]  # never returns
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]  # the same

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, float]]]:
        return type(self), (dict(self),)

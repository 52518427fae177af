"""The graph: things found, looked at, tied, merged; relations that people know better."""

from collections import Counter
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quipu.agents.graphs import (
    Inspected,
    Neighborhood,
    Node,
    Path,
    find_nodes,
    find_path,
    inspect,
    neighborhood,
    sample,
)
from quipu.errors import InvalidInput
from quipu.memory import Memory, Status
from quipu.memory.entities import EntityHistory, Merged, Proposals, Unmerged
from quipu.records.record import Entity, Properties, Relation, record_id
from quipu.serve.operations import Command, Flag, Http, Mark, Tool, Word, operation
from quipu.serve.shapes import shaped

__all__: list[str] = []

Given = Meta(min_length=1, max_length=2_000)
Ref = Annotated[str, "an id, a path or a unique name", Given, Word(), Mark.PLACE]
RefOrNone = Annotated[str | None, "an id, a path or a unique name", Word(), Mark.PLACE]
Types = Annotated[tuple[str, ...], "only these types; none for all"]
Reason = Annotated[str, "why", Meta(max_length=2_000)]
By = Annotated[str, "who decides"]
Confidence = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(gt=0, le=1e6)]
Description = Annotated[str, Meta(max_length=10_000)]
Kept = Annotated[Properties, "a property to keep", Mark.PAIRS]


class IndexStatus(Status, frozen=True, kw_only=True):
    """`memory_index_status`."""

    source_types: Annotated[dict[str, int], "sources by kind"]
    note: Annotated[str, "what to know before using it, such as that there is no memory yet"] = ""


class GraphFound(msgspec.Struct, frozen=True, kw_only=True):
    """`graph_search`."""

    nodes: Annotated[tuple[Node, ...], "the things, best first"]


class GraphStats(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/graph/stats`."""

    counts: Annotated[dict[str, int], "live records by kind"]
    entities: Annotated[dict[str, int], "things by type"]
    relations: Annotated[dict[str, int], "relations by type"]


class RelationList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu relation list`."""

    relations: Annotated[tuple[Relation, ...], "by id"]


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu relation rm`."""

    removed: Annotated[tuple[str, ...], "the relations that were ended"]


@operation(
    "read",
    Http("GET /api/memory/status", name="memory_status"),
    Tool("memory_index_status", "Memory status"),
)
def stored(memory: Memory, note: str = "") -> IndexStatus:
    """Say what is stored, how old the index is and what still lacks a vector."""
    kinds = Counter(source.source_type for source in memory.store.sources())
    return shaped(IndexStatus, memory.stats(), source_types=dict(sorted(kinds.items())), note=note)


@operation("read", Http("GET /api/graph/stats", name="graph_stats"))
def stats(memory: Memory) -> GraphStats:
    """Count things and relations by type."""
    return GraphStats(
        counts=memory.graph.counts(),
        entities=_types(memory, "entity"),
        relations=_types(memory, "relation"),
    )


@operation(
    "read",
    Http("GET /api/graph/search", name="graph_search"),
    Tool("graph_search", "Search the graph"),
)
def search(
    memory: Memory,
    query: Annotated[str, "a name, or words about it", Given],
    types: Types = (),
    limit: Annotated[int, "how many", Meta(ge=1, le=50)] = 10,
) -> GraphFound:
    """Find things in the graph: documents, symbols, people, services, names."""
    return GraphFound(nodes=find_nodes(memory, query, types=types, limit=limit))


@operation("read", Http("GET /api/graph/neighborhood", name="graph_neighborhood"))
def around(
    memory: Memory,
    ref: RefOrNone = None,
    hops: Annotated[int, "relations in a row", Meta(ge=1, le=3)] = 1,
    types: Types = (),
    limit: Annotated[int, "how many things at most", Meta(ge=1, le=5000)] = 200,
) -> Neighborhood:
    """Show what is around a thing; without one, a part of everything."""
    if ref is None:
        return sample(memory, limit=limit, types=types)
    return neighborhood(memory, ref, hops=hops, limit=limit, types=types)


@operation(
    "read",
    Http("GET /api/graph/entity/{ref:path}", name="graph_entity"),
    Tool("graph_inspect", "Inspect a thing", default={"limit": 25}),
)
def look_at(
    memory: Memory, ref: Ref, limit: Annotated[int, "of each", Meta(ge=1, le=500)] = 50
) -> Inspected:
    """Look at one thing: what it is, how it is tied to others, what is said of it, by whom."""
    return inspect(memory, ref, limit=limit)


@operation("read", Tool("graph_path", "Find a way"))
def way(
    memory: Memory,
    source: Ref,
    target: Ref,
    max_hops: Annotated[int, "its length at most", Meta(ge=1, le=6)] = 4,
    types: Types = (),
) -> Path:
    """Find the shortest way from one thing to another over typed relations."""
    return find_path(memory, source, target, max_hops=max_hops, types=types)


@operation("read", Command())
def show(memory: Memory, ref: Ref) -> Merged:
    """Show the thing that REF (an id or a name) names, and what it was merged of.

    $ quipu entity show 'Payment Service Team'
    """
    return memory.entities.show(ref)


@operation(
    "write",
    Command(),
    Http("POST /api/v1/entities/merge", name="merge_entities", body="MergeRequest", without="by"),
)
def merge(memory: Memory, merged: Ref, kept: Ref, by: By = "person", reason: Reason = "") -> Merged:
    """Take MERGED to be the same as KEPT, which stands for both from now on.

    Both are ids or names, of one type. Nothing is rewritten: what was there can be given back.

    $ quipu entity merge PST 'Payment Service Team' --reason 'the charter says so'
    """
    return memory.entities.merge(merged, kept, by=by, reason=reason)


@operation(
    "write",
    Command(),
    Http(
        "POST /api/v1/entities/unmerge",
        name="unmerge_entities",
        body="UnmergeRequest",
        without="by",
    ),
)
def unmerge(
    memory: Memory,
    ref: Annotated[str, "the merge's id, or either thing", Given, Word()],
    other: Annotated[Annotated[str, Given] | None, "the other thing", Word()] = None,
    by: By = "person",
    reason: Reason = "",
) -> Unmerged:
    """Undo the merge that REF names: its id, or one of the two things; with OTHER, both.

    The two are not proposed again.

    $ quipu entity unmerge PST
    $ quipu entity unmerge PST 'Payment Service Team'
    """
    return memory.entities.unmerge(ref, other, by=by, reason=reason)


@operation("read", Command())
def history(memory: Memory, ref: Annotated[str | None, Word()] = None) -> EntityHistory:
    """Show every decision about REF, or about anything: who, when, why, and what undid it.

    $ quipu entity history
    $ quipu entity history PST
    """
    return memory.entities.history(ref)


@operation("read", Command(writes="merge"))
def proposals(
    memory: Memory,
    types: Annotated[tuple[str, ...], "only things of this type", Flag("--type")] = (),
    limit: Annotated[int, "how many", Meta(ge=1)] = 50,
    least: Annotated[float, "the least cosine of their meanings", Meta(ge=0, le=1)] = 0.92,
    merge: Annotated[bool, "merge what is listed"] = False,
) -> Proposals:
    """List pairs of things of one type that may be one, the surest first, and why.

    Their names look alike and mean nearly the same, or are the same letters. Nothing is merged
    unless --merge says so; what was parted is not listed again.

    $ quipu entity proposals
    $ quipu entity proposals --type Owner
    """
    found = memory.entities.proposals(types=types, limit=limit, least=least)
    if merge:
        memory.entities.accept(found.proposals)
    return found


@operation(
    "write",
    Command(),
    Http(
        "POST /api/v1/relations",
        status=201,
        name="add_relation",
        body="NewRelation",
        without="properties",
    ),
)
def add(
    memory: Memory,
    source: Ref,
    type: Annotated[  # noqa: A002  the record's own word
        str, "its type", Meta(min_length=1, max_length=100, examples=["OWNED_BY"]), Word()
    ],
    target: Ref,
    confidence: Annotated[Confidence, "how sure it is"] = 1.0,
    weight: Annotated[Weight, "how strong the tie is"] = 1.0,
    description: Annotated[Description, "what it means here"] = "",
    properties: Kept = {},  # noqa: B006  never changed
) -> Relation:
    """Assert that SOURCE is tied to TARGET by TYPE.

    The ends are ids, paths or unique names; the same three again change the relation. Every type
    is kept; one that is not in the schema is a warning of `quipu validate`.

    $ quipu relation add docs/payments.md OWNED_BY team-pay
    $ quipu relation add billing depends_on ledger --confidence 0.8
    """
    return memory.relate(
        source,
        type,
        target,
        confidence=confidence,
        weight=weight,
        description=description,
        properties=properties,
    )


@operation("read", Command())
def list_(
    memory: Memory,
    of: RefOrNone = None,
    type: Annotated[str | None, "only relations of this type"] = None,  # noqa: A002  the record's own word
    direction: Annotated[
        Literal["out", "in", "both"], "only those that leave OF, or that reach it"
    ] = "both",
    limit: Annotated[int, "how many", Meta(ge=1)] = 1000,
) -> RelationList:
    """List relations: those at OF (an id, a path or a unique name), or all.

    $ quipu relation list
    $ quipu relation list src/app.py --type IMPORTS
    """
    found = memory.relations(of, type=type, direction=direction, limit=limit)
    return RelationList(relations=tuple(found))


@operation(
    "write",
    Command(),
    Http(
        "PATCH /api/v1/relations/{rel_id:str}",
        name="change_relation",
        body="RelationChange",
        without="properties",
    ),
)
def update(
    memory: Memory,
    rel_id: Annotated[str, Word()],
    confidence: Annotated[Confidence | None, "how sure it is"] = None,
    weight: Annotated[Weight | None, "how strong the tie is"] = None,
    description: Annotated[Description | None, "what it means here"] = None,
    properties: Kept = {},  # noqa: B006  never changed
) -> Relation:
    """Change what a relation says; what is not named stays.

    $ quipu relation update re_0123456789abcdef01234567 --confidence 0.5
    """
    if confidence is None and weight is None and description is None and not properties:
        raise InvalidInput("nothing to change: give a confidence, weight, description or property")
    now = relation_of(memory, rel_id)
    return memory.relate(
        now.source_entity_id,
        now.type,
        now.target_entity_id,
        confidence=now.confidence if confidence is None else confidence,
        weight=now.weight if weight is None else weight,
        description=now.description if description is None else description,
        properties={**now.properties, **properties},
    )


@operation("write", Http("DELETE /api/v1/relations/{rel_id:str}", name="end_relation"))
def end(memory: Memory, rel_id: Annotated[str, Word()]) -> Relation:
    """End a relation, whoever asserted it; its history stays."""
    return memory.unrelate(relation_of(memory, rel_id).rel_id)


@operation("write", Command())
def rm(memory: Memory, rel_ids: Annotated[tuple[str, ...], Word("REL_ID...")]) -> Removed:
    """End relations, whoever asserted them; their history stays.

    A file that states one states it again when the file changes.

    $ quipu relation rm re_0123456789abcdef01234567
    """
    ids = [relation_of(memory, rel_id).rel_id for rel_id in dict.fromkeys(rel_ids)]
    return Removed(removed=tuple(memory.unrelate(rel_id).rel_id for rel_id in ids))


def _types(memory: Memory, kind: Literal["entity", "relation"]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    after = ""
    while page := memory.graph.scan(kind, after=after):
        counted.update(each.type for each in page if isinstance(each, Entity | Relation))
        after = record_id(page[-1])
    return dict(sorted(counted.items()))


def relation_of(memory: Memory, rel_id: str) -> Relation:
    """The relation of an id. Raises UnknownRecord, InvalidInput for an id of something else."""
    found = memory.get(rel_id)
    if not isinstance(found, Relation):
        raise InvalidInput(f"{rel_id!r} is no relation: `quipu relation list` shows their ids")
    return found

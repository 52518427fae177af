"""Planning: what may be used for a question, decided before any text is fetched.

The graph speaks first: the records the question names, and what typed relations tie to them.
Then words and vectors give the seeds, and the names in the best seeds give the bridges. The
plan is frozen data; nothing here writes, ranks for the reader, or reads a chunk's text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from quipu.errors import InvalidInput, QuipuError
from quipu.index.asked import begin_vectors, spaces_of
from quipu.plan.bridge import find_bridges
from quipu.plan.expand import expand_anchors, expand_documents
from quipu.plan.kinds import Asking, apart, only_apart, united, without_apart
from quipu.plan.names import find_anchors
from quipu.plan.seeds import NO_SEEDS, FoundSeeds, Known, Matched, find_seeds, match_words
from quipu.ports import Embedded, Embedder, Planner
from quipu.question import Question
from quipu.records.plan import Anchor, Bridge, Constraints, Expansion, Mode, Plan
from quipu.records.scope import EVERYTHING, Scope
from quipu.records.weights import BOUNDS, Bounds

__all__ = ["Known", "only_apart", "plan"]

_PROPOSED = (
    "An index of the server proposed the nearest passages (ann): a few of them may be missing."
)


def plan(
    asked: Question,
    planner: Planner,
    embedder: Embedder | None,
    *,
    mode: Mode = "local",
    scope: Scope = EVERYTHING,
    use_graph: bool = True,
    limits: Bounds = BOUNDS,
    fact_passages: Mapping[str, Known] | None = None,
    touched: Sequence[str] = (),
) -> Plan:
    """A plan for what is asked; the same store and question give the same bytes.

    `fact_passages` are those of dated facts that answer, by chunk id; only `local` mode uses them.
    `touched` are files that the change in question touches: commits are ranked by them too.
    Without an embedder, or when its space holds nothing, words and the graph answer alone;
    when the graph fails, words and vectors do. The plan's notes say so.
    """
    if not asked.text.strip():
        raise InvalidInput("the question is empty: ask something, for example 'who owns X?'")
    notes: list[str] = []
    ask = use_graph and not only_apart(scope)
    with planner.moment():  # the question is embedded meanwhile
        space, vectors_of = _question_vectors(asked, planner, embedder, notes)
        named = _ask_graph(asked, planner, mode, scope, limits, notes) if ask else None
        words = _ask_words(asked, planner, scope, limits)
    if named and fact_passages and mode == "local":
        named = named._replace(known={**named.known, **fact_passages})
    vectors = vectors_of()
    with planner.moment():
        words = _up_to_date(words, asked, planner, scope, limits)
        asking = Asking(
            question=asked,
            vectors=vectors,
            planner=planner,
            embedder=embedder,
            space=space,
            scope=scope,
            touched=touched,
            limit=limits.seeds_per_index,
        )
        found = _found(asking, named.known if named else {}, words, limits)
        if found.proposed:
            notes.append(_PROPOSED)
        seeds = reduce(united, [kind.find(asking) for kind in apart()], found.seeds)
        bridges: tuple[Bridge, ...] = ()
        if named and mode == "local":
            bridges = find_bridges(asked, found, named.anchors, planner, scope=scope, limits=limits)
        elif named:
            named = named._replace(expansions=_between_documents(found, planner, scope, notes))
    return Plan(
        question=asked.text,
        mode=mode,
        use_graph=use_graph,
        namespace=planner.namespace,
        sequence=words.sequence,
        space=space,
        constraints=_constraints(mode, named is not None, limits),
        scope=scope,
        scale=found.scale,
        anchors=named.anchors if named else (),
        seeds=seeds,
        expansions=named.expansions if named else (),
        bridges=bridges,
        notes=tuple(notes),
        touched=tuple(touched),
    )


def _up_to_date(
    words: "_WordHits", asked: Question, planner: Planner, scope: Scope, limits: Bounds
) -> "_WordHits":
    """Asked again where the store was written to while the question was embedded."""
    stands = words.sequence == planner.sequence()
    return words if stands else _ask_words(asked, planner, scope, limits)


class _Named(NamedTuple):
    """What the graph knows of the question: its records, their relations, supporting chunks."""

    anchors: tuple[Anchor, ...]
    expansions: tuple[Expansion, ...] = ()
    known: dict[str, Known] = {}


class _WordHits(NamedTuple):
    """What was found by words at a moment of the store, and in which scope."""

    sequence: int
    scope: Scope
    matched: Matched


def _ask_words(asked: Question, planner: Planner, scope: Scope, limits: Bounds) -> _WordHits:
    elsewhere = without_apart(scope, planner)
    matched = match_words(asked, planner, scope=elsewhere, limits=limits)
    return _WordHits(planner.sequence(), elsewhere, matched)


def _found(
    asking: Asking, known: Mapping[str, Known], words: _WordHits, limits: Bounds
) -> FoundSeeds:
    """What bridges may start from."""
    if only_apart(asking.scope):
        return NO_SEEDS
    others = replace(asking, scope=words.scope)
    return find_seeds(others, known=known, matched=words.matched, limits=limits)


def _ask_graph(
    asked: Question, planner: Planner, mode: Mode, scope: Scope, limits: Bounds, notes: list[str]
) -> _Named | None:
    """None, and a note, when the graph cannot be read."""
    try:
        anchors = find_anchors(asked, planner, scope=scope, limits=limits)
        if mode == "local":
            return _Named(anchors, *expand_anchors(asked, anchors, planner, scope=scope))
        return _Named(anchors)
    except QuipuError as error:
        notes.append(_unread(error))
        return None


def _unread(error: QuipuError) -> str:
    return f"The graph could not be read ({error}); plain search answered."


def _between_documents(
    found: FoundSeeds, planner: Planner, scope: Scope, notes: list[str]
) -> tuple[Expansion, ...]:
    documents = dict.fromkeys(seed.document_id for seed in found.seeds)
    try:
        return expand_documents(tuple(documents), planner, scope=scope)
    except QuipuError as error:
        notes.append(_unread(error))
        return ()


def _question_vectors(
    question: Question, planner: Planner, embedder: Embedder | None, notes: list[str]
) -> tuple[str | None, Callable[[], Embedded | None]]:
    """The space to search, and what waits for the question's vectors."""
    if embedder is None:
        notes.append("No embedding model is available: words and the graph answer alone.")
        return None, lambda: None
    embedded, chunks = spaces_of(planner)
    if embedder.space not in embedded:
        if embedded:
            notes.append(
                f"Nothing is embedded in {embedder.space!r}: words and the graph answer alone."
            )
        return None, lambda: None
    missing = chunks - embedded[embedder.space]
    if missing > 0:
        notes.append(f"{missing} passages are not embedded yet; words and the graph find them.")
    return embedder.space, begin_vectors(embedder, question.text)


def _constraints(mode: Mode, graph: bool, limits: Bounds) -> Constraints:
    local = mode == "local"
    return Constraints(
        max_relationship_depth=2 if local else 1,
        traversal_enabled=local and graph,
        seeds_per_index=limits.seeds_per_index,
        bridge_seeds=limits.bridge_seeds if local and graph else 0,
        bridge_reach=limits.bridge_reach if local and graph else 0,
        chunks_per_document=limits.chunks_per_document,
        chunks=limits.chunks,
    )

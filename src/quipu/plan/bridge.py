"""Bridges: names in the best seeds that lead on to the passages that share them."""

from collections.abc import Sequence

from quipu.index.columns import unpack
from quipu.plan.seeds import FoundSeeds
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.mentions import key_words
from quipu.records.plan import Anchor, Bridge, named_keys
from quipu.records.scope import Scope
from quipu.records.weights import Bounds

__all__ = ["find_bridges"]


def find_bridges(
    question: Question,
    found: FoundSeeds,
    anchors: Sequence[Anchor],
    planner: Planner,
    *,
    scope: Scope,
    limits: Bounds,
) -> tuple[Bridge, ...]:
    """Names of the best prose seeds that say something new and that few passages share.

    A name all of whose words stand in the question bridges nothing.
    """
    if not _leads_on(question, found, anchors, limits):
        return ()
    best = [i for i, seed in enumerate(found.seeds) if seed.profile == "prose"]
    best = best[: limits.bridge_seeds]
    keys_of = {
        found.seeds[i].chunk_id: dict.fromkeys(unpack(blob).keys)
        for i, blob in zip(best, planner.columns(found.numbers[best]), strict=True)
    }
    every = dict.fromkeys(key for keys in keys_of.values() for key in keys)
    novel = [key for key in every if not question.words.issuperset(key_words(key))]
    sharing = planner.occurrences("name", novel, scope=scope, limit=0)
    runs = {key: " ".join(key_words(key)) for key in novel}
    titled = planner.occurrences("title", list(dict.fromkeys(runs.values())), scope=scope, limit=0)
    leading = {
        key: sharing[key].df
        for key in novel
        if limits.shared(sharing[key].df) or limits.titled(titled[runs[key]].df)
    }
    return tuple(
        Bridge(chunk_id=chunk_id, key=key, reach=leading[key])
        for chunk_id, keys in keys_of.items()
        for key in keys
        if key in leading
    )


def _leads_on(
    question: Question, found: FoundSeeds, anchors: Sequence[Anchor], limits: Bounds
) -> bool:
    """Whether the question names something to go on from; elsewhere the walk hurts ordinary
    search. A title does, and so does a known name, unless capitals tell nothing or the question
    is very short."""
    if any(seed.parts["name"] > 0 for seed in found.seeds):
        return True
    if len(question.stems) < limits.fewest_stems or not question.capitals_tell:
        return False
    known = named_keys(anchors)
    names = (name for name in question.names if not name.isdigit())
    return any(" ".join(key_words(name)) in known for name in names)

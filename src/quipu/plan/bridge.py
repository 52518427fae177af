"""Bridges: names in the best seeds that lead on to the passages that share them."""

from collections.abc import Collection, Iterable, Sequence

from quipu.index.columns import unpack
from quipu.plan.seeds import FoundSeeds
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.mentions import is_date, key_words, names_within
from quipu.records.plan import Anchor, Bridge, named_keys
from quipu.records.scope import Scope
from quipu.records.weights import Bounds

__all__ = ["find_bridges"]

_WHOLE_PERCENT = 100


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

    A name all of whose words stand in the question bridges nothing, nor does a date: what happened
    in the same year need not have to do with each other. Part of a longer name bridges where it is
    the whole title of some passage.
    """
    if not _leads_on(question, found, anchors, limits):
        return ()
    best = [i for i, seed in enumerate(found.seeds) if seed.profile == "prose"]
    best = best[: limits.bridge_seeds]
    keys_of = {
        found.seeds[i].chunk_id: dict.fromkeys(unpack(blob).keys)
        for i, blob in zip(best, planner.columns(found.numbers[best]), strict=True)
    }
    novel = _novel(question, (key for keys in keys_of.values() for key in keys))
    inner_of = {chunk_id: _inner(keys, novel) for chunk_id, keys in keys_of.items()}
    inner = _novel(question, (key for keys in inner_of.values() for key in keys))
    inner = _titles(inner, planner, scope, limits)
    every = list(dict.fromkeys((*novel, *inner)))
    sharing = planner.occurrences("name", every, scope=scope, limit=0)
    runs = {key: " ".join(key_words(key)) for key in every}
    titled = planner.occurrences("title", list(dict.fromkeys(runs.values())), scope=scope, limit=0)
    known = set(inner)
    count = {key: sharing[key].df + (key in known) for key in every}
    leading = {
        key: count[key]
        for key in every
        if limits.shared(count[key]) or limits.titled(titled[runs[key]].df)
    }
    return tuple(
        Bridge(chunk_id=chunk_id, key=key, reach=leading[key])
        for chunk_id, keys in keys_of.items()
        for key in (*keys, *(each for each in inner_of[chunk_id] if each in known))
        if key in leading
    )


def _novel(question: Question, keys: Iterable[str]) -> list[str]:
    return [
        key
        for key in dict.fromkeys(keys)
        if not is_date(key) and not question.words.issuperset(key_words(key))
    ]


def _inner(keys: Collection[str], novel: Collection[str]) -> list[str]:
    """Names that stand in one passage only within longer ones."""
    within = dict.fromkeys(part for key in keys if key in novel for part in names_within(key))
    return [key for key in within if key not in keys]


def _titles(keys: Sequence[str], planner: Planner, scope: Scope, limits: Bounds) -> list[str]:
    """Those of `keys` that are the whole title of some passage."""
    titled = planner.occurrences("title", keys, scope=scope, limit=limits.title_reach)
    return [key for key in keys if (titled[key].tf >= _WHOLE_PERCENT).any()]


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
    names = (name for name in question.name_keys if not name.isdigit())
    return any(" ".join(key_words(name)) in known for name in names)

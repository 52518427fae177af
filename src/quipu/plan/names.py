"""Names in the question: the records they name, and the titles they cover."""

from collections.abc import Collection, Iterable, Sequence
from math import log

import numpy as np

from quipu.plan.visibility import seen_records
from quipu.ports import Numbers, Occurrence, Planner
from quipu.question import Question
from quipu.records.ids import name_id
from quipu.records.mentions import key_words
from quipu.records.plan import Anchor, Match
from quipu.records.record import Entity
from quipu.records.schema import EntityType
from quipu.records.scope import Scope
from quipu.records.weights import Bounds
from quipu.text import looks_like_identifier, name_key, stem_words

__all__ = ["find_anchors", "find_name_shares", "telling"]

_MOST_ANCHORS = 40
_MOST_HOMONYMS = 8
_LONG_DOCUMENTS = 20  # times the reach: passages whose documents are counted
_LEAST_TITLE_PERCENT = 50
_LONGEST_NAME = 6
# A title such as "Place of birth" whose words are written small where names have capitals.
_WRITTEN_SMALL = 0.5
_RANK = {"exact": 0, "identifier": 1, "title": 2, "alias": 3}

_FIELDS = ("prose", "code")
# From this share of all passages on a word says less, the more the less; of few passages no
# share can be told.
_MUCH = 0.1
_FEW_PASSAGES = 50


def find_anchors(
    question: Question, planner: Planner, *, scope: Scope, limits: Bounds
) -> tuple[Anchor, ...]:
    """The graph records that the question names, typed entities first.

    A `Name` (known only by its mentions) is an anchor when the rules read it as a name, or when
    few enough passages mention it; of overlapping runs of words the longest counts.
    """
    entities = planner.named(question.surfaces)
    named = [entity.entity_id for found in entities.values() for entity in found]
    seen = seen_records(named, planner, scope)
    anchors = [
        Anchor(
            entity_id=entity.entity_id,
            name=entity.name,
            type=entity.type,
            match=_match(entity, surface),
            words=surface,
        )
        for surface in question.surfaces
        for entity in _homonyms(entities.get(surface, ()), seen)
    ]
    anchors += _named_by_mention(question, planner, scope, limits)
    unique = {anchor.entity_id: anchor for anchor in reversed(anchors)}
    ranked = sorted(
        unique.values(),
        key=lambda a: (a.type == EntityType.NAME, _RANK[a.match], -len(a.name), a.entity_id),
    )
    return tuple(ranked[:_MOST_ANCHORS])


def _homonyms(entities: Sequence[Entity], seen: Collection[str]) -> list[Entity]:
    return [entity for entity in entities if entity.entity_id in seen][:_MOST_HOMONYMS]


def _match(entity: Entity, surface: str) -> Match:
    if name_key(entity.name) == surface:
        if entity.type == EntityType.DOCUMENT:
            return "title"
        return "identifier" if looks_like_identifier(entity.name) else "exact"
    return "alias"


def _named_by_mention(
    question: Question, planner: Planner, scope: Scope, limits: Bounds
) -> list[Anchor]:
    runs = [
        (first, last, run) for first, last, run in question.runs if last - first <= _LONGEST_NAME
    ]
    keys = dict.fromkeys((*question.name_keys, *(run for _, _, run in runs)))
    found = planner.occurrences("name", list(keys), scope=scope, limit=0)
    chosen = [key for key in question.name_keys if found[key].df]
    covered = 0
    for first, last, run in runs:
        if first >= covered and 0 < found[run].df <= limits.bridge_reach:
            chosen.append(run)
            covered = last
    return [
        Anchor(
            entity_id=name_id(key),
            name=key,
            type=EntityType.NAME,
            match="identifier" if looks_like_identifier(key) else "exact",
            words=key,
        )
        for key in dict.fromkeys(chosen)
    ]


def find_name_shares(
    question: Question, planner: Planner, *, scope: Scope, limits: Bounds
) -> dict[int, float]:
    """By chunk number, the largest share (from one half on) of its title that a name in the
    question covers: a name by rule, or the longest run of words that some title consists of.

    Words written small count half where the question gives its names capitals.
    """
    keys = dict.fromkeys((*question.name_keys, *(run for _, _, run in question.runs)))
    found = planner.occurrences("title", list(keys), scope=scope, limit=limits.title_reach)
    names = dict.fromkeys(question.name_keys)
    covered = 0
    for first, last, run in question.runs:
        if first >= covered and (found[run].tf >= _LEAST_TITLE_PERCENT).any():
            names[run] = None
            covered = last
    found |= _of_long_documents(
        [name for name in names if found[name].df > limits.title_reach], planner, scope, limits
    )
    tells = telling(names, planner)
    shares: dict[int, float] = {}
    for name in names:
        at = found[name]
        small = question.capitals_tell and name not in question.name_keys and name in question.text
        worth = tells[name] * (_WRITTEN_SMALL if small else 1.0)
        good = np.flatnonzero(at.tf >= _LEAST_TITLE_PERCENT)
        for number, percent in zip(at.numbers[good].tolist(), at.tf[good].tolist(), strict=True):
            shares[number] = max(shares.get(number, 0.0), worth * percent / 100)
    return shares


def _of_long_documents(
    names: Sequence[str], planner: Planner, scope: Scope, limits: Bounds
) -> dict[str, Occurrence]:
    """Where names stand that more passages have in their title than a name may reach: everywhere,
    if those passages are of few enough documents, else nowhere."""
    most = _LONG_DOCUMENTS * limits.title_reach
    found = planner.occurrences("title", names, scope=scope, limit=most) if names else {}
    for name, at in found.items():
        if at.df > most or not _of_few(at.numbers, planner, limits.title_reach):
            found[name] = Occurrence(at.df, at.numbers[:0], at.tf[:0])
    return found


def _of_few(numbers: Numbers, planner: Planner, most: int) -> bool:
    """Whether the passages are of at most so many documents; no more are read than tell it."""
    documents: set[str] = set()
    page = most + 1
    for first in range(0, len(numbers), page):
        documents.update(planner.document_ids(numbers[first : first + page]))
        if len(documents) > most:
            return False
    return bool(documents)


def telling(names: Iterable[str], planner: Planner) -> dict[str, float]:
    """How much each name tells, in [0, 1]: as much as the rarest of its words. 1 up to a tenth of
    the passages, then ln(share) / ln(1/10), 0 for what stands in all of many."""
    stems_of = {name: stem_words(list(key_words(name))) for name in names}
    every = list(dict.fromkeys(stem for found in stems_of.values() for stem in found))
    nowhere = np.zeros(0, dtype=np.int64)
    fields = [planner.frequencies(field, every, nowhere) for field in _FIELDS]
    count = sum(found.count for found in fields) + _FEW_PASSAGES
    df = {stem: sum(int(found.df[at]) for found in fields) for at, stem in enumerate(every)}
    tells = {stem: _tells(df[stem] / count) for stem in every}
    return {name: max((tells[s] for s in found), default=1.0) for name, found in stems_of.items()}


def _tells(share: float) -> float:
    return min(1.0, log(share) / log(_MUCH)) if share > _MUCH else 1.0

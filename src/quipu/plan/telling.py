"""How much a name tells of where to look: what stands nearly everywhere tells nothing."""

from collections.abc import Iterable
from math import log

import numpy as np

from quipu.ports import Planner
from quipu.records.mentions import key_words
from quipu.text import stem_words

__all__ = ["telling"]

_FIELDS = ("prose", "code")
# From this share of all passages on a word says less, the more the less; of few passages no
# share can be told.
_MUCH = 0.1
_FEW_PASSAGES = 50


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

"""A question that is nothing but an identifier: passages that hold it as it is written come first.

Words are matched by their parts (`MAX_BODY_SIZE` is max, body and size), so passages that speak of
those parts may rank above the one place where the identifier itself stands.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from quipu.ports import Planner
from quipu.question import Question
from quipu.retrieve.rank import Candidate, logit, raw_of
from quipu.text import fold

__all__ = ["exact_first"]

_LOOKED_AT = 200


def exact_first(
    question: Question, ranked: Sequence[Candidate], planner: Planner, scale: Mapping[str, float]
) -> list[Candidate]:
    """`ranked` with those first that hold every identifier of `question`, as likely as the best of
    the others at least; each group in its order."""
    if not question.identifiers:
        return list(ranked)
    looked, rest = ranked[:_LOOKED_AT], ranked[_LOOKED_AT:]
    chunks = planner.chunks(np.array([c.number for c in looked], dtype=np.int64))
    patterns = [
        re.compile(rf"(?<!\w){re.escape(fold(word))}(?!\w)") for word in question.identifiers
    ]
    holds = [all(p.search(fold(chunk.text)) for p in patterns) for chunk in chunks]
    exact = [c for c, here in zip(looked, holds, strict=True) if here]
    others = [c for c, here in zip(looked, holds, strict=True) if not here]
    best = max((logit(c, scale) for c in others), default=None)
    lifted = exact if best is None else [_at_least(c, best, scale) for c in exact]
    return [*lifted, *others, *rest]


def _at_least(candidate: Candidate, least: float, scale: Mapping[str, float]) -> Candidate:
    if logit(candidate, scale) >= least:
        return candidate
    raw = raw_of(candidate.profile, least, scale)
    features = candidate.features | {"exact": 1.0}
    return msgspec.structs.replace(candidate, raw=raw, features=features)

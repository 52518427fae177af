"""What planning asks of kinds of source that find their passages in a way of their own."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kind import parts
from quipu.ports import Embedded, Embedder, Numbers, Planner
from quipu.profiles import profiles
from quipu.question import Question
from quipu.records.plan import Seed
from quipu.records.scope import Scope

__all__ = [
    "Among",
    "Apart",
    "Asking",
    "Candidates",
    "Found",
    "among",
    "apart",
    "only_apart",
    "united",
    "without_apart",
]

_NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked, of which store, and how much of it may be seen; at most `limit` are wanted.

    `touched` are paths of files that the change in question touches."""

    question: Question
    vectors: Embedded | None
    planner: Planner
    embedder: Embedder | None
    space: str | None
    scope: Scope
    touched: Sequence[str]
    limit: int


@dataclass(frozen=True, slots=True)
class Found:
    """Passages, best first, each with its named score parts; `cosine` is the best one's."""

    numbers: Numbers
    parts: Sequence[dict[str, float]]
    cosine: float


class Candidates(ABC):
    """How the passages of one profile are found."""

    profile: str


class Among(Candidates):
    """Passages that stand among the others and are scored in a way of their own."""

    @abstractmethod
    def are(self, planner: Planner, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of the passages are of this kind."""

    @abstractmethod
    def find(self, asking: Asking, near: Sequence[int], keep: Collection[int]) -> Found | None:
        """The best, and those to `keep`; None where there are none at all. `near` is what words,
        vectors and names led to."""


class Apart(Candidates):
    """Passages that have an index of their own and are not searched with the others."""

    @abstractmethod
    def find(self, asking: Asking) -> tuple[Seed, ...]:
        """The best, best first."""

    @abstractmethod
    def exists(self, planner: Planner) -> bool:
        """Whether there are any."""

    def only(self, scope: Scope) -> bool:
        """Whether `scope` admits nothing else."""
        own = frozenset({self.profile})
        return scope.profiles == own or scope.source_types == own

    def admits(self, scope: Scope) -> bool:
        """Whether `scope` may admit any."""
        return (not scope.profiles or self.profile in scope.profiles) and (
            not scope.source_types or self.profile in scope.source_types
        )

    def without(self, scope: Scope, planner: Planner) -> Scope:
        """`scope` for the other indexes."""
        if (scope.profiles and self.profile not in scope.profiles) or not self.exists(planner):
            return scope
        others = (scope.profiles or profiles()) - {self.profile}
        return msgspec.structs.replace(scope, profiles=others or frozenset({_NOTHING}))


@cache
def among() -> tuple[Among, ...]:
    """The kinds whose passages stand among the others."""
    return tuple(each for each in parts("plan", Candidates) if isinstance(each, Among))


@cache
def apart() -> tuple[Apart, ...]:
    """The kinds whose passages have an index of their own."""
    return tuple(each for each in parts("plan", Candidates) if isinstance(each, Apart))


def only_apart(scope: Scope) -> bool:
    """Whether `scope` admits nothing but passages of one kind with an index of its own."""
    return any(each.only(scope) for each in apart())


def without_apart(scope: Scope, planner: Planner) -> Scope:
    """`scope` for what is searched with all others."""
    return reduce(lambda left, each: each.without(left, planner), apart(), scope)


def united(others: tuple[Seed, ...], found: Iterable[Seed]) -> tuple[Seed, ...]:
    """All seeds; one that relations led to as well keeps what they say of it."""
    found = tuple(found)
    led = {seed.chunk_id: seed for seed in others}
    own = {seed.chunk_id for seed in found}
    return tuple(seed for seed in others if seed.chunk_id not in own) + tuple(
        msgspec.structs.replace(
            seed,
            reasons=("graph", *seed.reasons),
            graph_ids=tuple(dict.fromkeys((*led[seed.chunk_id].graph_ids, *seed.graph_ids))),
        )
        if seed.chunk_id in led
        else seed
        for seed in found
    )

"""What this process asked of remote models: calls, failures by kind, tokens, money.

It is for who watches a server; no call depends on it. It only grows while the process lives.
"""

import threading
from collections import Counter
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["TALLY", "FailureKind", "Tally"]

FailureKind: TypeAlias = Literal[
    "busy", "key", "quota", "refused", "server", "timeout", "unreadable", "unreachable"
]


class Tallied(NamedTuple):
    """Of one model so far. `cost` is in the currency of the prices that are configured."""

    calls: int
    failures: dict[str, int]
    tokens: int
    cost: float


class Tally:
    """Counts by model, `provider:model`; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()
        self._failures: dict[str, Counter[str]] = {}
        self._tokens: Counter[str] = Counter()
        self._cost: dict[str, float] = {}

    def called(self, model: str) -> None:
        """Count a call, whatever becomes of it and however often its request is made again."""
        with self._lock:
            self._calls[model] += 1

    def failed(self, model: str, kind: FailureKind) -> None:
        """Count a call that failed."""
        with self._lock:
            self._failures.setdefault(model, Counter())[kind] += 1

    def spent(self, model: str, tokens: int, cost: float) -> None:
        """Count what a call used."""
        with self._lock:
            self._tokens[model] += tokens
            self._cost[model] = self._cost.get(model, 0.0) + cost

    def by_model(self) -> dict[str, Tallied]:
        """What was counted, models by name, kinds of failure by name."""
        with self._lock:
            return {
                model: Tallied(
                    self._calls[model],
                    dict(sorted(self._failures[model].items())) if model in self._failures else {},
                    self._tokens[model],
                    self._cost.get(model, 0.0),
                )
                for model in sorted(self._calls)
            }


TALLY = Tally()
"""Of this process."""

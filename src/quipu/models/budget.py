"""What may be spent, and when to stop trying: a budget and a circuit breaker, both thread-safe."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from quipu.errors import InvalidConfig, ModelUnavailable, OverBudget

__all__ = ["Breaker", "Budget", "Usage"]

_MILLION = 1_000_000


class Usage(NamedTuple):
    """Tokens read and written by a model."""

    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens(self) -> int:
        """Both."""
        return self.tokens_in + self.tokens_out


class Spending:
    """One call's share: an estimate until `settle` says what it was."""

    def __init__(self, estimate: Usage) -> None:
        self.usage = estimate

    def settle(self, usage: Usage) -> None:
        """Count what was really used."""
        self.usage = usage


class Budget:
    """Tokens and money that calls may use; 0 is no limit.

    A call is weighed before it is made by its estimate, which stays reserved while it runs, so
    that calls side by side do not pass the limit together.
    """

    def __init__(
        self,
        *,
        max_tokens: int = 0,
        max_cost: float = 0.0,
        input_price: float = 0.0,
        output_price: float = 0.0,
    ) -> None:
        """Prices are for a million tokens; InvalidConfig where a cost is limited without them."""
        if max_cost and not (input_price or output_price):
            raise InvalidConfig(
                f"max_cost = {max_cost!r} cannot be kept without prices: set the price of a "
                "million tokens too"
            )
        self._max_tokens, self._max_cost = max_tokens, max_cost
        self._prices = (input_price, output_price)
        self._lock = threading.Lock()
        self._tokens, self._cost = 0, 0.0

    @property
    def tokens(self) -> int:
        """Spent or reserved so far."""
        return self._tokens

    @property
    def cost(self) -> float:
        """Spent or reserved so far."""
        return self._cost

    @contextmanager
    def spending(self, estimate: Usage) -> Generator[Spending]:
        """Reserve `estimate` for one call; OverBudget when it does not fit.

        A call that fails has cost nothing that is known of, so its reservation is given back.
        """
        cost = self.price(estimate)
        with self._lock:
            if self._max_tokens and self._tokens + estimate.tokens > self._max_tokens:
                raise OverBudget(
                    f"max_tokens = {self._max_tokens} would be passed ({self._tokens} are spent, "
                    f"about {estimate.tokens} are needed): raise it in quipu.toml, or start anew"
                )
            if self._max_cost and self._cost + cost > self._max_cost:
                raise OverBudget(
                    f"max_cost = {self._max_cost:g} would be passed ({self._cost:.4f} is spent, "
                    f"about {cost:.4f} is needed): raise it in quipu.toml, or start anew"
                )
            self._add(estimate.tokens, cost)
        share = Spending(Usage())
        try:
            yield share
        finally:
            with self._lock:
                self._add(share.usage.tokens - estimate.tokens, self.price(share.usage) - cost)

    def price(self, usage: Usage) -> float:
        """What `usage` costs."""
        read, written = self._prices
        return (usage.tokens_in * read + usage.tokens_out * written) / _MILLION

    def _add(self, tokens: int, cost: float) -> None:
        self._tokens += tokens
        self._cost += cost


class Breaker:
    """Refuses calls for a while after several failures in a row; then lets one try.

    `threshold` failures open it for `cool_down_s` seconds.
    """

    def __init__(
        self,
        *,
        threshold: int = 5,
        cool_down_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold, self._cool_down_s, self._clock = threshold, cool_down_s, clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether a call would be refused now."""
        with self._lock:
            return self._waiting() > 0

    def check(self, what: str) -> None:
        """ModelUnavailable while it is open; the first one after that is let through alone."""
        with self._lock:
            left = self._waiting()
            if left > 0:
                raise ModelUnavailable(
                    f"{what} failed {self._failures} times in a row and is not asked for another "
                    f"{left:.0f} s"
                )
            if self._opened is not None:
                self._opened = self._clock()

    def succeeded(self) -> None:
        """Close it."""
        with self._lock:
            self._failures, self._opened = 0, None

    def failed(self) -> None:
        """Count a failure."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._threshold:
                self._opened = self._clock()

    def _waiting(self) -> float:
        if self._opened is None:
            return 0.0
        return self._opened + self._cool_down_s - self._clock()

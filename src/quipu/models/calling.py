"""One call to a remote model: budget, breaker, and errors mapped once; the client retries.

Nothing a server says is trusted: an answer is read into a strict shape, an error is told in our
own words with a bounded piece of the server's, the key taken out; and no exception of the client,
whose request carries the key, is chained to ours.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import msgspec

from quipu.errors import InvalidConfig, MissingExtra, ModelUnavailable, OverBudget
from quipu.limits import LARGEST_REPLY, SHOWN_LINE
from quipu.models.endpoint import Endpoint

__all__ = ["Breaker", "Budget", "EndpointClient", "Usage", "tokens_of"]

T = TypeVar("T")

_MILLION = 1_000_000


class Usage(NamedTuple):
    """Tokens read and written by a model."""

    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def tokens(self) -> int:
        """Both."""
        return self.tokens_in + self.tokens_out


class Budget:
    """Tokens and money that calls may use; 0 is no limit. `tokens` and `cost` are what was spent
    or reserved so far.

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
        self.tokens, self.cost = 0, 0.0

    @contextmanager
    def spending(self, estimate: Usage) -> Generator[Callable[[Usage], None]]:
        """Reserve `estimate` for one call, and yield what is told how much it really used;
        OverBudget when it does not fit. A call that fails costs nothing that is known of."""
        self._add(estimate, 1, within=True)
        used = [Usage()]
        try:
            yield lambda usage: used.__setitem__(0, usage)
        finally:
            self._add(estimate, -1)
            self._add(used[0], 1)

    def _add(self, usage: Usage, sign: int, *, within: bool = False) -> None:
        read, written = self._prices
        cost = (usage.tokens_in * read + usage.tokens_out * written) / _MILLION
        with self._lock:
            if within and self._max_tokens and self.tokens + usage.tokens > self._max_tokens:
                raise OverBudget(
                    f"max_tokens = {self._max_tokens} would be passed ({self.tokens} are spent, "
                    f"about {usage.tokens} are needed): raise it in quipu.toml, or start anew"
                )
            if within and self._max_cost and self.cost + cost > self._max_cost:
                raise OverBudget(
                    f"max_cost = {self._max_cost:g} would be passed ({self.cost:.4f} is spent, "
                    f"about {cost:.4f} is needed): raise it in quipu.toml, or start anew"
                )
            self.tokens += sign * usage.tokens
            self.cost += sign * cost


class Breaker:
    """Refuses calls for `cool_down_s` seconds after `threshold` failures in a row; then lets one
    try."""

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
        self._open_until: float | None = None

    def check(self, what: str) -> None:
        """ModelUnavailable while it is open; the first one after that is let through alone."""
        with self._lock:
            if self._open_until is None:
                return
            left = self._open_until - self._clock()
            if left > 0:
                raise ModelUnavailable(
                    f"{what} failed {self._failures} times in a row and is not asked for another "
                    f"{left:.0f} s"
                )
            self._open_until = self._clock() + self._cool_down_s

    def ended(self, *, well: bool) -> None:
        """Close it, or count a failure."""
        with self._lock:
            self._failures = 0 if well else self._failures + 1
            is_open = self._failures >= self._threshold
            self._open_until = self._clock() + self._cool_down_s if is_open else None


class _Failure(NamedTuple):
    said: str
    ours: bool = False
    """Whether to ask again changes nothing: the key, the model or the request is wrong."""


def tokens_of(text: str) -> int:
    """About how many tokens `text` has: one for four bytes, never fewer than one."""
    return max(1, len(text.encode("utf-8", "replace")) // 4)


class EndpointClient:
    """Calls one endpoint; safe to share between threads. The client is made by the first call, and
    makes a failed request again up to `retries` times."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        budget: Budget,
        breaker: Breaker | None = None,
        retries: int = 2,
    ) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self._breaker = breaker or Breaker()
        self._retries = retries
        self._client: Any = None

    @property
    def client(self) -> Any:
        """The client of the `openai` package; MissingExtra where it is not installed."""
        if self._client is None:
            self._client = _client(self.endpoint, self._retries)
        return self._client

    def call(
        self,
        request: Callable[[Any], Any],
        shape: type[T],
        *,
        estimate: Usage,
        used: Callable[[T], Usage],
    ) -> T:
        """What `request(client)` answers, read as `shape`; `used` says what it cost.

        Raises ModelUnavailable, OverBudget, MissingExtra.
        """
        with self.budget.spending(estimate) as settle, self._calling():
            body: bytes = request(self.client).http_response.content
            if len(body) > LARGEST_REPLY:
                raise _Odd(f"it answered with {len(body):,} bytes")
            try:
                found = msgspec.json.decode(body, type=shape)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise _Odd(f"its answer cannot be read: {error}") from None
            settle(used(found))
        return found

    def stream(self, request: Callable[[Any], Any], *, estimate: Usage) -> Iterator[Any]:
        """The chunks of a streamed answer. Once something was given, a failure is raised: half an
        answer is not repeated."""
        with self.budget.spending(estimate) as settle, self._calling():
            deadline = time.monotonic() + 10 * self.endpoint.timeout_s
            settle(estimate)
            chunk = None
            for chunk in request(self.client):
                if usage := getattr(chunk, "usage", None):
                    settle(
                        Usage(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
                    )
                yield chunk
                if time.monotonic() > deadline:
                    raise _Odd("its answer did not end")
            if chunk is None:
                raise _Odd("it answered with nothing")

    @contextmanager
    def _calling(self) -> Generator[None]:
        """A block that makes one call, unless the breaker is open; its errors are ours."""
        what = str(self.endpoint.name)
        self._breaker.check(what)
        try:
            yield
        except (MissingExtra, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001  whatever the client raises is mapped here
            failure = self._read(error)
            if not failure.ours:
                self._breaker.ended(well=False)
            said = self.endpoint.key.within(failure.said)
            raise ModelUnavailable(f"the model {what!r} failed: {said}") from None
        self._breaker.ended(well=True)

    def _read(self, error: Exception) -> _Failure:
        """What went wrong, in our words."""
        openai: Any = import_module("openai")
        if isinstance(error, _Odd):
            return _Failure(str(error))
        if isinstance(error, openai.APITimeoutError):
            return _Failure(f"no answer within {self.endpoint.timeout_s:g} s")
        if isinstance(error, openai.APIStatusError):
            return self._status(error)
        if isinstance(error, openai.APIConnectionError):
            return _Failure("it cannot be reached, or cut the connection")
        if isinstance(error, openai.APIError):
            return _Failure(_short(str(getattr(error, "message", ""))))
        return _Failure(f"its answer broke off ({type(error).__name__})")

    def _status(self, error: Any) -> _Failure:
        code = int(error.status_code)
        if code in {401, 403}:  # such answers repeat the key
            return _Failure(f"the key was refused ({code}): check it", ours=True)
        if code == 404:
            where = "the deployment" if self.endpoint.name.provider == "azure" else "the model"
            return _Failure(f"{where} is not there (404)", ours=True)
        if code == 429 and "insufficient_quota" in str(error.code or ""):
            return _Failure("the account's quota is spent (429)")
        if code == 429:
            return _Failure("it asks for fewer requests (429)")
        said = f"{code}: {_short(str(error.message))}"
        return _Failure(said, ours=code < 500)


class _Odd(Exception):
    """An answer that cannot be used."""


def _short(said: str) -> str:
    flat = "".join(c if c.isprintable() else " " for c in said)
    return flat[:SHOWN_LINE] or "no reason given"


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, 0)
    return value if isinstance(value, int) and value >= 0 else 0


def _client(endpoint: Endpoint, retries: int) -> Any:
    try:
        openai: Any = import_module("openai")  # late: a second of import
    except ImportError as error:
        raise MissingExtra(
            f"the model {str(endpoint.name)!r} needs the extra openai: "
            "pip install 'quipu-memory[openai]'"
        ) from error
    common: dict[str, Any] = {
        "api_key": endpoint.key.reveal() or "none",
        "timeout": endpoint.timeout_s,
        "max_retries": retries,
    }
    if endpoint.name.provider == "azure":
        return openai.AzureOpenAI(
            azure_endpoint=endpoint.base_url,
            api_version=endpoint.api_version,
            azure_deployment=endpoint.deployment,
            **common,
        )
    return openai.OpenAI(base_url=endpoint.base_url, **common)

"""One call to a remote model: budget, breaker, retries with back-off, errors mapped once.

Nothing a server says is trusted: an answer is read into a strict shape, an error is told in our
own words with a bounded piece of the server's, the key taken out; and no exception of the client,
whose request carries the key, is chained to ours.
"""

import random
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import msgspec

from quipu.errors import MissingExtra, ModelUnavailable
from quipu.models.budget import Breaker, Budget, Spending, Usage
from quipu.models.endpoint import Endpoint
from quipu.models.tally import TALLY, FailureKind, Tally

__all__ = ["EndpointClient", "tokens_of"]

T = TypeVar("T")

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0
_SHOWN = 200
_AGAIN = frozenset({408, 409, 425, 429})
_LARGEST = 64_000_000


class _Failure(NamedTuple):
    said: str
    again: bool
    kind: FailureKind
    wait_s: float | None = None
    ours: bool = False


def tokens_of(text: str) -> int:
    """About how many tokens `text` has: one for four bytes, never fewer than one."""
    return max(1, len(text.encode("utf-8", "replace")) // 4)


class EndpointClient:
    """Calls one endpoint; safe to share between threads. The client is made by the first call."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        budget: Budget,
        breaker: Breaker | None = None,
        retries: int = 2,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        tally: Tally = TALLY,
    ) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self._breaker = breaker or Breaker()
        self._retries, self._sleep, self._jitter = retries, sleep, jitter
        self._tally = tally
        self._client: Any = None

    @property
    def client(self) -> Any:
        """The client of the `openai` package; MissingExtra where it is not installed."""
        if self._client is None:
            self._client = _client(self.endpoint)
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

        def once() -> T:
            raw = request(self.client)
            body: bytes = raw.http_response.content
            if len(body) > _LARGEST:
                raise _Odd(f"it answered with {len(body):,} bytes")
            try:
                return msgspec.json.decode(body, type=shape)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise _Odd(f"its answer cannot be read: {error}") from None

        with self._spending(estimate) as share:
            found = self._tried(once)
            share.settle(used(found))
        return found

    def stream(
        self, request: Callable[[Any], Any], *, estimate: Usage
    ) -> Generator[Any, None, None]:
        """The chunks of a streamed answer. A request that fails before its first chunk is made
        again; once something was given, a failure is raised: half an answer is not repeated."""
        with self._spending(estimate) as share:
            chunks, first = self._tried(lambda: _opened(request, self.client))
            share.settle(estimate)
            yield from self._rest(chunks, first, share)

    def _rest(self, chunks: Any, first: Any, share: Spending) -> Iterator[Any]:
        deadline = time.monotonic() + 10 * self.endpoint.timeout_s
        each = first
        try:
            while each is not None:
                if usage := getattr(each, "usage", None):
                    share.settle(
                        Usage(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
                    )
                yield each
                if time.monotonic() > deadline:
                    raise _Odd("its answer did not end")
                each = next(chunks, None)
        except GeneratorExit:
            raise
        except Exception as error:  # noqa: BLE001  whatever the client raises is mapped here
            self._breaker.failed()
            failure = self._read(error)
            self._tally.failed(str(self.endpoint.name), failure.kind)
            raise self._error(failure) from None

    @contextmanager
    def _spending(self, estimate: Usage) -> Generator[Spending]:
        """As of the budget, and counted."""
        with self.budget.spending(estimate) as share:
            try:
                yield share
            finally:
                cost = self.budget.price(share.usage)
                self._tally.spent(str(self.endpoint.name), share.usage.tokens, cost)

    def _tried(self, once: Callable[[], T]) -> T:
        what = str(self.endpoint.name)
        for attempt in range(self._retries + 1):
            self._breaker.check(what)
            self._tally.called(what)
            try:
                found = once()
            except MissingExtra:
                raise
            except Exception as error:  # noqa: BLE001  whatever the client raises is mapped here
                failure = self._read(error)
            else:
                self._breaker.succeeded()
                return found
            self._tally.failed(what, failure.kind)
            if not failure.ours:
                self._breaker.failed()
            if not failure.again or attempt == self._retries:
                raise self._error(failure) from None
            self._sleep(_wait(attempt, failure, self._jitter()))
        raise ModelUnavailable(f"{what} was not asked")  # pragma: no cover

    def _error(self, failure: _Failure) -> ModelUnavailable:
        said = self.endpoint.key.within(failure.said)
        return ModelUnavailable(f"the model {str(self.endpoint.name)!r} failed: {said}")

    def _read(self, error: Exception) -> _Failure:
        """What went wrong in our words, and whether to try again."""
        openai: Any = import_module("openai")
        if isinstance(error, _Odd):
            return _Failure(str(error), again=True, kind="unreadable")
        if isinstance(error, openai.APITimeoutError):
            return _Failure(f"no answer within {self.endpoint.timeout_s:g} s", True, "timeout")
        if isinstance(error, openai.APIStatusError):
            return self._status(error)
        if isinstance(error, openai.APIConnectionError):
            return _Failure("it cannot be reached, or cut the connection", True, "unreachable")
        if isinstance(error, openai.APIError):
            return _Failure(_short(str(getattr(error, "message", ""))), again=False, kind="refused")
        return _Failure(f"its answer broke off ({type(error).__name__})", True, "unreachable")

    def _status(self, error: Any) -> _Failure:
        code = int(error.status_code)
        if code in {401, 403}:  # such answers repeat the key
            return _Failure(f"the key was refused ({code}): check it", False, "key", ours=True)
        if code == 404:
            where = "the deployment" if self.endpoint.name.provider == "azure" else "the model"
            return _Failure(f"{where} is not there (404)", False, "refused", ours=True)
        said = _short(str(error.message))
        if code == 429:
            if "insufficient_quota" in str(error.code or ""):
                return _Failure("the account's quota is spent (429)", again=False, kind="quota")
            return _Failure("it asks for fewer requests (429)", True, "busy", _retry_after(error))
        again = code in _AGAIN or code >= 500
        kind = "server" if code >= 500 else "refused"
        return _Failure(f"{code}: {said}", again, kind, _retry_after(error), ours=not again)


class _Odd(Exception):
    """An answer that cannot be used."""


def _opened(request: Callable[[Any], Any], client: Any) -> tuple[Any, Any]:
    chunks = iter(request(client))
    first = next(chunks, None)
    if first is None:
        raise _Odd("it answered with nothing")
    return chunks, first


def _wait(attempt: int, failure: _Failure, jitter: float) -> float:
    backed = _FIRST_WAIT_S * 2**attempt * (0.5 + jitter / 2)
    return min(max(backed, failure.wait_s or 0.0), _LONGEST_WAIT_S)


def _retry_after(error: Any) -> float | None:
    try:
        return max(float(error.response.headers["retry-after"]), 0.0)
    except (KeyError, ValueError, AttributeError):
        return None


def _short(said: str) -> str:
    flat = "".join(c if c.isprintable() else " " for c in said)
    return flat[:_SHOWN] or "no reason given"


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, 0)
    return value if isinstance(value, int) and value >= 0 else 0


def _client(endpoint: Endpoint) -> Any:
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
        "max_retries": 0,
    }
    if endpoint.name.provider == "azure":
        return openai.AzureOpenAI(
            azure_endpoint=endpoint.base_url,
            api_version=endpoint.api_version,
            azure_deployment=endpoint.deployment,
            **common,
        )
    return openai.OpenAI(base_url=endpoint.base_url, **common)

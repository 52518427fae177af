"""Readers of bytes from outside, called where they can be ended: transcripts, goals, incidents.

What is indexed has workers of its own (`outcomes.py`); this is for what is read whole first.
"""

from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from quipu.errors import InvalidInput
from quipu.write.limits import Limits
from quipu.write.workers import WorkerDied, Workers

__all__ = ["Guard"]

R = TypeVar("R")

_CHEAP = 64_000


class _Call(NamedTuple):
    """A reader by its name, and what it is given."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class Guard:
    """Calls readers (`Calling`): in a process of its own, where what they read is large."""

    def __init__(self, limits: Limits) -> None:
        self._workers: Workers[_Call, Any] = Workers(
            _called, 0, limits=limits, size=_size, here=lambda call: _size(call) <= _CHEAP
        )

    def __call__(self, reader: Callable[..., R], /, *arguments: object, **options: object) -> R:
        """What `reader` gives. Raises InvalidInput for what it refuses, and when it takes too
        long or too much memory."""
        call = _Call(reader.__module__, reader.__qualname__, arguments, options)
        made = self._workers.one(call)
        if isinstance(made, WorkerDied):
            raise InvalidInput(str(made))
        if isinstance(made, InvalidInput):
            raise made
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._workers.__exit__(kind, error, trace)


def _size(call: _Call) -> int:
    return sum(len(each) for each in call.arguments if isinstance(each, bytes | str))


def _called(call: _Call) -> object:
    reader = getattr(import_module(call.module), call.name)
    try:
        return reader(*call.arguments, **call.options)
    except InvalidInput as error:
        return error
    except RecursionError:
        return InvalidInput("is nested too deeply to be read")

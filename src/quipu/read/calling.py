"""How a reader of bytes from outside is called: here, or where it can be ended."""

from collections.abc import Callable
from typing import Protocol, TypeVar

__all__ = ["Calling", "here"]

R = TypeVar("R")


class Calling(Protocol):
    """Gives what a reader makes of its arguments. The reader is importable by its name, and what
    it takes and gives can be pickled."""

    def __call__(self, reader: Callable[..., R], /, *arguments: object, **options: object) -> R:
        """Raises InvalidInput for what the reader refuses, and what it cannot be let finish."""
        ...


def here(reader: Callable[..., R], /, *arguments: object, **options: object) -> R:
    """Calls the reader in this process, whatever it takes."""
    return reader(*arguments, **options)

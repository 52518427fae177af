"""The driver, an extra."""

from collections.abc import Generator
from contextlib import contextmanager

from quipu.errors import MissingExtra

__all__ = ["driver_needed"]


@contextmanager
def driver_needed() -> Generator[None]:
    """MissingExtra where what the block imports lacks the driver."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "neo4j":
            raise
        raise MissingExtra(
            "Neo4j needs its driver, which is not installed; "
            "run `pip install 'quipu-memory[neo4j]'`"
        ) from error

"""Pages of the web, fetched when told."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(name="pages")

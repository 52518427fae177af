"""What can be kept of a damaged file of a store."""

from quipu.store.sqlite.salvage import Kept, salvage

__all__ = ["Kept", "salvage"]

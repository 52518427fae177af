"""What can be kept of a damaged file of a store."""

from quipu.store.sqlite.salvage import KeptRecords, salvage

__all__ = ["KeptRecords", "salvage"]

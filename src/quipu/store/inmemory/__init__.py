"""The contract as plain code: the store every other one is compared with."""

from quipu.store.inmemory.store import InMemoryStore, Shelf

__all__ = ["InMemoryStore", "Shelf"]

"""Every port of a store, made once from what a backend writes itself."""

from quipu.store.derived.store import DerivedStore

__all__ = ["DerivedStore"]

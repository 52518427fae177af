"""Memory joins the stages and the kinds: open a store, index into it, ask it."""

from quipu.handle.lookup import Passage
from quipu.handle.status import Status
from quipu.memory.memory import Memory

__all__ = ["Memory", "Passage", "Status"]

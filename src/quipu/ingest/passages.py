"""Ready passages: each is its own document and its only chunk; nothing is cut."""

from quipu.domain.passage import PassageInput

__all__ = ["PassageInput"]

"""How each system is used, in its own environment: nothing here imports Quipu or another system.

Each module has `index(passages, store, model)`, which ends when everything is kept in the folder
`store`, and `opened(store, model)`, which gives what answers a question with passages' ids, the
best first. `model` is the folder of all-MiniLM-L6-v2 with `onnx/` in it (`bench/peers/model.py`).
"""

from collections.abc import Callable
from typing import NamedTuple

HITS = 10

Search = Callable[[str], list[str]]


class Passage(NamedTuple):
    """A row of the corpus."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text, for who knows no titles."""
        return f"{self.title}\n{self.text}".strip()

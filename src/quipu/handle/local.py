"""MiniLM for one memory, in the precision of the vectors that the memory holds.

With `embed.precision = "auto"` a memory keeps the space that it has: what holds most of it decides,
at each asking, as another process may have embedded it anew. A memory without vectors of MiniLM,
and one that is to be embedded anew, takes what is fastest on this machine.
"""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from quipu.config import EmbedConfig
from quipu.embed.device import Device
from quipu.embed.minilm import MiniLM, Precision, precision_of
from quipu.ports import Embedder

Held = Callable[[], Mapping[str, int]]
"""The embedding spaces of a memory, and how many vectors each holds."""


class LocalModel:
    """Gives MiniLM as it is configured; each precision is loaded once."""

    def __init__(self, config: EmbedConfig, held: Held = dict) -> None:
        self._config = config
        self._held = held
        self._anew = False
        self._lock = threading.Lock()
        self._loaded: dict[Precision, Embedder] = {}

    def get(self) -> Embedder:
        """The model that fills the memory. Raises MissingModel, WrongWeights, MissingExtra."""
        return self.chosen()()

    def chosen(self) -> Callable[[], Embedder]:
        """Asks the store now which model that is; what is given back loads it, and asks nothing."""
        kept = self._kept()
        if kept is None:
            return partial(self._load, self._config.precision, self._config.device)
        return partial(self._of, kept)

    def of_space(self, space: str) -> Embedder | None:
        """The model whose vectors are in `space`, if this machine has it; as `get`."""
        precision = precision_of(space)
        found = self.get() if precision is None else self._of(precision)
        return found if found.space == space else None

    @contextmanager
    def anew(self) -> Generator[None]:
        """Within it the model is the one of a memory that holds nothing."""
        self._anew = True
        try:
            yield
        finally:
            self._anew = False

    def _kept(self) -> Precision | None:
        """The precision of the fullest space; None where there is none or the setting decides."""
        config = self._config
        if self._anew or config.precision != "auto" or config.device == "cuda":
            return None
        known: dict[Precision, int] = {}
        for space, count in self._held().items():
            if (precision := precision_of(space)) is not None:
                known[precision] = count
        most = max(known.values(), default=0)
        fullest: list[Precision] = [
            precision for precision, count in known.items() if count == most > 0
        ]
        return fullest[0] if len(fullest) == 1 else None

    def _of(self, precision: Precision) -> Embedder:
        """In this very precision: a GPU, which has none but fp32, is left alone for another."""
        device = self._config.device
        return self._load(precision, "cpu" if precision == "int8" and device == "auto" else device)

    def _load(self, precision: Precision, device: Device) -> Embedder:
        config = self._config
        with self._lock:
            if precision not in self._loaded:
                folder = Path(config.folder).expanduser() if config.folder else None
                model = MiniLM(folder, threads=config.threads, precision=precision, device=device)
                ran = precision_of(model.space) or precision
                self._loaded[precision] = self._loaded.setdefault(ran, model)
            return self._loaded[precision]

"""The embedder, loaded when it is first needed; a memory without one works by words and graph."""

import threading
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Final

from quipu.config import EmbedConfig
from quipu.errors import MissingExtra, MissingModel
from quipu.ports import Embedder


class Auto(Enum):
    """Stands for "the embedder the configuration names"."""

    AUTO = "auto"


AUTO: Final = Auto.AUTO


class Model:
    """Gives the embedder, or None and the note that says why there is none.

    A weights file with the wrong hash is not passed over: WrongWeights is raised.
    """

    def __init__(self, embedder: Embedder | Auto | None, config: EmbedConfig) -> None:
        """`embedder` as given, none at all, or (AUTO) the one `config` names."""
        self._config = config
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._note = ""
        self._settled = not isinstance(embedder, Auto)
        self._expected = self._settled
        if not isinstance(embedder, Auto):
            self._embedder = embedder
            self._note = "" if embedder else "no embedder was given: words and graph only"

    def get(self) -> Embedder | None:
        """The embedder, loading it the first time."""
        with self._lock:
            if not self._settled:
                self._load()
                self._settled = True
            return self._embedder

    def expect(self) -> None:
        """Begin to load the model beside what is done until a question is embedded: the greater
        part of loading it needs no Python, so where there are two cores a first search waits
        for it less."""
        with self._lock:
            if self._expected:
                return
            self._expected = True
        threading.Thread(target=self._prepare, name="quipu-model").start()

    def _prepare(self) -> None:
        with suppress(Exception):  # whoever needs the model meets it again
            embedder = self.get()
            prepare: Callable[[], None] | None = getattr(embedder, "prepare", None)
            if prepare is not None:
                prepare()

    def require(self) -> Embedder:
        """The embedder; MissingModel when there is none."""
        embedder = self.get()
        if embedder is None:
            raise MissingModel(self._note or "no embedder was given")
        return embedder

    @property
    def notes(self) -> tuple[str, ...]:
        """Why there is no embedder; empty when there is one or nobody asked yet."""
        return (self._note,) if self._note else ()

    def _load(self) -> None:
        if self._config.model == "none":
            self._note = "embed.model is 'none': words and graph only"
            return
        folder = Path(self._config.folder).expanduser() if self._config.folder else None
        try:
            from quipu.embed import MiniLM

            self._embedder = MiniLM(
                folder, threads=self._config.threads, precision=self._config.precision
            )
        except (MissingModel, MissingExtra) as error:
            self._note = f"words and graph only: {error}"

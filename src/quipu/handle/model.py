"""The embedder, loaded when it is first needed; a memory without one works by words and graph.

A remote model may fail. Then a question is embedded by MiniLM, if its space was built, or not at
all, and the reply says so; with `embed.fallback = "off"` it is an error. While the space of a new
model is not complete the fullest one answers. Vectors of two spaces are never compared.

MiniLM is in the precision of the vectors that the memory holds. With `embed.precision = "auto"` a
memory keeps the space that it has: what holds most of it decides, at each asking, as another
process may have embedded it anew. A memory without vectors of MiniLM, and one that is to be
embedded anew, takes what is fastest on this machine.
"""

import logging
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from quipu import config as configuration
from quipu.config import EmbedConfig
from quipu.embed.minilm import MiniLM, Precision, precision_of
from quipu.embed.multilingual import Multilingual, is_multilingual
from quipu.embed.remote import is_remote, name_in, open_remote
from quipu.errors import InvalidConfig, MissingExtra, MissingModel, ModelUnavailable, Unavailable
from quipu.index.asked import question_vectors
from quipu.models.calling import Budget
from quipu.ports import Embedder

SpaceCounts = Callable[[], Mapping[str, int]]
"""The embedding spaces of a memory, and how many vectors each holds."""
_log = logging.getLogger(__name__)
FELL_BACK: Final = "The embedding model "
"""How a note begins that another model, or none, stands in for the configured one."""


class Auto(Enum):
    """Stands for "the embedder the configuration names"."""

    AUTO = "auto"


AUTO: Final = Auto.AUTO


class LocalModel:
    """Gives MiniLM as it is configured; each precision is loaded once."""

    def __init__(self, config: EmbedConfig, space_counts: SpaceCounts = dict) -> None:
        if config.device == "cuda":
            _log.warning("embed.device 'cuda' counts for nothing: the processor embeds")
        self._config = config
        self._space_counts = space_counts
        self._anew = False
        self._lock = threading.Lock()
        self._loaded: dict[Precision, MiniLM] = {}
        self._multilingual: dict[str, Multilingual] = {}

    def get(self, name: str = "minilm") -> Embedder:
        """The model that fills the memory: MiniLM, or as `multilingual` it and another. Raises
        MissingModel, WrongWeights, MissingExtra."""
        return self.chosen(name)()

    def chosen(self, name: str = "minilm") -> Callable[[], Embedder]:
        """Asks the store now which model that is; what is given back loads it, and asks nothing."""
        kept = self._kept()
        if kept is None:
            load = partial(self._load, self._config.precision)
        else:
            load = partial(self._load, kept)
        return (lambda: self._beside(load())) if name == "multilingual" else load

    def of_space(self, space: str) -> Embedder | None:
        """The model whose vectors are in `space`, if this machine has it; as `get`."""
        precision = precision_of(space)
        found = self.get() if precision is None else self._load(precision)
        if precision is not None and is_multilingual(space):
            found = self._beside(self._load(precision))
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
        if self._anew or config.precision != "auto":
            return None
        known: dict[Precision, int] = {}
        for space, count in self._space_counts().items():
            if (precision := precision_of(space)) is not None:
                known[precision] = max(count, known.get(precision, 0))
        most = max(known.values(), default=0)
        fullest: list[Precision] = [
            precision for precision, count in known.items() if count == most > 0
        ]
        return fullest[0] if len(fullest) == 1 else None

    def _beside(self, model: MiniLM) -> Embedder:
        with self._lock:
            if model.space not in self._multilingual:
                self._multilingual[model.space] = Multilingual(model)
            return self._multilingual[model.space]

    def _load(self, precision: Precision) -> MiniLM:
        """In this very precision."""
        config = self._config
        with self._lock:
            if precision not in self._loaded:
                folder = Path(config.folder).expanduser() if config.folder else None
                model = MiniLM(folder, threads=config.threads, precision=precision)
                ran = precision_of(model.space) or precision
                self._loaded[precision] = self._loaded.setdefault(ran, model)
            return self._loaded[precision]


class EmbedderSource:
    """Gives the embedder, or None and the note that says why there is none.

    A weights file with the wrong hash is not passed over: WrongWeights is raised.
    """

    def __init__(
        self,
        embedder: Embedder | Auto | None,
        config: EmbedConfig,
        *,
        folder: Path | None,
        local: LocalModel,
        budget: Budget | None,
    ) -> None:
        """`embedder` as given, none at all, or (AUTO) the one `config` names. Keys are looked
        for in `.env` above `folder` (None: the working directory) and in the environment. Models
        of one memory share the `local` one and the `budget` of remote ones."""
        self._config = config
        self._folder = folder
        self._minilm = local
        self._budget = budget
        self._lock = threading.RLock()
        self._others: dict[str, Embedder | None] = {}
        self._failure: Unavailable | None = None
        self._given = self._expected = not isinstance(embedder, Auto)
        self._embedder = None if isinstance(embedder, Auto) else embedder
        self._note = "no embedder was given: words and graph only" if embedder is None else ""

    @property
    def remote(self) -> bool:
        """Whether the configured model is reached over the network."""
        return not self._given and is_remote(self._config.model)

    def get(self) -> Embedder | None:
        """The embedder, loading it the first time."""
        if self._given or self._failure:
            return self._embedder
        if self._config.model == "none":
            self._note = "embed.model is 'none': words and graph only"
            return None
        try:
            if not self.remote:
                return self._minilm.get(self._config.model)
            with self._lock:
                self._embedder = self._embedder or self._open(self._config)
                return self._embedder
        except (MissingModel, MissingExtra, ModelUnavailable) as error:
            self._failure, self._note = error, f"words and graph only: {error}"
            return None

    def expect(self) -> None:
        """Begin to load the model beside what is done until a question is embedded: the greater
        part of loading it needs no Python, so where there are two cores a first search waits
        for it less."""
        with self._lock:
            if self._expected:
                return
            self._expected = True
        is_local = not (self._failure or self.remote or self._config.model == "none")
        load = self._minilm.chosen(self._config.model) if is_local else self.get
        threading.Thread(target=_prepare, args=(load,), name="quipu-model").start()

    def require(self) -> Embedder:
        """The embedder; MissingModel when there is none."""
        embedder = self.get()
        if embedder is None:
            raise self._failure or MissingModel(self._note or "no embedder was given")
        return embedder

    def fallback(self) -> Embedder | None:
        """MiniLM, where it stands in for a remote model and its weights are there."""
        if not self.remote or self._config.fallback == "off":
            return None
        return self._once("", self._minilm.get)

    def answering(
        self, text: str, spaces: Mapping[str, int]
    ) -> tuple[Embedder | None, tuple[str, ...]]:
        """The embedder that can embed `text` now, for a store with these `spaces`, and notes
        (each begins with `FELL_BACK`) where it is not the configured one.

        Raises ModelUnavailable when the model fails and `embed.fallback` is off.
        """
        primary = self.get()
        if self._given:
            return primary, ()
        chosen, notes = self._fullest(primary, spaces)
        if not self.remote and name_in(chosen.space if chosen else "") is None:
            return chosen, notes
        failure: Unavailable | None = self._failure
        if chosen is not None:
            try:
                if chosen.space in spaces:
                    question_vectors(chosen, text)
                return chosen, notes
            except (ModelUnavailable, MissingExtra) as error:
                failure = error
        return self.instead(failure, spaces)

    def of_space(self, space: str | None) -> Embedder | None:
        """The embedder that fills `space`; without one a local model, which costs nothing."""
        primary = self.get()
        if self._given or (primary is not None and primary.space == space):
            return primary
        if space is None:
            return None if self.remote else primary
        return self._made(space)

    @property
    def notes(self) -> tuple[str, ...]:
        """Why there is no embedder; empty when there is one or nobody asked yet."""
        return (self._note,) if self._note else ()

    def _fullest(
        self, primary: Embedder | None, spaces: Mapping[str, int]
    ) -> tuple[Embedder | None, tuple[str, ...]]:
        """The configured model, or that of a space that holds more passages than its own."""
        own = spaces.get(primary.space, 0) if primary else 0
        for space in sorted(spaces, key=lambda s: (-spaces[s], s)):
            if spaces[space] <= own or primary is None:
                break
            if (other := self._made(space)) is not None:
                note = (
                    f"{FELL_BACK}{primary.space!r} has embedded {own} passages and {space!r} "
                    f"{spaces[space]}, so that one answers: `quipu reindex` completes the new one."
                )
                return other, (note,)
        return primary, ()

    def instead(
        self, failure: Unavailable | None, spaces: Mapping[str, int]
    ) -> tuple[Embedder | None, tuple[str, ...]]:
        """What answers while the remote model fails. Raises ModelUnavailable when nothing may."""
        why = str(failure or "it is not there")
        if self._config.fallback == "off":
            raise ModelUnavailable(f"{why}; embed.fallback is off, so nothing stands in for it")
        local = self._once("", self._minilm.get)
        if local is not None and spaces.get(local.space):
            return local, (f"{FELL_BACK}failed ({why}); MiniLM answers in its own space.",)
        return None, (f"{FELL_BACK}failed ({why}); words and the graph answer alone.",)

    def _made(self, space: str) -> Embedder | None:
        """An embedder of this very space, if there can be one."""

        def make() -> Embedder | None:
            if not (named := name_in(space)):
                return self._minilm.of_space(space)
            name, dimension = named
            if self.remote and name.partition(":")[0] != self._config.model.partition(":")[0]:
                return None
            return self._open(
                msgspec.structs.replace(
                    self._config, model=name, dimension=dimension, deployment=""
                )
            )

        return self._once(space, make)

    def _once(self, space: str, make: Callable[[], Embedder | None]) -> Embedder | None:
        """What `make` gives, made once for a space (`""`: what stands in); None where it fails."""
        with self._lock:
            if space not in self._others:
                self._others[space] = None
                with suppress(Unavailable, InvalidConfig):
                    self._others[space] = make()
            return self._others[space]

    def _open(self, config: EmbedConfig) -> Embedder:
        variables = configuration.environment(self._folder)
        return open_remote(config, variables, budget=self._budget)


def _prepare(load: Callable[[], Embedder | None]) -> None:
    with suppress(Exception):  # whoever needs the model meets it again
        prepare: Callable[[], None] | None = getattr(load(), "prepare", None)
        if prepare is not None:
            prepare()

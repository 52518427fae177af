"""The models of a memory: one for everything, or one for each content type.

An embedder is loaded when it is first needed; a memory without one works by words and graph.
`[embed.types]` gives a content type (a ranking profile) a model of its own. Passages are then
embedded by the model of their type alone, and a question by every model whose types there are;
each space is searched with its own vector, and the lists are fused by rank.

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
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec

from quipu import config as configuration
from quipu.config import EmbedConfig
from quipu.embed.minilm import MiniLM, Precision, precision_of
from quipu.embed.multilingual import Multilingual, is_multilingual
from quipu.embed.remote import DIMENSIONS, budget_of, is_remote, name_in, open_remote
from quipu.errors import InvalidConfig, MissingExtra, MissingModel, ModelUnavailable, Unavailable
from quipu.index.asked import count_chunks, question_vectors, spaces_of
from quipu.index.multispace import (
    MultispaceEmbedder,
    multispace_name,
    multispace_planner,
    space_parts,
)
from quipu.models.calling import Budget
from quipu.ports import Embedder, Planner
from quipu.write.options import EmbeddedProfiles

__all__ = ["AUTO", "FELL_BACK", "Auto", "EmbedderSource", "LocalModel", "Models", "settings_of"]

T = TypeVar("T")
_EVERY = frozenset[str]()
_ANY = "prose"
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
        load = partial(self._load, self._kept() or self._config.precision)
        return (lambda: self._beside(load())) if name == "multilingual" else load

    def of_space(self, space: str) -> Embedder | None:
        """The model whose vectors are in `space`, if this machine has it; as `get`."""
        precision = precision_of(space)
        if precision is None:
            found = self.get()
        else:
            model = self._load(precision)
            found = self._beside(model) if is_multilingual(space) else model
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
        if self._anew or self._config.precision != "auto":
            return None
        known: dict[Precision, int] = {}
        for space, count in self._space_counts().items():
            if (precision := precision_of(space)) is not None:
                known[precision] = max(count, known.get(precision, 0))
        most = max(known.values(), default=0)
        fullest: list[Precision] = [each for each, count in known.items() if count == most > 0]
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


class _Typed(NamedTuple):
    """A model and the profiles it is for; none named: all."""

    profiles: frozenset[str]
    model: EmbedderSource


class Models:
    """Gives the embedder that a content type, a question or a space needs."""

    def __init__(
        self,
        embedder: Embedder | Auto | None,
        config: EmbedConfig,
        *,
        folder: Path | None = None,
        space_counts: SpaceCounts = dict,
    ) -> None:
        """As `EmbedderSource`; an embedder that is given is for everything. `space_counts` tells
        the spaces of the memory, which decide what the local model is. Raises InvalidConfig for a
        cost of a remote model that is limited without a price."""
        self._local = LocalModel(config, space_counts)
        named = _named(config) if isinstance(embedder, Auto) else {_ANY: config.model}
        asks = isinstance(embedder, Auto) and any(map(is_remote, named.values()))
        budget = budget_of(config) if asks else None
        every = len(set(named.values())) == 1
        self._typed: dict[str, _Typed] = {
            name: _Typed(
                _EVERY if every else frozenset(p for p, n in named.items() if n == name),
                EmbedderSource(
                    embedder,
                    settings_of(name, config, named.values()),
                    folder=folder,
                    local=self._local,
                    budget=budget,
                ),
            )
            for name in dict.fromkeys(named.values())
        }
        self._name_of = named
        self._lock = threading.Lock()
        self._multispace: dict[str, MultispaceEmbedder] = {}
        self._planners: dict[str, tuple[Planner, Planner]] = {}

    def of(self, profile: str) -> EmbedderSource:
        """The model that embeds passages of this profile."""
        return self._of(profile).model

    def get(self) -> Embedder | None:
        """The embedder of prose, loading it the first time."""
        return self.of("prose").get()

    def every(self) -> Sequence[EmbedderSource]:
        """All of them."""
        return [each.model for each in self._typed.values()]

    def expect(self) -> None:
        """Begin to load what a question will need."""
        for model in self.every():
            model.expect()

    def shelves(self) -> tuple[EmbeddedProfiles, ...]:
        """Which passages are embedded by what."""
        return tuple(
            EmbeddedProfiles(each.profiles, each.model.get, each.model.fallback)
            for name, each in self._typed.items()
            if name != "none" or len(self._typed) == 1
        )

    def for_passage(self, profile: str, text: str, planner: Planner) -> Embedder | None:
        """What can embed `text` now among passages of this profile; as `answering`."""
        profiles, model = self._of(profile)
        return model.answering(text, spaces_of(planner, profiles)[0])[0]

    def _of(self, profile: str) -> _Typed:
        return self._typed[self._name_of.get(profile) or self._name_of[_ANY]]

    def coverage(self, planner: Planner) -> tuple[str | None, int]:
        """The space, single or several, that is to hold everything, and how many passages have no
        vector there (in the fullest space, where there is no model)."""
        spaces: dict[str, frozenset[str]] = {}
        lacking = 0
        for name, (profiles, model) in self._typed.items():
            embedder = model.get()
            counts, chunks = planner.spaces(profiles), count_chunks(planner, profiles)
            if embedder is not None:
                spaces[embedder.space] = profiles
                lacking += chunks - counts.get(embedder.space, 0)
            elif name != "none" or not profiles:
                lacking += chunks - max(counts.values(), default=0)
        if len(spaces) < 2:
            return next(iter(spaces), None), lacking
        return multispace_name(spaces.items()), lacking

    @contextmanager
    def anew(self) -> Generator[None]:
        """Within it the local model, where content is embedded by it, is the one of a memory that
        holds nothing; what only stands in for a remote one keeps its space."""
        if all(model.remote for model in self.every()):
            yield
            return
        with self._local.anew():
            yield

    def require(self) -> None:
        """Raise MissingModel unless every model is there."""
        for name, typed in self._typed.items():
            if name != "none" or not typed.profiles:
                typed.model.require()

    def answering(
        self, text: str, planner: Planner, *, failure: ModelUnavailable | None = None
    ) -> tuple[Embedder | None, tuple[str, ...]]:
        """As `Model.answering`, for what `planner` holds: an embedder of one space, or of a
        multispace where content types have different models. With a `failure`, what stands in
        for the remote ones: a model may fail at the second text after it embedded the first."""
        chosen: dict[str, tuple[Embedder, frozenset[str]]] = {}
        notes: dict[str, None] = {}
        for profiles, model in self._typed.values():
            spaces, chunks = spaces_of(planner, profiles)
            if profiles and not chunks:
                continue
            if failure is not None and model.remote:
                embedder, said = model.instead(failure, spaces)
            else:
                embedder, said = model.answering(text, spaces)
            notes |= dict.fromkeys(said)
            if embedder is not None:
                known = chosen.get(embedder.space, (embedder, _EVERY))
                chosen[embedder.space] = (known[0], known[1] | profiles)
        if len(chosen) < 2:
            return next((embedder for embedder, _ in chosen.values()), None), tuple(notes)
        return self._joined(chosen.values()), tuple(notes)

    def tried(
        self,
        text: str,
        planner: Planner,
        ask: Callable[[Embedder | None, tuple[str, ...]], T],
    ) -> T:
        """What `ask` gives for the embedder that answers, and its notes; asked again with what
        stands in when a model fails meanwhile."""
        try:
            return ask(*self.answering(text, planner))
        except ModelUnavailable as error:
            return ask(*self.answering(text, planner, failure=error))

    def within(self, space: str | None, ask: Callable[[Embedder | None], T]) -> T:
        """What `ask` gives for the embedder of `space`; asked again without one when it fails:
        a plan holds the question's scores."""
        try:
            return ask(self.of_space(space))
        except ModelUnavailable:
            return ask(None)

    def of_space(self, space: str | None) -> Embedder | None:
        """The embedder that fills `space`, single or several; without one a local model."""
        if space is None or not (parts := space_parts(space)):
            return self._single(space)
        with self._lock:
            known = self._multispace.get(space)
        if known is not None:
            return known
        made = [(self._single(part.space), part.profiles) for part in parts]
        there = [(embedder, profiles) for embedder, profiles in made if embedder is not None]
        return self._joined(there) if len(there) == len(made) else None

    def comparing(self, space: str | None) -> Embedder | None:
        """One embedder that can compare sentences after a search in `space`: of several a
        local part, if it has one."""
        parts = [part.space for part in space_parts(space or "")]
        if not parts:
            return self.of_space(space)
        return self._single(min(parts, key=lambda name: (is_remote(name), name)))

    def reading(self, planner: Planner, space: str | None) -> Planner:
        """`planner`, which knows `space` also where it is several as one."""
        if space is None or not space_parts(space):
            return planner
        with self._lock:
            seen, multispace = self._planners.get(space, (None, planner))
            if seen is not planner:
                multispace = multispace_planner(planner, space)
                self._planners[space] = planner, multispace
            return multispace

    @property
    def notes(self) -> tuple[str, ...]:
        """Why an embedder is missing; empty when none is or nobody asked yet."""
        return tuple(dict.fromkeys(note for model in self.every() for note in model.notes))

    def _single(self, space: str | None) -> Embedder | None:
        found: Embedder | None = None
        for model in self.every():
            found = model.of_space(space)
            if found is not None and (space is None or found.space == space):
                break
        return found

    def _joined(self, parts: Iterable[tuple[Embedder, frozenset[str]]]) -> MultispaceEmbedder:
        made = MultispaceEmbedder(parts)
        with self._lock:
            return self._multispace.setdefault(made.space, made)


def _named(config: EmbedConfig) -> dict[str, str]:
    """The model of each profile."""
    if not config.types:
        return {_ANY: config.model}
    from quipu.profiles import profiles

    types: dict[str, str] = {**config.types}
    return {profile: types.get(profile, config.model) for profile in sorted(profiles())}


def settings_of(name: str, config: EmbedConfig, names: Iterable[str]) -> EmbedConfig:
    """The settings of the model `name`. What is said of one remote model (its deployment, a
    length that is not known) is said of `embed.model`, or of the only one there is."""
    if name == config.model or not is_remote(name):
        return msgspec.structs.replace(config, model=name)
    alone = {each for each in (*names, config.model) if is_remote(each)} == {name}
    known = DIMENSIONS.get(name.partition(":")[2], 0)
    return msgspec.structs.replace(
        config,
        model=name,
        deployment=config.deployment if alone else "",
        dimension=config.dimension if alone or not known else known,
    )

"""The models of a memory: one for everything, or one for each content type.

`[embed.types]` gives a content type (a ranking profile) a model of its own. Passages are then
embedded by the model of their type alone, and a question by every model whose types there are;
each space is searched with its own vector, and the lists are fused by rank.
"""

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from quipu.config import EmbedConfig
from quipu.embed.remote import DIMENSIONS, budget_of, is_remote
from quipu.errors import ModelUnavailable
from quipu.handle.model import Auto, EmbedderSource, LocalModel, SpaceCounts
from quipu.index.asked import count_chunks, spaces_of
from quipu.index.multispace import (
    MultispaceEmbedder,
    multispace_name,
    multispace_planner,
    space_parts,
)
from quipu.ports import Embedder, Planner
from quipu.write.options import EmbeddedProfiles

__all__ = ["Models", "settings_of"]

T = TypeVar("T")
_EVERY = frozenset[str]()
_ANY = "prose"


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
        return self._typed[self._name_of.get(profile) or self._name_of[_ANY]].model

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
        typed = self._typed[self._name_of.get(profile) or self._name_of[_ANY]]
        return typed.model.answering(text, spaces_of(planner, typed.profiles)[0])[0]

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

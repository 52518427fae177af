"""What the core knows of a kind of source: its name, and where its parts stand.

A kind is a package with a `KIND` that names a part for every stage it has something to say to, as
`module:attribute`; a part is loaded when its stage first asks for it. The kinds that come with
Quipu are the folders of `quipu/kinds`; another package brings one by an entry point of the group
`quipu.kinds`.
"""

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, TypeAlias, TypeVar, cast, get_args

from quipu.errors import BrokenKind

__all__ = [
    "GROUP",
    "Kind",
    "Stage",
    "failing_kind",
    "installed",
    "kinds",
    "loaded",
    "parts",
    "plugins",
    "profile_parts",
    "source_types",
]


_INFO = (".dist-info", ".egg-info")


def plugins(group: str) -> "list[EntryPoint]":
    """The entry points of a group in the environment, by name and by what they lead to."""
    if not any(_may_bring(group.encode(), Path(place)) for place in dict.fromkeys(sys.path)):
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda point: (point.name, point.value))


def _may_bring(group: bytes, place: Path) -> bool:
    """Whether a package under this place of the path names the group; an archive may."""
    try:
        return any(
            group in _read(each / "entry_points.txt")
            for each in place.iterdir()
            if each.name.endswith(_INFO)
        )
    except OSError:
        return place.is_file()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


GROUP = "quipu.kinds"
Stage: TypeAlias = Literal["records", "read", "write", "plan", "answer", "commands", "tools"]
Part = TypeVar("Part")
_NOT_LOADED = (ImportError, AttributeError, NameError, SyntaxError, TypeError, ValueError)
"""What a module raises that is written wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of source. `profiles` are the ranking profiles it brings, by name, `parts` what it
    brings to a stage; both say where it stands, as `module:attribute`.

    Sources of the types `unlinked` name no other files; those of the types `derived` are made from
    other sources, are never exported, and go when one of those is forgotten; those of the types
    `ahead` may be tied to what is yet to come.
    """

    name: str
    profiles: Mapping[str, str] = field(default_factory=dict[str, str])
    parts: Mapping[Stage, str] = field(default_factory=dict[Stage, str])
    unlinked: frozenset[str] = frozenset()
    derived: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()


@cache
def installed() -> tuple[Kind, ...]:
    """The kinds of other packages, by name; to find them loads nothing of Quipu's own kinds."""
    return tuple(_load(point.value) for point in plugins(GROUP))


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, those that come with Quipu first, each group by name; found once a process.

    Raises BrokenKind for one that cannot be imported, is none, or brings what another has.
    """
    found = [_load(f"{package}:KIND") for package in _shipped()]
    found += installed()
    names: dict[str, str] = {}
    for kind in found:
        for brought in (f"the name {kind.name!r}", *(f"the profile {p!r}" for p in kind.profiles)):
            if brought in names:
                raise BrokenKind(
                    f"{brought} is of two kinds, {names[brought]!r} and {kind.name!r}: "
                    "uninstall the package of one"
                )
            names[brought] = kind.name
    return tuple(found)


def parts(
    stage: Stage, of: type[Part], among: Callable[[], tuple[Kind, ...]] = kinds
) -> tuple[Part, ...]:
    """What the kinds bring to a stage, in their order; loaded once a process. Raises BrokenKind
    for what is no `of`."""
    return cast("tuple[Part, ...]", _parts(stage, of, among))


@cache
def _parts(
    stage: Stage, of: type[object], among: Callable[[], tuple[Kind, ...]]
) -> tuple[object, ...]:
    return tuple(
        _checked(kind.parts[stage], kind.name, of) for kind in among() if stage in kind.parts
    )


def profile_parts() -> dict[str, str]:
    """The names of all ranking profiles, and where each stands."""
    return {name: place for kind in kinds() for name, place in kind.profiles.items()}


@cache
def source_types(trait: Literal["unlinked", "derived", "ahead"]) -> frozenset[str]:
    """The types of sources of which the kinds say so."""
    return frozenset[str]().union(*(getattr(kind, trait) for kind in kinds()))


def loaded(place: str, of: type[Part]) -> Part:
    """What stands at `module:attribute`. Raises BrokenKind when it is no `of`."""
    return _checked(place, place, of)


def failing_kind(error: BaseException) -> str:
    """Return the name of the installed kind in whose package an error came up, if in one's."""
    names = {point.value.partition(":")[0].split(".")[0]: point.name for point in plugins(GROUP)}
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    packages = [str(frame.f_globals.get("__name__", "")).split(".")[0] for frame in frames]
    return next((names[name] for name in reversed(packages) if name in names), "")


def _shipped() -> list[str]:
    """The packages of the kinds that come with Quipu, found without importing them."""
    spec = find_spec(GROUP)
    folders = spec.submodule_search_locations if spec else None
    return sorted(f"{GROUP}.{m.name}" for m in pkgutil.iter_modules(folders or []) if m.ispkg)


def _load(place: str) -> Kind:
    kind = _checked(place, place, Kind)
    if unknown := sorted(set(kind.parts) - set(get_args(Stage))):
        raise BrokenKind(
            f"the kind of source {kind.name!r} names a part {unknown[0]!r}: parts are "
            f"{', '.join(get_args(Stage))}"
        )
    return kind


def _checked(place: str, name: str, of: type[Part]) -> Part:
    module, _, attribute = place.partition(":")
    try:
        found: object = getattr(import_module(module), attribute)
    except _NOT_LOADED as error:
        raise BrokenKind(
            f"the kind of source {name!r} cannot be used: {place!r} does not load "
            f"({type(error).__name__}: {error}); update or uninstall its package, or, if it is "
            "yours, name a module:attribute that loads"
        ) from error
    if not isinstance(found, of):
        raise BrokenKind(
            f"the kind of source {name!r} cannot be used: {place!r} is a "
            f"{type(found).__name__}, and a {of.__name__} is wanted"
        )
    return found

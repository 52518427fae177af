"""The table of operations: what a memory can be asked to do, each stated once.

An operation is a function whose arguments say what they are: `Annotated[int, "how many"]`, with
bounds as a `msgspec.Meta`. Lines of its docstring that begin with `$` are examples of its command.
Three renderers make a command (`cli/rendered`), a route (`http/endpoints`) and a tool
(`mcp/tool`) of it. What differs from door to door stands in its `Command`, `Http` and `Tool`.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum, auto
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType, NoneType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput

__all__ = [
    "REQUIRED",
    "SCOPES",
    "Argument",
    "Command",
    "Date",
    "Day",
    "Door",
    "Exists",
    "Flag",
    "Http",
    "KeyScope",
    "Keys",
    "Mark",
    "Operation",
    "Tool",
    "Word",
    "bounds_of",
    "given_bytes",
    "operation",
    "operations",
    "operations_in",
    "standard_input",
]

KeyScope: TypeAlias = Literal["read", "write", "admin"]
SCOPES: Final[tuple[KeyScope, ...]] = get_args(KeyScope)
"""What a key allows, each with all before it: to ask; to remember and change; to index, measure
and forget."""

_BOUNDS = ("ge", "gt", "le", "min_length", "max_length", "pattern")
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """How an operation is offered at one door: without some arguments or with some only, with
    other defaults, by other names."""

    without: str = ""
    only: str = ""
    default: Mapping[str, Any] = field(default_factory=dict[str, Any])
    spelled: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Door):
    """A command. `fails` says of a result that the exit code is 1; `prints` makes of it and of
    what was given what `--json` prints; with the argument `writes` it writes. Of what `unknown`
    names, the nearest names are told where `finds` is empty in the result. `erases` names what will
    be gone for good, and a person is asked first. `retired` options are taken for one version more
    and count for nothing: what to know is told."""

    fails: Callable[[Any], bool] = lambda _result: False
    prints: Callable[[Any, Mapping[str, Any]], Any] = lambda result, _given: result
    writes: str = ""
    unknown: str = ""
    finds: str = "entries"
    erases: Callable[[dict[str, Any]], str] | None = None
    retired: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Http(Door):
    """A route. `body` names the shape of what is sent; `page` the list of the result that is given
    in pages; `name` the handler, where it is not called as the operation. Of a result of a shape
    in `told` the status is another; `gives` is the shape where the function makes the response
    itself, and `streams` says that this may be a stream of events."""

    route: str
    _: KW_ONLY
    status: int = 200
    body: str = ""
    page: str = ""
    name: str = ""
    told: Mapping[int, type[Any]] = field(default_factory=dict[int, type[Any]])
    gives: Any = None
    streams: bool = False


@dataclass(frozen=True, slots=True)
class Tool(Door):
    """A tool for agents; `gives` is the shape of its result where that holds less, made by
    `shown`. `largest` is how many characters of JSON that may have; a result with a `page` has the
    rows of that list that fit into 4,000, and the `cursor` of those after them. Arguments that are
    `unlisted` are taken, and not described: each costs every conversation. `outline` names the keys
    of the result where a schema shall tell them, and all hints, as another server has it."""

    name: str
    title: str
    _: KW_ONLY
    idempotent: bool = True
    destroys: bool = False
    largest: int = 200_000
    gives: type[msgspec.Struct] | None = None
    shown: Callable[[Any], Any] | None = None
    page: str = ""
    unlisted: str = ""
    outline: str = ""


class Word(NamedTuple):
    """An argument that stands in a command by itself, without an option's name."""

    shown: str = ""


class Flag(NamedTuple):
    """How a command spells an option, where not as `--its-name`; with `value`, a flag that means
    this."""

    spelled: str
    value: Any = None
    says: str = ""


class Keys(NamedTuple):
    """The keys that an object may have: a command has an option for each."""

    said: Mapping[str, str]


class Exists(NamedTuple):
    """An argument that is the path of a file, or of a folder, that is there."""

    folder: bool = False


class Mark(Enum):
    """What an argument is, where its type does not say it."""

    PLACE = auto()  # may be the path of a file: a command reads it from the present folder
    SUBJECT = auto()  # what statements are about: to a command `me` is the user
    SENTENCE = auto()  # may be several words of a command, or its standard input
    CONTENT = auto()  # a text that a command takes as a word, out of a `--file` or standard input
    PAIRS = auto()  # an object that a command takes as `--property KEY=VALUE`, any number of them
    COMMAS = auto()  # a list that an agent may also give as one text with commas between
    EACH = auto()  # a list of an agent whose items are read one by one: what is wrong with one
    # that cannot be read takes its place in the list
    DATE = auto()
    DAY = auto()


Date: TypeAlias = Annotated[str, Meta(max_length=40), Mark.DATE]
"""A date as it was written; what is asked or stated with it reads it."""
Day: TypeAlias = Annotated[str, Meta(max_length=40), Mark.DAY]
"""A date that something is asked of; to a command "yesterday" and "7d" are dates too."""


class Argument(NamedTuple):
    """One argument of an operation."""

    name: str
    type: Any
    default: Any
    says: str
    meta: Meta
    notes: tuple[Any, ...]

    def note(self, kind: Any) -> Any:
        """Its note of a kind, or None."""
        return next((each for each in self.notes if isinstance(each, kind)), None)


@dataclass(frozen=True)
class Operation:
    """What a memory can be asked to do, who may ask it, and where."""

    run: Callable[..., Any]
    needs: KeyScope | None
    doors: tuple[Door, ...]

    def __call__(self, memory: Any, *given: Any, **named: Any) -> Any:
        """What it gives."""
        return self.run(memory, *given, **named)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.run.__name__.rstrip("_")

    @property
    def help(self) -> str:
        """What it does: a line, then more."""
        return self._said[0]

    @property
    def examples(self) -> tuple[str, ...]:
        """Lines that call its command."""
        return self._said[1]

    @cached_property
    def _said(self) -> tuple[str, tuple[str, ...]]:
        lines = (inspect.getdoc(self.run) or "").split("\n")
        examples = tuple(line[2:] for line in lines if line.startswith("$ "))
        return "\n".join(line for line in lines if not line.startswith("$ ")).strip(), examples

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The types of its arguments and of its result."""
        return get_type_hints(self.run, include_extras=True)

    @property
    def gives(self) -> Any:
        """The shape of its result."""
        return self.hints["return"]

    def takes(self, name: str) -> bool:
        """Whether it is given this by its door."""
        return name in self.hints

    def arguments(self, door: Door) -> Iterator[Argument]:
        """The arguments that a door offers, with its defaults."""
        for name, hint, default in self._every():
            left_out = name in door.without.split() or (door.only and name not in door.only.split())
            if get_origin(hint) is Annotated and not left_out:
                yield _argument(name, hint, door.default.get(name, default))

    def _every(self) -> Iterator[tuple[str, Any, Any]]:
        """Name, type and default of each argument; those of a `TypedDict` one by one."""
        for name, parameter in inspect.signature(self.run).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                yield name, self.hints[name], parameter.default
                continue
            (keys,) = get_args(self.hints[name])
            for key, hint in get_type_hints(keys, include_extras=True).items():
                kind = get_args(hint)[0]
                yield (
                    key,
                    hint,
                    None if NoneType in get_args(kind) else (get_origin(kind) or kind)(),
                )


def _argument(name: str, hint: Any, default: Any) -> Argument:
    kind, *notes = get_args(hint)
    inner = get_args(kind)
    if NoneType in inner:  # what bounds the value of an optional one
        notes += [n for each in inner if get_origin(each) is Annotated for n in get_args(each)[1:]]
        bare = (get_args(each)[0] if get_origin(each) is Annotated else each for each in inner)
        kind = Union[tuple(bare)]  # noqa: UP007  the kinds are known when it runs
    metas = [note for note in notes if isinstance(note, Meta)]
    meta = {
        f: getattr(m, f) for m in metas for f in (*_BOUNDS, "examples") if getattr(m, f) is not None
    }
    said = (n if isinstance(n, str) else getattr(n, "description", None) for n in notes)
    says = next(filter(None, said), "")
    others = tuple(note for note in notes if not isinstance(note, Meta | str))
    return Argument(name, kind, default, says, Meta(**meta), others)


def bounds_of(meta: Meta) -> dict[str, Any]:
    """The bounds that a `Meta` sets, by name."""
    found = {name: getattr(meta, name) for name in _BOUNDS}
    return {name: value for name, value in found.items() if value is not None}


def operation(needs: KeyScope | None, *doors: Door) -> Callable[[Callable[..., Any]], Operation]:
    """Make a function an operation that whoever may `needs` (None: anybody) can ask for at these
    doors. Its first parameter is the `memory`; of a command that needs none, the `run`."""
    return lambda run: Operation(run, needs, doors)


def operations() -> Iterator[Operation]:
    """Every operation that any door offers, by module and in its order."""
    for module in iter_modules(__path__):
        yield from operations_in(import_module(f"{__name__}.{module.name}"))


def operations_in(module: ModuleType) -> Iterator[Operation]:
    """The operations that a module states, in its order."""
    found = (each for each in vars(module).values() if isinstance(each, Operation))
    yield from (each for each in found if each.run.__module__ == module.__name__)


def given_bytes(file: str) -> bytes:
    """What a file holds; for `-`, all of standard input. Raises InvalidInput."""
    try:
        return standard_input() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file!r} cannot be read: {error.strerror or error}") from error


def standard_input() -> bytes:
    """All of standard input, which a command may be given in place of a file."""
    return sys.stdin.buffer.read()

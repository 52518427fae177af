"""Goals and tasks: what a record of one says, and the names it is known by.

A goal is the entity `goal-{id}`, a task `task-{id}`. What changes while work goes on (the status,
the owner, the priority, when it is due) is dated; how pieces of work hang together are ties.
"""

import re
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from quipu.errors import InvalidInput
from quipu.records.ids import named_entity_id
from quipu.records.schema import EntityType, RelationType
from quipu.tables import read_table

__all__ = [
    "DATED",
    "FIELDS",
    "KINDS",
    "TYPES",
    "DatedValue",
    "End",
    "EndKind",
    "FieldMap",
    "GivenFiles",
    "Predicate",
    "Tie",
    "WorkItem",
    "WorkKind",
    "WorkRelation",
    "is_closed",
    "status_key",
    "work_entity_id",
    "work_id",
    "work_ref",
]

WorkKind: TypeAlias = Literal["goal", "task"]
KINDS: Final[tuple[WorkKind, ...]] = get_args(WorkKind)
"""They are also the source types of what is read."""
TYPES: dict[WorkKind, EntityType] = {"goal": EntityType.GOAL, "task": EntityType.TASK}

EndKind: TypeAlias = Literal["goal", "task", "file", "session", "commit", "url"]
Predicate: TypeAlias = Literal["status", "owner", "priority", "deadline"]
DATED: Final[tuple[Predicate, ...]] = get_args(Predicate)


class Tie(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A relation that a field states; `paths` says that it may name files as well as work."""

    type: RelationType
    names: EndKind | Literal["own"]
    inward: bool = False
    paths: bool = False


class FieldMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of `fields.toml`; the statuses as `status_key` gives them."""

    kinds: dict[str, WorkKind]
    names: dict[str, tuple[str, ...]]
    stages: dict[str, tuple[str, ...]]
    statuses: dict[Literal["open", "done", "closed"], frozenset[str]]
    wholes: dict[str, Literal["goal", "own"]]
    relations: dict[str, Tie]


FIELDS = msgspec.convert(read_table("quipu.kinds.work", "fields.toml"), FieldMap)
_ID = re.compile(r"[^\W_][\w.:/-]{0,99}")


class GivenFiles(msgspec.Struct, frozen=True):
    """Paths to be remembered, as a job holds them; `kind` is what their records are that do not
    say so themselves."""

    paths: tuple[str, ...]
    kind: WorkKind | None = None


class End(NamedTuple):
    """What a tie leads to: another piece of work by its id, a file by its path, a session by its
    id, a commit by its hash, a URL."""

    kind: EndKind
    name: str


class WorkRelation(NamedTuple):
    """A relation between this piece of work and something else; `inward` when it comes from
    there."""

    type: RelationType
    end: End
    inward: bool = False


class DatedValue(NamedTuple):
    """What holds from a date (as written: a day or an instant). With `given`, the record says
    itself that it begins then; else it is the earliest date that the record can speak of."""

    predicate: Predicate
    value: str
    since: str
    given: bool = False


class WorkItem(msgspec.Struct, frozen=True, kw_only=True):
    """A goal or a task as one record tells it. `updated_at` is when the record says so, empty
    where it does not; `pointer` is where the record stands (`plan.json:12`)."""

    kind: WorkKind
    id: str
    title: str
    description: str = ""
    states: tuple[DatedValue, ...] = ()
    relations: tuple[WorkRelation, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: str = ""
    updated_at: str = ""
    pointer: str = ""

    @property
    def name(self) -> str:
        """What it is called: `task-12`."""
        return f"{self.kind}-{self.id}"

    @property
    def ref(self) -> str:
        """What a citation of it opens."""
        return work_ref(self.kind, self.id)

    def now(self, predicate: Predicate) -> str:
        """Return the last value that the record gives; empty where it gives none."""
        states = [state for state in self.states if state.predicate == predicate]
        return states[-1].value if states else ""


def work_id(kind: WorkKind, written: object, field: str = "id") -> str:
    """Return the id in `written`, a text or a whole number, without the `goal-` or `task-` before
    it.

    Raises InvalidInput naming `field` and the value.
    """
    number = isinstance(written, int) and not isinstance(written, bool)
    text = str(written).strip() if number or isinstance(written, str) else ""
    text = re.sub(rf"(?i)^{kind}-(?=.)", "", text)
    if not _ID.fullmatch(text):
        raise InvalidInput(
            f"{field} {written!r} is no id of a {kind}: give a number, or up to 100 letters, "
            "digits, dots, slashes and hyphens, for example 12"
        )
    return text


def work_ref(kind: WorkKind, identity: str) -> str:
    """Return what a citation opens."""
    return f"{kind}:{identity.casefold()}"


def work_entity_id(namespace: str, kind: WorkKind, identity: str) -> str:
    """Return the record id of a goal or task."""
    return named_entity_id(namespace, TYPES[kind], f"{kind}-{identity}")


def status_key(status: str) -> str:
    """Return a status as statuses are compared: `In progress` and `in_progress` are one."""
    return re.sub(r"[\W_]+", "", status.casefold())


def is_closed(status: object) -> bool:
    """Return whether work of this status is over."""
    over = FIELDS.statuses["done"] | FIELDS.statuses["closed"]
    return isinstance(status, str) and status_key(status) in over

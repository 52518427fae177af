"""A memory to another store, and the same questions asked of both."""

from math import isclose
from typing import TYPE_CHECKING

from msgspec.structs import replace

from quipu.errors import InvalidInput
from quipu.handle.home import database_path
from quipu.ports import every
from quipu.records.progress import Progress
from quipu.records.record import Entity
from quipu.records.schema import EntityType
from quipu.transfer.migrate import Migrated, migrate

if TYPE_CHECKING:
    from quipu.memory.memory import Memory
    from quipu.records.reply import Reply

__all__ = ["migrate_memory"]

_QUESTIONS = 20
_AS_SURE = 1e-6


def migrate_memory(
    source: "Memory", target: "Memory", *, progress: Progress | None = None
) -> Migrated:
    """Bring all that `source` remembers into `target`, compare it, and ask both about a sample of
    the documents. Raises InvalidInput when both are one, or hold different things."""
    if _place(source) == _place(target):
        raise InvalidInput(f"{source.home.shown!r} is the store itself: name another to migrate to")
    done = migrate(source.store, target.store, clock=source.clock, progress=progress)
    asked = _sample(source)
    differing = tuple(each for each in asked if not _alike(source.ask(each), target.ask(each)))
    return replace(
        done, questions=len(asked), alike=len(asked) - len(differing), differing=differing
    )


def _place(memory: "Memory") -> str:
    path = database_path(memory.home.url)
    return str(path) if path else memory.home.shown


def _sample(memory: "Memory") -> list[str]:
    """Names of documents, spread evenly over all there are."""
    documents = (e for e in every(memory.store, Entity) if e.type == EntityType.DOCUMENT)
    names = sorted({e.name for e in documents if e.name.strip()})
    return names[:: max(len(names) // _QUESTIONS, 1)][:_QUESTIONS]


def _alike(one: "Reply", other: "Reply") -> bool:
    """The same answer for the same reasons, as sure."""
    return (
        replace(one.contract, timestamp="") == replace(other.contract, timestamp="")
        and one.citations == other.citations
        and [hit.id for hit in one.hits] == [hit.id for hit in other.hits]
        and isclose(one.confidence.value, other.confidence.value, abs_tol=_AS_SURE)
    )

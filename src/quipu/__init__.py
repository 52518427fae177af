"""Quipu: an evidence-first graph memory.

    write   source → read → chunk → extract → resolve → store → embed
    read    question → plan → retrieve → answer

`Memory` joins the stages:

    with Memory.open("notes.db") as memory:
        memory.index(["docs", "src"])
        print(memory.ask("Who owns the payments service?").contract.answer)

Names are imported when they are first used, so `import quipu` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from quipu.version import VERSION

if TYPE_CHECKING:
    from quipu.config import Config
    from quipu.errors import QuipuError
    from quipu.kinds.commits.model import CommitInput
    from quipu.kinds.commits.repository import HistoryReport
    from quipu.memory import Memory, Passage, Status
    from quipu.records.passage import PassageInput
    from quipu.records.plan import Plan
    from quipu.records.record import Chunk, Entity, Episode, Fact, Relation
    from quipu.records.reply import Hit, Reply, Retrieved
    from quipu.records.scope import EVERYTHING, Scope
    from quipu.write.report import IndexReport

__version__ = VERSION

__all__ = [
    "EVERYTHING",
    "Chunk",
    "CommitInput",
    "Config",
    "Entity",
    "Episode",
    "Fact",
    "HistoryReport",
    "Hit",
    "IndexReport",
    "Memory",
    "Passage",
    "PassageInput",
    "Plan",
    "QuipuError",
    "Relation",
    "Reply",
    "Retrieved",
    "Scope",
    "Status",
    "__version__",
]

_HOMES = {
    "quipu.config": ("Config",),
    "quipu.kinds.commits.model": ("CommitInput",),
    "quipu.records.plan": ("Plan",),
    "quipu.records.record": ("Chunk", "Entity", "Episode", "Fact", "Relation"),
    "quipu.records.reply": ("Hit", "Reply", "Retrieved"),
    "quipu.records.scope": ("EVERYTHING", "Scope"),
    "quipu.errors": ("QuipuError",),
    "quipu.records.passage": ("PassageInput",),
    "quipu.kinds.commits.repository": ("HistoryReport",),
    "quipu.write.report": ("IndexReport",),
    "quipu.memory": ("Memory", "Passage", "Status"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

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

if TYPE_CHECKING:
    from quipu.config import Config
    from quipu.domain.commits import CommitInput
    from quipu.domain.passage import PassageInput
    from quipu.domain.plan import Plan
    from quipu.domain.records import Chunk, Entity, Episode, Fact, Relation
    from quipu.domain.reply import Hit, Reply, Retrieved
    from quipu.domain.scope import EVERYTHING, Scope
    from quipu.errors import QuipuError
    from quipu.ingest.history import HistoryReport
    from quipu.ingest.report import IndexReport
    from quipu.memory import Memory, Passage, Status

__version__ = "0.1.0"

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
    "quipu.domain.commits": ("CommitInput",),
    "quipu.domain.plan": ("Plan",),
    "quipu.domain.records": ("Chunk", "Entity", "Episode", "Fact", "Relation"),
    "quipu.domain.reply": ("Hit", "Reply", "Retrieved"),
    "quipu.domain.scope": ("EVERYTHING", "Scope"),
    "quipu.errors": ("QuipuError",),
    "quipu.domain.passage": ("PassageInput",),
    "quipu.ingest.history": ("HistoryReport",),
    "quipu.ingest.report": ("IndexReport",),
    "quipu.memory": ("Memory", "Passage", "Status"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

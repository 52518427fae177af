"""What the command line asks of kinds of source from other packages: their commands."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from quipu.errors import BrokenKind
from quipu.kind import installed, parts
from quipu.serve.cli.lazy import CommandEntry

__all__ = ["Commands", "commands_of_kinds"]


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands that a kind of source adds, by name. They are listed without being imported, so
    what holds this table should import little."""

    entries: Mapping[str, CommandEntry] = field(default_factory=dict[str, CommandEntry])


def commands_of_kinds(taken: Collection[str]) -> dict[str, CommandEntry]:
    """The commands of all kinds. Raises BrokenKind for a name that is `taken`, or given twice."""
    found: dict[str, CommandEntry] = {}
    for each in parts("commands", Commands, installed):
        for name, entry in each.entries.items():
            if name in taken or name in found:
                raise BrokenKind(
                    f"there are two commands {name!r}, one of them at {entry.place!r}: "
                    "uninstall its package"
                )
            found[name] = entry
    return found

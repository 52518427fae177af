"""What the MCP server asks of kinds of source: their tools."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Literal

from mcp.server.mcpserver.tools import Tool

from quipu.errors import BrokenKind
from quipu.kind import parts
from quipu.memory import Memory
from quipu.serve.mcp import Profile

__all__ = ["Tools", "tools_of_kinds"]


class Tools(ABC):
    """The tools that a kind of source adds for agents, made with `make_tool`; `profiles` are those
    that have them."""

    profiles: tuple[Literal["default", "full"], ...] = ("full",)

    @abstractmethod
    def over(self, memory: Memory) -> list[Tool]:
        """The tools over one memory."""


def tools_of_kinds(memory: Memory, profile: Profile, taken: Collection[str]) -> list[Tool]:
    """The tools of all kinds. Raises BrokenKind for a name that is `taken`, or given twice."""
    found: dict[str, Tool] = {}
    for each in parts("tools", Tools):
        for tool in each.over(memory) if profile in each.profiles else ():
            if tool.name in taken or tool.name in found:
                raise BrokenKind(
                    f"there are two tools {tool.name!r}, one of them of {type(each).__module__!r}: "
                    "uninstall its package"
                )
            found[tool.name] = tool
    return list(found.values())

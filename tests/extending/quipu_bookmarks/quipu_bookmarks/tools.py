"""Bookmarks as a tool for agents."""

from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.memory import Memory
from quipu.serve.mcp.kinds import Tools
from quipu.serve.mcp.tool import Hints, make_tool
from quipu_bookmarks.model import Bookmarks, all_bookmarks, in_folder

__all__ = ["TOOLS", "BookmarkTools"]

_MOST = 100


class BookmarkTools(Tools):
    """One tool, in the profiles `default` and `full`."""

    profiles = ("default", "full")

    def over(self, memory: Memory) -> list[Tool]:
        """`bookmarks_list`."""

        def bookmarks_list(
            folder: Annotated[str, Field(description="Only what is in it; empty for all.")] = "",
        ) -> Bookmarks:
            """List bookmarks by title, with address, folders, tags and the day they were added."""
            if not folder:
                return Bookmarks(all_bookmarks(memory.graph).bookmarks[:_MOST])
            return Bookmarks(tuple(each for each, _ in in_folder(memory.graph, folder))[:_MOST])

        return [make_tool(bookmarks_list, title="Bookmarks", gives=Bookmarks, hints=Hints())]


TOOLS = BookmarkTools()

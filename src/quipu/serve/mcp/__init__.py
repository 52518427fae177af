"""A memory as tools for agents, over the Model Context Protocol.

    with Memory.open() as memory:
        build_server(memory).run("stdio")

The second thin face over `Memory` (the first is the command line): a tool reads its arguments,
calls the memory and gives its answer a shape. The SDK is the extra `mcp`; it is imported late.
"""

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from quipu.errors import MissingExtra

if TYPE_CHECKING:
    from quipu.memory import Memory
    from quipu.serve.mcp.server import LackingMemory, Server

__all__ = ["NEEDS", "PROFILES", "Profile", "build_server"]

Profile: TypeAlias = Literal["default", "full", "server-memory"]
NEEDS = "the MCP server needs the official SDK: pip install 'quipu-memory[mcp]'"
PROFILES: tuple[Profile, ...] = get_args(Profile)


def build_server(
    memory: "Memory",
    *,
    profile: Profile = "default",
    read_only: bool = False,
    lacking: "LackingMemory | None" = None,
) -> "Server":
    """A server with the tools of `profile`; `read_only` leaves out those that write. With `lacking`
    the first write makes the memory that is served from then on; until then it is `memory`.

    Raises MissingExtra without the SDK.
    """
    try:
        from quipu.serve.mcp.server import Server
    except ModuleNotFoundError as error:
        if str(error.name).startswith("quipu"):
            raise
        raise MissingExtra(NEEDS) from error
    return Server(memory, profile=profile, read_only=read_only, lacking=lacking)

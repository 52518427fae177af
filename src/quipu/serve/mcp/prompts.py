"""Prompts and resources: the prompt index, and two ways to begin with what is remembered."""

from typing import Any

from mcp.server import MCPServer

from quipu.agents.packs import context_pack
from quipu.memory import Memory

__all__ = ["INDEX_RESOURCE", "add_prompts", "index_resource"]

INDEX_RESOURCE = "quipu://index"

_PACK = 8_000


def index_resource() -> dict[str, Any]:
    """What the prompt index is called; it is made afresh whenever it is read."""
    return {
        "name": "index",
        "title": "What this memory holds",
        "description": "One page, at most 1500 tokens: entries by priority, documents, "
        "conversations, subjects.",
        "mime_type": "text/markdown",
    }


def add_prompts(server: MCPServer[Any], memory: Memory) -> None:
    """Let people begin from what is remembered."""

    @server.prompt(
        title="Answer from memory",
        description="Answer a question from what is remembered, with citations.",
    )
    def answer_from_memory(question: str) -> str:  # pyright: ignore[reportUnusedFunction]  # registered
        made = context_pack(memory, question, max_chars=_PACK)
        return f"{made.pack}\n\nQuestion: {question}"

    @server.prompt(
        title="Remember this conversation",
        description="Store what is worth keeping of the conversation so far.",
    )
    def remember_this() -> str:  # pyright: ignore[reportUnusedFunction]  # registered
        return (
            "Look back over our conversation. For every preference, instruction, decision, fact "
            "about a person or project and insight that will matter later, call memory_store "
            "once: content complete in itself, with names and dates instead of 'I', 'it' and "
            "'today'; the category that fits; priority high or critical only for what must never "
            "be missed; expires where it will stop being true. Store nothing that is already "
            "there and no secrets. Then list what you stored."
        )

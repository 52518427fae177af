"""The ChatGPT export: `conversations.json`, a list of conversations, each a tree of messages.

A message that was edited or answered again is a branch; the conversation is the branch that
leads to `current_node`, as the product shows it.
"""

from typing import cast

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector, Content
from quipu.kinds.conversations.read.values import Json, an_object, objects, shown, text

__all__ = ["NAME", "is_chatgpt", "read_chatgpt"]

NAME = "chatgpt-export"
_SPOKEN = frozenset({"text", "multimodal_text"})
_NO_SPEECH = frozenset(
    "code execution_output tether_quote tether_browsing_display system_error thoughts "
    "reasoning_recap user_editable_context model_editable_context".split()
)


def is_chatgpt(fields: Json) -> bool:
    """Whether an object is a conversation of this export."""
    return isinstance(fields.get("mapping"), dict)


def read_chatgpt(path: str, value: object, *, stem: str) -> Sessions:
    """Every conversation, in the order of the file."""
    collector = Collector(path)
    for place, conversation in enumerate(objects(value), 1):
        name = text(conversation, "conversation_id", "id") or f"{stem}-{place}"
        time = collector.time(conversation.get("create_time"), 0)
        collector.open(name, title=text(conversation, "title"), time=time)
        mapping = conversation.get("mapping")
        if not isinstance(mapping, dict):
            collector.problem(f"conversation {name!r}: mapping is {shown(mapping)}, no object", 0)
            continue
        nodes = cast(Json, mapping)
        for key in _branch(nodes, text(conversation, "current_node")):
            with collector.reading(where=f"conversation {name!r}, node {key!r}"):
                node = an_object(nodes[key], "the node")
                if node.get("message") is not None:
                    _read_message(collector, name, an_object(node["message"], "the message"))
    return collector.sessions(NAME)


def _branch(nodes: Json, current: str) -> list[str]:
    """The keys of the nodes from the root to the current one. A node that does not name its
    parent is found through the children that some other node names."""
    named_by: dict[str, str] = {}
    for key, node in nodes.items():
        children = cast(Json, node).get("children") if isinstance(node, dict) else None
        for child in cast(list[object], children) if isinstance(children, list) else ():
            if isinstance(child, str):
                named_by.setdefault(child, key)
    key = current if current in nodes else _last_leaf(nodes)
    found: list[str] = []
    seen: set[str] = set()
    while key in nodes and key not in seen:
        seen.add(key)
        found.append(key)
        node = nodes[key]
        parent = text(cast(Json, node), "parent") if isinstance(node, dict) else ""
        key = parent if parent in nodes else named_by.get(key, "")
    return found[::-1]


def _last_leaf(nodes: Json) -> str:
    leaves = [
        key
        for key, node in nodes.items()
        if isinstance(node, dict) and not node.get("children")  # pyright: ignore[reportUnknownMemberType]
    ]
    return leaves[-1] if leaves else ""


def _read_message(collector: Collector, session: str, message: Json) -> None:
    author = an_object(message.get("author") or {}, "author")
    metadata = an_object(message.get("metadata") or {}, "metadata")
    body = an_object(message.get("content") or {}, "content")
    written, kind = text(author, "role"), text(body, "content_type")
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    to_a_tool = written == "tool" or text(message, "recipient") not in {"", "all"}
    if hidden or to_a_tool or kind in _NO_SPEECH:
        return
    collector.message(
        session,
        _content(body, kind),
        role=collector.role(written, 0),
        speaker=text(author, "name"),
        time=collector.time(message.get("create_time"), 0),
    )


def _content(body: Json, kind: str) -> Content:
    content = Content()
    parts = body.get("parts")
    if kind in _SPOKEN and not isinstance(parts, list):
        raise InvalidInput("a message's parts are not a list")
    if isinstance(parts, list):
        for part in parts:  # pyright: ignore[reportUnknownVariableType]
            if isinstance(part, str):
                content.speech.append(part)
            elif isinstance(part, dict):
                content.captions.append("image")
    else:
        content.speech.append(text(body, "text", "result", "content"))
    return content

"""Conversations as products export them, and lists of messages as chat interfaces take them.

ChatGPT (`conversations.json`): each conversation is a tree of messages. A message that was edited
or answered again is a branch; the conversation is the branch that leads to `current_node`, as the
product shows it. Claude (`conversations.json`): conversations with their `chat_messages`. Messages:
`[{"role", "content"}, …]` alone, under `messages`, or one such object (or one message) a line; tool
calls and tool answers are passed over.
"""

from typing import cast

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read.collect import Collector, Content, read_content
from quipu.kinds.conversations.read.values import Json, a_list, an_object, objects, shown, text
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "is_chatgpt",
    "is_claude_export",
    "is_message",
    "read_chatgpt",
    "read_claude_export",
    "read_messages",
]

_SPOKEN = frozenset({"text", "multimodal_text"})
_NO_SPEECH = frozenset(
    "code execution_output tether_quote tether_browsing_display system_error thoughts "
    "reasoning_recap user_editable_context model_editable_context".split()
)
_ANSWERS = frozenset({"tool", "function"})


def is_chatgpt(fields: Json) -> bool:
    """Return whether an object is a conversation of ChatGPT's export."""
    return isinstance(fields.get("mapping"), dict)


def read_chatgpt(collector: Collector, value: object) -> None:
    """Read every conversation, in the order of the file."""
    for place, conversation in enumerate(objects(value), 1):
        name = text(conversation, "conversation_id", "id") or f"{collector.session}-{place}"
        time = collector.time(conversation.get("create_time"))
        collector.open(name, title=text(conversation, "title"), time=time)
        mapping = conversation.get("mapping")
        if not isinstance(mapping, dict):
            collector.problem(f"conversation {name!r}: mapping is {shown(mapping)}, no object")
            continue
        nodes = cast(Json, mapping)
        for key in _branch(nodes, text(conversation, "current_node")):
            with collector.reading(f"conversation {name!r}, node {key!r}"):
                node = an_object(nodes[key], "the node")
                if node.get("message") is not None:
                    _read_node(collector, name, an_object(node["message"], "the message"))


def _branch(nodes: Json, current: str) -> list[str]:
    """The keys of the nodes from the root to the current one (without one, the last leaf). A node
    that does not name its parent is found through the children that some other node names."""
    named_by = {
        child: key
        for key, node in reversed(nodes.items())
        for child in _children(node)
        if isinstance(child, str)
    }
    leaves = [k for k, node in nodes.items() if objects(node) and not _children(node)]
    key = current if current in nodes else next(reversed(leaves), "")
    found: dict[str, None] = {}
    while key in nodes and key not in found:
        found[key] = None
        node = nodes[key]
        parent = text(cast(Json, node), "parent") if isinstance(node, dict) else ""
        key = parent if parent in nodes else named_by.get(key, "")
    return [*found][::-1]


def _children(node: object) -> list[object]:
    children = cast(Json, node).get("children") if isinstance(node, dict) else None
    return cast(list[object], children) if isinstance(children, list) else []


def _read_node(collector: Collector, session: str, message: Json) -> None:
    author = an_object(message.get("author") or {}, "author")
    metadata = an_object(message.get("metadata") or {}, "metadata")
    body = an_object(message.get("content") or {}, "content")
    written, kind = text(author, "role"), text(body, "content_type")
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    to_a_tool = written == "tool" or text(message, "recipient") not in {"", "all"}
    if hidden or to_a_tool or kind in _NO_SPEECH:
        return
    parts = body.get("parts")
    if kind in _SPOKEN and not isinstance(parts, list):
        raise InvalidInput("a message's parts are not a list")
    if isinstance(parts, list):
        listed = cast(list[object], parts)
        speech = [part for part in listed if isinstance(part, str)]
        content = Content(speech, ["image" for part in listed if isinstance(part, dict)])
    else:
        content = Content([text(body, "text", "result", "content")])
    time, role = collector.time(message.get("create_time")), collector.role(written)
    collector.message(session, content, role=role, speaker=text(author, "name"), time=time)


def is_claude_export(fields: Json) -> bool:
    """Return whether an object is a conversation of Claude's export."""
    return isinstance(fields.get("chat_messages"), list)


def read_claude_export(collector: Collector, value: object) -> None:
    """Read every conversation, in the order of the file."""
    for place, conversation in enumerate(objects(value), 1):
        name = text(conversation, "uuid") or f"{collector.session}-{place}"
        time = collector.time(conversation.get("created_at"))
        collector.open(name, title=text(conversation, "name"), time=time)
        messages: list[object] = []
        with collector.reading(f"conversation {name!r}"):
            messages = a_list(conversation.get("chat_messages"), "chat_messages")
        for number, each in enumerate(messages, 1):
            with collector.reading(f"conversation {name!r}, message {number}"):
                message = an_object(each, "the message")
                content = read_content(message.get("content"))
                if not any(said.strip() for said in content.speech):
                    content.speech = [text(message, "text")]  # what the first exports had alone
                for shows in (*objects(message.get("attachments")), *objects(message.get("files"))):
                    content.captions.append(text(shows, "file_name", "name") or "file")
                role = collector.role(text(message, "sender"))
                time = collector.time(message.get("created_at"))
                collector.message(name, content, role=role, time=time)


def is_message(fields: Json) -> bool:
    """Return whether an object is a message, or holds a list of them."""
    if isinstance(fields.get("messages"), list):
        return True
    return isinstance(fields.get("role"), str) and ("content" in fields or "tool_calls" in fields)


def read_messages(collector: Collector, value: object) -> None:
    """Read messages, objects with lists of them, or both, from one JSON value or one line of a
    file. Those under one object are a session; of several that have no name each has a number."""
    listed = cast(list[object], value) if isinstance(value, list) else [value]
    holders = [
        each for each in objects(cast(object, value)) if isinstance(each.get("messages"), list)
    ]
    number = collector.line
    for place, each in enumerate(listed, 1):
        if any(each is holder for holder in holders):
            number += 1 if len(holders) > 1 else 0
            name = f"{collector.session}-{number}" if number else collector.session
            _read_holder(collector, cast(Json, each), name)
        else:
            with collector.reading():
                message = an_object(each, f"message {place}")
                own = "" if isinstance(value, list) else _session_of(message)
                _read_message(collector, own or collector.session, message)


def _session_of(fields: Json) -> str:
    return text(fields, "session_id", "conversation_id", "thread_id", "sessionId")


def _read_holder(collector: Collector, holder: Json, name: str) -> None:
    session = _session_of(holder) or text(holder, "id") or name
    time = collector.time(holder.get("created_at") or holder.get("created"))
    collector.open(session, title=text(holder, "title"), time=time)
    for place, each in enumerate(a_list(holder.get("messages"), "messages"), 1):
        with collector.reading():
            _read_message(collector, session, an_object(each, f"message {place}"))


def _read_message(collector: Collector, session: str, message: Json) -> None:
    written = text(message, "role")
    if not written:
        raise InvalidInput("a message has no role: give it one of user, assistant, system, tool")
    if written in _ANSWERS:
        return
    stamp = message.get("created_at") or message.get("timestamp") or message.get("time")
    time = collector.time(stamp) if stamp else UNKNOWN_TIME
    content = read_content(message.get("content"))
    role = collector.role(written)
    collector.message(session, content, role=role, speaker=text(message, "name"), time=time)

"""The Claude export: `conversations.json`, a list of conversations with their `chat_messages`."""

from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.content import read_content
from quipu.kinds.conversations.read.values import Json, a_list, an_object, objects, text

__all__ = ["NAME", "is_claude_export", "read_claude_export"]

NAME = "claude-export"


def is_claude_export(fields: Json) -> bool:
    """Whether an object is a conversation of this export."""
    return isinstance(fields.get("chat_messages"), list)


def read_claude_export(path: str, value: object, *, stem: str) -> Sessions:
    """Every conversation, in the order of the file."""
    collector = Collector(path)
    for place, conversation in enumerate(objects(value), 1):
        name = text(conversation, "uuid") or f"{stem}-{place}"
        time = collector.time(conversation.get("created_at"), 0)
        collector.open(name, title=text(conversation, "name"), time=time)
        messages: list[object] = []
        with collector.reading(where=f"conversation {name!r}"):
            messages = a_list(conversation.get("chat_messages"), "chat_messages")
        for number, each in enumerate(messages, 1):
            with collector.reading(where=f"conversation {name!r}, message {number}"):
                _read_message(collector, name, an_object(each, "the message"))
    return collector.sessions(NAME)


def _read_message(collector: Collector, session: str, message: Json) -> None:
    content = read_content(message.get("content"))
    if not any(said.strip() for said in content.speech):
        content.speech = [text(message, "text")]  # what the first exports had alone
    for each in objects(message.get("attachments")) + objects(message.get("files")):
        content.captions.append(text(each, "file_name", "name") or "file")
    collector.message(
        session,
        content,
        role=collector.role(text(message, "sender"), 0),
        time=collector.time(message.get("created_at"), 0),
    )

"""A message's content in the block forms that model providers share.

Text is speech; pictures and files are captions; tool use, tool results and thinking are events.
An unknown block is passed over: providers add kinds, and a new kind is no damage.
"""

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read.collect import Content
from quipu.kinds.conversations.read.values import Json, objects, shown, text

__all__ = ["plain_text", "read_content"]

_SPEECH = frozenset({"text", "input_text", "output_text", "refusal"})
_FILES = frozenset({"file", "input_file", "document", "attachment"})
_PICTURES = frozenset({"image", "image_url", "input_image", "image_asset_pointer"})
_CALLS = frozenset({"tool_use", "server_tool_use", "tool_call"})
_RESULTS = frozenset({"tool_result", "web_search_tool_result"})
_THOUGHTS = frozenset({"thinking", "reasoning"})


def read_content(value: object) -> Content:
    """`value` (text, or a list of text and blocks) by kind. Raises InvalidInput otherwise."""
    if value is None:
        return Content()
    if isinstance(value, str):
        return Content(speech=[value])
    content = Content()
    for block in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
        if isinstance(block, str):
            content.speech.append(block)
        elif isinstance(block, dict):
            fields: Json = block  # pyright: ignore[reportUnknownVariableType]
            _add(content, fields, text(fields, "type"))
        else:
            raise InvalidInput(f"the message's content is {shown(value)}, not text or blocks")  # pyright: ignore[reportUnknownArgumentType]
    return content


def _add(content: Content, block: Json, kind: str) -> None:
    if kind in _SPEECH:
        content.speech.append(text(block, "text", "refusal"))
    elif kind in _PICTURES:
        content.captions.append(text(block, "alt", "caption", "title") or "image")
    elif kind in _FILES:
        content.captions.append(text(block, "file_name", "filename", "title", "name") or "file")
    elif kind in _CALLS:
        content.events.append(
            ("call", text(block, "name"), text(block, "id"), compact(block.get("input")), False)
        )
    elif kind in _RESULTS:
        content.events.append(
            (
                "result",
                text(block, "name"),
                text(block, "tool_use_id", "tool_call_id"),
                plain_text(block.get("content")),
                block.get("is_error") is True,
            )
        )
    elif kind in _THOUGHTS:
        content.events.append(("thought", "", "", text(block, "thinking", "text"), False))


def plain_text(value: object) -> str:
    """The text in `value` (text, blocks, or any JSON), for an event."""
    if isinstance(value, str):
        return value
    blocks = objects(value)
    if blocks:
        return "\n".join(t for t in (text(b, "text", "output", "title") for b in blocks) if t)
    return "" if value is None else compact(value)


def compact(value: object) -> str:
    """`value` as JSON on one line; text as it is, and what is nested too deeply only in part."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return shown(value)
